/// A piece of a prompt or of instructions.
enum PromptPart: Sendable, Equatable {
  case text(String)
  case attachment(Transcript.AttachmentSegment)
}

extension [PromptPart] {
  /// The texts joined by line breaks, with attachments where they stand.
  var segments: [Transcript.Segment] {
    var segments: [Transcript.Segment] = []
    var text: String?
    func flush() {
      if let text { segments.append(.text(Transcript.TextSegment(content: text))) }
    }
    for part in self {
      switch part {
      case .text(let piece): text = text.map { $0 + "\n" + piece } ?? piece
      case .attachment(let attachment):
        flush()
        text = nil
        segments.append(.attachment(attachment))
      }
    }
    flush()
    return segments
  }
}

/// What a person or a program asks a model.
public struct Prompt: Sendable {
  /// The pieces in the order they were given; texts are joined by line breaks when they are shown to a model.
  let parts: [PromptPart]

  init(parts: [PromptPart]) { self.parts = parts }

  /// Takes what stands for a prompt.
  public init(_ content: some PromptRepresentable) { self = content.promptRepresentation }

  /// Builds a prompt of several pieces.
  public init(@PromptBuilder _ content: () throws -> Prompt) rethrows { self = try content() }
}

/// What can stand for a prompt.
public protocol PromptRepresentable {
  /// The value as a prompt.
  @PromptBuilder var promptRepresentation: Prompt { get }
}

extension Prompt: PromptRepresentable {
  /// Itself.
  public var promptRepresentation: Prompt {
    // The explicit return keeps the builder out, which would ask for this representation again.
    return self
  }
}

/// Puts a prompt together of the expressions of a closure.
@resultBuilder
public struct PromptBuilder {
  /// Joins the pieces of a block in order.
  public static func buildBlock<each Part: PromptRepresentable>(
    _ components: repeat each Part
  ) -> Prompt {
    var parts: [PromptPart] = []
    for component in repeat each components {
      parts += component.promptRepresentation.parts
    }
    return Prompt(parts: parts)
  }

  /// Joins the pieces of a loop in order.
  public static func buildArray(_ components: [some PromptRepresentable]) -> Prompt {
    Prompt(parts: components.flatMap(\.promptRepresentation.parts))
  }

  /// Takes the first branch.
  public static func buildEither(first component: some PromptRepresentable) -> Prompt {
    component.promptRepresentation
  }

  /// Takes the second branch.
  public static func buildEither(second component: some PromptRepresentable) -> Prompt {
    component.promptRepresentation
  }

  /// Takes the branch that was taken, or nothing.
  public static func buildOptional(_ component: Prompt?) -> Prompt {
    component ?? Prompt(parts: [])
  }

  /// Takes what is available.
  public static func buildLimitedAvailability(
    _ component: some PromptRepresentable
  ) -> Prompt {
    component.promptRepresentation
  }

  /// Takes a prompt.
  public static func buildExpression(_ expression: Prompt) -> Prompt { expression }

  /// Takes what stands for a prompt.
  @_disfavoredOverload
  public static func buildExpression<Part: PromptRepresentable>(_ expression: Part) -> Part {
    expression
  }

  /// Refuses everything else with a message that names what is possible.
  @available(
    *, unavailable, message: "Only `Prompt` and `PromptRepresentable` are supported."
  )
  @_disfavoredOverload
  public static func buildExpression<Other>(_ expression: Other) -> Prompt {
    Prompt(parts: [])
  }
}
