import FoundationModels

/// A conversation as messages of text alone, which every server reads alike.
///
/// An answer that called tools is what the model really said, and what the tools answered is the user's next
/// message, so that a server's cache finds in the next prompt what it generated.
struct PlainConversation {
  /// What the model said where the transcript has calls, by the first call's id.
  var spoken: [String: String]

  /// The request without tools and schema.
  func request(
    _ request: LanguageModelExecutorGenerationRequest
  ) -> LanguageModelExecutorGenerationRequest {
    var plain = request
    plain.transcript = transcript(request.transcript)
    plain.enabledToolDefinitions = []
    plain.schema = nil
    return plain
  }

  /// The transcript without tools.
  func transcript(_ transcript: Transcript) -> Transcript {
    var entries: [Transcript.Entry] = []
    var outputs: [Transcript.Segment] = []
    func close() {
      guard !outputs.isEmpty else { return }
      entries.append(.prompt(Transcript.Prompt(segments: outputs)))
      outputs = []
    }
    for entry in transcript {
      switch entry {
      case .toolOutput(let output): outputs += output.segments
      case .instructions(var instructions):
        instructions.toolDefinitions = []
        entries.append(.instructions(instructions))
      case .prompt(var prompt):
        close()
        prompt.responseFormat = nil
        entries.append(.prompt(prompt))
      case .toolCalls(let calls):
        close()
        let text = calls.first.flatMap { spoken[$0.id] } ?? ""
        let segment = Transcript.Segment.text(Transcript.TextSegment(content: text))
        entries.append(.response(Transcript.Response(assetIDs: [], segments: [segment])))
      case .response, .reasoning:
        close()
        entries.append(entry)
      }
    }
    close()
    return Transcript(entries: entries)
  }
}
