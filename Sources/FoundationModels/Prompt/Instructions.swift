/// How a model is to behave in a session; stronger than prompts, and never to be made of foreign text.
public struct Instructions: Sendable {
  /// The pieces in the order they were given; texts are joined by line breaks when they are shown to a model.
  let parts: [PromptPart]

  init(parts: [PromptPart]) { self.parts = parts }

  /// Takes what stands for instructions.
  public init(_ content: some InstructionsRepresentable) {
    self = content.instructionsRepresentation
  }

  /// Builds instructions of several pieces.
  public init(@InstructionsBuilder _ content: () throws -> Instructions) rethrows {
    self = try content()
  }
}

/// What can stand for instructions.
public protocol InstructionsRepresentable {
  /// The value as instructions.
  @InstructionsBuilder var instructionsRepresentation: Instructions { get }
}

extension Instructions: InstructionsRepresentable {
  /// Itself.
  public var instructionsRepresentation: Instructions {
    // The explicit return keeps the builder out, which would ask for this representation again.
    return self
  }
}

/// Puts instructions together of the expressions of a closure.
@resultBuilder
public struct InstructionsBuilder {
  /// Joins the pieces of a block in order.
  public static func buildBlock<each Part: InstructionsRepresentable>(
    _ components: repeat each Part
  ) -> Instructions {
    var parts: [PromptPart] = []
    for component in repeat each components {
      parts += component.instructionsRepresentation.parts
    }
    return Instructions(parts: parts)
  }

  /// Joins the pieces of a loop in order.
  public static func buildArray(_ components: [some InstructionsRepresentable]) -> Instructions {
    Instructions(parts: components.flatMap(\.instructionsRepresentation.parts))
  }

  /// Takes the first branch.
  public static func buildEither(first component: some InstructionsRepresentable) -> Instructions {
    component.instructionsRepresentation
  }

  /// Takes the second branch.
  public static func buildEither(second component: some InstructionsRepresentable) -> Instructions {
    component.instructionsRepresentation
  }

  /// Takes the branch that was taken, or nothing.
  public static func buildOptional(_ component: Instructions?) -> Instructions {
    component ?? Instructions(parts: [])
  }

  /// Takes what is available.
  public static func buildLimitedAvailability(
    _ component: some InstructionsRepresentable
  ) -> Instructions {
    component.instructionsRepresentation
  }

  /// Takes instructions.
  public static func buildExpression(_ expression: Instructions) -> Instructions { expression }

  /// Takes what stands for instructions.
  @_disfavoredOverload
  public static func buildExpression<Part: InstructionsRepresentable>(_ expression: Part) -> Part {
    expression
  }

  /// Refuses everything else with a message that names what is possible.
  @available(
    *, unavailable, message: "Only `Instructions` and `InstructionsRepresentable` are supported."
  )
  @_disfavoredOverload
  public static func buildExpression<Other>(_ expression: Other) -> Instructions {
    Instructions(parts: [])
  }
}
