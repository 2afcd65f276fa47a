import FMCore
import Glibc

/// Chooses candidates in plain Swift: for the reference, and for requests larger than what a
/// device's kernels keep.
package enum CandidateSelection {
  /// Appends the answer to a request for candidates from all the logits of its row.
  ///
  /// Sorts the whole vocabulary.
  package static func append(_ request: OutputRequest, logits: [Float], to result: inout StepResult)
  {
    guard case .candidates(let count) = request.kind else { return }
    var biased = logits
    for item in request.bias { biased[Int(item.token)] += item.bias }
    var allowed: [Candidate] = []
    for (token, logit) in biased.enumerated() {
      if let mask = request.mask, mask[token / 64] >> UInt64(token % 64) & 1 == 0 { continue }
      allowed.append(Candidate(token: TokenID(token), logit: logit))
    }
    let sum = logSumExp(allowed)
    // NaN has no place in an order; it shows in the log-sum-exp.
    allowed.removeAll { $0.logit.isNaN }
    allowed.sort { left, right in
      left.logit != right.logit ? left.logit > right.logit : left.token < right.token
    }
    let start = result.candidates.count
    result.candidates += allowed.prefix(count)
    result.entries.append(.init(range: start..<result.candidates.count, logSumExp: sum))
  }

  private static func logSumExp(_ candidates: [Candidate]) -> Float {
    if candidates.contains(where: { $0.logit.isNaN }) { return .nan }
    let largest = candidates.reduce(-Float.infinity) { max($0, $1.logit) }
    guard largest.isFinite else { return largest }
    let sum = candidates.reduce(0.0) { $0 + exp(Double($1.logit - largest)) }
    return Float(Double(largest) + log(sum))
  }
}
