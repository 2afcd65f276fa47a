/// A type that can be made of what a model generated.
public protocol ConvertibleFromGeneratedContent: SendableMetatype {
  /// Reads the value out of `content`.
  ///
  /// - Throws: ``GeneratedContent/ParsingError`` when the content does not have the value's form.
  init(_ content: GeneratedContent) throws
}

/// A type whose values can be written as generated content, and so into prompts.
public protocol ConvertibleToGeneratedContent: InstructionsRepresentable, PromptRepresentable {
  /// The value as generated content.
  var generatedContent: GeneratedContent { get }
}

/// A type that a model can be asked to generate; usually made by the `@Generable` macro.
public protocol Generable: ConvertibleFromGeneratedContent, ConvertibleToGeneratedContent {
  /// What a value looks like while it is generated: every property optional.
  associatedtype PartiallyGenerated: ConvertibleFromGeneratedContent = Self

  /// The form every value has.
  static var generationSchema: GenerationSchema { get }
}

extension Generable {
  /// The value as a partly generated one in which nothing is missing.
  public func asPartiallyGenerated() -> PartiallyGenerated {
    if let same = self as? PartiallyGenerated { return same }
    do {
      return try PartiallyGenerated(generatedContent)
    } catch {
      preconditionFailure(
        "\(Self.self).PartiallyGenerated does not accept its own content: \(error)")
    }
  }
}

extension ConvertibleToGeneratedContent {
  /// The value as instructions: its JSON text.
  public var instructionsRepresentation: Instructions {
    Instructions(parts: [.text(generatedContent.jsonString)])
  }

  /// The value as a prompt: its JSON text.
  public var promptRepresentation: Prompt {
    Prompt(parts: [.text(generatedContent.jsonString)])
  }
}
