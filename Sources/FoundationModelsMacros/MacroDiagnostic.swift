import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// What can be wrong where a macro is written.
enum MacroDiagnostic: DiagnosticMessage {
  case notAStructOrEnum
  case noCases
  case missingType(property: String)
  case unsupportedType(type: String)
  case initializedConstant(property: String)
  case lazyProperty(property: String)
  case guideWithoutProperty
  case guideOnComputedProperty
  case entryNeedsTypeAndValue

  var message: String {
    switch self {
    case .notAStructOrEnum: "'@Generable' can only be applied to a struct or an enum"
    case .noCases: "'@Generable' needs an enum with at least one case"
    case .missingType(let property):
      "'\(property)' needs a type annotation, since a macro can't see an inferred type"
    case .unsupportedType(let type):
      "'\(type)' can't be generated: tuples, dictionaries and functions are not 'Generable'"
    case .initializedConstant(let property):
      "'\(property)' is a constant with a value and can't be generated; make it a variable or static"
    case .lazyProperty(let property): "'\(property)' is lazy and can't be generated"
    case .guideWithoutProperty: "'@Guide' can only be applied to a stored property"
    case .guideOnComputedProperty:
      "'@Guide' has no effect on a computed or static property; apply it to a stored one"
    case .entryNeedsTypeAndValue:
      "'@SessionPropertyEntry' needs a variable with a type annotation and a default value"
    }
  }

  var diagnosticID: MessageID { MessageID(domain: "FoundationModelsMacros", id: identifier) }
  var severity: DiagnosticSeverity { .error }

  private var identifier: String {
    switch self {
    case .notAStructOrEnum: "notAStructOrEnum"
    case .noCases: "noCases"
    case .missingType: "missingType"
    case .unsupportedType: "unsupportedType"
    case .initializedConstant: "initializedConstant"
    case .lazyProperty: "lazyProperty"
    case .guideWithoutProperty: "guideWithoutProperty"
    case .guideOnComputedProperty: "guideOnComputedProperty"
    case .entryNeedsTypeAndValue: "entryNeedsTypeAndValue"
    }
  }
}

extension MacroExpansionContext {
  func diagnose(_ message: MacroDiagnostic, at node: some SyntaxProtocol) {
    diagnose(Diagnostic(node: node, message: message))
  }
}
