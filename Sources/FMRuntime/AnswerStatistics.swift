import FMCore
package import FMEngine

/// What an answer took, as people read it.
package struct AnswerStatistics: Sendable, Hashable {
  package var promptTokens: Int
  package var cachedTokens: Int
  package var outputTokens: Int
  /// Submission to first token, in seconds; nil when there was none.
  package var timeToFirstToken: Double?
  /// Prompt tokens computed, not cached, a second.
  package var prefillRate: Double?
  /// Tokens a second after the first; nil for fewer than two.
  package var decodeRate: Double?

  /// Reads the figures off a finished request.
  package init(_ summary: GenerationSummary) {
    promptTokens = summary.promptTokens
    cachedTokens = summary.cachedTokens
    outputTokens = summary.tokenStamps.count
    let stamps = summary.stamps
    guard let first = stamps.firstToken else { return }
    timeToFirstToken = first.seconds(since: stamps.submitted)
    let prefill = first.seconds(since: stamps.prefillStart)
    if prefill > 0 { prefillRate = Double(promptTokens - cachedTokens) / prefill }
    if let last = stamps.lastToken, outputTokens > 1, last > first {
      decodeRate = Double(outputTokens - 1) / last.seconds(since: first)
    }
  }

  /// One line.
  package var text: String {
    var parts = [
      "prompt \(promptTokens) tokens (\(cachedTokens) cached)", "answer \(outputTokens)",
    ]
    if let timeToFirstToken {
      parts.append("first token \(Self.oneDecimal(timeToFirstToken * 1000)) ms")
    }
    if let prefillRate { parts.append("prefill \(Self.oneDecimal(prefillRate)) tokens/s") }
    if let decodeRate { parts.append("decode \(Self.oneDecimal(decodeRate)) tokens/s") }
    return parts.joined(separator: ", ")
  }

  private static func oneDecimal(_ value: Double) -> String {
    let tenths = (value * 10).rounded()
    guard abs(tenths) < 1e15 else { return "\(value)" }
    return "\(Int(tenths) / 10).\(abs(Int(tenths) % 10))"
  }
}
