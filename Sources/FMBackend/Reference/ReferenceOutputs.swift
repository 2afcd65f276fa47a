import FMCore
import Glibc

/// Answers a step's output requests from the logits of its output rows.
enum ReferenceOutputs {
  /// `logits` is `[requests, vocabularySize]`, in the requests' order.
  static func fill(
    _ result: inout StepResult, logits: [Float], requests: [OutputRequest], vocabularySize: Int
  ) {
    for (index, request) in requests.enumerated() {
      let row = logits[index * vocabularySize..<(index + 1) * vocabularySize]
      switch request.kind {
      case .logits:
        let start = result.logits.count
        result.logits += row
        result.entries.append(.init(range: start..<result.logits.count, logSumExp: 0))
      case .candidates(let count):
        let start = result.candidates.count
        let allowed = allowed(Array(row), request)
        // NaN has no place in an order; it shows in the log-sum-exp.
        result.candidates += allowed.filter { !$0.logit.isNaN }.sorted(by: precedes).prefix(count)
        result.entries.append(
          .init(range: start..<result.candidates.count, logSumExp: logSumExp(allowed)))
      }
    }
  }

  /// The tokens the mask leaves with their logits after bias, by token.
  private static func allowed(_ logits: [Float], _ request: OutputRequest) -> [Candidate] {
    var biased = logits
    for item in request.bias { biased[Int(item.token)] += item.bias }
    return biased.enumerated().compactMap { token, logit in
      if let mask = request.mask, mask[token / 64] >> UInt64(token % 64) & 1 == 0 { return nil }
      return Candidate(token: TokenID(token), logit: logit)
    }
  }

  /// Logit falling, then token rising.
  private static func precedes(_ left: Candidate, _ right: Candidate) -> Bool {
    left.logit != right.logit ? left.logit > right.logit : left.token < right.token
  }

  private static func logSumExp(_ candidates: [Candidate]) -> Float {
    if candidates.contains(where: { $0.logit.isNaN }) { return .nan }
    let largest = candidates.reduce(-Float.infinity) { max($0, $1.logit) }
    guard largest.isFinite else { return largest }
    let sum = candidates.reduce(0.0) { $0 + exp(Double($1.logit - largest)) }
    return Float(Double(largest) + log(sum))
  }
}
