public import Foundation

/// Carries what an executor's model says to the session, in order.
public struct LanguageModelExecutorGenerationChannel: AsyncSequence, Sendable {
  /// What is carried.
  public typealias Element = Event
  /// A channel itself does not fail.
  public typealias Failure = Never

  private let stream: AsyncStream<Event>
  private let continuation: AsyncStream<Event>.Continuation

  /// An open channel.
  public init() { (stream, continuation) = AsyncStream.makeStream(of: Event.self) }

  /// Sends an event; it arrives after all that were sent before.
  public func send(_ event: Event) async { continuation.yield(event) }

  /// Tells the reader that nothing follows.
  func finish() { continuation.finish() }

  /// Reads the events.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(base: stream.makeAsyncIterator())
  }

  /// Reads events one by one.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate var base: AsyncStream<Event>.Iterator

    /// The next event; nil at the end.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(Never) -> Event? {
      await base.next(isolation: actor)
    }
  }
}

extension LanguageModelExecutorGenerationChannel {
  /// A change to an entry the model is making.
  ///
  /// Without an entry's id it goes to the last entry when that is of the same kind, else to a new one.
  public struct Event: Sendable {
    enum Change: Sendable {
      case response(Response.Action)
      case reasoning(Reasoning.Action)
      case toolCalls(ToolCalls.Action)
    }

    let entryID: String?
    let change: Change

    /// A change to a response.
    public static func response(entryID: String? = nil, action: Response.Action) -> Event {
      Event(entryID: entryID, change: .response(action))
    }

    /// A change to the model's thoughts.
    public static func reasoning(entryID: String? = nil, action: Reasoning.Action) -> Event {
      Event(entryID: entryID, change: .reasoning(action))
    }

    /// A change to the tools the model wants called.
    public static func toolCalls(entryID: String? = nil, action: ToolCalls.Action) -> Event {
      Event(entryID: entryID, change: .toolCalls(action))
    }
  }

  /// Text at the end of a segment.
  public struct TextFragment: Sendable {
    /// The segment; nil for the last one, or a new one.
    public var segmentID: String?
    /// The text.
    public var content: String
    /// How many tokens it was.
    public var tokenCount: Int
  }

  /// A segment's new text.
  public struct TextSegmentReplacement: Sendable {
    /// The segment.
    public var segmentID: String
    /// The whole text.
    public var content: String
    /// How many tokens it was.
    public var tokenCount: Int
  }

  /// What the model noted; replaces what it noted before.
  public struct Metadata: Sendable {
    /// The notes.
    public var values: [String: GeneratedContent]
  }

  /// How many tokens the call took so far; replaces what was said before.
  public struct Usage: Sendable {
    /// Tokens read.
    public struct Input: Sendable {
      /// All of them.
      public var totalTokenCount: Int
      /// Those that were not computed again.
      public var cachedTokenCount: Int

      /// Token counts of what was read.
      public init(totalTokenCount: Int, cachedTokenCount: Int) {
        self.totalTokenCount = totalTokenCount
        self.cachedTokenCount = cachedTokenCount
      }
    }

    /// Tokens generated.
    public struct Output: Sendable {
      /// All of them.
      public var totalTokenCount: Int
      /// Those of thoughts.
      public var reasoningTokenCount: Int

      /// Token counts of what was generated.
      public init(totalTokenCount: Int, reasoningTokenCount: Int) {
        self.totalTokenCount = totalTokenCount
        self.reasoningTokenCount = reasoningTokenCount
      }
    }

    /// Tokens read.
    public var input: Input
    /// Tokens generated.
    public var output: Output
    /// What the model noted about it.
    public var metadata: [String: GeneratedContent]
  }

  /// What a provider needs to take the model's own thoughts back.
  public struct ReasoningSignature: Sendable {
    /// The signature.
    public var data: Foundation.Data
    /// How many tokens it was.
    public var tokenCount: Int
  }
}
