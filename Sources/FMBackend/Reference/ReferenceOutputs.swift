/// Answers a step's output requests from the logits of its output rows.
enum ReferenceOutputs {
  /// `logits` is `[requests, width]`, in the requests' order.
  static func fill(
    _ result: inout StepResult, logits: [Float], requests: [OutputRequest], width: Int
  ) {
    for (index, request) in requests.enumerated() {
      let row = logits[index * width..<(index + 1) * width]
      switch request.kind {
      case .logits:
        let start = result.logits.count
        result.logits += row
        result.entries.append(.init(range: start..<result.logits.count, logSumExp: 0))
      case .candidates:
        CandidateSelection.append(request, logits: Array(row), to: &result)
      }
    }
  }
}
