package import FMCore

/// A target whose requests take longer by a factor: for checking that verdicts find a slowdown.
///
/// The time is really spent, by waiting in a loop after the request; its stamps are spread over it
/// as if every part had been slower. A run on such a target is marked in the store.
package struct SlowedTarget: RequestTarget {
  private let target: any RequestTarget
  private let factor: Double

  /// `factor` is at least 1: 1.1 for 10 % longer.
  package init(_ target: any RequestTarget, factor: Double) {
    self.target = target
    self.factor = max(1, factor)
  }

  package var contextLength: Int { target.contextLength }

  /// Forgets every cached prefix, no slower than the target.
  package func clearCache() async throws { try await target.clearCache() }

  /// Fills the cache, no slower than the target: nobody waits for it.
  package func prefill(_ tokens: [TokenID]) async throws -> RequestOutcome {
    try await target.prefill(tokens)
  }

  /// Plays a request and waits.
  package func perform(
    _ request: ScriptedRequest, interruption: Interruption
  ) async throws -> RequestOutcome {
    var outcome = try await target.perform(request, interruption: interruption)
    let start = outcome.submitted.nanoseconds
    func slowed(_ stamp: MonotonicInstant) -> MonotonicInstant {
      guard stamp.nanoseconds > start else { return stamp }
      return MonotonicInstant(
        nanoseconds: start &+ UInt64(Double(stamp.nanoseconds - start) * factor))
    }
    outcome.prefillStart = outcome.prefillStart.map(slowed)
    outcome.firstToken = outcome.firstToken.map(slowed)
    outcome.lastToken = outcome.lastToken.map(slowed)
    outcome.completed = slowed(outcome.completed)
    outcome.tokenStamps = outcome.tokenStamps.map(slowed)
    while MonotonicInstant.now < outcome.completed, !interruption.isRequested {}
    return outcome
  }
}
