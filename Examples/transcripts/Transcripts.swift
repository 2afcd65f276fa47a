import Foundation
import FoundationModels

/// Saves a session, restores it, trims it and writes feedback.
///
///     transcripts [MODEL]
@main
struct Transcripts {
  static func main() async throws {
    let options = GenerationOptions(samplingMode: .greedy, maximumResponseTokens: 20)
    let instructions = "You are a helpful guide."
    let session = makeSession(transcript: nil, instructions: instructions)
    for question in ["Name a river.", "And a mountain."] {
      _ = try await session.respond(to: question, options: options)
    }

    // Save and restore.
    let saved = try JSONEncoder().encode(session.transcript)
    let restored = makeSession(
      transcript: try JSONDecoder().decode(Transcript.self, from: saved),
      instructions: instructions)
    print(
      "restored \(restored.transcript.count) entries, equal: \(restored.transcript == session.transcript)"
    )

    // Go on with the instructions and the last answer alone.
    restored.transcript = Transcript(
      entries: [restored.transcript.first, restored.transcript.last].compactMap { $0 })
    _ = try await restored.respond(to: "Tell me more.", options: options)
    for entry in restored.transcript.history {
      switch entry {
      case .prompt(let prompt): print("prompt of \(prompt.segments.count) segment")
      case .response: print("response")
      case .instructions, .toolCalls, .toolOutput, .reasoning: print("other")
      @unknown default: print("unknown")
      }
    }

    // What a person thinks of it.
    let feedback = restored.logFeedbackAttachment(
      sentiment: .negative,
      issues: [.init(category: .tooVerbose, explanation: "One sentence is enough.")],
      desiredResponseText: "The Rhine.")
    print("feedback: \(feedback.isEmpty ? "none" : "written")")
  }

  private static func makeSession(
    transcript: Transcript?, instructions: String
  ) -> LanguageModelSession {
    if CommandLine.arguments.count > 1 {
      let model = LocalLanguageModel(path: CommandLine.arguments[1])
      if let transcript { return LanguageModelSession(model: model, transcript: transcript) }
      return LanguageModelSession(model: model, instructions: instructions)
    }
    if let transcript { return LanguageModelSession(transcript: transcript) }
    return LanguageModelSession(instructions: instructions)
  }
}
