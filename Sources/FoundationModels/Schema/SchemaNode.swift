/// One place of a schema.
indirect enum SchemaNode: Sendable {
  /// A type, looked up when the schema is used, so that types may contain themselves.
  case type(any Generable.Type, [GuideRule])
  case object(SchemaObject)
  /// One of these texts.
  case choices([String])
  case union([SchemaNode])
  case array(SchemaNode, minimum: Int?, maximum: Int?)
  case string(StringRule)
  case integer(NumberRule)
  case number(NumberRule)
  case boolean
  case null
  /// Any JSON value.
  case anything
  /// No value at all.
  case nothing
  /// A definition by name.
  case reference(String)
  /// The schema itself.
  case root
}

/// The form of a structure.
struct SchemaObject: Sendable {
  var properties: [SchemaProperty]
  /// Whether optional properties are written as `null` instead of being left out.
  var representsNil = false
}

/// A property of a structure.
struct SchemaProperty: Sendable {
  var name: String
  var description: String?
  var node: SchemaNode
  var isOptional: Bool
}

/// What a string must be.
struct StringRule: Sendable, Equatable {
  var constant: String?
  var choices: [String]?
  var pattern: String?
  /// Whether the pattern is a guide's, which the whole text matches; JSON Schema's match anywhere.
  var isPatternOfWholeText = false
  /// Whether a guide asked for a pattern whose text is unknown.
  var hasUnknownPattern = false
}

/// The bounds of a number, both included.
struct NumberRule: Sendable, Equatable {
  var minimum: JSONNumber?
  var maximum: JSONNumber?
}

/// A schema's part that others refer to.
struct SchemaDefinition: Sendable {
  var name: String
  var description: String?
  var node: SchemaNode
}

extension SchemaNode {
  /// The node with a guide's limits on top of its own; a guide for another type changes nothing.
  func applying(_ rule: GuideRule) -> SchemaNode {
    switch (self, rule) {
    case (.string(var string), .constant(let value)):
      string.constant = value
      return .string(string)
    case (.string(var string), .anyOf(let values)):
      string.choices = values
      return .string(string)
    case (.string(var string), .pattern(let pattern)):
      string.pattern = pattern
      string.isPatternOfWholeText = true
      string.hasUnknownPattern = pattern == nil
      return .string(string)
    case (.integer(let number), _): return .integer(number.applying(rule))
    case (.number(let number), _): return .number(number.applying(rule))
    case (.array(let items, let minimum, let maximum), _):
      switch rule {
      case .minimumCount(let count): return .array(items, minimum: count, maximum: maximum)
      case .maximumCount(let count): return .array(items, minimum: minimum, maximum: count)
      case .counts(let least, let most): return .array(items, minimum: least, maximum: most)
      case .element(let rule):
        return .array(items.applying(rule), minimum: minimum, maximum: maximum)
      default: return self
      }
    case (.type(let type, let rules), _): return .type(type, rules + [rule])
    default: return self
    }
  }
}

extension NumberRule {
  func applying(_ rule: GuideRule) -> NumberRule {
    var result = self
    switch rule {
    case .minimum(let value): result.minimum = value
    case .maximum(let value): result.maximum = value
    case .range(let least, let most):
      result.minimum = least
      result.maximum = most
    default: break
    }
    return result
  }
}
