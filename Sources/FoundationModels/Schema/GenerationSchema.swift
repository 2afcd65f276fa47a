public import _StringProcessing

/// The form that generated content must have.
///
/// Encodes as JSON Schema in Apple's dialect: declared order in `x-order`, nested types in `$defs`.
public struct GenerationSchema: Sendable {
  /// The name of the type or of the dynamic schema.
  public let name: String
  let description: String?
  let node: SchemaNode
  /// Definitions that came with a dynamic or decoded schema.
  let definitions: [SchemaDefinition]
  /// The type the schema is of, for recognizing it inside itself.
  let type: ObjectIdentifier?
  /// Whether other schemas refer to it by name instead of repeating it.
  let isNamed: Bool

  init(unnamed node: SchemaNode, name: String) {
    self.name = name
    self.node = node
    description = nil
    definitions = []
    type = nil
    isNamed = false
  }

  init(
    name: String, description: String?, node: SchemaNode, definitions: [SchemaDefinition] = [],
    type: ObjectIdentifier? = nil
  ) {
    self.name = name
    self.description = description
    self.node = node
    self.definitions = definitions
    self.type = type
    isNamed = true
  }

  /// The form of a structure with these properties, generated in this order.
  public init(
    type: any Generable.Type, description: String? = nil, properties: [GenerationSchema.Property]
  ) {
    self.init(
      type: type, description: description, representNilExplicitlyInGeneratedContent: false,
      properties: properties)
  }

  /// The form of a structure; optional properties without a value are `null` instead of absent.
  public init(
    type: any Generable.Type, description: String? = nil,
    representNilExplicitlyInGeneratedContent explicitNil: Bool,
    properties: [GenerationSchema.Property]
  ) {
    self.init(
      type: type, name: "\(type)", description: description,
      representNilExplicitlyInGeneratedContent: explicitNil, properties: properties)
  }

  /// The form of one of these texts.
  public init(type: any Generable.Type, description: String? = nil, anyOf choices: [String]) {
    self.init(type: type, name: "\(type)", description: description, anyOf: choices)
  }

  /// The form of a value of one of these types.
  public init(
    type: any Generable.Type, description: String? = nil, anyOf types: [any Generable.Type]
  ) {
    self.init(type: type, name: "\(type)", description: description, anyOf: types)
  }

  /// Resolves a schema made at run time, with those it refers to.
  ///
  /// - Throws: ``SchemaError`` for names that are used twice or never defined, and empty choices.
  public init(root: DynamicGenerationSchema, dependencies: [DynamicGenerationSchema]) throws {
    self = try DynamicSchemaResolver.resolve(root: root, dependencies: dependencies)
  }
}

extension GenerationSchema {
  /// A property of a structure.
  public struct Property: Sendable {
    let property: SchemaProperty

    /// A property that must be there.
    public init<Value: Generable>(
      name: String, description: String? = nil, type: Value.Type,
      guides: [GenerationGuide<Value>] = []
    ) {
      property = SchemaProperty(
        name: name, description: description, node: .type(type, guides.map(\.rule)),
        isOptional: false)
    }

    /// A property that may be absent.
    public init<Value: Generable>(
      name: String, description: String? = nil, type: Value?.Type,
      guides: [GenerationGuide<Value>] = []
    ) {
      property = SchemaProperty(
        name: name, description: description, node: .type(Value.self, guides.map(\.rule)),
        isOptional: true)
    }

    /// A string that regular expressions describe.
    public init<RegexOutput>(
      name: String, description: String? = nil, type: String.Type,
      guides: [Regex<RegexOutput>] = []
    ) {
      property = SchemaProperty(
        name: name, description: description,
        node: .type(type, guides.map { .pattern(RegexPattern.text(of: $0)) }), isOptional: false)
    }

    /// A string that regular expressions describe and that may be absent.
    public init<RegexOutput>(
      name: String, description: String? = nil, type: String?.Type,
      guides: [Regex<RegexOutput>] = []
    ) {
      property = SchemaProperty(
        name: name, description: description,
        node: .type(String.self, guides.map { .pattern(RegexPattern.text(of: $0)) }),
        isOptional: true)
    }
  }
}

extension GenerationSchema: CustomDebugStringConvertible {
  /// The JSON Schema text, the same in every run.
  public var debugDescription: String { jsonContent.jsonString }
}
