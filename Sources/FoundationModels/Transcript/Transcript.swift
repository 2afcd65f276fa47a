/// Everything that was said in a session: instructions, prompts, reasoning, tool calls and responses.
public struct Transcript: Sendable, Equatable {
  var entries: [Entry]

  /// A transcript of these entries, in order.
  public init(entries: some Sequence<Entry>) { self.entries = Array(entries) }

  /// An empty transcript.
  public init() { entries = [] }
}

extension Transcript: RandomAccessCollection, MutableCollection, RangeReplaceableCollection {
  /// Positions are counted from 0.
  public typealias Index = Int

  /// 0.
  public var startIndex: Int { 0 }

  /// The number of entries.
  public var endIndex: Int { entries.count }

  /// An entry by position.
  public subscript(position: Int) -> Entry {
    get { entries[position] }
    set { entries[position] = newValue }
  }

  /// Puts other entries in the place of some.
  public mutating func replaceSubrange(
    _ subrange: Range<Int>, with newElements: some Collection<Entry>
  ) {
    entries.replaceSubrange(subrange, with: newElements)
  }
}

extension Transcript {
  /// One step of a session.
  public enum Entry: Sendable, Identifiable, Equatable {
    /// How the model is to behave, and its tools; the first entry where there is one.
    case instructions(Instructions)
    /// What was asked.
    case prompt(Prompt)
    /// Tools the model wants called.
    case toolCalls(ToolCalls)
    /// What a tool answered.
    case toolOutput(ToolOutput)
    /// What the model answered.
    case response(Response)
    /// What the model thought before it answered.
    case reasoning(Reasoning)

    /// The payload's identity.
    public var id: String {
      switch self {
      case .instructions(let entry): entry.id
      case .prompt(let entry): entry.id
      case .toolCalls(let entry): entry.id
      case .toolOutput(let entry): entry.id
      case .response(let entry): entry.id
      case .reasoning(let entry): entry.id
      }
    }
  }
}

extension Transcript.Entry: CustomStringConvertible {
  /// Who says what, in one paragraph.
  public var description: String {
    switch self {
    case .instructions(let entry): "Instructions: \(entry.segments.text)"
    case .prompt(let entry): "Prompt: \(entry.segments.text)"
    case .toolCalls(let entry): "ToolCalls: \(entry.map(\.description).joined(separator: ", "))"
    case .toolOutput(let entry): "ToolOutput \(entry.toolName): \(entry.segments.text)"
    case .response(let entry): "Response: \(entry.segments.text)"
    case .reasoning(let entry): "Reasoning: \(entry.segments.text)"
    }
  }
}

extension [Transcript.Segment] {
  /// All that is text, joined by line breaks; structures as JSON, images by their label.
  package var text: String { map(\.description).joined(separator: "\n") }
}
