import SwiftSyntax
import SwiftSyntaxMacros

/// A property of a generated value: a struct's stored property or an enum case's associated value.
struct GeneratedProperty {
  /// The name as it is written in code, back-ticks included.
  var name: String
  /// The type as it is written.
  var type: String
  /// The type without the optional around it.
  var wrappedType: String
  var isOptional: Bool
  /// The expression of the description.
  var description: String?
  /// The expressions of the guides.
  var guides: [String] = []

  init(name: String, type: TypeSyntax) {
    self.name = name
    self.type = type.trimmedDescription
    if let optional = type.as(OptionalTypeSyntax.self) {
      isOptional = true
      wrappedType = optional.wrappedType.trimmedDescription
    } else if let named = type.as(IdentifierTypeSyntax.self), named.name.text == "Optional",
      let argument = named.genericArgumentClause?.arguments.first
    {
      isOptional = true
      wrappedType = argument.argument.trimmedDescription
    } else {
      isOptional = false
      wrappedType = self.type
    }
  }

  /// The name as it stands in JSON.
  var key: String { name.split(separator: "`").joined() }

  /// The type while the value is generated.
  var partialType: String { "\(wrappedType).PartiallyGenerated?" }

  /// Whether it is the value's identity, which is not generated.
  var isIdentity: Bool {
    key == "id" && (wrappedType == "GenerationID" || wrappedType.hasSuffix(".GenerationID"))
  }

  /// The property in a list of a schema's properties.
  var schemaEntry: String {
    var arguments = ["name: \"\(key)\""]
    if let description { arguments.append("description: \(description)") }
    arguments.append("type: \(type).self")
    if !guides.isEmpty { arguments.append("guides: [\(guides.joined(separator: ", "))]") }
    return "FoundationModels.GenerationSchema.Property(\(arguments.joined(separator: ", ")))"
  }
}

extension GeneratedProperty {
  /// The stored properties of a struct that are generated, with their guides.
  static func properties(
    of declaration: StructDeclSyntax, in context: (any MacroExpansionContext)?
  ) -> [GeneratedProperty] {
    var result: [GeneratedProperty] = []
    for member in declaration.memberBlock.members {
      guard let variable = member.decl.as(VariableDeclSyntax.self), !variable.isStatic else {
        continue
      }
      for binding in variable.bindings where binding.isStored {
        if let property = property(binding, of: variable, in: context) { result.append(property) }
      }
    }
    return result
  }

  private static func property(
    _ binding: PatternBindingSyntax, of variable: VariableDeclSyntax,
    in context: (any MacroExpansionContext)?
  ) -> GeneratedProperty? {
    guard let identifier = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier else {
      context?.diagnose(.missingType(property: binding.pattern.trimmedDescription), at: binding)
      return nil
    }
    let name = identifier.text
    if variable.modifiers.contains(where: { $0.name.tokenKind == .keyword(.lazy) }) {
      context?.diagnose(.lazyProperty(property: name), at: binding)
      return nil
    }
    // In `var a, b: Int` only the last one has the annotation.
    guard let type = binding.typeAnnotation?.type ?? variable.bindings.sharedType(of: binding)
    else {
      context?.diagnose(.missingType(property: name), at: binding)
      return nil
    }
    if variable.bindingSpecifier.tokenKind == .keyword(.let), binding.initializer != nil {
      context?.diagnose(.initializedConstant(property: name), at: binding)
      return nil
    }
    guard type.isGenerable else {
      context?.diagnose(.unsupportedType(type: type.trimmedDescription), at: type)
      return nil
    }
    var property = GeneratedProperty(name: name, type: type)
    property.readGuides(variable.attributes)
    return property
  }

  private mutating func readGuides(_ attributes: AttributeListSyntax) {
    for case .attribute(let attribute) in attributes where attribute.isGuide {
      guard case .argumentList(let arguments)? = attribute.arguments else { continue }
      for argument in arguments {
        let text = argument.expression.trimmedDescription
        if argument.label?.text == "description" {
          description = text
        } else if argument.expression.is(RegexLiteralExprSyntax.self) {
          guides.append("FoundationModels.GenerationGuide<Swift.String>.pattern(\(text))")
        } else {
          guides.append(text)
        }
      }
    }
  }
}

extension AttributeSyntax {
  /// Whether it is `@Guide`, with or without the module's name.
  var isGuide: Bool {
    let name = attributeName.trimmedDescription
    return name == "Guide" || name == "FoundationModels.Guide"
  }
}

extension VariableDeclSyntax {
  var isStatic: Bool {
    modifiers.contains {
      $0.name.tokenKind == .keyword(.static) || $0.name.tokenKind == .keyword(.class)
    }
  }
}

extension PatternBindingSyntax {
  /// Whether it is stored: no accessors, or only observers.
  var isStored: Bool {
    guard let block = accessorBlock else { return true }
    guard case .accessors(let accessors) = block.accessors else { return false }
    return accessors.allSatisfy {
      $0.accessorSpecifier.tokenKind == .keyword(.willSet)
        || $0.accessorSpecifier.tokenKind == .keyword(.didSet)
    }
  }
}

extension PatternBindingListSyntax {
  /// The annotation that a binding without one takes from the bindings after it.
  func sharedType(of binding: PatternBindingSyntax) -> TypeSyntax? {
    guard let index = firstIndex(of: binding), binding.initializer == nil else { return nil }
    return self[index...].lazy.compactMap { $0.typeAnnotation?.type }.first
  }
}

extension TypeSyntax {
  /// Whether the type can be generated as far as its spelling tells.
  var isGenerable: Bool {
    if let optional = self.as(OptionalTypeSyntax.self) { return optional.wrappedType.isGenerable }
    if let array = self.as(ArrayTypeSyntax.self) { return array.element.isGenerable }
    if let tuple = self.as(TupleTypeSyntax.self) {
      guard let only = tuple.elements.first, tuple.elements.count == 1 else { return false }
      return only.type.isGenerable
    }
    return !self.is(DictionaryTypeSyntax.self) && !self.is(FunctionTypeSyntax.self)
  }
}
