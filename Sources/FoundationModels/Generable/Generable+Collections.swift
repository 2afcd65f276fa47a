extension Array: InstructionsRepresentable where Element: InstructionsRepresentable {
  /// The elements one after another.
  public var instructionsRepresentation: Instructions {
    Instructions(parts: flatMap(\.instructionsRepresentation.parts))
  }
}

extension Array: PromptRepresentable where Element: PromptRepresentable {
  /// The elements one after another.
  public var promptRepresentation: Prompt { Prompt(parts: flatMap(\.promptRepresentation.parts)) }
}

extension Array: ConvertibleToGeneratedContent where Element: ConvertibleToGeneratedContent {
  /// A JSON array.
  public var generatedContent: GeneratedContent {
    GeneratedContent(value: .array(map(\.generatedContent)))
  }
}

extension Array: ConvertibleFromGeneratedContent where Element: ConvertibleFromGeneratedContent {
  /// Reads an array; a last element that is still incomplete and can't be read yet is left out.
  public init(_ content: GeneratedContent) throws {
    guard case .array(let elements) = content.value else { throw content.mismatch("an array") }
    self = []
    reserveCapacity(elements.count)
    for element in elements {
      do {
        append(try Element(element))
      } catch {
        if element.isComplete { throw error }
      }
    }
  }
}

extension Array: Generable where Element: Generable {
  /// What the array looks like while it is generated.
  public typealias PartiallyGenerated = [Element.PartiallyGenerated]

  /// A JSON array of the element's form.
  public static var generationSchema: GenerationSchema {
    GenerationSchema(
      unnamed: .array(.type(Element.self, []), minimum: nil, maximum: nil), name: "\(Self.self)")
  }
}

extension Optional: InstructionsRepresentable where Wrapped: ConvertibleToGeneratedContent {
  /// The value's representation; nothing for nil.
  public var instructionsRepresentation: Instructions {
    map(\.instructionsRepresentation) ?? Instructions(parts: [])
  }
}

extension Optional: PromptRepresentable where Wrapped: ConvertibleToGeneratedContent {
  /// The value's representation; nothing for nil.
  public var promptRepresentation: Prompt { map(\.promptRepresentation) ?? Prompt(parts: []) }
}

extension Optional: ConvertibleToGeneratedContent where Wrapped: ConvertibleToGeneratedContent {
  /// The value's content; `null` for nil.
  public var generatedContent: GeneratedContent {
    map(\.generatedContent) ?? GeneratedContent(value: .null)
  }
}

extension Optional where Wrapped: Generable {
  /// What the wrapped value looks like while it is generated.
  public typealias PartiallyGenerated = Wrapped.PartiallyGenerated
}
