import SwiftSyntax
import SwiftSyntaxMacros

/// `@Guide`: read by `@Generable`; on its own it only checks where it stands.
struct GuideMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let variable = declaration.as(VariableDeclSyntax.self) else {
      context.diagnose(.guideWithoutProperty, at: node)
      return []
    }
    if variable.isStatic || variable.bindings.contains(where: { !$0.isStored }) {
      context.diagnose(.guideOnComputedProperty, at: node)
    }
    return []
  }
}
