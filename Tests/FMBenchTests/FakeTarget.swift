import FMBench
import FMCore
import FMEngine
import Synchronization

/// A target without a model: it keeps an unlimited prefix cache and invents tokens at once.
final class FakeTarget: RequestTarget {
  /// What goes wrong, and where.
  enum Fault: Sendable {
    case none
    /// Every natural output is so many tokens shorter than asked.
    case endsEarly(by: Int)
    case fails
    /// Clearing the cache does nothing.
    case keepsCache
    /// Nothing is ever found in the cache.
    case losesCache
    /// Asks for the run's end during the request of that number.
    case interrupts(at: Int)
  }

  struct Failure: Error, CustomStringConvertible {
    var description: String { "the device is gone" }
  }

  let contextLength: Int
  private let fault: Fault
  private let state = Mutex<(cache: IdealCache, requests: Int)>((IdealCache(), 0))

  init(contextLength: Int = 4096, fault: Fault = .none) {
    self.contextLength = contextLength
    self.fault = fault
  }

  var requests: Int { state.withLock { $0.requests } }

  func clearCache() async throws {
    if case .keepsCache = fault { return }
    state.withLock { $0.cache.clear() }
  }

  func prefill(_ tokens: [TokenID]) async throws -> RequestOutcome {
    let now = MonotonicInstant.now
    state.withLock { $0.cache.remember(tokens) }
    return RequestOutcome(
      submitted: now, prefillStart: now, completed: .now, promptTokens: tokens.count,
      cachedTokens: 0)
  }

  func perform(
    _ request: ScriptedRequest, interruption: Interruption
  ) async throws -> RequestOutcome {
    let submitted = MonotonicInstant.now
    let number = state.withLock { state in
      state.requests += 1
      return state.requests
    }
    if case .fails = fault { throw Failure() }
    if case .interrupts(let at) = fault, number == at { interruption.request() }
    var tokens: [TokenID]
    switch request.output {
    case .forced(let forced): tokens = forced
    case .natural(let count):
      tokens = (0..<count).map { TokenID(20 + ($0 + number) % 50) }
      if case .endsEarly(let by) = fault { tokens.removeLast(by) }
    }
    let start = MonotonicInstant.now
    let stamps = tokens.map { _ in MonotonicInstant.now }
    let found = state.withLock { state in
      defer { state.cache.remember(request.prompt + tokens.dropLast()) }
      return state.cache.ideal(for: request.prompt)
    }
    var cached = found
    if case .losesCache = fault { cached = 0 }
    return RequestOutcome(
      submitted: submitted, prefillStart: start, firstToken: stamps.first, lastToken: stamps.last,
      completed: .now, promptTokens: request.prompt.count, cachedTokens: cached,
      missReason: cached == 0 ? "cold" : "none", tokens: tokens, tokenStamps: stamps,
      finish: interruption.isRequested ? .cancelled : .length, samplingNanoseconds: 1)
  }
}
