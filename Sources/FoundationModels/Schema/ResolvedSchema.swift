/// A schema without types left to look up: nodes refer to definitions by name.
struct ResolvedSchema: Sendable {
  var name: String
  var description: String?
  var node: SchemaNode
  var definitions: [SchemaDefinition]
}

extension GenerationSchema {
  /// Looks up every type the schema reaches, each once.
  ///
  /// - Complexity: linear in the number of types and their properties.
  var resolved: ResolvedSchema {
    var resolution = SchemaResolution(root: type, rootName: name)
    let node = resolution.resolve(node, definitionsOf: self)
    return ResolvedSchema(
      name: name, description: description, node: node, definitions: resolution.finished)
  }
}

/// The state of one walk from a schema to all types it reaches.
private struct SchemaResolution {
  private let root: ObjectIdentifier?
  private var names: [ObjectIdentifier: String] = [:]
  private var taken: Set<String>
  private var definitions: [SchemaDefinition?] = []

  init(root: ObjectIdentifier?, rootName: String) {
    self.root = root
    taken = [rootName]
  }

  /// The definitions in the order they were first reached.
  var finished: [SchemaDefinition] { definitions.compactMap { $0 } }

  /// Resolves the node of `schema`, whose own definitions join the others under free names.
  mutating func resolve(_ node: SchemaNode, definitionsOf schema: GenerationSchema) -> SchemaNode {
    guard !schema.definitions.isEmpty else { return resolve(node, renaming: [:], root: .root) }
    var renaming: [String: String] = [:]
    for definition in schema.definitions { renaming[definition.name] = freeName(definition.name) }
    for definition in schema.definitions {
      let place = definitions.count
      definitions.append(nil)
      definitions[place] = SchemaDefinition(
        name: renaming[definition.name] ?? definition.name, description: definition.description,
        node: resolve(definition.node, renaming: renaming, root: .root))
    }
    return resolve(node, renaming: renaming, root: .root)
  }

  private mutating func resolve(
    _ node: SchemaNode, renaming: [String: String], root selfNode: SchemaNode
  ) -> SchemaNode {
    switch node {
    case .type(let type, let rules):
      return rules.reduce(resolve(type)) { $0.applying($1) }
    case .object(var object):
      for index in object.properties.indices {
        object.properties[index].node = resolve(
          object.properties[index].node, renaming: renaming, root: selfNode)
      }
      return .object(object)
    case .union(let nodes):
      return .union(nodes.map { resolve($0, renaming: renaming, root: selfNode) })
    case .array(let items, let minimum, let maximum):
      return .array(
        resolve(items, renaming: renaming, root: selfNode), minimum: minimum, maximum: maximum)
    case .reference(let name): return .reference(renaming[name] ?? name)
    case .root: return selfNode
    case .choices, .string, .integer, .number, .boolean, .null, .anything, .nothing: return node
    }
  }

  private mutating func resolve(_ type: any Generable.Type) -> SchemaNode {
    let id = ObjectIdentifier(type)
    if id == root { return .root }
    if let name = names[id] { return .reference(name) }
    let schema = type.generationSchema
    guard schema.isNamed else { return resolve(schema.node, renaming: [:], root: .root) }
    let name = freeName(schema.name)
    names[id] = name
    let place = definitions.count
    definitions.append(nil)
    var renaming: [String: String] = [:]
    for definition in schema.definitions { renaming[definition.name] = freeName(definition.name) }
    for definition in schema.definitions {
      let resolved = resolve(definition.node, renaming: renaming, root: .reference(name))
      definitions.append(
        SchemaDefinition(
          name: renaming[definition.name] ?? definition.name,
          description: definition.description, node: resolved))
    }
    definitions[place] = SchemaDefinition(
      name: name, description: schema.description,
      node: resolve(schema.node, renaming: renaming, root: .reference(name)))
    return .reference(name)
  }

  /// `name`, or with a number where another type has it already.
  private mutating func freeName(_ name: String) -> String {
    var candidate = name
    var number = 2
    while !taken.insert(candidate).inserted {
      candidate = "\(name)\(number)"
      number += 1
    }
    return candidate
  }
}

extension ResolvedSchema {
  /// Whether a guide is a regular expression whose text is unknown, so that nothing can enforce it.
  var hasUnknownPattern: Bool {
    node.hasUnknownPattern || definitions.contains { $0.node.hasUnknownPattern }
  }
}

extension SchemaNode {
  fileprivate var hasUnknownPattern: Bool {
    switch self {
    case .string(let rule): rule.hasUnknownPattern
    case .object(let object): object.properties.contains { $0.node.hasUnknownPattern }
    case .union(let nodes): nodes.contains { $0.hasUnknownPattern }
    case .array(let items, _, _): items.hasUnknownPattern
    case .type, .choices, .integer, .number, .boolean, .null, .anything, .nothing, .reference,
      .root:
      false
    }
  }
}
