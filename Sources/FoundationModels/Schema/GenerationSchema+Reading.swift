extension GenerationSchema {
  /// Reads JSON Schema: Apple's dialect, and of the ordinary one what has a counterpart.
  ///
  /// Without `x-order` properties keep the order of the text. Unknown keywords are dropped.
  /// - Throws: ``SchemaError/undefinedReferences(schema:references:context:)`` for a reference to
  ///   nothing, ``GeneratedContent/ParsingError`` for what no schema can say.
  package init(jsonContent content: GeneratedContent) throws {
    var reader = SchemaReader()
    self = try reader.schema(content)
  }
}

/// Reads JSON Schema into nodes.
private struct SchemaReader {
  private var references: [String] = []

  mutating func schema(_ content: GeneratedContent) throws -> GenerationSchema {
    let members = try structure(content, "a schema")
    var definitions: [SchemaDefinition] = []
    for key in ["$defs", "definitions"] {
      guard let all = members[key] else { continue }
      let defined = try structure(all, key)
      for (name, value) in zip(defined.keys, defined.values) {
        definitions.append(
          SchemaDefinition(
            name: name, description: try text("description", in: structure(value, name)),
            node: try node(value)))
      }
    }
    let root = try node(content)
    let name = try text("title", in: members) ?? "Schema"
    var missing: [String] = []
    for reference in references where !definitions.contains(where: { $0.name == reference }) {
      if !missing.contains(reference) { missing.append(reference) }
    }
    guard missing.isEmpty else {
      throw GenerationSchema.SchemaError.undefinedReferences(
        schema: name, references: missing,
        context: .init(debugDescription: "nothing in '$defs' has these names"))
    }
    return GenerationSchema(
      name: name, description: try text("description", in: members), node: root,
      definitions: definitions)
  }

  private mutating func node(_ content: GeneratedContent) throws -> SchemaNode {
    if case .bool(let allowed) = content.value { return allowed ? .anything : .nothing }
    let members = try structure(content, "a schema")
    if let reference = try text("$ref", in: members) { return try self.reference(reference) }
    for key in ["anyOf", "oneOf"] {
      if let choices = members[key] { return .union(try nodes(choices, key)) }
    }
    if let parts = members["allOf"] {
      let nodes = try nodes(parts, "allOf")
      guard nodes.count == 1 else { throw unsupported("'allOf' of \(nodes.count) schemas") }
      return nodes[0]
    }
    if case .array(let types)? = members["type"]?.value {
      return .union(try types.map { try node(named: String($0), members) })
    }
    if let type = try text("type", in: members) { return try node(named: type, members) }
    if members["properties"] != nil { return try node(named: "object", members) }
    if members["enum"] != nil || members["const"] != nil {
      return try node(named: "string", members)
    }
    if members["not"] != nil { return .nothing }
    return .anything
  }

  private mutating func node(
    named type: String, _ members: ContentProperties
  ) throws -> SchemaNode {
    switch type {
    case "object": return .object(try object(members))
    case "array":
      return .array(
        try members["items"].map { try node($0) } ?? .anything,
        minimum: try members["minItems"].map { try Int($0) },
        maximum: try members["maxItems"].map { try Int($0) })
    case "string":
      return .string(
        StringRule(
          constant: try text("const", in: members),
          choices: try members["enum"].map { try [String]($0) },
          pattern: try text("pattern", in: members)))
    case "integer": return .integer(try numberRule(members))
    case "number": return .number(try numberRule(members))
    case "boolean": return .boolean
    case "null": return .null
    default: throw unsupported("the type '\(type)'")
    }
  }

  private mutating func object(_ members: ContentProperties) throws -> SchemaObject {
    guard let listed = members["properties"] else { return SchemaObject(properties: []) }
    let properties = try structure(listed, "'properties'")
    let required = try members["required"].map { try [String]($0) } ?? []
    let order = try members["x-order"].map { try [String]($0) } ?? properties.keys
    var names = ContentProperties()
    for name in order + properties.keys { names[name] = GeneratedContent(value: .null) }
    var result: [SchemaProperty] = []
    for name in names.keys {
      guard let value = properties[name] else { continue }
      result.append(
        SchemaProperty(
          name: name, description: try description(value), node: try node(value),
          isOptional: !required.contains(name)))
    }
    return SchemaObject(properties: result)
  }

  private func description(_ content: GeneratedContent) throws -> String? {
    guard case .structure(let members) = content.value else { return nil }
    return try text("description", in: members)
  }

  private mutating func reference(_ text: String) throws -> SchemaNode {
    if text == "#" { return .root }
    for prefix in ["#/$defs/", "#/definitions/"] where text.hasPrefix(prefix) {
      let name = Self.unescaped(String(text.dropFirst(prefix.count)))
      references.append(name)
      return .reference(name)
    }
    throw unsupported("the reference '\(text)'")
  }

  private static func unescaped(_ token: String) -> String {
    guard token.utf8.contains(UInt8(ascii: "~")) else { return token }
    let parts = token.split(separator: "~", omittingEmptySubsequences: false)
    var result = String(parts[0])
    for part in parts.dropFirst() {
      switch part.utf8.first {
      case UInt8(ascii: "0"): result += "~" + part.dropFirst()
      case UInt8(ascii: "1"): result += "/" + part.dropFirst()
      default: result += "~" + part
      }
    }
    return result
  }

  private mutating func nodes(_ content: GeneratedContent, _ key: String) throws -> [SchemaNode] {
    guard case .array(let elements) = content.value else { throw unsupported("this '\(key)'") }
    var nodes: [SchemaNode] = []
    for element in elements { nodes.append(try node(element)) }
    return nodes
  }

  private func numberRule(_ members: ContentProperties) throws -> NumberRule {
    func number(_ key: String) throws -> JSONNumber? {
      guard let content = members[key] else { return nil }
      guard case .number(let number) = content.value else { throw content.mismatch("a number") }
      return number
    }
    return NumberRule(minimum: try number("minimum"), maximum: try number("maximum"))
  }

  private func text(_ key: String, in members: ContentProperties) throws -> String? {
    try members[key].map { try String($0) }
  }

  private func structure(
    _ content: GeneratedContent, _ what: String
  ) throws -> ContentProperties {
    guard case .structure(let members) = content.value else {
      throw content.mismatch("\(what) to be a structure")
    }
    return members
  }

  private func unsupported(_ what: String) -> GeneratedContent.ParsingError {
    GeneratedContent.ParsingError(
      rawContent: "", underlyingError: nil, debugDescription: "a schema can't have \(what)")
  }
}
