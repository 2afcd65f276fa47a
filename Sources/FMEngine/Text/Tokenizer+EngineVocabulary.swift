import FMCore
package import FMText

extension Tokenizer: EngineVocabulary {
  /// Starts a streaming detokenizer.
  package func makeTextStream() -> any TokenTextStream { StreamingDetokenizer(self) }
}

extension StreamingDetokenizer: TokenTextStream {}
