import Foundation
import Testing

@testable import FMGrammar

/// Schemas as Apple's framework writes them, in texts of our own, and Apple's files where they are there.
@Suite struct AppleSchemaTests {
  /// A folder with Apple's own schemas: `FM_APPLE_FIXTURES`.
  static let folder = ProcessInfo.processInfo.environment["FM_APPLE_FIXTURES"]

  @Test func `a type that holds itself and one that is defined follow x-order`() throws {
    let schema = try SchemaExpectation(
      ##"""
      {"$defs": {"Kind": {"enum": ["tall", "small"], "type": "string"}},
      "additionalProperties": false, "properties": {"branches": {"items": {"$ref": "#"},
      "maxItems": 2, "type": "array"}, "kind": {"$ref": "#/$defs/Kind", "description": "Which"},
      "age": {"maximum": 900, "minimum": 1, "type": "integer", "description": "Years"}},
      "required": ["kind", "branches"], "title": "Tree", "type": "object",
      "x-order": ["kind", "age", "branches"]}
      """##)
    schema.allows(
      #"{"kind": "tall", "branches": []}"#,
      #"{"kind": "tall", "age": 900, "branches": [{"kind": "small", "branches": []}]}"#)
    schema.forbids(
      #"{"branches": [], "kind": "tall"}"#, #"{"kind": "tall", "age": 901, "branches": []}"#,
      #"{"kind": "old", "branches": []}"#)
  }

  @Test(.enabled(if: folder != nil, "FM_APPLE_FIXTURES names no folder of Apple's schemas"))
  func `Apple's own schemas have grammars that the matcher takes`() throws {
    let folder = URL(filePath: try #require(Self.folder))
    let texts: [(file: String, allowed: String, forbidden: String)] = [
      ("age.json", #"{"years": 3, "months": 1}"#, #"{"months": 1, "years": 3}"#),
      (
        "person.json", #"{"age": 18, "children": [{"children": [], "name": "a"}], "name": "b"}"#,
        #"{"age": 17, "children": [], "name": "b"}"#
      ),
      (
        "petClub.json",
        #"""
        {"members": [], "cats": [{"name": "x", "age": {"years": 1, "months": 2}, "profile": "y"}], "hedgehogs": [{"name": "h", "age": {"years": 1, "months": 2}, "favoriteFood": "leek", "home": "a hedge", "hobbies": ["a", "b", "c"]}], "otherPets": ["dog"], "presidentName": "z"}
        """#,
        #"{"members": [], "cats": [], "hedgehogs": [], "otherPets": []}"#
      ),
    ]
    for text in texts {
      let source = try String(contentsOf: folder.appending(path: text.file), encoding: .utf8)
      let schema = try SchemaExpectation(source)
      schema.allows(text.allowed)
      schema.forbids(text.forbidden)
      let compiled = try MatcherAcceptance.compiled(schema.grammar)
      #expect(MatcherAcceptance.accepts(compiled, Array(text.allowed.utf8)))
      #expect(!MatcherAcceptance.accepts(compiled, Array(text.forbidden.utf8)))
    }
  }
}
