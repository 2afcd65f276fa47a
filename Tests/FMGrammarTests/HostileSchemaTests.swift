import Foundation
import Testing

@testable import FMGrammar

/// Schemas that want to cost time, memory or the stack.
@Suite(.serialized) struct HostileSchemaTests {
  /// The error of a schema, which has to come within seconds.
  private func error(_ schema: String) -> GrammarError? {
    var result: GrammarError?
    let clock = ContinuousClock()
    let duration = clock.measure { result = schemaError(schema) }
    // Seconds on a machine with nothing else to do; others may be running.
    #expect(duration < .seconds(20), "\(duration)")
    return result
  }

  @Test func `nesting of ten thousand levels is an error`() {
    let depth = 10_000
    for (open, close) in [("[", "]"), (#"{"items": "#, "}"), (#"{"allOf": ["#, "]}")] {
      let text =
        String(repeating: open, count: depth) + "{}" + String(repeating: close, count: depth)
      #expect(error(text) == .limitExceeded(.depth, limit: 256))
      #expect(error(String(repeating: open, count: depth)) == .limitExceeded(.depth, limit: 256))
    }
    let values = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    #expect(error("{\"const\": \(values)}") == .limitExceeded(.depth, limit: 256))
  }

  @Test func `a hundred levels of arrays are no problem`() throws {
    let depth = 100
    let text =
      String(repeating: #"{"type": "array", "items": "#, count: depth) + "true"
      + String(repeating: "}", count: depth)
    #expect(error(text) == nil)
  }

  @Test func `schemas that are nested as deep as may be fit a stack of one mebibyte`() async throws
  {
    let depth = 98
    let parts = [#"{"allOf": ["#, #"{"not": {"not": "#, #"{"anyOf": [{"type": "null"}, "#]
    let ends = ["]}", "}}", "]}"]
    var texts: [String] = []
    for (part, end) in zip(parts, ends) {
      let levels = part.hasPrefix("{\"not") ? depth / 2 : depth
      texts.append(
        String(repeating: part, count: levels) + #"{"type": "object", "required": ["a"]}"#
          + String(repeating: end, count: levels))
    }
    texts.append(
      String(repeating: #"{"type": "array", "minItems": 1, "items": {"oneOf": [false, "#, count: 60)
        + #"{"type": "null"}"# + String(repeating: "]}}", count: 60))
    for text in texts {
      let outcome = await withCheckedContinuation { continuation in
        let thread = Thread { continuation.resume(returning: schemaError(text)) }
        thread.stackSize = 1 << 20
        thread.start()
      }
      #expect(outcome == nil)
    }
  }

  @Test func `products of alternatives are bounded`() {
    let pair =
      #"{"anyOf": [{"properties": {"NAME": {"const": 1}}, "required": ["NAME"]}, {"properties": {"NAME": {"const": 2}}, "required": ["NAME"]}]}"#
    let parts = (0..<20).map { pair.replacing("NAME", with: "p\($0)") }
    #expect(
      error("{\"type\": \"object\", \"allOf\": [\(parts.joined(separator: ", "))]}")
        == .limitExceeded(.choices, limit: 2_048))
    let choices = (0..<40).map { #"{"required": ["\#($0)"]}"# }.joined(separator: ", ")
    #expect(
      error("{\"type\": \"object\", \"oneOf\": [\(choices)]}")
        != .some(.empty(path: "", reason: "")))
    let negated = (0..<40).map {
      #"{"not": {"properties": {"a\#($0)": {"type": "null"}, "b\#($0)": {"type": "null"}}}}"#
    }
    #expect(error("{\"type\": \"object\", \"allOf\": [\(negated.joined(separator: ", "))]}") != nil)
  }

  @Test func `chains and circles of references end`() {
    let chain = (0..<5_000).map { ##""d\##($0)": {"$ref": "#/$defs/d\##($0 + 1)"}"## }
    let text =
      ##"{"$ref": "#/$defs/d0", "$defs": {"##
      + chain.joined(separator: ", ") + #", "d5000": {"type": "null"}}}"#
    #expect(error(text) == .limitExceeded(.depth, limit: 100))
    let circle =
      ##"{"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"allOf": [{"$ref": "#/$defs/a"}]}}}"##
    guard case .invalidSchema = error(circle) else {
      Issue.record("a circle was taken")
      return
    }
    // Doubles with every level, if each were written out.
    let doubling = (0..<60).map {
      ##""d\##($0)": {"type": "object", "properties": {"a": {"$ref": "#/$defs/d\##($0 + 1)"}, "b": {"$ref": "#/$defs/d\##($0 + 1)"}}, "required": ["a", "b"]}"##
    }
    let tree =
      ##"{"$ref": "#/$defs/d0", "$defs": {"##
      + doubling.joined(separator: ", ") + #", "d60": {"type": "null"}}}"#
    #expect(error(tree) == nil)
  }

  @Test func `many properties and many patterns take moderate time`() {
    let properties = (0..<5_000).map { #""property \#($0)": {"type": "integer"}"# }
    #expect(error("{\"properties\": {\(properties.joined(separator: ", "))}}") == nil)
    let patterns = (0..<200).map { #""^p\#($0)": {"type": "integer"}"# }
    #expect(
      error("{\"patternProperties\": {\(patterns.joined(separator: ", "))}}") != nil)
    let strings = (0..<300).map {
      #""p\#($0)": {"type": "string", "pattern": "^[a-z]{\#($0)}[^x]+$", "maxLength": 900}"#
    }
    _ = error("{\"properties\": {\(strings.joined(separator: ", "))}}")
  }

  @Test func `huge numbers are numbers`() {
    #expect(
      error(#"{"maxLength": 1e300, "minItems": 0, "maxItems": 123456789012345678901234567890}"#)
        == nil)
    #expect(error(#"{"type": "integer", "minimum": 1e400}"#) != nil)
    #expect(error(#"{"type": "number", "multipleOf": 1e-300}"#) != nil)
    #expect(
      error(#"{"type": "array", "contains": {"const": 1}, "minContains": 100000000000}"#) != nil)
    #expect(error(#"{"const": 1e99999999999999999999}"#) != nil)
  }

  @Test func `text that is no JSON is an error with its offset`() {
    let texts = [
      "", "{", "{\"a\"", "{\"a\":}", "[1,]", "tru", "\"\\ud800\"", "\"\u{1}\"", "01", "1.", "{} x",
      "\"\\ud83d\\u0041\"", "-", "{\"a\": 1,}",
    ]
    for text in texts {
      guard case .invalidSchema("", _?, _) = error(text) else {
        Issue.record("taken: \(text)")
        continue
      }
    }
    do throws(GrammarError) {
      _ = try JSONSchema(bytes: [0x22, 0xFF, 0x22])
      Issue.record("bytes that are not UTF-8 were taken")
    } catch {
      #expect(error == .invalidSchema(path: "", offset: 0, reason: "a string that is not UTF-8"))
    }
  }
}
