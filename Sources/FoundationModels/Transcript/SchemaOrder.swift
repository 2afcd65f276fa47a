/// Puts content back into the order its schema declares.
///
/// A decoder does not tell the order of an object's members. The schema a prompt asked for does, since it
/// lists its properties, so a structured answer gets the order back that it was written in.
struct SchemaOrder {
  private let root: SchemaNode
  private let definitions: [String: SchemaNode]

  /// The order of a schema.
  init(_ schema: GenerationSchema) {
    let resolved = schema.resolved
    root = resolved.node
    definitions = Dictionary(
      resolved.definitions.map { ($0.name, $0.node) }, uniquingKeysWith: { first, _ in first })
  }

  /// The content with the members of its structures in order; those the schema does not have come last.
  ///
  /// - Complexity: the size of the content times the choices at each place; its decoder limits the depth.
  func ordered(_ content: GeneratedContent) -> GeneratedContent { ordered(content, root) }

  private func ordered(_ content: GeneratedContent, _ node: SchemaNode) -> GeneratedContent {
    var result = content
    switch (content.value, resolve(node)) {
    case (.structure(let members), .object(let object)?):
      var sorted = ContentProperties()
      for property in object.properties {
        guard let value = members[property.name] else { continue }
        sorted[property.name] = ordered(value, property.node)
      }
      for (key, value) in zip(members.keys, members.values) where sorted[key] == nil {
        sorted[key] = value
      }
      result.value = .structure(sorted)
    case (.structure(let members), .union(let nodes)?):
      guard let node = nodes.first(where: { fits(members, $0) }) else { return content }
      return ordered(content, node)
    case (.array(let elements), .array(let items, _, _)?):
      result.value = .array(elements.map { ordered($0, items) })
    case (.array, .union(let nodes)?):
      for node in nodes {
        if case .array? = resolve(node) { return ordered(content, node) }
      }
    default: break
    }
    return result
  }

  /// The node that references lead to; nil when they lead in a circle or nowhere.
  private func resolve(_ node: SchemaNode) -> SchemaNode? {
    var node = node
    for _ in 0...definitions.count + 1 {
      switch node {
      case .root: node = root
      case .reference(let name):
        guard let next = definitions[name] else { return nil }
        node = next
      default: return node
      }
    }
    return nil
  }

  /// Whether a choice has all these members, and what makes it the one meant: its constants.
  private func fits(_ members: ContentProperties, _ node: SchemaNode) -> Bool {
    guard case .object(let object)? = resolve(node) else { return false }
    var known = 0
    for property in object.properties {
      guard let value = members[property.name] else {
        if property.isOptional { continue }
        return false
      }
      known += 1
      if case .string(let rule)? = resolve(property.node), let constant = rule.constant,
        value.value != .string(constant)
      {
        return false
      }
    }
    return known == members.count
  }
}
