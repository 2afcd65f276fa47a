import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@SessionPropertyEntry`: a key with the variable's default value, and accessors that use it.
struct SessionPropertyEntryMacro: AccessorMacro, PeerMacro {
  private struct Entry {
    var key: String
    var type: String
    var value: String
    var access: String

    init?(_ declaration: some DeclSyntaxProtocol) {
      guard let variable = declaration.as(VariableDeclSyntax.self),
        variable.bindingSpecifier.tokenKind == .keyword(.var),
        let binding = variable.bindings.first, variable.bindings.count == 1,
        let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text,
        let type = binding.typeAnnotation?.type
      else { return nil }
      key = "__Key_" + name.split(separator: "`").joined()
      self.type = type.trimmedDescription
      if let value = binding.initializer?.value {
        self.value = value.trimmedDescription
      } else if type.is(OptionalTypeSyntax.self) {
        value = "nil"
      } else {
        return nil
      }
      access = variable.modifiers.memberAccess
    }
  }

  static func expansion(
    of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AccessorDeclSyntax] {
    guard let entry = Entry(declaration) else {
      context.diagnose(.entryNeedsTypeAndValue, at: node)
      return []
    }
    return [
      "get { self[\(raw: entry.key).self] }",
      "set { self[\(raw: entry.key).self] = newValue }",
    ]
  }

  static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let entry = Entry(declaration) else { return [] }
    return [
      """
      nonisolated \(raw: entry.access)struct \(raw: entry.key): FoundationModels.SessionPropertyKey {
        \(raw: entry.access)typealias Value = \(raw: entry.type)
        \(raw: entry.access)static var defaultValue: \(raw: entry.type) { \(raw: entry.value) }
      }
      """
    ]
  }
}
