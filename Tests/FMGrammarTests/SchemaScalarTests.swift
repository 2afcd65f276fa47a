import Testing

@testable import FMGrammar

@Suite struct SchemaScalarTests {
  @Test func `types are what their names say`() throws {
    let values = ["null", "true", "3", "2.5", #""x""#, "[1]", #"{"a": 1}"#]
    let types: [(name: String, allowed: [Int])] = [
      ("null", [0]), ("boolean", [1]), ("integer", [2]), ("number", [2, 3]), ("string", [4]),
      ("array", [5]), ("object", [6]),
    ]
    for type in types {
      let schema = try SchemaExpectation(#"{"type": "\#(type.name)"}"#)
      for (index, value) in values.enumerated() {
        if type.allowed.contains(index) { schema.allows(value) } else { schema.forbids(value) }
      }
    }
    let two = try SchemaExpectation(#"{"type": ["string", "null"]}"#)
    two.allows("null", #""""#)
    two.forbids("1", "[]")
  }

  @Test func `true and the empty schema allow any value and false none`() throws {
    for text in ["true", "{}"] {
      let schema = try SchemaExpectation(text)
      schema.allows("null", "-1.5e3", #""a\"\u00e9""#, #"[{"k": [[]]}, true]"#)
      schema.forbids("nul", "[1,]", #"{"a": 1, "a": 2}"#, "01", #""\x""#)
    }
    #expect(
      schemaError("false")
        == .empty(path: "", reason: "every way ends in something that does not exist"))
  }

  @Test func `constants are spelled as usual`() throws {
    let schema = try SchemaExpectation(
      #"{"enum": ["http://a/b", "C:\\x", "say \"hi\"", "tab\t", "é", "", 1, 1.5, -2.0, null, true]}"#
    )
    schema.allows(
      #""http://a/b""#, #""C:\\x""#, #""say \"hi\"""#, #""tab\t""#, #""é""#, #""""#, "1", "1.5",
      "-2", "null", "true")
    schema.forbids(#""http:\/\/a\/b""#, "2", "false", #""C:""#)
    let nested = try SchemaExpectation(#"{"const": {"b": [1, {"c": null}], "a": "x"}}"#)
    nested.allows(#"{"b": [1, {"c": null}], "a": "x"}"#)
    nested.forbids(#"{"a": "x", "b": [1, {"c": null}]}"#, #"{"b": [1, {"c": null}]}"#, "{}")
  }

  @Test func `five hundred strings are one automaton`() throws {
    let words = (0..<500).map { "\"word \($0 * 7919) é\"" }
    let schema = try SchemaExpectation(#"{"enum": [\#(words.joined(separator: ", "))]}"#)
    #expect(schema.grammar.rules.count == 1)
    schema.allows(words[0], words[250], words[499])
    schema.forbids(#""word 1 é""#, #""word 0""#)
    let same = try SchemaExpectation(
      #"{"anyOf": [\#(words.map { "{\"const\": \($0)}" }.joined(separator: ", "))]}"#)
    #expect(same.grammar == schema.grammar)
  }

  @Test func `numbers keep to their bounds`() throws {
    let schema = try SchemaExpectation(
      #"{"type": "integer", "minimum": -5, "exclusiveMaximum": 100}"#)
    schema.allows("-5", "0", "99")
    schema.forbids("-6", "100", "1000", "1.5", "-0", "01")
    let multiple = try SchemaExpectation(
      #"{"type": "integer", "multipleOf": 3, "minimum": 10, "maximum": 20}"#)
    multiple.allows("12", "15", "18")
    multiple.forbids("9", "13", "21")
    let decimal = try SchemaExpectation(#"{"type": "number", "exclusiveMinimum": 0, "maximum": 1}"#)
    decimal.allows("0.5", "1", "0.001")
    decimal.forbids("0", "1.01", "-0.5", "2")
    let cents = try SchemaExpectation(#"{"type": "number", "multipleOf": 0.01, "minimum": 0}"#)
    cents.allows("0.25", "3", "3.1")
    cents.forbids("0.255", "-1")
    let draft4 = try SchemaExpectation(
      #"{"type": "integer", "minimum": 3, "exclusiveMinimum": true, "maximum": 5}"#)
    draft4.allows("4", "5")
    draft4.forbids("3")
    #expect(schemaError(#"{"type": "integer", "exclusiveMinimum": 3, "maximum": 3}"#) != nil)
    #expect(
      schemaError(#"{"type": "integer", "exclusiveMinimum": 3, "exclusiveMaximum": 4}"#) != nil)
  }

  @Test func `numbers that are no integers have a fraction`() throws {
    let schema = try SchemaExpectation(
      #"{"type": "number", "not": {"type": "integer"}, "minimum": 0, "maximum": 10}"#)
    schema.allows("0.5", "9.75")
    schema.forbids("1", "1.0", "10.0", "0.0", "11.5")
    let odd = try SchemaExpectation(#"{"type": "integer", "not": {"multipleOf": 2}}"#)
    odd.allows("1", "-3", "17")
    odd.forbids("0", "2", "-4")
  }

  @Test func `strings have their lengths in code points`() throws {
    let schema = try SchemaExpectation(#"{"type": "string", "minLength": 1, "maxLength": 3}"#)
    schema.allows(
      #""a\"b""#, #""a\nb""#, #""\u00e9""#, #""😀""#, #""\ud83d\ude00""#, #""\ud83d\ude00ab""#)
    schema.forbids(#""""#, #""abcd""#, "\"a\tb\"", "\"a\nb\"", #""\ud83d""#, #""😀abc""#)
    let long = try SchemaExpectation(#"{"type": "string", "maxLength": 100000}"#)
    #expect(long.grammar.rules == [.string(StringRule(minimum: 0, maximum: 100_000))])
  }

  @Test func `a pattern and a length hold together`() throws {
    let schema = try SchemaExpectation(
      #"{"type": "string", "pattern": "^[\\x20-\\x7E]+$", "maxLength": 8}"#)
    schema.allows(#""12345678""#, #""a\"b""#)
    schema.forbids(#""""#, #""123456789""#, #""é""#)
    let plain = try SchemaExpectation(#"{"type": "string", "pattern": "^\\d{3}-\\d{4}$"}"#)
    plain.allows(#""555-1234""#)
    plain.forbids(#""555-12345""#, #""x555-1234""#)
    let search = try SchemaExpectation(#"{"type": "string", "pattern": "b+"}"#)
    search.allows(#""abc""#)
    search.forbids(#""ac""#)
    let both = try SchemaExpectation(
      #"{"type": "string", "allOf": [{"pattern": "^a"}, {"pattern": "z$"}, {"minLength": 3}]}"#)
    both.allows(#""abz""#)
    both.forbids(#""az""#, #""abc""#)
    let opposite = try SchemaExpectation(#"{"type": "string", "not": {"pattern": "^a"}}"#)
    opposite.allows(#""ba""#, #""""#)
    opposite.forbids(#""ab""#, #""\u0061b""#)
  }

  @Test func `what dialects disagree about is on neither side of a pattern`() throws {
    let words = try SchemaExpectation(#"{"type": "string", "not": {"pattern": "\\W"}}"#)
    words.allows(#""ab_1""#, #""""#)
    words.forbids(#""é""#, #""a b""#, #""ж""#)
    let given = try SchemaExpectation(#"{"enum": ["é", "a", "-"], "not": {"pattern": "\\W"}}"#)
    given.allows(#""a""#)
    given.forbids(#""é""#, #""-""#)
    let digits = try SchemaExpectation(
      #"{"type": "string", "if": {"pattern": "^[^\\d]"}, "then": {"const": "x"}}"#)
    digits.allows(#""x""#, #""12""#, #""""#)
    digits.forbids(#""٢""#, #""y""#)
    let names = try SchemaExpectation(
      #"{"properties": {"é": {}, "a": {}}, "patternProperties": {"\\W": {"type": "integer"}}}"#)
    names.allows(#"{"é": 1}"#, #"{"a": "x"}"#)
    names.forbids(#"{"é": "x"}"#)
    let others = try SchemaExpectation(
      #"{"patternProperties": {"\\W": {"type": "integer"}}, "additionalProperties": {"type": "null"}}"#
    )
    others.allows(#"{"-": 1}"#, #"{"a": null}"#)
    others.forbids(#"{"é": null}"#, #"{"é": 1}"#, #"{"-": null}"#)
  }

  @Test func `a long bound beside a pattern is cut where it would cost too much`() throws {
    let schema = try SchemaExpectation(
      #"{"type": "string", "pattern": "^[a-z]+$", "maxLength": 100000}"#)
    schema.allows(#""abc""#, "\"\(String(repeating: "a", count: 256))\"")
    schema.forbids(#""""#, #""A""#)
  }

  @Test func `a format is enforced, an unknown one is a remark`() throws {
    let date = try SchemaExpectation(#"{"type": "string", "format": "date"}"#)
    date.allows(#""2026-11-30""#)
    date.forbids(#""2026-13-30""#, #""x""#)
    try SchemaExpectation(#"{"type": "string", "format": "made-up"}"#).allows(#""x""#)
    // What is given by words or cannot be of the format keeps to the standard: a remark.
    try SchemaExpectation(#"{"const": "x", "format": "date"}"#).allows(#""x""#)
    try SchemaExpectation(#"{"type": "string", "maxLength": 3, "format": "date"}"#).allows(
      #""abc""#)
    #expect(schemaError(#"{"type": "string", "not": {"format": "date"}}"#) != nil)
  }

  @Test func `a pattern that is no automaton is refused with its place`() {
    guard
      case .unsupported(let path, let keyword, _) = schemaError(
        #"{"properties": {"a/b": {"type": "string", "pattern": "(?=a)b"}}}"#)
    else {
      Issue.record("look-ahead was taken")
      return
    }
    #expect(path == "/properties/a~1b/pattern")
    #expect(keyword == "pattern")
  }
}
