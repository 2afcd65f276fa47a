/// Whether a request's token counts fit what was scripted; one that misses them measured other work.
enum CountCheck {
  /// A sentence, or nil when the counts fit.
  ///
  /// Prompts may be a little off: an answer's own tokens may be others than those of its text.
  static func problem(of row: RequestRow) -> String? {
    if let error = row.error { return "request failed: \(error)" }
    if let expected = row.expectedOutput, row.outputTokens != expected {
      return
        "request \(row.number) gave \(row.outputTokens) tokens, and the script says \(expected)"
    }
    guard let expected = row.expectedPrompt,
      abs(row.promptTokens - expected) > max(8, expected / 50)
    else { return nil }
    return "request \(row.number) had \(row.promptTokens) prompt tokens instead of \(expected)"
  }
}
