/// How a model's text becomes what was asked for.
struct OutputForm<Content: Generable>: Sendable {
  /// The form the text must have; nil for text as it is.
  let schema: GenerationSchema?

  /// The form of a type's schema; a `String` is text as it is.
  init(type: Content.Type) { schema = type == String.self ? nil : type.generationSchema }

  /// Any form, for content that is not converted.
  init(schema: GenerationSchema) where Content == GeneratedContent { self.schema = schema }

  /// The content of a text, which may end early.
  ///
  /// - Throws: ``GeneratedContent/ParsingError`` when nothing that follows can make it right.
  func raw(_ text: String) throws -> GeneratedContent {
    guard schema != nil else { return GeneratedContent(value: .string(text)) }
    return try GeneratedContent(json: text)
  }

  /// The value of whole content.
  func content(_ raw: GeneratedContent) throws -> Content {
    guard raw.isComplete else {
      throw GeneratedContent.ParsingError(
        rawContent: raw.jsonString, underlyingError: nil,
        debugDescription: "the answer ended before it was whole")
    }
    return try Content(raw)
  }
}

/// Gives the structures of a growing answer identities that stay the same from snapshot to snapshot.
struct ContentIdentities {
  private var ids: [String: GenerationID] = [:]

  /// The content with an identity for every structure in it.
  mutating func identify(_ content: GeneratedContent, path: String = "") -> GeneratedContent {
    var result = content
    switch content.value {
    case .structure(var members):
      for index in 0..<members.count {
        let inner = identify(members.values[index], path: path + "/" + members.keys[index])
        members.setValue(inner, at: index)
      }
      result.value = .structure(members)
    case .array(let elements):
      var identified: [GeneratedContent] = []
      identified.reserveCapacity(elements.count)
      for (index, element) in elements.enumerated() {
        identified.append(identify(element, path: "\(path)/\(index)"))
      }
      result.value = .array(identified)
    case .null, .bool, .number, .string: return content
    }
    let id = ids[path] ?? GenerationID()
    ids[path] = id
    result.id = id
    return result
  }
}
