import FMCore
import FMEngine

/// The ids that answers were generated as, by their text, and the text that calls of tools were written as.
struct KeptAnswers: Sendable {
  /// An answer that called tools: what a transcript has of it, and the text as it was generated.
  private struct CallingAnswer: Sendable {
    var text: String
    var calls: [Call]
    var spelling: String
  }

  /// A call as transcripts are compared by.
  private struct Call: Sendable, Equatable {
    var id: String
    var name: String
    var arguments: String

    init(_ call: Transcript.ToolCall) {
      id = call.id
      name = call.toolName
      arguments = call.arguments.jsonString
    }
  }

  private var ids: [[UInt8]: [TokenID]] = [:]
  private var order: [[UInt8]] = []
  private var calling: [String: CallingAnswer] = [:]
  private var callingOrder: [String] = []
  /// Answers remembered, the oldest forgotten first.
  private static let limit = 512

  /// The ids of an answer with these bytes.
  func ids(of bytes: [UInt8]) -> [TokenID]? { ids[bytes] }

  /// Remembers an answer, unless its ids say more than its text.
  ///
  /// `content` is how a transcript shows the answer where that is another text.
  mutating func keep(_ summary: GenerationSummary, as content: String? = nil) {
    guard summary.finishReason != .stopString, !summary.tokens.isEmpty else { return }
    for text in [summary.text, content ?? summary.text] where !text.isEmpty {
      let bytes = Array(text.utf8)
      if ids.updateValue(summary.tokens, forKey: bytes) == nil { order.append(bytes) }
      if order.count > Self.limit { ids[order.removeFirst()] = nil }
    }
  }

  /// Remembers how an answer with this text beside these calls was written.
  mutating func keep(spelling: String, text: String, calls: [Transcript.ToolCall]) {
    guard let key = calls.first?.id else { return }
    let answer = CallingAnswer(text: text, calls: calls.map(Call.init), spelling: spelling)
    if calling.updateValue(answer, forKey: key) == nil { callingOrder.append(key) }
    if callingOrder.count > Self.limit { calling[callingOrder.removeFirst()] = nil }
  }

  /// How an answer was written, if it was generated here and says the same still.
  func spelling(text: String, calls: [Transcript.ToolCall]) -> String? {
    guard let key = calls.first?.id, let answer = calling[key], answer.text == text,
      answer.calls == calls.map(Call.init)
    else { return nil }
    return answer.spelling
  }
}
