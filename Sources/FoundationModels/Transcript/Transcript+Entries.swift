public import Foundation

extension Transcript {
  /// How the model is to behave, and the tools it has.
  public struct Instructions: Sendable, Identifiable, Equatable {
    /// Its identity.
    public var id: String
    /// What the instructions say.
    public var segments: [Segment]
    /// The tools that are described to the model.
    public var toolDefinitions: [ToolDefinition]

    /// Instructions, with a new identity where none is given.
    public init(
      id: String = UUID().uuidString, segments: [Segment], toolDefinitions: [ToolDefinition]
    ) {
      self.id = id
      self.segments = segments
      self.toolDefinitions = toolDefinitions
    }
  }

  /// A tool as it is described to the model.
  public struct ToolDefinition: Sendable, Equatable {
    /// The name calls refer to it by.
    public var name: String
    /// What it does and when to call it.
    public var description: String
    /// The form of its arguments.
    public var parameters: GenerationSchema
    /// Whether the model is shown the form of the arguments.
    var showsParameters = true

    /// A tool by its parts.
    public init(name: String, description: String, parameters: GenerationSchema) {
      self.name = name
      self.description = description
      self.parameters = parameters
    }

    /// The description of a tool.
    public init(tool: some Tool) {
      self.init(name: tool.name, description: tool.description, parameters: tool.parameters)
      showsParameters = tool.includesSchemaInInstructions
    }

    /// Whether two tools are described alike.
    public static func == (left: ToolDefinition, right: ToolDefinition) -> Bool {
      left.name == right.name && left.description == right.description
        && left.parameters.jsonContent == right.parameters.jsonContent
    }
  }

  /// What was asked, and how it was to be answered.
  public struct Prompt: Sendable, Identifiable, Equatable {
    /// Its identity.
    public var id: String
    /// What the prompt says.
    public var segments: [Segment]
    /// How the answer was to be generated.
    public var options: GenerationOptions
    /// The form the answer was to have; nil for text.
    public var responseFormat: ResponseFormat?
    /// What the model was to be shown.
    public var contextOptions: ContextOptions
    /// What the application noted.
    public var metadata: [String: GeneratedContent]

    /// A prompt, with a new identity where none is given.
    public init(
      id: String = UUID().uuidString, segments: [Segment],
      options: GenerationOptions = GenerationOptions(), responseFormat: ResponseFormat? = nil
    ) {
      self.init(
        id: id, segments: segments, options: options, responseFormat: responseFormat,
        contextOptions: ContextOptions())
    }

    /// A prompt with context options and notes.
    public init(
      id: String = UUID().uuidString, segments: [Segment],
      options: GenerationOptions = GenerationOptions(), responseFormat: ResponseFormat? = nil,
      contextOptions: ContextOptions, metadata: [String: any ConvertibleToGeneratedContent] = [:]
    ) {
      self.id = id
      self.segments = segments
      self.options = options
      self.responseFormat = responseFormat
      self.contextOptions = contextOptions
      self.metadata = metadata.mapValues(\.generatedContent)
    }
  }

  /// The form an answer is to have.
  public struct ResponseFormat: Sendable, Equatable {
    /// What an answer can have to follow.
    public enum Kind: Sendable {
      /// A schema.
      case schema(GenerationSchema)
    }

    /// What the answer has to follow.
    public let kind: Kind

    /// The schema's name.
    public var name: String { schema.name }

    var schema: GenerationSchema {
      switch kind {
      case .schema(let schema): schema
      }
    }

    /// The form of a type.
    public init<Content: Generable>(type: Content.Type) { kind = .schema(type.generationSchema) }

    /// The form of a schema.
    public init(schema: GenerationSchema) { kind = .schema(schema) }

    /// Whether two forms are the same.
    public static func == (left: ResponseFormat, right: ResponseFormat) -> Bool {
      left.schema.jsonContent == right.schema.jsonContent
    }
  }

  /// What the model answered.
  public struct Response: Sendable, Identifiable, Equatable {
    /// Its identity.
    public var id: String
    /// The files of the model that answered.
    public var assetIDs: [String]
    /// What the response says.
    public var segments: [Segment]
    var notes: [String: GeneratedContent]

    /// What the model noted, and the files it answered with under `assetIDs`.
    public var metadata: [String: GeneratedContent] {
      assetIDs.isEmpty
        ? notes : notes.merging(["assetIDs": assetIDs.generatedContent]) { $1 }
    }

    /// A response, with a new identity where none is given.
    public init(id: String = UUID().uuidString, assetIDs: [String], segments: [Segment]) {
      self.id = id
      self.assetIDs = assetIDs
      self.segments = segments
      notes = [:]
    }

    /// A response with notes.
    public init(
      id: String = UUID().uuidString, metadata: [String: any ConvertibleToGeneratedContent] = [:],
      segments: [Segment]
    ) {
      self.init(id: id, assetIDs: [], segments: segments)
      var notes = metadata.mapValues(\.generatedContent)
      if let listed = notes["assetIDs"], let ids = try? [String](listed) {
        assetIDs = ids
        notes["assetIDs"] = nil
      }
      self.notes = notes
    }
  }

  /// What the model thought before it answered.
  public struct Reasoning: Sendable, Identifiable, Equatable {
    /// Its identity.
    public var id: String
    /// The thoughts, as far as they are shown.
    public var segments: [Segment]
    /// What a provider needs to take its own thoughts back.
    public var signature: Data?
    /// What the model noted.
    public var metadata: [String: GeneratedContent]

    /// Thoughts, with a new identity where none is given.
    public init(
      id: String = UUID().uuidString, segments: [Segment], signature: Data? = nil,
      metadata: [String: any ConvertibleToGeneratedContent] = [:]
    ) {
      self.id = id
      self.segments = segments
      self.signature = signature
      self.metadata = metadata.mapValues(\.generatedContent)
    }
  }
}
