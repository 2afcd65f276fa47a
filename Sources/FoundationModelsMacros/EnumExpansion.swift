import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// What `@Generable` makes of an enum.
///
/// Without associated values it is a text: the case's name, or its raw value. With them it is an object
/// with the case's name in `type`, and a property for every value.
struct EnumExpansion {
  private struct Case {
    var name: String
    /// The literal of the text that stands for the case.
    var literal: String
    var values: [(label: String?, property: GeneratedProperty)]

    var key: String { name.split(separator: "`").joined() }
    /// The nested type that describes the case.
    var typeName: String { "Discriminated" + key.prefix(1).uppercased() + key.dropFirst() }
  }

  private let cases: [Case]
  private let options: GenerableOptions
  private let access: String
  private var hasValues: Bool { cases.contains { !$0.values.isEmpty } }

  /// Nil for an enum without cases, which is diagnosed.
  init?(
    _ declaration: EnumDeclSyntax, options: GenerableOptions,
    context: (any MacroExpansionContext)?
  ) {
    self.options = options
    access = declaration.modifiers.memberAccess
    let first = declaration.inheritanceClause?.inheritedTypes.first?.type.trimmedDescription
    let hasTexts = first == "String" || first == "Swift.String"
    var cases: [Case] = []
    for member in declaration.memberBlock.members {
      guard let group = member.decl.as(EnumCaseDeclSyntax.self) else { continue }
      for element in group.elements {
        cases.append(Self.read(element, hasTexts: hasTexts, context: context))
      }
    }
    guard !cases.isEmpty else {
      context?.diagnose(.noCases, at: declaration.name)
      return nil
    }
    self.cases = cases
  }

  private static func read(
    _ element: EnumCaseElementSyntax, hasTexts: Bool, context: (any MacroExpansionContext)?
  ) -> Case {
    var values: [(label: String?, property: GeneratedProperty)] = []
    for parameter in element.parameterClause?.parameters ?? [] {
      if !parameter.type.isGenerable {
        let type = parameter.type.trimmedDescription
        context?.diagnose(.unsupportedType(type: type), at: parameter.type)
      }
      let label = parameter.firstName?.text
      let unlabelled = values.isEmpty ? "value" : "value\(values.count)"
      let name = label.flatMap { $0 == "_" ? nil : $0 } ?? unlabelled
      values.append((label, GeneratedProperty(name: name, type: parameter.type)))
    }
    let name = element.name.text
    var literal = "\"\(name.split(separator: "`").joined())\""
    if hasTexts, let raw = element.rawValue?.value.trimmedDescription { literal = raw }
    return Case(name: name, literal: literal, values: values)
  }

  // MARK: Members

  /// The schema and what it is made of.
  var members: [DeclSyntax] {
    hasValues ? [schema] + cases.map(discriminated) + [partial] : [schema]
  }

  private var schema: DeclSyntax {
    let choices =
      hasValues ? cases.map { "\($0.typeName).self" } : cases.map(\.literal)
    let arguments = options.schemaArguments + ["anyOf: [\(choices.joined(separator: ", "))]"]
    return """
      nonisolated \(raw: access)static var generationSchema: FoundationModels.GenerationSchema {
        FoundationModels.GenerationSchema(\(raw: arguments.joined(separator: ", ")))
      }
      """
  }

  /// The form of one case.
  private func discriminated(_ element: Case) -> DeclSyntax {
    let type =
      "FoundationModels.GenerationSchema.Property(name: \"type\", type: Swift.String.self, "
      + "guides: [FoundationModels.GenerationGuide<Swift.String>.constant(\(element.literal))])"
    let entries = ([type] + element.values.map(\.property.schemaEntry))
      .map { "        \($0)," }.joined(separator: "\n")
    return """
      nonisolated \(raw: access)struct \(raw: element.typeName): FoundationModels.Generable {
        \(raw: access)let generatedContent: FoundationModels.GeneratedContent
        \(raw: access)init(_ content: FoundationModels.GeneratedContent) throws {
          generatedContent = content
        }
        \(raw: access)static var generationSchema: FoundationModels.GenerationSchema {
          FoundationModels.GenerationSchema(
            type: Self.self,
            properties: [
      \(raw: entries)
            ]
          )
        }
      }
      """
  }

  private var partial: DeclSyntax {
    let declarations = cases.map { element in
      let values = element.values.map { label, property in
        (label.map { "\($0): " } ?? "") + property.partialType
      }
      return "  case \(element.name)"
        + (values.isEmpty ? "" : "(\(values.joined(separator: ", ")))")
    }
    return """
      nonisolated \(raw: access)indirect enum PartiallyGenerated: FoundationModels.ConvertibleFromGeneratedContent {
      \(raw: declarations.joined(separator: "\n"))
        nonisolated \(raw: access)init(_ content: FoundationModels.GeneratedContent) throws {
      \(raw: reading)
        }
      }
      """
  }

  // MARK: Conformance

  /// The way from and to generated content.
  var conformance: String {
    """
      nonisolated \(access)init(_ content: FoundationModels.GeneratedContent) throws {
    \(reading)
      }

      nonisolated \(access)var generatedContent: FoundationModels.GeneratedContent {
    \(writing)
      }
    """
  }

  /// A switch over the text that names the case.
  private var reading: String {
    let text =
      hasValues
      ? "content.value(Swift.String.self, forProperty: \"type\")"
      : "content.value(Swift.String.self)"
    var lines = ["    let name = try \(text)", "    switch name {"]
    for element in cases {
      let values = element.values.map { label, property in
        (label.flatMap { $0 == "_" ? nil : "\($0): " } ?? "")
          + "try content.value(forProperty: \"\(property.key)\")"
      }
      let arguments = values.isEmpty ? "" : "(\(values.joined(separator: ", ")))"
      lines.append("    case \(element.literal): self = .\(element.name)\(arguments)")
    }
    lines.append(
      """
          default:
            throw FoundationModels.GeneratedContent.ParsingError(
              rawContent: content.jsonString, underlyingError: nil,
              debugDescription: "'\\(name)' is none of the cases")
          }
      """)
    return lines.joined(separator: "\n")
  }

  private var writing: String {
    var lines = ["    switch self {"]
    for element in cases {
      if !hasValues {
        lines.append("    case .\(element.name): \(element.literal).generatedContent")
        continue
      }
      let names = element.values.indices.map { "v\($0)" }
      let pattern =
        names.isEmpty ? "" : "(" + names.map { "let \($0)" }.joined(separator: ", ") + ")"
      let entries =
        ["\"type\": \(element.literal)"]
        + zip(element.values, names).map { "\"\($0.property.key)\": \($1)" }
      lines.append("    case .\(element.name)\(pattern):")
      lines.append(
        "      FoundationModels.GeneratedContent(properties: [\(entries.joined(separator: ", "))])")
    }
    lines.append("    }")
    return lines.joined(separator: "\n")
  }
}
