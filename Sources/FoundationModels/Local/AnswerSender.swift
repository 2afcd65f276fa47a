import FMEngine
import FMText
import Foundation

/// Sends an answer into a channel as it comes: text as a response, calls of tools as tool calls.
struct AnswerSender {
  /// A call as far as it came.
  private struct Call {
    var id = UUID().uuidString
    var name: String
    var arguments = ""
    var isWhole = false
  }

  private let channel: LanguageModelExecutorGenerationChannel
  private let responseID = UUID().uuidString
  private let callsID = UUID().uuidString
  /// Nil where nothing in the answer is taken for a call.
  private var parser: ToolCallParser?
  private var calls: [Call] = []
  /// Tokens of which nothing was sent yet.
  private var credit = 0
  /// Whether the answer was cut in a call after others, which was left out.
  private(set) var hasDroppedCall = false
  /// The text beside the calls.
  private(set) var text = ""

  init(channel: LanguageModelExecutorGenerationChannel, parser: ToolCallParser?) {
    self.channel = channel
    self.parser = parser
  }

  /// Takes more of the answer, which so many tokens made.
  mutating func append(_ piece: String, tokenCount: Int) async throws {
    credit += tokenCount
    guard parser != nil else { return await send(.text(piece)) }
    for event in parser?.append(piece) ?? [] { try await take(event) }
  }

  /// Ends the answer; `isCut` says that it was not the model that ended it.
  ///
  /// A call that was cut after whole ones is taken back.
  /// - Throws: ``GeneratedContent/ParsingError`` for a call that is not whole.
  mutating func finish(isCut: Bool) async throws {
    for event in parser?.finish(isCut: isCut) ?? [] { try await take(event, isCut: isCut) }
  }

  private mutating func take(_ event: ToolCallParser.Event, isCut: Bool = false) async throws {
    if case .malformed(let content) = event {
      // Calls that are whole are run all the same.
      if isCut, calls.contains(where: \.isWhole) { return await dropCutCall() }
      throw GeneratedContent.ParsingError(
        rawContent: content, underlyingError: nil,
        debugDescription: isCut
          ? "the answer was cut in a tool call" : "the answer has a tool call that is not JSON")
    }
    await send(event)
  }

  private mutating func dropCutCall() async {
    hasDroppedCall = true
    guard let last = calls.last, !last.isWhole else { return }
    calls.removeLast()
    await channel.send(.toolCalls(entryID: callsID, action: .removeToolCall(id: last.id)))
  }

  private mutating func send(_ event: ToolCallParser.Event) async {
    switch event {
    case .text(let piece):
      text += piece
      await channel.send(
        .response(entryID: responseID, action: .appendText(piece, tokenCount: credit)))
    case .callBegan(let name):
      calls.append(Call(name: name))
      await sendArguments("")
    case .arguments(let piece): await sendArguments(piece)
    case .callEnded:
      if !calls.isEmpty { calls[calls.count - 1].isWhole = true }
      return
    case .malformed: return
    }
    credit = 0
  }

  private mutating func sendArguments(_ piece: String) async {
    guard var call = calls.popLast() else { return }
    call.arguments += piece
    calls.append(call)
    await channel.send(
      .toolCalls(
        entryID: callsID,
        action: .toolCall(
          id: call.id, name: call.name, action: .appendArguments(piece, tokenCount: credit))))
  }

  /// Says how many tokens were read and generated, with the kind of entry that there is.
  func sendUsage(of summary: GenerationSummary) async {
    typealias Usage = LanguageModelExecutorGenerationChannel.Usage
    let input = Usage.Input(
      totalTokenCount: summary.promptTokens, cachedTokenCount: summary.cachedTokens)
    let output = Usage.Output(totalTokenCount: summary.tokens.count, reasoningTokenCount: 0)
    let notes: [String: any ConvertibleToGeneratedContent] =
      summary.isCutShort ? ["isCutShort": true] : [:]
    await channel.send(
      calls.isEmpty
        ? .response(
          entryID: responseID,
          action: .updateUsage(input: input, output: output, metadata: notes))
        : .toolCalls(
          entryID: callsID,
          action: .updateUsage(input: input, output: output, metadata: notes)))
  }

  /// The calls as the transcript has them; empty when one of them can't be read.
  var transcriptCalls: [Transcript.ToolCall] {
    var result: [Transcript.ToolCall] = []
    for call in calls {
      let json = call.arguments.isEmpty ? "{}" : call.arguments
      guard let arguments = try? GeneratedContent(json: json), arguments.isComplete else {
        return []
      }
      result.append(Transcript.ToolCall(id: call.id, toolName: call.name, arguments: arguments))
    }
    return result
  }
}
