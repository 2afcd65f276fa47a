import Testing

@testable import FMGrammar

/// What a schema's grammar allows and what it does not, by texts.
struct SchemaExpectation {
  let grammar: Grammar

  init(_ schema: String, _ options: JSONSchema.Options = .init()) throws(GrammarError) {
    grammar = try JSONSchema(text: schema).grammar(options)
  }

  func allows(_ texts: String..., location: SourceLocation = #_sourceLocation) {
    for text in texts {
      #expect(
        GrammarRecognizer.accepts(grammar, text), "not allowed: \(text)", sourceLocation: location)
    }
  }

  func forbids(_ texts: String..., location: SourceLocation = #_sourceLocation) {
    for text in texts {
      #expect(
        !GrammarRecognizer.accepts(grammar, text), "allowed: \(text)", sourceLocation: location)
    }
  }
}

/// The error of a schema that has no grammar.
func schemaError(
  _ schema: String, _ options: JSONSchema.Options = .init()
) -> GrammarError? {
  do throws(GrammarError) {
    _ = try JSONSchema(text: schema).grammar(options)
    return nil
  } catch {
    return error
  }
}
