public import Foundation

/// A value a model generated, or that is shown to one: JSON whose properties have an order.
///
/// Equality compares identity as well as content; properties are equal in any order.
public struct GeneratedContent: Sendable, Equatable, Generable {
  /// The identity of a generated value; nil for one that was not generated.
  public var id: GenerationID?
  var value: ContentValue
  /// Whether the value is whole; a value being streamed is not until its last character came.
  public private(set) var isComplete: Bool = true

  init(value: ContentValue, id: GenerationID? = nil, isComplete: Bool = true) {
    self.value = value
    self.id = id
    self.isComplete = isComplete
  }

  /// A structure with these properties, in this order; of equal names the last one counts.
  public init(
    properties: KeyValuePairs<String, any ConvertibleToGeneratedContent>, id: GenerationID? = nil
  ) {
    let members = properties.map { ($0.key, $0.value.generatedContent) }
    self.init(value: .structure(ContentProperties(members)), id: id)
  }

  /// A structure with these properties, in this order; `combine` settles equal names.
  public init<S: Sequence>(
    properties: S, id: GenerationID? = nil,
    uniquingKeysWith combine: (GeneratedContent, GeneratedContent) throws ->
      some ConvertibleToGeneratedContent
  ) rethrows where S.Element == (String, any ConvertibleToGeneratedContent) {
    var members = ContentProperties()
    for (key, value) in properties {
      if let known = members[key] {
        members[key] = try combine(known, value.generatedContent).generatedContent
      } else {
        members[key] = value.generatedContent
      }
    }
    self.init(value: .structure(members), id: id)
  }

  /// An array of these elements.
  public init<S: Sequence>(elements: S, id: GenerationID? = nil)
  where S.Element == any ConvertibleToGeneratedContent {
    self.init(value: .array(elements.map(\.generatedContent)), id: id)
  }

  /// The content of `value`.
  public init(_ value: some ConvertibleToGeneratedContent) { self = value.generatedContent }

  /// The content of `value`, with an identity.
  public init(_ value: some ConvertibleToGeneratedContent, id: GenerationID) {
    self = value.generatedContent
    self.id = id
  }

  /// Content of one kind.
  public init(kind: Kind, id: GenerationID? = nil) { self.init(value: kind.value, id: id) }

  /// Reads JSON text, which may end early; then ``isComplete`` is false.
  ///
  /// A number, a literal or a property's name that may not be whole yet is left out.
  /// - Throws: ``ParsingError`` for text that no continuation makes JSON, or nested deeper than 256.
  public init(json: String) throws {
    do {
      self = try JSONReader.read(json)
    } catch {
      throw ParsingError(
        rawContent: json, underlyingError: nil, debugDescription: "invalid JSON: \(error)")
    }
  }

  /// Takes over any content.
  public init(_ content: GeneratedContent) throws { self = content }

  /// The content itself.
  public var generatedContent: GeneratedContent { self }

  /// A schema that every JSON value fulfils.
  public static var generationSchema: GenerationSchema {
    GenerationSchema(unnamed: .anything, name: "GeneratedContent")
  }

  /// The JSON text, properties in order, without white space.
  public var jsonString: String { JSONWriter.text(of: self) }
}

extension GeneratedContent: CustomDebugStringConvertible {
  /// The JSON text.
  public var debugDescription: String { jsonString }
}

extension GeneratedContent {
  /// The content as a value of another type.
  ///
  /// - Throws: ``ParsingError`` when it has another form.
  public func value<Value: ConvertibleFromGeneratedContent>(
    _ type: Value.Type = Value.self
  ) throws -> Value {
    try Value(self)
  }

  /// A property of a structure.
  ///
  /// - Throws: ``ParsingError`` when it is missing or has another form.
  public func value<Value: ConvertibleFromGeneratedContent>(
    _ type: Value.Type = Value.self, forProperty property: String
  ) throws -> Value {
    guard case .structure(let properties) = value else { throw mismatch("a structure") }
    guard let found = properties[property] else {
      throw ParsingError(
        rawContent: jsonString, underlyingError: nil,
        debugDescription: "there is no property '\(property)'; "
          + "there are: \(properties.keys.joined(separator: ", "))")
    }
    return try Value(found)
  }

  /// A property of a structure; nil when it is absent, `null`, or still incomplete and unreadable.
  ///
  /// - Throws: ``ParsingError`` when it is there and has another form.
  public func value<Value: ConvertibleFromGeneratedContent>(
    _ type: Value?.Type = Value?.self, forProperty property: String
  ) throws -> Value? {
    guard case .structure(let properties) = value else {
      if !isComplete { return nil }
      throw mismatch("a structure")
    }
    guard let found = properties[property], found.value != .null else { return nil }
    do {
      return try Value(found)
    } catch {
      if found.isComplete { throw error }
      return nil
    }
  }

  /// The error of content that is not `expected`.
  func mismatch(_ expected: String) -> ParsingError {
    ParsingError(
      rawContent: jsonString, underlyingError: nil,
      debugDescription: "expected \(expected), found \(kindName)")
  }

  private var kindName: String {
    switch value {
    case .null: "null"
    case .bool: "a boolean"
    case .number: "a number"
    case .string: "a string"
    case .array: "an array"
    case .structure: "a structure"
    }
  }
}

extension GeneratedContent {
  /// Why generated content could not be read.
  public struct ParsingError: LocalizedError, Sendable {
    /// The text or JSON that was to be read.
    public let rawContent: String
    /// What was thrown underneath, where something was.
    public let underlyingError: (any Error)?
    /// What is wrong, with what was expected and found.
    public let debugDescription: String

    /// Describes content that could not be read.
    public init(rawContent: String, underlyingError: (any Error)?, debugDescription: String) {
      self.rawContent = rawContent
      self.underlyingError = underlyingError
      self.debugDescription = debugDescription
    }

    /// What is wrong, for people.
    public var errorDescription: String? {
      "The model's answer does not have the requested form: \(debugDescription)."
    }
  }
}
