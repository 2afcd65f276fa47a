/// Makes one schema of several made at run time, and checks that they fit.
struct DynamicSchemaResolver {
  private typealias SchemaError = GenerationSchema.SchemaError

  private let rootName: String
  private var definitions: [SchemaDefinition] = []
  private var names: Set<String> = []
  private var references: [String] = []

  static func resolve(
    root: DynamicGenerationSchema, dependencies: [DynamicGenerationSchema]
  ) throws -> GenerationSchema {
    let rootName = root.name ?? "Schema"
    var resolver = DynamicSchemaResolver(rootName: rootName)
    resolver.names.insert(rootName)
    let node = try resolver.inside(root)
    for dependency in dependencies {
      guard dependency.name != nil else { continue }
      _ = try resolver.node(dependency)
    }
    var missing: [String] = []
    for name in resolver.references where !resolver.names.contains(name) {
      if !missing.contains(name) { missing.append(name) }
    }
    guard missing.isEmpty else {
      throw SchemaError.undefinedReferences(
        schema: rootName, references: missing,
        context: .init(debugDescription: "no schema has these names"))
    }
    return GenerationSchema(
      name: rootName, description: root.description, node: node, definitions: resolver.definitions)
  }

  private init(rootName: String) { self.rootName = rootName }

  /// The node for a place that `schema` stands at: a named one becomes a definition.
  private mutating func node(_ schema: DynamicGenerationSchema) throws -> SchemaNode {
    guard let name = schema.name else { return try inside(schema) }
    guard names.insert(name).inserted else {
      throw SchemaError.duplicateType(
        schema: rootName, type: name,
        context: .init(debugDescription: "refer to the first one instead of repeating it"))
    }
    let place = definitions.count
    definitions.append(
      SchemaDefinition(name: name, description: schema.description, node: .anything))
    definitions[place].node = try inside(schema)
    return .reference(name)
  }

  private mutating func inside(_ schema: DynamicGenerationSchema) throws -> SchemaNode {
    switch schema.form {
    case .object(let properties, let representsNil):
      return .object(
        SchemaObject(
          properties: try self.properties(properties, of: schema.name ?? rootName),
          representsNil: representsNil))
    case .union(let choices):
      try check(choices.isEmpty, of: schema)
      var nodes: [SchemaNode] = []
      for choice in choices { nodes.append(try node(choice)) }
      return .union(nodes)
    case .choices(let values):
      try check(values.isEmpty, of: schema)
      return .choices(values)
    case .array(let items, let minimum, let maximum):
      return .array(try node(items), minimum: minimum, maximum: maximum)
    case .type(let type, let rules): return .type(type, rules)
    case .reference(let name):
      references.append(name)
      return name == rootName ? .root : .reference(name)
    case .null: return .null
    }
  }

  private mutating func properties(
    _ properties: [DynamicGenerationSchema.Property], of schema: String
  ) throws -> [SchemaProperty] {
    var seen: Set<String> = []
    var result: [SchemaProperty] = []
    for property in properties {
      guard seen.insert(property.name).inserted else {
        throw SchemaError.duplicateProperty(
          schema: schema, property: property.name,
          context: .init(debugDescription: "every property needs a name of its own"))
      }
      result.append(
        SchemaProperty(
          name: property.name, description: property.description,
          node: try node(property.schema), isOptional: property.isOptional))
    }
    return result
  }

  private func check(_ isEmpty: Bool, of schema: DynamicGenerationSchema) throws {
    guard isEmpty else { return }
    throw SchemaError.emptyTypeChoices(
      schema: schema.name ?? rootName,
      context: .init(debugDescription: "give at least one choice"))
  }
}
