/// A schema made at run time; ``GenerationSchema/init(root:dependencies:)`` makes it usable.
public struct DynamicGenerationSchema: Sendable {
  indirect enum Form: Sendable {
    case object([Property], representsNil: Bool)
    case union([DynamicGenerationSchema])
    case choices([String])
    case array(DynamicGenerationSchema, minimum: Int?, maximum: Int?)
    case type(any Generable.Type, [GuideRule])
    case reference(String)
    case null
  }

  /// The name others refer to it by; nil for arrays, types and references.
  let name: String?
  let description: String?
  let form: Form

  private init(_ form: Form, name: String? = nil, description: String? = nil) {
    self.form = form
    self.name = name
    self.description = description
  }

  /// A structure with these properties, generated in this order.
  public init(name: String, description: String? = nil, properties: [Property]) {
    self.init(.object(properties, representsNil: false), name: name, description: description)
  }

  /// A structure; optional properties without a value are `null` instead of absent.
  public init(
    name: String, description: String? = nil,
    representNilExplicitlyInGeneratedContent explicitNil: Bool, properties: [Property]
  ) {
    self.init(.object(properties, representsNil: explicitNil), name: name, description: description)
  }

  /// One of several forms.
  public init(name: String, description: String? = nil, anyOf choices: [DynamicGenerationSchema]) {
    self.init(.union(choices), name: name, description: description)
  }

  /// One of several texts.
  public init(name: String, description: String? = nil, anyOf choices: [String]) {
    self.init(.choices(choices), name: name, description: description)
  }

  /// An array of elements of one form.
  public init(
    arrayOf itemSchema: DynamicGenerationSchema, minimumElements: Int? = nil,
    maximumElements: Int? = nil
  ) {
    self.init(.array(itemSchema, minimum: minimumElements, maximum: maximumElements))
  }

  /// The form of a type.
  public init<Value: Generable>(type: Value.Type, guides: [GenerationGuide<Value>] = []) {
    self.init(.type(type, guides.map(\.rule)))
  }

  /// The schema with this name, wherever it is defined.
  public init(referenceTo name: String) { self.init(.reference(name)) }

  /// The form of `null`.
  public static var null: DynamicGenerationSchema { DynamicGenerationSchema(.null) }
}

extension DynamicGenerationSchema {
  /// A property of a structure made at run time.
  public struct Property: Sendable {
    let name: String
    let description: String?
    let schema: DynamicGenerationSchema
    let isOptional: Bool

    /// A property of a form; an optional one may be absent.
    public init(
      name: String, description: String? = nil, schema: DynamicGenerationSchema,
      isOptional: Bool = false
    ) {
      self.name = name
      self.description = description
      self.schema = schema
      self.isOptional = isOptional
    }
  }
}
