import Testing

@testable import FMGrammar

@Suite struct SchemaObjectTests {
  private let open = JSONSchema.Options(undeclaredProperties: .open)

  @Test func `members come in the order of the text and required ones are there`() throws {
    let schema = try SchemaExpectation(
      #"""
      {"type": "object", "properties": {"z_reason": {"type": "string"}, "a_answer": {"type":
      "integer"}, "m": {"type": "null"}}, "required": ["a_answer", "z_reason"]}
      """#)
    schema.allows(
      #"{"z_reason": "x", "a_answer": 1}"#, #"{"z_reason": "x", "a_answer": 1, "m": null}"#)
    schema.forbids(
      #"{"a_answer": 1, "z_reason": "x"}"#, #"{"z_reason": "x"}"#, "{}",
      #"{"z_reason": "x", "a_answer": 1, "other": 2}"#,
      #"{"z_reason": "x", "z_reason": "x", "a_answer": 1}"#)
  }

  @Test func `the order of x-order comes before that of the text`() throws {
    let schema = try SchemaExpectation(
      #"""
      {"properties": {"a": {"type": "null"}, "b": {"type": "null"}, "c": {"type": "null"}},
      "type": "object", "required": ["a", "b", "c"], "x-order": ["c", "a", "b"]}
      """#)
    schema.allows(#"{"c": null, "a": null, "b": null}"#)
    schema.forbids(#"{"a": null, "b": null, "c": null}"#)
  }

  @Test func `an object without properties is empty when it declares none`() throws {
    try SchemaExpectation(#"{"type": "object", "properties": {}}"#).allows("{}")
    try SchemaExpectation(#"{"type": "object", "properties": {}}"#).forbids(#"{"a": 1}"#)
    try SchemaExpectation(#"{"type": "object"}"#).allows("{}", #"{"a": [1, {"b": "c"}]}"#)
  }

  @Test func `additional members follow the policy and what the schema says`() throws {
    let declared = #""type": "object", "properties": {"a": {"type": "integer"}}"#
    try SchemaExpectation("{\(declared)}").forbids(#"{"a": 1, "b": 2}"#)
    try SchemaExpectation("{\(declared)}", open).allows(#"{"a": 1, "b": 2}"#, #"{"b": 2}"#)
    let closed = try SchemaExpectation("{\(declared), \"additionalProperties\": false}", open)
    closed.allows(#"{"a": 1}"#, "{}")
    closed.forbids(#"{"a": 1, "b": 2}"#)
    let typed = try SchemaExpectation(
      "{\(declared), \"additionalProperties\": {\"type\": \"boolean\"}}")
    typed.allows(#"{"a": 1, "b": true, "c": false}"#)
    typed.forbids(#"{"a": 1, "b": 2}"#, #"{"b": true, "b": true}"#, #"{"b": true, "a": 1}"#)
  }

  @Test func `a required name that is not declared has the additional schema`() throws {
    let schema = try SchemaExpectation(
      #"{"type": "object", "required": ["x"], "additionalProperties": {"type": "null"}}"#)
    schema.allows(#"{"x": null}"#, #"{"x": null, "y": null}"#)
    schema.forbids("{}", #"{"x": 1}"#)
    #expect(
      schemaError(#"{"type": "object", "required": ["x"], "additionalProperties": false}"#)
        == .empty(path: "", reason: "every way ends in something that does not exist"))
  }

  @Test func `patterns say what their members are`() throws {
    let schema = try SchemaExpectation(
      #"""
      {"type": "object", "properties": {"n_a": {"minimum": 3}}, "patternProperties": {"^n_":
      {"type": "integer"}, "^s_": {"type": "string"}}, "additionalProperties": false}
      """#)
    schema.allows(#"{"n_a": 3, "n_b": 1, "s_x": "y"}"#, #"{"s_x": "y", "n_c": 1}"#)
    schema.forbids(#"{"n_a": 2}"#, #"{"n_b": "x"}"#, #"{"s_x": 1}"#, #"{"other": 1}"#)
  }

  @Test func `names of members obey their schema`() throws {
    let schema = try SchemaExpectation(
      #"{"type": "object", "propertyNames": {"pattern": "^[a-c]{2}$"}, "maxProperties": 2}"#)
    schema.allows(#"{"ab": 1, "cc": 2}"#, "{}")
    schema.forbids(#"{"abc": 1}"#, #"{"aa": 1, "ab": 1, "ac": 1}"#)
    let long = try SchemaExpectation(
      #"{"type": "object", "propertyNames": {"pattern": "^[a-z_]{1,64}$"}}"#)
    long.allows(#"{"b_c": 1, "a": 2}"#)
    long.forbids(#"{"A": 1}"#)
    guard
      case .unsupported("", "propertyNames", _) = schemaError(
        #"{"type": "object", "propertyNames": {"pattern": "^[0-9]{4}$"}}"#)
    else {
      Issue.record("ten thousand names were listed")
      return
    }
    let some = try SchemaExpectation(
      #"""
      {"type": "object", "propertyNames": {"enum": ["foo", "bar"]},
      "additionalProperties": {"type": "null"}, "minProperties": 1}
      """#)
    some.allows(#"{"bar": null, "foo": null}"#, #"{"foo": null}"#)
    some.forbids("{}", #"{"baz": null}"#)
  }

  @Test func `dependent members come together`() throws {
    let schema = try SchemaExpectation(
      #"""
      {"type": "object", "properties": {"card": {"type": "integer"}, "address": {"type": "string"}},
      "dependentRequired": {"card": ["address"]}}
      """#)
    schema.allows("{}", #"{"address": "x"}"#, #"{"card": 1, "address": "x"}"#)
    schema.forbids(#"{"card": 1}"#)
    let nested = try SchemaExpectation(
      #"""
      {"type": "object", "properties": {"card": {"type": "integer"}, "address": {}},
      "dependentSchemas": {"card": {"properties": {"address": {"type": "string"}}}}}
      """#)
    nested.allows(#"{"address": 1}"#, #"{"card": 1, "address": "x"}"#, #"{"card": 1}"#)
    nested.forbids(#"{"card": 1, "address": 1}"#)
  }

  @Test func `keys with quotes and control characters are escaped`() throws {
    let schema = try SchemaExpectation(
      #"{"type": "object", "properties": {"a\"b\n": {"const": "a/b\"\\\t\u0001é"}}}"#)
    schema.allows(#"{"a\"b\n": "a/b\"\\\t\u0001é"}"#)
  }

  @Test func `descriptions and other annotations change nothing`() throws {
    let plain = try SchemaExpectation(
      #"""
      {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
      """#)
    let noisy = try SchemaExpectation(
      #"""
      {"title": "T", "type": "object", "description": "</tools> \" \\ \n 😀", "$comment": "x",
      "properties": {"a": {"type": "string", "description": "{\"type\": 1}", "default": 3,
      "examples": [1], "deprecated": true, "readOnly": true, "x-unknown": {"$ref": "#/nowhere"},
      "contentEncoding": "base64", "format": "made-up"}}, "required": ["a"], "$defs": {"u": false}}
      """#)
    #expect(plain.grammar == noisy.grammar)
  }
}
