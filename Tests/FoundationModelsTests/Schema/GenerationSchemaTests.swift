import Foundation
import FoundationModels
import Testing

@Suite struct GenerationSchemaTests {
  static let types: [(file: String, schema: GenerationSchema)] = [
    ("age.json", Age.generationSchema), ("person.json", Person.generationSchema),
    ("petClub.json", PetClub.generationSchema),
  ]

  @Test(.enabled(if: AppleFixtures.folder != nil, "\(AppleFixtures.reason)"), arguments: 0..<3)
  func `types give the schemas that Apple's framework gives`(index: Int) throws {
    let (file, schema) = Self.types[index]
    let theirs = try jsonObject(AppleFixtures.data(file))
    #expect(try jsonObject(encoding: schema) == theirs)
    let decoded = try JSONDecoder().decode(
      GenerationSchema.self, from: AppleFixtures.data(file))
    #expect(try jsonObject(encoding: decoded) == theirs)
    #expect(decoded.name == schema.name)
  }

  @Test func `order is the declared one and text is the same every time`() {
    let text = PetClub.generationSchema.debugDescription
    #expect(text == PetClub.generationSchema.debugDescription)
    #expect(text.contains(#""x-order":["members","cats","hedgehogs","otherPets","presidentName"]"#))
    #expect(
      Age.generationSchema.debugDescription
        == #"{"type":"object","title":"Age","properties":{"years":{"type":"integer"},"months":{"type":"integer"}},"#
        + #""required":["years","months"],"additionalProperties":false,"x-order":["years","months"]}"#
    )
  }

  @Test func `types of one name are told apart`() {
    struct Both: Generable {
      static var generationSchema: GenerationSchema {
        GenerationSchema(
          type: Both.self,
          properties: [
            .init(name: "a", type: Person.self), .init(name: "b", type: Club.Person.self),
          ])
      }
      init(_ content: GeneratedContent) throws {}
      var generatedContent: GeneratedContent { GeneratedContent(kind: .null) }
    }
    let text = Both.generationSchema.debugDescription
    #expect(text.contains(##""a":{"$ref":"#/$defs/Person"},"b":{"$ref":"#/$defs/Person2"}"##))
    #expect(text.contains(##""items":{"$ref":"#/$defs/Person2"}"##))
  }

  @Test func `dynamic schemas are hoisted, referred to and checked`() throws {
    let item = DynamicGenerationSchema(
      name: "Item",
      properties: [
        .init(
          name: "label", schema: DynamicGenerationSchema(type: String.self, guides: [.anyOf(["a"])])
        ),
        .init(name: "next", schema: DynamicGenerationSchema(referenceTo: "Root"), isOptional: true),
      ])
    let root = DynamicGenerationSchema(
      name: "Root", description: "All",
      properties: [
        .init(name: "items", schema: DynamicGenerationSchema(arrayOf: item, minimumElements: 1)),
        .init(name: "size", schema: DynamicGenerationSchema(name: "Size", anyOf: ["s", "m"])),
        .init(name: "other", schema: DynamicGenerationSchema(referenceTo: "Other")),
        .init(name: "age", schema: DynamicGenerationSchema(type: Age.self)),
      ])
    let other = DynamicGenerationSchema(
      name: "Other",
      anyOf: [DynamicGenerationSchema.null, DynamicGenerationSchema(referenceTo: "Item")])
    let schema = try GenerationSchema(root: root, dependencies: [other])
    let text = schema.debugDescription
    #expect(schema.name == "Root")
    #expect(text.contains(##""next":{"$ref":"#"}"##), "\(text)")
    #expect(
      text.contains(##""Other":{"anyOf":[{"type":"null"},{"$ref":"#/$defs/Item"}]}"##), "\(text)")
    #expect(text.contains(##""age":{"$ref":"#/$defs/Age"}"##), "\(text)")
    let decoded = try JSONDecoder().decode(
      GenerationSchema.self, from: JSONEncoder().encode(schema))
    #expect(try jsonObject(encoding: decoded) == jsonObject(encoding: schema))
  }

  @Test func `each mistake in dynamic schemas has its error`() {
    let text = DynamicGenerationSchema(type: String.self)
    let twice = DynamicGenerationSchema(
      name: "A", properties: [.init(name: "x", schema: text), .init(name: "x", schema: text)])
    #expect { try GenerationSchema(root: twice, dependencies: []) } throws: { error in
      if case GenerationSchema.SchemaError.duplicateProperty("A", "x", _) = error {
        true
      } else {
        false
      }
    }
    let empty = DynamicGenerationSchema(name: "E", anyOf: [String]())
    #expect { try GenerationSchema(root: empty, dependencies: []) } throws: { error in
      if case GenerationSchema.SchemaError.emptyTypeChoices("E", _) = error { true } else { false }
    }
    let lost = DynamicGenerationSchema(arrayOf: DynamicGenerationSchema(referenceTo: "Lost"))
    #expect { try GenerationSchema(root: lost, dependencies: []) } throws: { error in
      guard case GenerationSchema.SchemaError.undefinedReferences(_, let names, _) = error else {
        return false
      }
      return names == ["Lost"] && error.localizedDescription.contains("Lost")
    }
    let a = DynamicGenerationSchema(name: "B", properties: [])
    #expect { try GenerationSchema(root: a, dependencies: [a]) } throws: { error in
      if case GenerationSchema.SchemaError.duplicateType(_, "B", _) = error { true } else { false }
    }
  }

  @Test func `ordinary JSON Schema is read as far as it has a counterpart`() throws {
    let json = #"""
      {"type":"object","properties":{"b":{"type":["string","null"],"format":"date"},
       "a":{"oneOf":[{"type":"integer","minimum":1},{"const":"x"}]},
       "c":{"$ref":"#/definitions/C~1d"}},"required":["a"],
       "definitions":{"C/d":{"allOf":[{"type":"boolean"}]}}}
      """#
    let schema = try JSONDecoder().decode(GenerationSchema.self, from: Data(json.utf8))
    let text = schema.debugDescription
    #expect(
      text.contains(
        #""a":{"anyOf":[{"type":"integer","minimum":1},{"type":"string","const":"x"}]}"#))
    #expect(text.contains(##""$ref":"#/$defs/C~1d""##))
    #expect(text.contains(#""required":["a"]"#))
  }

  @Test(arguments: [
    ##"{"$ref":"#/$defs/None"}"##, #"{"type":"date"}"#, #"{"$ref":"http://x"}"#, "3",
    #"{"type":3.5}"#,
    #"{"allOf":[{},{}]}"#, #"{"type":"object","properties":[]}"#,
  ])
  func `schemas that make no sense are refused`(json: String) {
    #expect(throws: (any Error).self) {
      try JSONDecoder().decode(GenerationSchema.self, from: Data(json.utf8))
    }
  }
}
