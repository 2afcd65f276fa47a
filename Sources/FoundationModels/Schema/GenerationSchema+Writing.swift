extension GenerationSchema {
  /// The schema as JSON Schema; keys in a fixed order, properties in theirs.
  var jsonContent: GeneratedContent { Self.jsonContent(of: resolved) }

  /// The schema as JSON Schema to the letter: guides' patterns have the anchors that they mean.
  var exactText: String {
    var schema = resolved
    schema.node.anchorPatterns()
    for index in schema.definitions.indices { schema.definitions[index].node.anchorPatterns() }
    return Self.jsonContent(of: schema).jsonString
  }

  private static func jsonContent(of schema: ResolvedSchema) -> GeneratedContent {
    var members = SchemaWriter.members(
      of: schema.node, title: schema.name, description: schema.description)
    if !schema.definitions.isEmpty {
      members["$defs"] = GeneratedContent(
        value: .structure(
          ContentProperties(schema.definitions.map { ($0.name, SchemaWriter.content(of: $0)) })))
    }
    return GeneratedContent(value: .structure(members))
  }
}

/// Writes nodes as JSON Schema.
enum SchemaWriter {
  static func content(of definition: SchemaDefinition) -> GeneratedContent {
    // Texts and unions go by their key alone, structures have their name inside as well.
    var title: String?
    if case .object = definition.node { title = definition.name }
    return GeneratedContent(
      value: .structure(
        members(of: definition.node, title: title, description: definition.description)))
  }

  static func members(
    of node: SchemaNode, title: String? = nil, description: String? = nil
  ) -> ContentProperties {
    var members = ContentProperties()
    add(node, to: &members)
    if let title { members["title"] = title.generatedContent }
    if let description { members["description"] = description.generatedContent }
    if case .object(let object) = node { add(object, to: &members) }
    return members
  }

  private static func content(of node: SchemaNode, description: String? = nil) -> GeneratedContent {
    GeneratedContent(value: .structure(members(of: node, description: description)))
  }

  private static func add(_ node: SchemaNode, to members: inout ContentProperties) {
    func type(_ name: String) { members["type"] = name.generatedContent }
    switch node {
    case .object: type("object")
    case .choices(let values):
      type("string")
      members["enum"] = values.generatedContent
    case .union(let nodes): members["anyOf"] = nodes.map { content(of: $0) }.generatedContent
    case .array(let items, let minimum, let maximum):
      type("array")
      members["items"] = content(of: items)
      members["minItems"] = minimum?.generatedContent
      members["maxItems"] = maximum?.generatedContent
    case .string(let rule):
      type("string")
      members["const"] = rule.constant?.generatedContent
      members["enum"] = rule.choices?.generatedContent
      members["pattern"] = rule.pattern?.generatedContent
    case .integer(let rule):
      type("integer")
      add(rule, to: &members)
    case .number(let rule):
      type("number")
      add(rule, to: &members)
    case .boolean: type("boolean")
    case .null: type("null")
    case .anything: break
    case .nothing: members["not"] = GeneratedContent(value: .structure(ContentProperties()))
    case .reference(let name): members["$ref"] = "#/$defs/\(escaped(name))".generatedContent
    case .root: members["$ref"] = "#".generatedContent
    case .type: preconditionFailure("types are looked up before a schema is written")
    }
  }

  private static func add(_ rule: NumberRule, to members: inout ContentProperties) {
    members["minimum"] = rule.minimum.map { GeneratedContent(value: .number($0)) }
    members["maximum"] = rule.maximum.map { GeneratedContent(value: .number($0)) }
  }

  private static func add(_ object: SchemaObject, to members: inout ContentProperties) {
    var properties = ContentProperties()
    var required: [String] = []
    for property in object.properties {
      var node = property.node
      if property.isOptional, object.representsNil { node = .union([node, .null]) }
      properties[property.name] = content(of: node, description: property.description)
      if !property.isOptional || object.representsNil { required.append(property.name) }
    }
    members["properties"] = GeneratedContent(value: .structure(properties))
    members["required"] = required.generatedContent
    members["additionalProperties"] = false.generatedContent
    members["x-order"] = object.properties.map(\.name).generatedContent
  }

  /// A name as a JSON pointer's token.
  private static func escaped(_ name: String) -> String {
    var result = ""
    for scalar in name.unicodeScalars {
      switch scalar {
      case "~": result += "~0"
      case "/": result += "~1"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}

extension SchemaNode {
  /// Writes anchors around guides' patterns.
  fileprivate mutating func anchorPatterns() {
    switch self {
    case .string(var rule):
      guard rule.isPatternOfWholeText, let pattern = rule.pattern else { return }
      rule.pattern = "^(?:\(pattern))$"
      rule.isPatternOfWholeText = false
      self = .string(rule)
    case .object(var object):
      for index in object.properties.indices { object.properties[index].node.anchorPatterns() }
      self = .object(object)
    case .union(var nodes):
      for index in nodes.indices { nodes[index].anchorPatterns() }
      self = .union(nodes)
    case .array(var items, let minimum, let maximum):
      items.anchorPatterns()
      self = .array(items, minimum: minimum, maximum: maximum)
    case .type, .choices, .integer, .number, .boolean, .null, .anything, .nothing, .reference,
      .root:
      return
    }
  }
}
