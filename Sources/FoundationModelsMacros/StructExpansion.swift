import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// What `@Generable` makes of a struct.
struct StructExpansion {
  private let properties: [GeneratedProperty]
  private let identity: GeneratedProperty?
  private let options: GenerableOptions
  private let access: String
  private let isSendable: Bool

  init(
    _ declaration: StructDeclSyntax, options: GenerableOptions,
    context: (any MacroExpansionContext)?
  ) {
    let all = GeneratedProperty.properties(of: declaration, in: context)
    properties = all.filter { !$0.isIdentity }
    identity = all.first(where: \.isIdentity)
    self.options = options
    access = declaration.modifiers.memberAccess
    isSendable =
      declaration.inheritanceClause?.inheritedTypes.contains {
        $0.type.trimmedDescription == "Sendable" || $0.type.trimmedDescription == "Swift.Sendable"
      } ?? false
  }

  /// The schema and the partly generated form.
  var members: [DeclSyntax] { [schema, partial] }

  private var schema: DeclSyntax {
    var arguments = options.schemaArguments
    if let flag = options.representsNil {
      arguments.append("representNilExplicitlyInGeneratedContent: \(flag)")
    }
    let entries = properties.map { "      \($0.schemaEntry)," }.joined(separator: "\n")
    return """
      nonisolated \(raw: access)static var generationSchema: FoundationModels.GenerationSchema {
        FoundationModels.GenerationSchema(
          \(raw: arguments.joined(separator: ", ")),
          properties: [
      \(raw: entries)
          ]
        )
      }
      """
  }

  private var partial: DeclSyntax {
    // A property of the user's own called `id` leaves no room for an identity.
    let ownID = properties.contains { $0.key == "id" }
    var conformances = ["FoundationModels.ConvertibleFromGeneratedContent"]
    if !ownID { conformances.insert("Swift.Identifiable", at: 0) }
    if isSendable { conformances.append("Swift.Sendable") }
    var fields = properties.map { "  \(access)var \($0.name): \($0.partialType)" }
    var assignments = properties.map {
      "    self.\($0.name) = try content.value(forProperty: \"\($0.key)\")"
    }
    if !ownID {
      fields.insert("  \(access)var id: FoundationModels.GenerationID", at: 0)
      assignments.insert("    self.id = content.id ?? FoundationModels.GenerationID()", at: 0)
    }
    return """
      nonisolated \(raw: access)struct PartiallyGenerated: \(raw: conformances.joined(separator: ", ")) {
      \(raw: fields.joined(separator: "\n"))
        nonisolated \(raw: access)init(_ content: FoundationModels.GeneratedContent) throws {
      \(raw: assignments.joined(separator: "\n"))
        }
      }
      """
  }

  /// The way from and to generated content.
  var conformance: String {
    var assignments = properties.map {
      "    self.\($0.name) = try content.value(forProperty: \"\($0.key)\")"
    }
    if identity != nil {
      assignments.insert("    self.id = content.id ?? FoundationModels.GenerationID()", at: 0)
    }
    return """
        nonisolated \(access)init(_ content: FoundationModels.GeneratedContent) throws {
      \(assignments.joined(separator: "\n"))
        }

        nonisolated \(access)var generatedContent: FoundationModels.GeneratedContent {
      \(contentBody)
        }
      """
  }

  private var contentBody: String {
    let id = identity == nil ? "" : ", id: self.id"
    if properties.isEmpty {
      return "    FoundationModels.GeneratedContent(properties: [:]\(id))"
    }
    let hasOptionals = properties.contains { $0.isOptional }
    if !hasOptionals {
      let entries = properties.map { "      \"\($0.key)\": self.\($0.name)," }
      return """
            FoundationModels.GeneratedContent(properties: [
        \(entries.joined(separator: "\n"))
            ]\(id))
        """
    }
    var lines = [
      "    var properties: [(Swift.String, any FoundationModels.ConvertibleToGeneratedContent)] = []"
    ]
    for property in properties {
      let append = "properties.append((\"\(property.key)\", self.\(property.name)))"
      if property.isOptional, let flag = options.representsNil, flag != "false" {
        lines.append("    if \(flag) || self.\(property.name) != nil { \(append) }")
      } else if property.isOptional {
        lines.append("    if self.\(property.name) != nil { \(append) }")
      } else {
        lines.append("    \(append)")
      }
    }
    lines.append(
      "    return FoundationModels.GeneratedContent(properties: properties\(id)) { _, last in last }"
    )
    return lines.joined(separator: "\n")
  }
}
