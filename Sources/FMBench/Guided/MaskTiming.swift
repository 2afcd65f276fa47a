package import FMCore
import FMEngine
package import FMGrammar
package import FMText
import Foundation

/// Walks a document token by token under its schema's grammar and times what the masks cost.
package struct MaskTiming: Sendable, Hashable, Codable {
  package var name: String
  /// The document's tokens, as the tokenizer spells it.
  package var tokens: [TokenID]
  /// Whether the grammar left no choice at the token, so that no mask is needed there.
  package var forced: [Bool]
  /// The time of the mask before each token.
  package var nanoseconds: [UInt64]
  /// Reading the schema, its grammar, and the grammar made ready for the vocabulary.
  package var compileNanoseconds: UInt64

  /// Compiles `schema` for this document alone, so that first visits of its states are timed.
  ///
  /// - Throws: ``GrammarError`` for a schema that can't be enforced or a document it refuses.
  package init(
    name: String, schema: String, document: String, index: TokenIndex, tokenizer: Tokenizer
  ) throws(GrammarError) {
    self.name = name
    let start = MonotonicInstant.now
    let grammar = try JSONSchema(text: schema).grammar()
    let compiled = try CompiledGrammar(grammar, index: index)
    compileNanoseconds = MonotonicInstant.now.nanoseconds - start.nanoseconds
    tokens = tokenizer.encode(document)
    forced = []
    nanoseconds = []
    var matcher = GrammarMatcher(compiled)
    var mask = [UInt64](repeating: 0, count: index.maskWords)
    for token in tokens {
      forced.append(!matcher.forcedBytes(limit: 1).isEmpty)
      let start = MonotonicInstant.now
      matcher.fillMask(&mask)
      nanoseconds.append(MonotonicInstant.now.nanoseconds - start.nanoseconds)
      guard mask[Int(token) / 64] >> UInt64(token % 64) & 1 == 1, matcher.accept(token) else {
        throw .invalidSchema(
          path: "", offset: nil, reason: "the document '\(name)' breaks off at token \(token)")
      }
    }
    guard matcher.isAccepting else {
      throw .invalidSchema(path: "", offset: nil, reason: "the document '\(name)' is incomplete")
    }
  }
}

/// The times of many documents put together.
package struct MaskReport: Sendable, Codable {
  package var model: String
  package var vocabularySize: Int
  package var indexSeconds: Double
  package var indexBytes: Int
  package var documents: [MaskTiming]

  /// Times all documents of some cases with a model's vocabulary.
  ///
  /// - Throws: ``GrammarError`` for a schema that can't be enforced or a document it refuses.
  package init(
    model: String, cases: GuidedCases, tokenizer: Tokenizer
  ) throws(GrammarError) {
    let index = TokenIndex(tokenizer)
    self.model = model
    vocabularySize = index.vocabularySize
    indexSeconds = index.buildSeconds
    indexBytes = index.byteCount
    documents = []
    for document in cases.documents {
      guard let schema = cases.schema(document.name) else { continue }
      documents.append(
        try MaskTiming(
          name: document.name, schema: schema.schema, document: document.document, index: index,
          tokenizer: tokenizer))
    }
  }

  /// Times of the masks at places where there was a choice, in nanoseconds, rising.
  package func times(of names: Set<String>? = nil) -> [Double] {
    var times: [Double] = []
    for document in documents where names?.contains(document.name) ?? true {
      for (time, forced) in zip(document.nanoseconds, document.forced) where !forced {
        times.append(Double(time))
      }
    }
    return times.sorted()
  }

  /// The report as JSON, on one line.
  package func json() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(self), as: UTF8.self) + "\n"
  }
}
