import SwiftDiagnostics
import SwiftParser
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros
import Testing

@testable import FoundationModelsMacros

/// Expands the package's macros in `source`; gives the new source, and `line: message` of each diagnostic.
func expand(_ source: String) -> (source: String, messages: [String]) {
  let file = Parser.parse(source: source)
  let context = BasicMacroExpansionContext(
    sourceFiles: [file: .init(moduleName: "Test", fullFilePath: "Test.swift")])
  let specs: [String: MacroSpec] = [
    "Generable": MacroSpec(type: GenerableMacro.self, conformances: [TypeSyntax("Generable")]),
    "Guide": MacroSpec(type: GuideMacro.self),
    "SessionPropertyEntry": MacroSpec(type: SessionPropertyEntryMacro.self),
  ]
  let expanded = file.expand(
    macroSpecs: specs, contextGenerator: { _ in context }, indentationWidth: .spaces(2))
  let messages = context.diagnostics.map { diagnostic in
    let location = context.location(
      for: diagnostic.position, anchoredAt: diagnostic.node, fileName: "Test.swift")
    return "\(location.line):\(location.column): \(diagnostic.message)"
  }
  return (expanded.description, messages)
}

@Suite struct MacroExpansionTests {
  @Test func `a struct gets a schema, a partial form and conversions`() {
    let result = expand(
      """
      @Generable(description: "A dog")
      public struct Dog {
        @Guide(description: "Its name")
        public var name: String
        @Guide(.range(0...30))
        public var age: Int?
      }
      """)
    #expect(result.messages == [])
    let expected = """

      public struct Dog {
        public var name: String
        public var age: Int?

        nonisolated public static var generationSchema: FoundationModels.GenerationSchema {
          FoundationModels.GenerationSchema(
            type: Self.self, description: "A dog",
            properties: [
              FoundationModels.GenerationSchema.Property(name: "name", description: "Its name", type: String.self),
              FoundationModels.GenerationSchema.Property(name: "age", type: Int?.self, guides: [.range(0 ... 30)]),
            ]
          )
        }

        nonisolated public struct PartiallyGenerated: Swift.Identifiable, FoundationModels.ConvertibleFromGeneratedContent {
          public var id: FoundationModels.GenerationID
          public var name: String.PartiallyGenerated?
          public var age: Int.PartiallyGenerated?
          nonisolated public init(_ content: FoundationModels.GeneratedContent) throws {
            self.id = content.id ?? FoundationModels.GenerationID()
            self.name = try content.value(forProperty: "name")
            self.age = try content.value(forProperty: "age")
          }
        }
      }

      nonisolated extension Dog: FoundationModels.Generable {
        nonisolated public init(_ content: FoundationModels.GeneratedContent) throws {
          self.name = try content.value(forProperty: "name")
          self.age = try content.value(forProperty: "age")
        }

        nonisolated public var generatedContent: FoundationModels.GeneratedContent {
          var properties: [(Swift.String, any FoundationModels.ConvertibleToGeneratedContent)] = []
          properties.append(("name", self.name))
          if self.age != nil {
            properties.append(("age", self.age))
          }
          return FoundationModels.GeneratedContent(properties: properties) { _, last in
            last
          }
        }
      }
      """
    #expect(words(result.source) == words(expected), "\(result.source)")
  }

  /// The text without regard to white space.
  private func words(_ text: String) -> [Substring] {
    text.filter { $0 != " " }.split(separator: "\n")
  }

  @Test func `an enum without values gets the names of its cases`() {
    let result = expand(
      """
      @Generable enum Size: String { case small = "S", large; case `default` }
      """)
    #expect(result.source.contains("anyOf: [\"S\", \"large\", \"default\"]"), "\(result.source)")
    #expect(result.source.contains("case \"default\":"), "\(result.source)")
    #expect(!result.source.contains("PartiallyGenerated"))
  }

  @Test func `an enum with values gets a type for every case`() {
    let result = expand(
      """
      @Generable enum Order { case coffee(String, Int); case nothing }
      """)
    #expect(result.source.contains("anyOf: [DiscriminatedCoffee.self, DiscriminatedNothing.self]"))
    #expect(result.source.contains("name: \"value1\", type: Int.self"))
    #expect(
      result.source.contains("case coffee(String.PartiallyGenerated?, Int.PartiallyGenerated?)"))
  }

  @Test(arguments: [
    ("@Generable class A {}", ["1:1: '@Generable' can only be applied to a struct or an enum"]),
    ("@Generable enum A {}", ["1:17: '@Generable' needs an enum with at least one case"]),
    (
      "@Generable struct A {\n  var x = 3\n}",
      ["2:7: 'x' needs a type annotation, since a macro can't see an inferred type"]
    ),
    (
      "@Generable struct A {\n  let x: Int = 3\n}",
      ["2:7: 'x' is a constant with a value and can't be generated; make it a variable or static"]
    ),
    (
      "@Generable struct A {\n  var x: (Int, Int)\n  var y: [String: Int]?\n}",
      [
        "2:10: '(Int, Int)' can't be generated: tuples, dictionaries and functions are not 'Generable'",
        "3:10: '[String: Int]?' can't be generated: tuples, dictionaries and functions are not 'Generable'",
      ]
    ),
    (
      "@Generable struct A {\n  lazy var x: Int = 3\n}",
      ["2:12: 'x' is lazy and can't be generated"]
    ),
    (
      "struct A {\n  @Guide(description: \"x\")\n  var x: Int { 3 }\n}",
      ["2:3: '@Guide' has no effect on a computed or static property; apply it to a stored one"]
    ),
    (
      "@Guide(description: \"x\")\nfunc f() {}",
      ["1:1: '@Guide' can only be applied to a stored property"]
    ),
    (
      "extension SessionPropertyValues {\n  @SessionPropertyEntry var x = 3\n}",
      ["2:3: '@SessionPropertyEntry' needs a variable with a type annotation and a default value"]
    ),
  ])
  func `a mistake is shown where it was made`(source: String, messages: [String]) {
    #expect(expand(source).messages == messages)
  }

  @Test func `several names share a type and observers do not hide a property`() {
    let result = expand(
      "@Generable struct A { var a, b: Int; var c: Bool { didSet {} }; static var d: Int { 1 } }")
    #expect(result.messages == [])
    #expect(result.source.contains("name: \"a\", type: Int.self"))
    #expect(result.source.contains("name: \"c\", type: Bool.self"))
    #expect(!result.source.contains("name: \"d\""))
  }

  @Test func `a session property gets a key and accessors`() {
    let result = expand(
      "extension SessionPropertyValues {\n  @SessionPropertyEntry var mood: String = \"calm\"\n}")
    #expect(result.source.contains("struct __Key_mood: FoundationModels.SessionPropertyKey"))
    #expect(result.source.contains("self[__Key_mood.self] = newValue"))
  }
}
