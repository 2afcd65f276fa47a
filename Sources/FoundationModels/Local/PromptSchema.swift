import FMText

/// Schemas and tools as a model is shown them.
///
/// Plain JSON Schema with properties in their order. What only programs read is left out: `title`,
/// `x-order` and `additionalProperties`.
enum PromptSchema {
  private static let unshown: Set<String> = ["title", "x-order", "additionalProperties"]

  /// What a prompt says when its answer has to follow a schema.
  static func text(_ schema: GenerationSchema) -> String {
    "Answer in JSON that follows this JSON Schema:\n"
      + JSONText.text(of: value(of: schema.jsonContent))
  }

  /// A tool as a chat template takes it: `{"type": "function", "function": {…}}`.
  static func tool(_ definition: Transcript.ToolDefinition) -> TemplateValue {
    let parameters: TemplateValue =
      definition.showsParameters
      ? value(of: definition.parameters.jsonContent) : ["type": "object", "properties": [:]]
    return [
      "type": "function",
      "function": [
        "name": .string(definition.name), "description": .string(definition.description),
        "parameters": parameters,
      ],
    ]
  }

  private static func value(of schema: GeneratedContent) -> TemplateValue {
    guard case .structure(let members) = schema.value else { return TemplateValue(schema) }
    var object = TemplateObject()
    for (key, member) in zip(members.keys, members.values) where !unshown.contains(key) {
      switch (key, member.value) {
      case ("properties", .structure(let named)), ("$defs", .structure(let named)):
        object[key] = .object(
          TemplateObject(
            zip(named.keys, named.values).map {
              TemplateObject.Member(key: $0, value: value(of: $1))
            }))
      case ("items", _): object[key] = value(of: member)
      case ("anyOf", .array(let choices)): object[key] = .array(choices.map { value(of: $0) })
      default: object[key] = TemplateValue(member)
      }
    }
    return .object(object)
  }
}

extension TemplateValue {
  /// Content as a template sees it.
  init(_ content: GeneratedContent) {
    switch content.value {
    case .null: self = .null
    case .bool(let value): self = .bool(value)
    case .number(let number):
      self = number.integer.map { .integer($0) } ?? .number(number.double)
    case .string(let text): self = .string(text)
    case .array(let elements): self = .array(elements.map { TemplateValue($0) })
    case .structure(let members):
      self = .object(
        TemplateObject(
          zip(members.keys, members.values).map {
            TemplateObject.Member(key: $0, value: TemplateValue($1))
          }))
    }
  }
}
