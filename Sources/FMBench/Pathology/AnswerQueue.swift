import Foundation
import FoundationModels
import Synchronization

/// The answers of the request under way, taken one a model call.
final class AnswerQueue: Sendable {
  private let answers = Mutex<[PathologyPair.Answer]>([])

  /// The script ended before the session stopped asking.
  struct ScriptEnded: Error {}

  /// Puts the answers of the next request in place.
  func prepare(_ answers: [PathologyPair.Answer]) { self.answers.withLock { $0 = answers } }

  /// The answer of the next model call.
  func next() throws -> PathologyPair.Answer {
    try answers.withLock { answers in
      guard !answers.isEmpty else { throw ScriptEnded() }
      return answers.removeFirst()
    }
  }
}

extension PathologyPair.Answer {
  /// What the model says: the text, the fields as JSON, or the calls one after another.
  var spelling: String {
    text ?? fields.map(PathologyPair.json)
      ?? (calls ?? []).map { $0.tool + PathologyPair.json($0.arguments) }.joined(separator: "\n")
  }
}

extension PathologyPair {
  /// The values as a JSON object, its members in the order of their names.
  static func json(_ values: [String: Binding]) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Strings and whole numbers have a JSON form, all of them.
    return (try? encoder.encode(values)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
  }
}

/// Makes a real model say what a file says: it reads every prompt, and computes every token of the answer.
final class PathologyDirector: ModelCallDirector {
  private let queue: AnswerQueue

  init(_ queue: AnswerQueue) { self.queue = queue }

  func plan(_ request: LanguageModelExecutorGenerationRequest) throws -> ModelCallPlan {
    let answer = try queue.next()
    let calls = try (answer.calls ?? []).map {
      Transcript.ToolCall(
        id: UUID().uuidString, toolName: $0.tool,
        arguments: try GeneratedContent(json: PathologyPair.json($0.arguments)))
    }
    return ModelCallPlan(request: request, output: .forced(answer.spelling), calls: calls)
  }

  func ended(_ call: ObservedCall) {}
}
