import Foundation

extension LanguageModelSession {
  /// An answer.
  public struct Response<Content: Generable> {
    /// The answer as what was asked for.
    public let content: Content
    /// The answer as the model gave it.
    public let rawContent: GeneratedContent
    /// The entries that the request added to the transcript, its prompt included.
    public let transcriptEntries: ArraySlice<Transcript.Entry>
    /// What the request took.
    public let usage: Usage
  }
}

extension LanguageModelSession.Response: Sendable where Content: Sendable {}

extension LanguageModelSession.Response where Content == String {
  /// What a model said for declining.
  init(explaining text: String) {
    content = text
    rawContent = text.generatedContent
    transcriptEntries = [
      .response(
        Transcript.Response(segments: [.text(Transcript.TextSegment(content: text))]))
    ]
    usage = .none
  }
}
