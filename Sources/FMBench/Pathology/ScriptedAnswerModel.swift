import Foundation
import FoundationModels
import Synchronization

/// A model that says what a file says, and counts what it reads as a cache of prefixes would.
///
/// A token is four bytes of what the transcript shows; cached are those of the longest beginning that any
/// session read before, as in an engine that all sessions share.
struct ScriptedAnswerModel: LanguageModel {
  /// What was read so far, by every session.
  final class Memory: Sendable {
    private let seen = Mutex<[[UInt8]]>([])

    /// Keeps what is read, and tells how many bytes of its beginning were read before.
    func read(_ bytes: [UInt8]) -> Int {
      seen.withLock { seen in
        defer { seen.append(bytes) }
        return seen.map { Self.commonPrefix($0, bytes) }.max() ?? 0
      }
    }

    private static func commonPrefix(_ one: [UInt8], _ other: [UInt8]) -> Int {
      let end = min(one.count, other.count)
      return (0..<end).first { one[$0] != other[$0] } ?? end
    }
  }

  private static let bytesPerToken = 4

  private let id = UUID()
  private let queue: AnswerQueue
  private let memory = Memory()

  init(_ queue: AnswerQueue) { self.queue = queue }

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
      let known = model.memory.read(bytes)
      let answer = try model.queue.next()
      let text = answer.spelling
      if let calls = answer.calls {
        await send(calls, into: channel)
      } else {
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
    ) async {
      for call in calls {
        let arguments = PathologyPair.json(call.arguments)
        await channel.send(
          .toolCalls(
            action: .toolCall(
              id: UUID().uuidString, name: call.tool,
              action: .appendArguments(
                arguments, tokenCount: ScriptedAnswerModel.tokens(arguments)))))
      }
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
}
