package import FMCore
package import FMEngine
import Synchronization

/// Requests to an engine that is loaded anew whenever its cache is cleared: a cold model for every trial.
///
/// What an engine makes when it is first used (packed weights, scratch, a device's pipelines) then falls into
/// the trial's first request, and loading is told apart. The file stays in the system's page cache.
package final class ReloadingTarget: RequestTarget {
  private struct State {
    var engine: Engine?
    var loadNanoseconds: UInt64?
  }

  package let contextLength: Int
  private let load: @Sendable () throws -> Engine
  private let state = Mutex(State())

  /// `load` makes an engine with a window of so many tokens; nothing is loaded yet.
  package init(contextLength: Int, load: @escaping @Sendable () throws -> Engine) {
    self.contextLength = contextLength
    self.load = load
  }

  package var loadNanoseconds: UInt64? { state.withLock { $0.loadNanoseconds } }

  /// Drops the engine and loads another.
  package func clearCache() async throws {
    // Before the other one is there, or both would need memory.
    state.withLock { $0 = State() }
    let start = MonotonicInstant.now
    let engine = try load()
    let taken = MonotonicInstant.now.nanoseconds - start.nanoseconds
    state.withLock { $0 = State(engine: engine, loadNanoseconds: taken) }
  }

  /// Prewarms the engine's prefix cache.
  package func prefill(_ tokens: [TokenID]) async throws -> RequestOutcome {
    try await target().prefill(tokens)
  }

  /// Runs one request on the engine.
  package func perform(
    _ request: ScriptedRequest, interruption: Interruption
  ) async throws -> RequestOutcome {
    try await target().perform(request, interruption: interruption)
  }

  private func target() throws -> EngineTarget {
    guard let engine = state.withLock({ $0.engine }) else { throw NotLoaded() }
    return EngineTarget(engine: engine)
  }

  /// A request came before the cache was cleared for the first time.
  private struct NotLoaded: Error, CustomStringConvertible {
    var description: String { "no engine is loaded: a trial begins by clearing the cache" }
  }
}
