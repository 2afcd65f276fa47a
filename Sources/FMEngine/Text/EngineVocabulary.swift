package import FMCore

/// What the engine must know of a tokenizer: its size, its end tokens and how ids become text.
package protocol EngineVocabulary: Sendable {
  /// Tokens there are, ids `0 ..< vocabularySize`.
  var vocabularySize: Int { get }

  /// The tokens that end an answer.
  var endOfGeneration: Set<TokenID> { get }

  /// Starts turning an answer's ids into text.
  func makeTextStream() -> any TokenTextStream
}

/// Turns ids into text, piece by piece; pieces are complete UTF-8.
package protocol TokenTextStream {
  /// The text that `token` completes; what is incomplete is held back.
  mutating func append(_ token: TokenID) -> String

  /// What was held back, made valid.
  mutating func finish() -> String
}
