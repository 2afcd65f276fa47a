@_spi(LiteralPattern) import _StringProcessing

/// The text of a regular expression, as JSON Schema's `pattern` has it.
enum RegexPattern {
  /// The expression as a literal spells it; nil for one that has no such form.
  static func text(of regex: some RegexComponent) -> String? {
    guard let literal = regex.regex._literalPattern else { return nil }
    // Expressions made by a builder are described with delimiters, literals without.
    guard literal.hasPrefix("/"), literal.hasSuffix("/"), literal.utf8.count >= 2 else {
      return literal
    }
    return String(literal.dropFirst().dropLast())
  }
}
