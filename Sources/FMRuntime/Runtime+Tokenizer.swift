import FMFormats
package import FMText

extension Runtime {
  /// The tokenizer of a model in the store or at a path; the model itself is not loaded.
  ///
  /// - Throws: what finding, reading or understanding the file throws.
  package static func tokenizer(of reference: String) throws -> Tokenizer {
    let file = try GGUFFile(path: ModelStore().find(reference).path)
    return try Tokenizer(TokenizerDescription(gguf: file))
  }
}
