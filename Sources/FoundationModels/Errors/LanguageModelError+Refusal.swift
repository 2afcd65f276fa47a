extension LanguageModelError {
  /// The model declined to answer.
  public struct Refusal: Sendable {
    let text: String
    /// What is wrong, in words.
    public var debugDescription: String
    /// What the model's maker adds.
    public var metadata: [String: any Sendable]

    /// Describes the failure; `explanation` is what the model said for its reason.
    public init(
      explanation: String, debugDescription: String, metadata: [String: any Sendable] = [:]
    ) {
      text = explanation
      self.debugDescription = debugDescription
      self.metadata = metadata
    }

    /// What the model said for its reason.
    public var explanation: LanguageModelSession.Response<String> {
      get async throws { LanguageModelSession.Response(explaining: text) }
    }

    /// What the model said for its reason, as a stream of one snapshot.
    public var explanationStream: LanguageModelSession.ResponseStream<String> {
      LanguageModelSession.ResponseStream(explaining: text)
    }
  }
}
