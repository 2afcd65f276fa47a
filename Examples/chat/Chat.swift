import Foundation
import FoundationModels

/// A conversation in a terminal: one line a question, the answer streamed as it comes.
///
///     chat [MODEL]
///
/// MODEL is a .gguf file or a name in the model store; without it the system's model answers.
@main
struct Chat {
  static func main() async throws {
    let session: LanguageModelSession
    if CommandLine.arguments.count > 1 {
      session = LanguageModelSession(
        model: LocalLanguageModel(path: CommandLine.arguments[1]), instructions: "Answer briefly.")
    } else {
      switch SystemLanguageModel.default.availability {
      case .available: session = LanguageModelSession(instructions: "Answer briefly.")
      case .unavailable(let reason):
        print("The model is unavailable: \(reason). Get one with `fm pull`.")
        return
      }
    }
    session.prewarm()
    let options = GenerationOptions(maximumResponseTokens: 200)
    while let question = readLine() {
      do {
        try await answer(question, in: session, options: options)
      } catch LanguageModelError.contextSizeExceeded {
        // The oldest turn goes; the instructions and the last answer stay.
        session.transcript.history.removeFirst(min(2, session.transcript.history.count))
        print("(forgot the oldest turn, ask again)")
      }
    }
    print(
      "\(session.usage.input.cachedTokenCount) of \(session.usage.input.totalTokenCount) tokens were cached"
    )
  }

  /// Prints what each snapshot adds to the one before.
  private static func answer(
    _ question: String, in session: LanguageModelSession, options: GenerationOptions
  ) async throws {
    var shown = 0
    for try await snapshot in session.streamResponse(to: question, options: options) {
      let bytes = Array(snapshot.content.utf8)
      FileHandle.standardOutput.write(Data(bytes[shown...]))
      shown = bytes.count
    }
    print()
  }
}
