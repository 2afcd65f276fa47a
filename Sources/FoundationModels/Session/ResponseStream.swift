import Synchronization

extension LanguageModelSession {
  /// An answer as it grows: every snapshot holds all that the one before held.
  ///
  /// The request runs from the moment the stream was made. It is cancelled when the reading task is, when
  /// reading stops early, and when the stream is dropped. A reader more than 64
  /// snapshots behind skips some, never the last.
  public struct ResponseStream<Content: Generable>: AsyncSequence {
    /// A snapshot.
    public typealias Element = Snapshot
    /// Whatever ends the request.
    public typealias Failure = any Swift.Error

    private let source: StreamSource<Content>

    init(source: StreamSource<Content>) { self.source = source }

    /// The answer so far.
    public struct Snapshot {
      /// The answer as what was asked for, with what is missing left out.
      public var content: Content.PartiallyGenerated
      /// The answer as the model gave it.
      public var rawContent: GeneratedContent
      /// The entries that the request added to the transcript so far.
      public var transcriptEntries: ArraySlice<Transcript.Entry>
      /// What the request took so far.
      public var usage: Usage
    }

    /// Waits for the whole answer; possible before, during and after reading.
    public func collect() async throws -> sending Response<Content> {
      try await source.response()
    }

    /// Reads the snapshots.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(source: source) }

    /// Reads snapshots one by one.
    public struct AsyncIterator: AsyncIteratorProtocol {
      /// A snapshot.
      public typealias Element = Snapshot

      private let reading: StreamReading<Content>

      init(source: StreamSource<Content>) { reading = StreamReading(source: source) }

      /// The next snapshot; nil at the end of the answer.
      public mutating func next(
        isolation actor: isolated (any Actor)? = #isolation
      ) async throws -> Snapshot? {
        try await reading.next(isolation: actor)
      }

      /// The next snapshot; nil at the end of the answer.
      public mutating func next() async throws -> Snapshot? {
        try await reading.next(isolation: #isolation)
      }
    }
  }
}

extension LanguageModelSession.ResponseStream where Content == String {
  /// What a model said for declining.
  init(explaining text: String) {
    let source = StreamSource<String>()
    let response = LanguageModelSession.Response(explaining: text)
    source.offer(
      Snapshot(
        content: text, rawContent: response.rawContent,
        transcriptEntries: response.transcriptEntries, usage: response.usage))
    source.finish(.success(response))
    self.init(source: source)
  }
}

/// One reader of a stream; ends the request when it goes away before the answer is whole.
private final class StreamReading<Content: Generable> {
  private let source: StreamSource<Content>
  private var seen = 0

  init(source: StreamSource<Content>) { self.source = source }

  deinit { source.cancel() }

  func next(
    isolation actor: isolated (any Actor)?
  ) async throws -> LanguageModelSession.ResponseStream<Content>.Snapshot? {
    guard let (number, snapshot) = try await source.next(after: seen, isolation: actor) else {
      return nil
    }
    seen = number
    return snapshot
  }
}
