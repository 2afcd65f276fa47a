extension GeneratedContent {
  /// The forms content can have.
  public enum Kind: Equatable, Sendable {
    /// JSON's `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// Any number.
    case number(Double)
    /// A text.
    case string(String)
    /// Elements in order.
    case array([GeneratedContent])
    /// Properties by name; walk them in the order of `orderedKeys`.
    case structure(properties: [String: GeneratedContent], orderedKeys: [String])
  }

  /// What the content is.
  public var kind: Kind {
    switch value {
    case .null: return .null
    case .bool(let value): return .bool(value)
    case .number(let number): return .number(number.double)
    case .string(let text): return .string(text)
    case .array(let elements): return .array(elements)
    case .structure(let members):
      var properties: [String: GeneratedContent] = [:]
      for (key, value) in zip(members.keys, members.values) { properties[key] = value }
      return .structure(properties: properties, orderedKeys: members.keys)
    }
  }
}

extension GeneratedContent.Kind {
  /// The content of this kind; properties not named in `orderedKeys` follow, sorted by name.
  var value: ContentValue {
    switch self {
    case .null: return .null
    case .bool(let value): return .bool(value)
    case .number(let value): return value.isFinite ? .number(JSONNumber(value)) : .null
    case .string(let text): return .string(text)
    case .array(let elements): return .array(elements)
    case .structure(let properties, let orderedKeys):
      var members = ContentProperties()
      let listed = Set(orderedKeys)
      let others = properties.keys.filter { !listed.contains($0) }.sorted()
      for key in orderedKeys + others { members[key] = properties[key] }
      return .structure(members)
    }
  }
}
