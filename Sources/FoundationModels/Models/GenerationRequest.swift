public import Foundation

/// What an executor is asked: to say what comes next in a transcript.
public struct LanguageModelExecutorGenerationRequest: Sendable {
  /// Another one for every call of the executor.
  public var id: UUID
  /// All entries so far, as the model is to see them.
  public var transcript: Transcript
  /// The tools the model may call.
  public var enabledToolDefinitions: [Transcript.ToolDefinition]
  /// The form the answer must have; nil for text.
  public var schema: GenerationSchema?
  /// How the answer is generated.
  public var generationOptions: GenerationOptions
  /// What the model is shown beside the transcript.
  public var contextOptions: ContextOptions
  /// What the application noted.
  public var metadata: [String: GeneratedContent]

  /// A request by its parts.
  public init(
    id: UUID, transcript: Transcript, enabledTools: [Transcript.ToolDefinition],
    schema: GenerationSchema? = nil, generationOptions: GenerationOptions,
    contextOptions: ContextOptions, metadata: [String: any ConvertibleToGeneratedContent]
  ) {
    self.id = id
    self.transcript = transcript
    enabledToolDefinitions = enabledTools
    self.schema = schema
    self.generationOptions = generationOptions
    self.contextOptions = contextOptions
    self.metadata = metadata.mapValues(\.generatedContent)
  }
}
