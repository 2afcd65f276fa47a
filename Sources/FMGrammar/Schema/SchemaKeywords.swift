/// One schema's keywords, with the checks that their values are what they have to be.
struct SchemaKeywords {
  let path: String
  private var values: [String: JSONValue] = [:]

  /// What is looked up by name; others are applied in the order of the text, or mean nothing.
  private static let known: Set<String> = [
    "type", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength",
    "maxLength", "pattern", "format", "items", "prefixItems", "additionalItems", "minItems",
    "maxItems", "uniqueItems", "contains", "minContains", "maxContains", "properties",
    "patternProperties", "additionalProperties", "propertyNames", "required", "minProperties",
    "maxProperties", "x-order", "unevaluatedItems", "unevaluatedProperties", "if", "then", "else",
    "allOf", "anyOf", "oneOf",
  ]

  init(path: String, members: [JSONMember]) {
    self.path = path
    for member in members where member.name.count <= 24 {
      let name = String(decoding: member.name, as: UTF8.self)
      if Self.known.contains(name) { values[name] = member.value }
    }
  }

  subscript(keyword: StaticString) -> JSONValue? { values["\(keyword)"] }

  func has(_ keyword: StaticString) -> Bool { self[keyword] != nil }

  func invalid(_ keyword: StaticString, _ reason: String) -> GrammarError {
    .invalidSchema(path: "\(path)/\(keyword)", offset: nil, reason: reason)
  }

  func unsupported(_ keyword: StaticString, _ reason: String) -> GrammarError {
    .unsupported(path: "\(path)/\(keyword)", keyword: "\(keyword)", reason: reason)
  }

  /// A number that counts something; one that is larger than any count is cut off.
  func count(_ keyword: StaticString) throws(GrammarError) -> Int? {
    guard let value = self[keyword] else { return nil }
    guard case .number(let number) = value, number.isInteger, !number.isNegative else {
      throw invalid(keyword, "is no integer from 0 up")
    }
    return number.integer ?? .max
  }

  func number(_ keyword: StaticString) throws(GrammarError) -> JSONDecimal? {
    guard let value = self[keyword] else { return nil }
    guard case .number(let number) = value else { throw invalid(keyword, "is no number") }
    return number
  }

  func boolean(_ keyword: StaticString) throws(GrammarError) -> Bool {
    guard let value = self[keyword] else { return false }
    guard case .boolean(let isTrue) = value else { throw invalid(keyword, "is no boolean") }
    return isTrue
  }

  func string(_ keyword: StaticString) throws(GrammarError) -> [UInt8]? {
    guard let value = self[keyword] else { return nil }
    guard case .string(let text) = value else { throw invalid(keyword, "is no string") }
    return text
  }

  func object(_ keyword: StaticString) throws(GrammarError) -> [JSONMember]? {
    guard let value = self[keyword] else { return nil }
    guard case .object(let members) = value else { throw invalid(keyword, "is no object") }
    return members
  }

  func array(_ keyword: StaticString) throws(GrammarError) -> [JSONValue]? {
    guard let value = self[keyword] else { return nil }
    guard case .array(let items) = value else { throw invalid(keyword, "is no array") }
    return items
  }

  /// A list of names, each once.
  func names(_ keyword: StaticString) throws(GrammarError) -> [[UInt8]] {
    guard let items = try array(keyword) else { return [] }
    guard let names = Self.names(items) else {
      throw invalid(keyword, "is no array of strings")
    }
    return names
  }

  static func names(_ items: [JSONValue]) -> [[UInt8]]? {
    var names: [[UInt8]] = []
    var seen: Set<[UInt8]> = []
    for item in items {
      guard case .string(let name) = item else { return nil }
      if seen.insert(name).inserted { names.append(name) }
    }
    return names
  }
}
