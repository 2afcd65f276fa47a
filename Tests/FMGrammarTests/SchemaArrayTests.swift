import Testing

@testable import FMGrammar

@Suite struct SchemaArrayTests {
  @Test func `arrays have their counts exactly`() throws {
    let schema = try SchemaExpectation(
      #"""
      {"type": "array", "items": {"type": "integer", "minimum": 0, "maximum": 1000},
      "minItems": 2, "maxItems": 2}
      """#)
    schema.allows("[0, 1000]")
    schema.forbids("[]", "[1]", "[1, 2, 3]", "[1, 1001]")
    let three = try SchemaExpectation(
      #"{"type": "array", "items": {"enum": ["a", "b"]}, "minItems": 3, "maxItems": 3}"#)
    three.allows(#"["a", "b", "a"]"#)
    three.forbids(#"["a", "b"]"#, #"["a", "b", "c"]"#)
    try SchemaExpectation(#"{"type": "array", "items": {"type": "null"}}"#).allows("[]", "[null]")
  }

  @Test func `elements by place come first`() throws {
    let schema = try SchemaExpectation(
      #"""
      {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}],
      "items": {"type": "null"}}
      """#)
    schema.allows("[]", "[1]", #"[1, "x"]"#, #"[1, "x", null, null]"#)
    schema.forbids(#"["x"]"#, #"[1, "x", 2]"#)
    let old = try SchemaExpectation(
      #"""
      {"type": "array", "items": [{"type": "integer"}, {"type": "string"}],
      "additionalItems": false, "minItems": 1}
      """#)
    old.allows("[1]", #"[1, "x"]"#)
    old.forbids("[]", #"[1, "x", null]"#)
  }

  @Test func `unique scalars are compared by their one spelling`() throws {
    let schema = try SchemaExpectation(
      #"{"type": "array", "items": {"enum": ["a", "b", "c"]}, "uniqueItems": true}"#)
    schema.allows("[]", #"["c", "a", "b"]"#)
    schema.forbids(#"["a", "a"]"#)
    guard case .array(let rule) = schema.grammar.rules[Int(schema.grammar.root)] else {
      Issue.record("no array")
      return
    }
    #expect(rule.maximum == 3)
    let texts = try SchemaExpectation(
      #"{"type": "array", "items": {"type": "string", "maxLength": 4}, "uniqueItems": true}"#)
    texts.allows(#"["a", "b"]"#, #"["a\n"]"#)
    texts.forbids(#"["a", "a"]"#, #"["a", "\u0061"]"#)
    let numbers = try SchemaExpectation(
      #"{"type": "array", "items": {"type": "number", "minimum": 0}, "uniqueItems": true}"#)
    numbers.allows("[1, 2.5, 3]")
    numbers.forbids("[1, 1.0]", "[1, 1]", "[2.5, 2.50]")
    #expect(
      schemaError(
        #"{"type": "array", "items": {"enum": ["a", "b"]}, "uniqueItems": true, "minItems": 3}"#)
        == .empty(path: "", reason: "there are too few values for unique items"))
    guard
      case .unsupported("", "uniqueItems", _) = schemaError(
        #"{"type": "array", "items": {"type": "object"}, "uniqueItems": true}"#)
    else {
      Issue.record("objects were compared")
      return
    }
    let single = try SchemaExpectation(
      #"{"type": "array", "items": {"type": "object"}, "uniqueItems": true, "maxItems": 1}"#)
    single.allows(#"[{"a": 1}]"#, "[]")
  }

  @Test func `elements of a kind are contained`() throws {
    let schema = try SchemaExpectation(
      #"{"type": "array", "items": {"type": "integer"}, "contains": {"minimum": 5}}"#)
    schema.allows("[5]", "[1, 2, 7, 3]", "[9, 9]")
    schema.forbids("[]", "[1]", "[1, 4, 2]")
    let counted = try SchemaExpectation(
      #"""
      {"type": "array", "items": {"type": "integer"}, "contains": {"const": 1},
      "minContains": 2, "maxContains": 3}
      """#)
    counted.allows("[1, 1]", "[1, 1, 5, 6]", "[1, 1, 1, 2]")
    counted.forbids("[1]", "[1, 2]", "[1, 1, 1, 1]", "[1, 1, 2, 1, 1]")
    let absent = try SchemaExpectation(
      #"{"type": "array", "items": {"type": "integer"}, "contains": {"const": 1}, "maxContains": 0, "minContains": 0}"#
    )
    absent.allows("[]", "[2, 3]")
    absent.forbids("[1]", "[2, 1]")
  }

  @Test func `what is not evaluated is restricted`() throws {
    let items = try SchemaExpectation(
      #"""
      {"type": "array", "allOf": [{"prefixItems": [{"type": "integer"}]}],
      "unevaluatedItems": {"type": "string"}}
      """#)
    items.allows("[1]", #"[1, "x"]"#)
    items.forbids("[1, 2]")
    let members = try SchemaExpectation(
      #"""
      {"type": "object", "allOf": [{"properties": {"a": {"type": "integer"}}, "required": ["a"]}],
      "properties": {"b": {"type": "null"}}, "unevaluatedProperties": false}
      """#)
    members.allows(#"{"a": 1}"#, #"{"a": 1, "b": null}"#)
    members.forbids(#"{"a": 1, "c": 1}"#, #"{"b": null, "a": 1}"#)
  }
}
