import Testing

@testable import FMGrammar

@Suite struct SchemaCompositionTests {
  @Test func `all parts hold, with the members of the earlier first`() throws {
    let schema = try SchemaExpectation(
      #"""
      {"allOf": [{"$ref": "#/$defs/base"}, {"properties": {"b": {"type": "integer"}},
      "required": ["b"]}], "$defs": {"base": {"type": "object", "properties": {"a": {"type":
      "string", "maxLength": 2}}, "required": ["a"]}}, "properties": {"a": {"minLength": 1}}}
      """#)
    schema.allows(#"{"a": "x", "b": 1}"#)
    schema.forbids(#"{"b": 1, "a": "x"}"#, #"{"a": "x"}"#, #"{"a": "", "b": 1}"#)
  }

  @Test func `exactly one alternative holds`() throws {
    let schema = try SchemaExpectation(#"{"oneOf": [{"type": "integer"}, {"minimum": 2}]}"#)
    schema.allows("1", "2.5", #""x""#)
    schema.forbids("3", "1.5")
    let kinds = try SchemaExpectation(
      #"""
      {"oneOf": [
        {"type": "object", "properties": {"kind": {"const": "cat"}, "lives": {"type": "integer"}},
         "required": ["kind", "lives"], "additionalProperties": false},
        {"type": "object", "properties": {"kind": {"const": "dog"}, "name": {"type": "string"}},
         "required": ["kind", "name"], "additionalProperties": false},
        {"type": "array", "items": {"type": "integer"}}]}
      """#)
    kinds.allows(#"{"kind": "cat", "lives": 9}"#, #"{"kind": "dog", "name": "Rex"}"#, "[1]")
    kinds.forbids(#"{"kind": "cat", "name": "Rex"}"#, #"{"kind": "cow"}"#)
    let required = try SchemaExpectation(
      #"""
      {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
      "oneOf": [{"required": ["a"]}, {"required": ["b"]}]}
      """#)
    required.allows(#"{"a": 1}"#, #"{"b": 1}"#)
    required.forbids("{}", #"{"a": 1, "b": 1}"#)
    let patterns = try SchemaExpectation(
      #"{"type": "string", "oneOf": [{"pattern": "^a"}, {"pattern": "b$"}]}"#)
    patterns.allows(#""ax""#, #""xb""#)
    patterns.forbids(#""ab""#, #""x""#)
  }

  @Test func `the opposite of simple schemas is known`() throws {
    let types = try SchemaExpectation(#"{"not": {"type": ["object", "array", "string"]}}"#)
    types.allows("1", "null", "2.5")
    types.forbids(#""x""#, "[]", "{}")
    let words = try SchemaExpectation(#"{"type": "string", "not": {"enum": ["a", "b"]}}"#)
    words.allows(#""c""#, #""""#, #""ab""#)
    words.forbids(#""a""#, #""b""#, #""\u0061""#)
    let members = try SchemaExpectation(
      #"""
      {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
      "not": {"required": ["a", "b"]}}
      """#)
    members.allows("{}", #"{"a": 1}"#, #"{"b": 1}"#)
    members.forbids(#"{"a": 1, "b": 1}"#)
    let twice = try SchemaExpectation(#"{"not": {"not": {"type": "integer", "minimum": 3}}}"#)
    twice.allows("3")
    twice.forbids("2", #""x""#)
  }

  @Test func `a condition decides between two schemas`() throws {
    let schema = try SchemaExpectation(
      #"""
      {"type": "object", "properties": {"country": {"enum": ["US", "NL"]}, "code": {"type":
      "string"}}, "required": ["country", "code"],
      "if": {"properties": {"country": {"const": "US"}}},
      "then": {"properties": {"code": {"pattern": "^[0-9]{5}$"}}},
      "else": {"properties": {"code": {"pattern": "^[0-9]{4}[A-Z]{2}$"}}}}
      """#)
    schema.allows(#"{"country": "US", "code": "12345"}"#, #"{"country": "NL", "code": "1234AB"}"#)
    schema.forbids(#"{"country": "US", "code": "1234AB"}"#, #"{"country": "NL", "code": "12345"}"#)
    try SchemaExpectation(#"{"then": {"type": "null"}}"#).allows("1")
  }

  @Test func `references lead anywhere in the document`() throws {
    let schema = try SchemaExpectation(
      #"""
      {"$id": "https://example.com/root.json", "type": "array", "prefixItems": [
      {"$ref": "#/$defs/a~1b"}, {"$ref": "#name"}, {"$ref": "other.json#/definitions/x"},
      {"$ref": "#/prefixItems/0"}],
      "$defs": {"a/b": {"type": "integer"}, "n": {"$anchor": "name", "type": "string"},
      "o": {"$id": "other.json", "definitions": {"x": {"type": "null"}}}}}
      """#)
    schema.allows(#"[1, "x", null, 2]"#)
    schema.forbids(#"["x"]"#, #"[1, "x", 1]"#, #"[1, "x", null, "y"]"#)
    let old = try SchemaExpectation(
      #"""
      {"$schema": "http://json-schema.org/draft-07/schema#", "$id": "http://a.example/x/",
      "definitions": {"n": {"$id": "n.json", "type": "number"},
      "s": {"$id": "http://a.example/y/n.json", "type": "string"}},
      "allOf": [{"$id": "http://a.example/y/", "$ref": "n.json"}]}
      """#)
    old.allows("1")
    old.forbids(#""x""#)
    guard case .unsupported("/$ref", "$ref", _) = schemaError(#"{"$ref": "https://a.example/b"}"#)
    else {
      Issue.record("something was fetched")
      return
    }
    #expect(
      schemaError(##"{"$ref": "#/$defs/x"}"##)
        == .invalidSchema(path: "/$ref", offset: nil, reason: "there is nothing at '/$defs/x'"))
  }

  @Test func `schemas may recurse and have to end`() throws {
    let schema = try SchemaExpectation(
      ##"""
      {"type": "object", "properties": {"value": {"type": "integer"}, "children": {"type": "array",
      "items": {"$ref": "#"}}}, "required": ["value"]}
      """##)
    schema.allows(#"{"value": 1, "children": [{"value": 2, "children": []}, {"value": 3}]}"#)
    schema.forbids(#"{"value": 1, "children": [{}]}"#)
    #expect(
      schemaError(##"{"type": "object", "properties": {"a": {"$ref": "#"}}, "required": ["a"]}"##)
        == .empty(path: "", reason: "every way ends in something that does not exist"))
    guard case .invalidSchema = schemaError(##"{"anyOf": [{"$ref": "#"}, {"type": "null"}]}"##)
    else {
      Issue.record("a schema that only refers to itself was taken")
      return
    }
    let optional = try SchemaExpectation(
      ##"{"type": "object", "properties": {"a": {"type": "object", "properties": {"b": {"$ref": "#/properties/a"}}, "required": ["b"]}}}"##
    )
    optional.allows("{}")
    optional.forbids(#"{"a": {}}"#)
  }

  @Test func `keywords with values that make no sense are errors with their place`() {
    let cases: [(schema: String, path: String)] = [
      (#"{"type": "any"}"#, "/type"), (#"{"minLength": -1}"#, "/minLength"),
      (#"{"properties": {"a": 3}}"#, "/properties/a"), (#"{"required": true}"#, "/required"),
      (#"{"items": {"maxItems": "x"}}"#, "/items/maxItems"), (#"{"anyOf": []}"#, "/anyOf"),
      (#"{"multipleOf": 0}"#, "/multipleOf"), (#"{"allOf": {}}"#, "/allOf"), ("3", ""),
      (#"{"enum": 1}"#, "/enum"), (#"{"properties": []}"#, "/properties"),
      (#"{"pattern": 1}"#, "/pattern"), (#"{"uniqueItems": 1}"#, "/uniqueItems"),
    ]
    for (schema, path) in cases {
      guard case .invalidSchema(let place, nil, _) = schemaError(schema) else {
        Issue.record("\(schema) was taken")
        continue
      }
      #expect(place == path)
    }
    #expect(
      schemaError(#"{"type": "object", "type": "array"}"#)
        == .invalidSchema(path: "", offset: 25, reason: "'type' comes twice"))
  }
}
