public import Foundation

/// Something a model can call to find out or to do.
///
/// Calls of one turn run at the same time, so a tool is `Sendable`. A tool that throws ends the request
/// with ``LanguageModelSession/ToolCallError``; one that wants the model to try again returns a text that
/// says so.
public protocol Tool<Arguments, Output>: Sendable {
  /// What the tool answers: text or values that can stand in a prompt.
  associatedtype Output: PromptRepresentable
  /// What the tool is called with.
  associatedtype Arguments: ConvertibleFromGeneratedContent

  /// The name the model calls it by; the type's name unless it says otherwise.
  var name: String { get }
  /// What it does and when to call it.
  var description: String { get }
  /// The form of its arguments; read once, when a session is made.
  var parameters: GenerationSchema { get }
  /// Whether the form of the arguments is described in the instructions.
  var includesSchemaInInstructions: Bool { get }

  /// Does the work.
  @concurrent func call(arguments: Arguments) async throws -> Output
}

extension Tool {
  /// The type's name.
  public var name: String { "\(Self.self)" }

  /// True.
  public var includesSchemaInInstructions: Bool { true }
}

extension Tool where Arguments: Generable {
  /// The form of the arguments' type.
  public var parameters: GenerationSchema { Arguments.generationSchema }
}

extension Tool where Arguments == String {
  /// Not possible: arguments have names.
  @available(
    *, unavailable, message: "Arguments must be a 'Generable' struct or 'GeneratedContent'."
  )
  public var parameters: GenerationSchema { String.generationSchema }
}

extension Tool where Arguments == Int {
  /// Not possible: arguments have names.
  @available(
    *, unavailable, message: "Arguments must be a 'Generable' struct or 'GeneratedContent'."
  )
  public var parameters: GenerationSchema { Int.generationSchema }
}

extension Tool where Arguments == Double {
  /// Not possible: arguments have names.
  @available(
    *, unavailable, message: "Arguments must be a 'Generable' struct or 'GeneratedContent'."
  )
  public var parameters: GenerationSchema { Double.generationSchema }
}

extension Tool where Arguments == Bool {
  /// Not possible: arguments have names.
  @available(
    *, unavailable, message: "Arguments must be a 'Generable' struct or 'GeneratedContent'."
  )
  public var parameters: GenerationSchema { Bool.generationSchema }
}

extension Tool where Arguments == Float {
  /// Not possible: arguments have names.
  @available(
    *, unavailable, message: "Arguments must be a 'Generable' struct or 'GeneratedContent'."
  )
  public var parameters: GenerationSchema { Float.generationSchema }
}

extension Tool where Arguments == Decimal {
  /// Not possible: arguments have names.
  @available(
    *, unavailable, message: "Arguments must be a 'Generable' struct or 'GeneratedContent'."
  )
  public var parameters: GenerationSchema { Decimal.generationSchema }
}
