import Foundation
import FoundationModels
import Testing

@Suite struct GeneratedContentTests {
  @Test func `keeps properties in order and writes them as JSON`() throws {
    let content = GeneratedContent(properties: [
      "b": 1, "a": [true, false], "c": "x\n\"\u{1}", "d": Optional<Int>.none, "e": 0.5,
    ])
    #expect(content.jsonString == #"{"b":1,"a":[true,false],"c":"x\n\"\u0001","d":null,"e":0.5}"#)
    guard case .structure(let properties, let keys) = content.kind else {
      Issue.record("not a structure")
      return
    }
    #expect(keys == ["b", "a", "c", "d", "e"])
    #expect(properties["b"]?.kind == .number(1))
    #expect(try GeneratedContent(json: content.jsonString) == content)
  }

  @Test func `settles equal names as it is told`() throws {
    let pairs: [(String, any ConvertibleToGeneratedContent)] = [("a", 1), ("b", 2), ("a", 3)]
    let last = GeneratedContent(properties: pairs) { _, last in last }
    #expect(last.jsonString == #"{"a":3,"b":2}"#)
    let both = GeneratedContent(properties: pairs) { [$0, $1] }
    #expect(both.jsonString == #"{"a":[1,3],"b":2}"#)
  }

  @Test func `a missing or wrong property throws and an absent optional is nil`() throws {
    let content = try GeneratedContent(json: #"{"n":"no","z":null}"#)
    #expect(throws: GeneratedContent.ParsingError.self) {
      try content.value(Int.self, forProperty: "m")
    }
    #expect(throws: GeneratedContent.ParsingError.self) {
      try content.value(Int.self, forProperty: "n")
    }
    #expect(throws: GeneratedContent.ParsingError.self) {
      try content.value(Int?.self, forProperty: "n")
    }
    #expect(try content.value(Int?.self, forProperty: "z") == nil)
    #expect(try content.value(Int?.self, forProperty: "m") == nil)
  }

  @Test func `integers keep all their digits and decimals too`() throws {
    let content = try GeneratedContent(json: "[9007199254740993,0.1000000000000000055]")
    #expect(try content.value([Decimal].self)[0] == Decimal(string: "9007199254740993"))
    let parts = try content.value([GeneratedContent].self)
    #expect(try Int(parts[0]) == 9_007_199_254_740_993)
    #expect(try Decimal(parts[1]) == Decimal(string: "0.1000000000000000055"))
    #expect(throws: GeneratedContent.ParsingError.self) { try Int(parts[1]) }
    #expect(try Int(GeneratedContent(json: "1e2")) == 100)
    #expect(throws: GeneratedContent.ParsingError.self) {
      try Int(GeneratedContent(json: "1e30"))
    }
  }

  @Test(arguments: [
    ("", "null"), ("{", "{}"), ("{\"a", "{}"), ("{\"a\"", "{}"), ("{\"a\":", "{}"),
    ("{\"a\":1", "{}"), ("{\"a\":1,", "{\"a\":1}"), ("{\"a\":tr", "{}"),
    ("{\"a\":\"x", "{\"a\":\"x\"}"), ("{\"a\":\"x\\", "{\"a\":\"x\"}"),
    ("{\"a\":\"x\\u00", "{\"a\":\"x\"}"), ("{\"a\":\"\\ud83d", "{\"a\":\"\"}"),
    ("{\"a\":\"\\ud83d\\ude0", "{\"a\":\"\"}"), ("[[1,2],[3", "[[1,2],[]]"),
    ("{\"a\":{\"b\":[{\"c\":\"d", "{\"a\":{\"b\":[{\"c\":\"d\"}]}}"),
  ])
  func `reads the beginning of JSON as far as it is certain`(text: String, expected: String) throws
  {
    let content = try GeneratedContent(json: text)
    #expect(content.jsonString == expected)
    #expect(!content.isComplete)
  }

  @Test(arguments: [
    "}", "{a", "{\"a\" 1", "[1 2", "[,", "tru3", "01", "1.e", "\"\\x", "\"\\u12g", "{} x", "nul ",
    "[1,}", "{\"a\":1,}", "-a",
  ])
  func `refuses what no continuation makes JSON`(text: String) {
    #expect(throws: GeneratedContent.ParsingError.self) { try GeneratedContent(json: text) }
  }

  @Test func `every beginning of a document is a beginning of its content`() throws {
    let document = #"{"a":[1,-2.5e3,true,null],"b":{"c":"é😀\n\u00e9\ud83d\ude00"},"a2":""}"#
    let whole = try GeneratedContent(json: document)
    #expect(whole.isComplete)
    for length in document.utf8.indices {
      guard let text = String(document.utf8[..<length]) else { continue }
      let part = try GeneratedContent(json: text)
      #expect(!part.isComplete)
      #expect(isBeginning(part, of: whole), "\(text) gave \(part)")
    }
  }

  private func isBeginning(_ part: GeneratedContent, of whole: GeneratedContent) -> Bool {
    switch (part.kind, whole.kind) {
    case (.null, _): return true
    case (.string(let part), .string(let whole)): return whole.utf8.starts(with: part.utf8)
    case (.array(let part), .array(let whole)):
      return part.count <= whole.count && zip(part, whole).allSatisfy { isBeginning($0, of: $1) }
    case (.structure(let part, let keys), .structure(let whole, let all)):
      return all.starts(with: keys)
        && keys.allSatisfy { key in
          guard let part = part[key], let whole = whole[key] else { return false }
          return isBeginning(part, of: whole)
        }
    case (let part, let whole): return part == whole
    }
  }

  @Test func `deep nesting is refused in time and not by a crash`() {
    let bomb = String(repeating: "[", count: 1_000_000)
    #expect(throws: GeneratedContent.ParsingError.self) { try GeneratedContent(json: bomb) }
    let limit = String(repeating: "[", count: 256) + String(repeating: "]", count: 256)
    #expect(throws: Never.self) { try GeneratedContent(json: limit) }
  }

  @Test func `identity is part of equality and properties are equal in any order`() throws {
    let one = GeneratedContent(properties: ["a": 1, "b": 2])
    let other = GeneratedContent(properties: ["b": 2, "a": 1])
    #expect(one == other)
    #expect(GeneratedContent(properties: ["a": 1], id: GenerationID()) != one)
    #expect(GenerationID() != GenerationID())
  }

  @Test func `a repeated key keeps its place and takes the last value`() throws {
    let content = try GeneratedContent(json: #"{"a":1,"b":2,"a":3}"#)
    #expect(content.jsonString == #"{"a":3,"b":2}"#)
  }

  @Test func `content can be built from its kind`() {
    let content = GeneratedContent(
      kind: .structure(
        properties: ["x": GeneratedContent(1), "y": GeneratedContent("z")], orderedKeys: ["y"]))
    #expect(content.jsonString == #"{"y":"z","x":1}"#)
    #expect(GeneratedContent(kind: .number(.infinity)).jsonString == "null")
    #expect(
      GeneratedContent(elements: [1, "a"] as [any ConvertibleToGeneratedContent]).jsonString
        == #"[1,"a"]"#)
  }
}
