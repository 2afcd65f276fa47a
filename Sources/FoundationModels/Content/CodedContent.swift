/// JSON inside a `Codable` value: any shape, written and read through an encoder or decoder.
///
/// Decoders do not tell the order of an object's members, so they are read sorted by name.
struct CodedContent: Codable {
  let content: GeneratedContent

  init(_ content: GeneratedContent) { self.content = content }

  private struct Key: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(_ text: String) { stringValue = text }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  init(from decoder: any Decoder) throws {
    content = GeneratedContent(value: try Self.value(from: decoder))
  }

  private static func value(from decoder: any Decoder) throws -> ContentValue {
    guard decoder.codingPath.count <= JSONReader.maximumDepth else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: [], debugDescription: "nested deeper than \(JSONReader.maximumDepth)"))
    }
    if let object = try? decoder.container(keyedBy: Key.self) {
      var members = ContentProperties()
      for key in object.allKeys.sorted(by: { $0.stringValue < $1.stringValue }) {
        members[key.stringValue] = try object.decode(CodedContent.self, forKey: key).content
      }
      return .structure(members)
    }
    if var array = try? decoder.unkeyedContainer() {
      var elements: [GeneratedContent] = []
      while !array.isAtEnd { elements.append(try array.decode(CodedContent.self).content) }
      return .array(elements)
    }
    let single = try decoder.singleValueContainer()
    if single.decodeNil() { return .null }
    if let value = try? single.decode(Bool.self) { return .bool(value) }
    if let value = try? single.decode(Int.self) { return .number(JSONNumber(value)) }
    if let value = try? single.decode(UInt64.self) {
      return .number(JSONNumber(literal: String(value)))
    }
    if let value = try? single.decode(Double.self) { return .number(JSONNumber(value)) }
    return .string(try single.decode(String.self))
  }

  func encode(to encoder: any Encoder) throws {
    switch content.value {
    case .structure(let members):
      var object = encoder.container(keyedBy: Key.self)
      for (key, value) in zip(members.keys, members.values) {
        try object.encode(CodedContent(value), forKey: Key(key))
      }
    case .array(let elements):
      var array = encoder.unkeyedContainer()
      for element in elements { try array.encode(CodedContent(element)) }
    case .null: try single(encoder) { try $0.encodeNil() }
    case .bool(let value): try single(encoder) { try $0.encode(value) }
    case .string(let text): try single(encoder) { try $0.encode(text) }
    case .number(let number):
      try single(encoder) {
        if let integer = Int(number.literal) {
          try $0.encode(integer)
        } else if let integer = UInt64(number.literal) {
          try $0.encode(integer)
        } else {
          try $0.encode(number.double)
        }
      }
    }
  }

  private func single(
    _ encoder: any Encoder, _ write: (inout any SingleValueEncodingContainer) throws -> Void
  ) throws {
    var container: any SingleValueEncodingContainer = encoder.singleValueContainer()
    try write(&container)
  }
}

extension GenerationSchema: Codable {
  /// Reads JSON Schema in Apple's dialect, and ordinary JSON Schema as far as it has a counterpart.
  public init(from decoder: any Decoder) throws {
    try self.init(jsonContent: CodedContent(from: decoder).content)
  }

  /// Writes JSON Schema in Apple's dialect.
  public func encode(to encoder: any Encoder) throws {
    try CodedContent(jsonContent).encode(to: encoder)
  }
}
