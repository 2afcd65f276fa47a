import Foundation
import FoundationModels
import Synchronization

/// A model that says what a file says, and counts what it reads as a cache of prefixes would.
///
/// A token is four bytes of what the transcript shows; cached are those of the longest beginning that any
/// session read before, as in an engine that all sessions share.
struct ScriptedAnswerModel: LanguageModel {
  /// The answers to come, and what was read.
  final class Script: Sendable {
    private struct State {
      var answers: [PathologyPair.Answer] = []
      var seen: [[UInt8]] = []
    }

    private let state = Mutex(State())

    /// Puts the answers of the next request in place.
    func prepare(_ answers: [PathologyPair.Answer]) { state.withLock { $0.answers = answers } }

    /// The next answer, nil where the script is over; and how many bytes of what is read are known.
    func next(reading bytes: [UInt8]) -> (answer: PathologyPair.Answer?, known: Int) {
      state.withLock { state in
        let known = state.seen.map { Self.commonPrefix($0, bytes) }.max() ?? 0
        state.seen.append(bytes)
        return (state.answers.isEmpty ? nil : state.answers.removeFirst(), known)
      }
    }

    private static func commonPrefix(_ one: [UInt8], _ other: [UInt8]) -> Int {
      let end = min(one.count, other.count)
      return (0..<end).first { one[$0] != other[$0] } ?? end
    }
  }

  /// The script ended before the session stopped asking.
  struct ScriptEnded: Error {}

  private static let bytesPerToken = 4

  private let id = UUID()
  private let script: Script

  init(script: Script) { self.script = script }

  var capabilities: LanguageModelCapabilities {
    LanguageModelCapabilities([.toolCalling, .guidedGeneration])
  }

  var executorConfiguration: Executor.Configuration { Executor.Configuration(id: id) }

  struct Executor: LanguageModelExecutor {
    /// Executors of one model are alike.
    struct Configuration: Hashable, Sendable {
      let id: UUID
    }

    init(configuration: Configuration) throws {}

    func respond(
      to request: LanguageModelExecutorGenerationRequest, model: ScriptedAnswerModel,
      streamingInto channel: LanguageModelExecutorGenerationChannel
    ) async throws {
      let bytes = Array(request.transcript.map(ScriptedAnswerModel.shown).joined().utf8)
      let (answer, known) = model.script.next(reading: bytes)
      guard let answer else { throw ScriptEnded() }
      let text: String
      if let calls = answer.calls {
        text = await send(calls, into: channel)
      } else {
        text = answer.text ?? ScriptedAnswerModel.json(answer.fields ?? [:])
        await channel.send(
          .response(action: .appendText(text, tokenCount: ScriptedAnswerModel.tokens(text))))
      }
      let input = LanguageModelExecutorGenerationChannel.Usage.Input(
        totalTokenCount: max(1, bytes.count / bytesPerToken),
        cachedTokenCount: min(known, max(0, bytes.count - 1)) / bytesPerToken)
      let output = LanguageModelExecutorGenerationChannel.Usage.Output(
        totalTokenCount: ScriptedAnswerModel.tokens(text), reasoningTokenCount: 0)
      if answer.calls == nil {
        await channel.send(.response(action: .updateUsage(input: input, output: output)))
      } else {
        await channel.send(.toolCalls(action: .updateUsage(input: input, output: output)))
      }
    }

    private func send(
      _ calls: [PathologyPair.Call], into channel: LanguageModelExecutorGenerationChannel
    ) async -> String {
      var text = ""
      for call in calls {
        let arguments = ScriptedAnswerModel.json(call.arguments)
        text += call.tool + arguments
        await channel.send(
          .toolCalls(
            action: .toolCall(
              id: UUID().uuidString, name: call.tool,
              action: .appendArguments(
                arguments, tokenCount: ScriptedAnswerModel.tokens(arguments)))))
      }
      return text
    }
  }

  private static func tokens(_ text: String) -> Int {
    (text.utf8.count + bytesPerToken - 1) / bytesPerToken
  }

  /// An entry as a model reads it: with the tools of instructions, and the schema where the prompt has it.
  private static func shown(_ entry: Transcript.Entry) -> String {
    var text = entry.description + "\n"
    switch entry {
    case .instructions(let instructions):
      for tool in instructions.toolDefinitions {
        text += "\(tool.name): \(tool.description) \(tool.parameters.debugDescription)\n"
      }
    case .prompt(let prompt):
      if case .schema(let schema)? = prompt.responseFormat?.kind,
        prompt.contextOptions.includeSchemaInPrompt ?? true
      {
        text += schema.debugDescription + "\n"
      }
    default: break
    }
    return text
  }

  /// The values as a JSON object, its members in the order of their names.
  static func json(_ values: [String: Binding]) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Strings and whole numbers have a JSON form, all of them.
    return (try? encoder.encode(values)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
  }
}
