/// Instructions and tools that depend on the state of an application; read again before every model call.
///
/// ``body`` may be read several times for one request, so reading it must change nothing.
@_typeEraser(AnyDynamicInstructions)
public protocol DynamicInstructions: SendableMetatype {
  /// The instructions this one is made of.
  associatedtype Body: DynamicInstructions

  /// What the model is told now.
  @DynamicInstructionsBuilder var body: Body { get }
}

/// What instructions come to: texts and tools in order.
struct InstructionsCollector {
  var parts: [PromptPart] = []
  var tools: [any Tool] = []

  /// Adds what `instructions` say.
  mutating func collect(_ instructions: some DynamicInstructions) {
    if let node = instructions as? any InstructionsNode {
      node.collect(into: &self)
    } else {
      collect(instructions.body)
    }
  }
}

/// Instructions that are not made of others.
protocol InstructionsNode {
  func collect(into collector: inout InstructionsCollector)
}

extension Never: DynamicInstructions {
  /// Never read.
  public var body: Never { preconditionFailure("instructions of this type have no body") }
}

extension Instructions: DynamicInstructions, InstructionsNode {
  /// Never read: these are instructions themselves.
  public var body: Never { preconditionFailure("'Instructions' has no body") }

  func collect(into collector: inout InstructionsCollector) { collector.parts += parts }
}

/// No instructions.
public struct EmptyDynamicInstructions: DynamicInstructions, InstructionsNode {
  /// No instructions.
  public init() {}

  /// Never read.
  public var body: Never { preconditionFailure("empty instructions have no body") }

  func collect(into collector: inout InstructionsCollector) {}
}

/// Several instructions in order.
public struct TupleDynamicInstructions<each Content: DynamicInstructions>: DynamicInstructions,
  InstructionsNode
{
  private let content: (repeat each Content)

  init(_ content: repeat each Content) { self.content = (repeat each content) }

  /// Never read.
  public var body: Never { preconditionFailure("a tuple of instructions has no body") }

  func collect(into collector: inout InstructionsCollector) {
    for part in repeat each content { collector.collect(part) }
  }
}

/// Instructions of one of two branches.
public struct ConditionalDynamicInstructions<
  TrueContent: DynamicInstructions, FalseContent: DynamicInstructions
>: DynamicInstructions, InstructionsNode {
  /// The branch that was taken.
  public enum Branch {
    /// The first one.
    case first(TrueContent)
    /// The second one.
    case second(FalseContent)
  }

  private let branch: Branch

  init(_ branch: Branch) { self.branch = branch }

  /// Never read.
  public var body: Never { preconditionFailure("a branch of instructions has no body") }

  func collect(into collector: inout InstructionsCollector) {
    switch branch {
    case .first(let content): collector.collect(content)
    case .second(let content): collector.collect(content)
    }
  }
}

/// Instructions for every element of a collection.
public struct DynamicInstructionsForEach<
  Data: RandomAccessCollection, ID: Hashable, Content: DynamicInstructions
>: DynamicInstructions, InstructionsNode {
  private let data: Data
  private let content: (Data.Element) -> Content

  /// Instructions for every element; `id` names what tells elements apart.
  public init(
    _ data: Data, id: KeyPath<Data.Element, ID>,
    @DynamicInstructionsBuilder content: @escaping (Data.Element) -> Content
  ) {
    self.data = data
    self.content = content
  }

  /// Instructions for every element.
  public init(
    _ data: Data, @DynamicInstructionsBuilder content: @escaping (Data.Element) -> Content
  ) where Data.Element: Identifiable, ID == Data.Element.ID {
    self.data = data
    self.content = content
  }

  /// Never read.
  public var body: Never { preconditionFailure("a loop of instructions has no body") }

  func collect(into collector: inout InstructionsCollector) {
    for element in data { collector.collect(content(element)) }
  }
}

/// Instructions for every element of a collection.
public typealias ForEach = DynamicInstructionsForEach

extension Optional: DynamicInstructions where Wrapped: DynamicInstructions {
  /// Never read.
  public var body: Never { preconditionFailure("optional instructions have no body") }
}

extension Optional: InstructionsNode where Wrapped: DynamicInstructions {
  func collect(into collector: inout InstructionsCollector) {
    if let self { collector.collect(self) }
  }
}

/// Instructions of any type.
public struct AnyDynamicInstructions: DynamicInstructions, InstructionsNode {
  private let content: any DynamicInstructions

  /// Hides the type of instructions.
  public init(_ content: some DynamicInstructions) { self.content = content }

  /// Hides the type of instructions.
  public init(erasing content: some DynamicInstructions) { self.content = content }

  /// Never read.
  public var body: Never { preconditionFailure("erased instructions have no body") }

  func collect(into collector: inout InstructionsCollector) { collector.collect(content) }
}

/// Tools among instructions.
struct DynamicTools: DynamicInstructions, InstructionsNode {
  let tools: [any Tool]

  var body: Never { preconditionFailure("tools have no body") }

  func collect(into collector: inout InstructionsCollector) { collector.tools += tools }
}

/// Puts instructions and tools together of the expressions of a closure.
@resultBuilder
public struct DynamicInstructionsBuilder {
  /// Nothing.
  public static func buildBlock() -> EmptyDynamicInstructions { EmptyDynamicInstructions() }

  /// One part as it is.
  public static func buildBlock<Content: DynamicInstructions>(_ content: Content) -> Content {
    content
  }

  /// Several parts in order.
  public static func buildBlock<each Content: DynamicInstructions>(
    _ content: repeat each Content
  ) -> TupleDynamicInstructions<repeat each Content> {
    TupleDynamicInstructions(repeat each content)
  }

  /// The first branch.
  public static func buildEither<First: DynamicInstructions, Second: DynamicInstructions>(
    first content: First
  ) -> ConditionalDynamicInstructions<First, Second> {
    ConditionalDynamicInstructions(.first(content))
  }

  /// The second branch.
  public static func buildEither<First: DynamicInstructions, Second: DynamicInstructions>(
    second content: Second
  ) -> ConditionalDynamicInstructions<First, Second> {
    ConditionalDynamicInstructions(.second(content))
  }

  /// What a condition without `else` gives.
  public static func buildOptional<Content: DynamicInstructions>(_ content: Content?) -> Content? {
    content
  }

  /// What is available.
  public static func buildLimitedAvailability(
    _ content: some DynamicInstructions
  ) -> AnyDynamicInstructions {
    AnyDynamicInstructions(content)
  }

  /// Instructions as they are.
  public static func buildExpression<Content: DynamicInstructions>(_ content: Content) -> Content {
    content
  }

  /// What stands for instructions.
  @_disfavoredOverload
  public static func buildExpression(_ content: some InstructionsRepresentable) -> Instructions {
    content.instructionsRepresentation
  }

  /// A tool.
  public static func buildExpression(_ tool: some Tool) -> some DynamicInstructions {
    DynamicTools(tools: [tool])
  }

  /// Several tools.
  public static func buildExpression(_ tools: [any Tool]) -> some DynamicInstructions {
    DynamicTools(tools: tools)
  }
}
