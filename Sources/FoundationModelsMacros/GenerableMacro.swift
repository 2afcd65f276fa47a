import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@Generable`: a schema, a partly generated form, and the way from and to generated content.
struct GenerableMacro: MemberMacro, ExtensionMacro {
  static func expansion(
    of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    let options = GenerableOptions(node)
    if let type = declaration.as(StructDeclSyntax.self) {
      return StructExpansion(type, options: options, context: context).members
    }
    if let type = declaration.as(EnumDeclSyntax.self) {
      return EnumExpansion(type, options: options, context: context)?.members ?? []
    }
    context.diagnose(.notAStructOrEnum, at: node)
    return []
  }

  static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    let options = GenerableOptions(node)
    let members: String
    // Problems were told when the members were made.
    if let structure = declaration.as(StructDeclSyntax.self) {
      members = StructExpansion(structure, options: options, context: nil).conformance
    } else if let choice = declaration.as(EnumDeclSyntax.self),
      let expansion = EnumExpansion(choice, options: options, context: nil)
    {
      members = expansion.conformance
    } else {
      return []
    }
    let clause = protocols.isEmpty ? "" : ": FoundationModels.Generable"
    return [
      try ExtensionDeclSyntax(
        """
        nonisolated extension \(type.trimmed)\(raw: clause) {
        \(raw: members)
        }
        """)
    ]
  }
}

/// The arguments of `@Generable`, as expressions.
struct GenerableOptions {
  var name: String?
  var description: String?
  var representsNil: String?

  init(_ node: AttributeSyntax) {
    guard case .argumentList(let arguments)? = node.arguments else { return }
    for argument in arguments {
      let text = argument.expression.trimmedDescription
      switch argument.label?.text {
      case "name": name = text
      case "description": description = text
      case "representNilExplicitlyInGeneratedContent": representsNil = text
      default: break
      }
    }
  }

  /// The arguments a schema's initializer starts with.
  var schemaArguments: [String] {
    var arguments = ["type: Self.self"]
    if let name { arguments.append("name: \(name)") }
    if let description { arguments.append("description: \(description)") }
    return arguments
  }
}

extension DeclModifierListSyntax {
  /// The access level that generated members get, with a space after it; empty for the default.
  var memberAccess: String {
    for modifier in self {
      switch modifier.name.tokenKind {
      case .keyword(.public): return "public "
      case .keyword(.package): return "package "
      default: continue
      }
    }
    return ""
  }
}
