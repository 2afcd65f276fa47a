package import FMText

extension Tokenizer: EngineVocabulary {
  /// An answer goes on from a prompt, so a leading space of its first word is kept.
  package func makeTextStream() -> any TokenTextStream {
    StreamingDetokenizer(self, isContinuation: true)
  }
}

extension StreamingDetokenizer: TokenTextStream {}
