import FMBackend
import FMCore

/// Requests that begin alike and come together: one computes the beginning, the others wait and find it.
///
/// Computing it once takes less than computing it side by side, so that those who wait have their first token
/// sooner, too. Agents that fan out do just this: the same instructions and tools, another task each.
extension Scheduler {
  /// Fewer shared tokens than this are not worth a wait.
  private static let leastSharedTokens = 64

  /// Whether a request had better wait: another is computing what both begin with.
  ///
  /// - Complexity: O(running requests · shared tokens) when a request is first looked at, then O(1).
  func waitsForPrefix(_ request: ScheduledRequest) -> Bool {
    guard request.usesPrefixCache else { return false }
    if let other = request.awaited, isComputingPrompt(other) { return true }
    request.awaited = active.first { other in
      isComputingPrompt(other) && leavesEnough(of: other, to: request)
    }
    return request.awaited != nil
  }

  /// Whether a request runs whose prompt others will find in the cache, and do not yet.
  private func isComputingPrompt(_ request: ScheduledRequest) -> Bool {
    guard request.usesPrefixCache, request.sequence != nil else { return false }
    return switch request.work {
    case .generation(let generation): !generation.hasPrefilled
    case .prewarm: request.pending > 0
    case .scoring: false
    }
  }

  /// Whether a prompt leaves much to the request in the cache that is not there already.
  private func leavesEnough(of other: ScheduledRequest, to request: ScheduledRequest) -> Bool {
    let known = other.reuse?.tokens ?? 0
    // A generation gives its whole blocks when its prompt is computed, a prewarm all at its end.
    var limit = other.promptCount
    if case .generation = other.work { limit -= limit % KVLayout.blockTokens }
    limit = min(limit, request.reuseLimit)
    guard limit - known >= Self.leastSharedTokens else { return false }
    var common = 0
    while common < limit, other.tokens[common] == request.tokens[common] { common += 1 }
    guard common - known >= Self.leastSharedTokens else { return false }
    // Windows may have passed by then what goes on from the shared beginning.
    return core.rules.allSatisfy {
      $0.firstKeptBlock(position: other.promptCount) <= $0.firstNeededBlock(position: common)
    }
  }
}
