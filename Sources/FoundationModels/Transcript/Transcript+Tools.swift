public import Foundation

extension Transcript {
  /// Tools the model wants called before it goes on.
  public struct ToolCalls: Sendable, Identifiable, Equatable {
    /// Its identity.
    public var id: String
    var calls: [ToolCall]

    /// Calls in the order the model made them.
    public init<S: Sequence>(id: String = UUID().uuidString, _ calls: S)
    where S.Element == ToolCall {
      self.id = id
      self.calls = Array(calls)
    }
  }

  /// One call of a tool.
  public struct ToolCall: Sendable, Identifiable, Equatable {
    /// Its identity, which its output has as well.
    public var id: String
    /// The tool's name.
    public var toolName: String
    /// What the tool is called with.
    public var arguments: GeneratedContent
    /// What the model noted.
    public var metadata: [String: GeneratedContent] = [:]

    /// A call.
    public init(id: String, toolName: String, arguments: GeneratedContent) {
      self.id = id
      self.toolName = toolName
      self.arguments = arguments
    }

    /// A call with notes.
    public init(
      id: String, toolName: String, arguments: GeneratedContent,
      metadata: [String: any ConvertibleToGeneratedContent]
    ) {
      self.init(id: id, toolName: toolName, arguments: arguments)
      self.metadata = metadata.mapValues(\.generatedContent)
    }
  }

  /// What a tool answered.
  public struct ToolOutput: Sendable, Identifiable, Equatable {
    /// The identity of the call it answers.
    public var id: String
    /// The tool's name.
    public var toolName: String
    /// What the tool answered.
    public var segments: [Segment]

    /// An answer to the call with this identity.
    public init(id: String, toolName: String, segments: [Segment]) {
      self.id = id
      self.toolName = toolName
      self.segments = segments
    }
  }
}

extension Transcript.ToolCalls: RandomAccessCollection {
  /// 0.
  public var startIndex: Int { 0 }

  /// The number of calls.
  public var endIndex: Int { calls.count }

  /// A call by position.
  public subscript(position: Int) -> Transcript.ToolCall { calls[position] }
}

extension Transcript.ToolCall: CustomStringConvertible {
  /// The tool's name and the arguments as JSON.
  public var description: String { "\(toolName)(\(arguments.jsonString))" }
}
