// Extension: what `@Generable(name:)` expands to.

extension GenerationSchema {
  /// The form of a structure that goes by a name of its own.
  public init(
    type: any Generable.Type, name: String, description: String? = nil,
    representNilExplicitlyInGeneratedContent explicitNil: Bool = false,
    properties: [GenerationSchema.Property]
  ) {
    self.init(
      name: name, description: description,
      node: .object(
        SchemaObject(properties: properties.map(\.property), representsNil: explicitNil)),
      type: ObjectIdentifier(type))
  }

  /// The form of one of these texts, under a name of its own.
  public init(
    type: any Generable.Type, name: String, description: String? = nil, anyOf choices: [String]
  ) {
    self.init(
      name: name, description: description, node: .choices(choices), type: ObjectIdentifier(type))
  }

  /// The form of a value of one of these types, under a name of its own.
  public init(
    type: any Generable.Type, name: String, description: String? = nil,
    anyOf types: [any Generable.Type]
  ) {
    self.init(
      name: name, description: description, node: .union(types.map { .type($0, []) }),
      type: ObjectIdentifier(type))
  }
}
