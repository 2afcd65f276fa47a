import FoundationModels

/// A model of one's own behind the session interface: it looks a number up with a tool, then answers.
struct LookupModel: LanguageModel {
  var capabilities: LanguageModelCapabilities { LanguageModelCapabilities([.toolCalling]) }
  var executorConfiguration: Executor.Configuration { Executor.Configuration() }

  /// Does the work: deltas go into the channel, the session makes entries and snapshots of them.
  struct Executor: LanguageModelExecutor {
    /// Nothing changes how it behaves.
    struct Configuration: Hashable, Sendable {}

    init(configuration: Configuration) throws {}

    func respond(
      to request: LanguageModelExecutorGenerationRequest, model: LookupModel,
      streamingInto channel: LanguageModelExecutorGenerationChannel
    ) async throws {
      try Task.checkCancellation()
      if case .toolOutput(let output)? = request.transcript.last {
        for word in ["The", " answer", " is", " \(output.segments[0])."] {
          await channel.send(.response(entryID: "answer", action: .appendText(word, tokenCount: 1)))
        }
        return
      }
      await channel.send(
        .toolCalls(
          action: .toolCall(
            id: "call-1", name: "lookUp",
            action: .appendArguments(#"{"key":"meaning"}"#, tokenCount: 6))))
    }
  }
}

/// The tool the model calls.
struct LookUp: Tool {
  let name = "lookUp"
  let description = "Looks a value up."

  @Generable
  struct Arguments {
    @Guide(description: "What to look up")
    var key: String
  }

  func call(arguments: Arguments) async throws -> String {
    arguments.key == "meaning" ? "42" : "unknown"
  }
}

@main
struct BringYourOwnProvider {
  static func main() async throws {
    let session = LanguageModelSession(model: LookupModel(), tools: [LookUp()])
    for try await snapshot in session.streamResponse(to: "What is the answer?") {
      print(snapshot.content)
    }
    print("\(session.transcript.count) entries, \(session.usage.output.totalTokenCount) tokens")
  }
}
