/// A JSON Schema (draft 2020-12, with the forms of draft 7 that differ), to be made a grammar of.
///
/// The text is hostile: its nesting and length are bounded, nothing is fetched, and whatever a schema
/// asks for is either enforced or refused. See Documentation/GRAMMAR.md for every keyword.
package struct JSONSchema: Sendable {
  /// What the standard leaves to those who generate.
  package struct Options: Sendable, Hashable {
    /// What objects with `properties` may hold where nothing is said of other members.
    package enum UndeclaredProperties: Sendable, Hashable {
      /// Nothing else: what guided generation wants, and less than the standard allows.
      case closed
      /// Any other members after the declared ones, as the standard has it.
      case open
    }

    package var undeclaredProperties: UndeclaredProperties

    package init(undeclaredProperties: UndeclaredProperties = .closed) {
      self.undeclaredProperties = undeclaredProperties
    }
  }

  private let value: JSONValue

  /// Takes a schema that is read already.
  init(value: JSONValue) { self.value = value }

  /// Reads a schema's JSON text.
  ///
  /// - Throws: `invalidSchema` with the byte offset of the fault; `limitExceeded` for nesting over 256
  ///   levels or text over 4 MiB.
  package init(bytes: [UInt8]) throws(GrammarError) {
    value = try SchemaReader.value(of: bytes)
  }

  /// Reads a schema's JSON text.
  ///
  /// - Throws: As `init(bytes:)`.
  package init(text: String) throws(GrammarError) {
    try self.init(bytes: Array(text.utf8))
  }

  /// The grammar of the values the schema allows, or of some of them.
  ///
  /// It never allows a value the schema rejects. Equal schemas give equal grammars, and so do schemas
  /// that differ in annotations alone.
  ///
  /// - Throws: `unsupported` with the place, keyword and reason for what cannot be enforced,
  ///   `invalidSchema` for what is no schema, `empty` if no value satisfies it, `limitExceeded`.
  package func grammar(_ options: Options = Options()) throws(GrammarError) -> Grammar {
    var compiler = SchemaCompiler(document: try SchemaDocument(value), options: options)
    return try compiler.grammar()
  }
}
