import FMCore
import FMEngine
import FoundationModels

/// A request with the tool calls of its answer, not yet stored.
struct PlayedRequest: Sendable {
  var row: RequestRow
  var calls: [ToolCallRow] = []
  /// What the model was sent; nil where nothing was, or where it can't be counted.
  var transcript: Transcript?
  /// What an engine of this process computed; nil of servers.
  var sequence: ComputedSequence?
}

/// The ids of a request whose keys and values were computed.
struct ComputedSequence: Sendable {
  var prompt: [TokenID]
  var answer: [TokenID]

  /// Prompt and answer without the last token, which was chosen and not computed.
  var computed: [TokenID] { prompt + answer.dropLast() }
}

/// Makes rows of what a request of an application did: one for each model call, with its tool calls.
struct AskRows {
  let ask: ConversationScript.Ask
  let role: RequestRole
  /// Whether the model decides what it answers.
  let isLive: Bool
  let scheduled: MonotonicInstant
  let submitted: MonotonicInstant
  let firstContent: MonotonicInstant?
  let completed: MonotonicInstant
  let error: (any Error)?

  typealias Record = (
    calls: [ObservedCall], transcripts: [Transcript], tools: [ConversationDirector.ToolCall]
  )

  /// The rows in order; one with the error alone when no model was called.
  func rows(_ record: Record) -> [PlayedRequest] {
    var played: [PlayedRequest] = []
    var begin = submitted
    for (index, call) in record.calls.enumerated() {
      let isLast = index == record.calls.count - 1
      var row = row(of: call, number: index, submitted: begin)
      row.step = index
      let tools = record.tools.filter { $0.step == index }.sorted { $0.number < $1.number }
      let ended = call.ended ?? completed
      // Up to the tools a call is done when its answer is whole; the last one when the caller has it.
      row.completed = isLast && tools.isEmpty ? completed : ended
      if isLast { row.firstContent = firstContent }
      if isLast, let error { row.error = row.error ?? ErrorSentence(error).description }
      played.append(
        PlayedRequest(
          row: row, calls: tools.map(Self.row),
          transcript: index < record.transcripts.count ? record.transcripts[index] : nil,
          sequence: Self.sequence(of: call)))
      begin = tools.compactMap(\.ended).max() ?? ended
    }
    if played.isEmpty {
      var row = RequestRow(
        number: 0, role: role, turn: ask.turn, step: 0,
        outputKind: ask.steps.first?.kind.rawValue ?? "text", scheduled: scheduled,
        submitted: submitted, completed: completed, promptTokens: 0, cachedTokens: 0,
        outputTokens: 0, error: error.map { ErrorSentence($0).description } ?? "no model was called"
      )
      row.isCacheReported = false
      played.append(PlayedRequest(row: row))
    }
    return played
  }

  private func row(
    of call: ObservedCall, number: Int, submitted: MonotonicInstant
  ) -> RequestRow {
    let scripted = isLive ? nil : ask.steps.dropFirst(number).first?.kind
    let kind: OutputKind =
      call.callCount > 0 ? .call : scripted ?? (ask.structure == nil ? .text : .json)
    var row = RequestRow(
      number: 0, role: role, turn: ask.turn, outputKind: kind.rawValue,
      scheduled: number == 0 ? scheduled : submitted, submitted: submitted, completed: completed,
      promptTokens: 0, cachedTokens: 0, outputTokens: 0)
    row.error = call.error.map { ErrorSentence($0).description }
    switch call.outcome {
    case .engine(let summary, _): row.take(summary)
    case .server(let prompt, let cached, let output):
      row.take(call, prompt: prompt, cached: cached, output: output)
    case nil:
      let usage = call.usage
      row.take(
        call, prompt: usage?.input.totalTokenCount, cached: usage?.input.cachedTokenCount,
        output: usage?.output.totalTokenCount)
    }
    return row
  }

  private static func sequence(of call: ObservedCall) -> ComputedSequence? {
    guard case .engine(let summary, let prompt) = call.outcome else { return nil }
    return ComputedSequence(prompt: prompt, answer: summary.tokens)
  }

  private static func row(of call: ConversationDirector.ToolCall) -> ToolCallRow {
    ToolCallRow(
      number: call.number, name: call.tool, argumentsHash: call.argumentsHash,
      started: call.started, ended: call.ended ?? call.started,
      injectedMilliseconds: call.milliseconds, outputTokens: call.resultTokens)
  }
}

extension RequestRow {
  /// Takes what an engine of this process says: its stamps and counts.
  fileprivate mutating func take(_ summary: GenerationSummary) {
    prefillStart = summary.stamps.prefillStart
    firstToken = summary.stamps.firstToken
    lastToken = summary.stamps.lastToken
    promptTokens = summary.promptTokens
    cachedTokens = summary.cachedTokens
    outputTokens = summary.tokens.count
    missReason = summary.cacheMissReason.name
    finish = RequestRow.storedName(summary.finishReason)
    samplingNanoseconds = UInt64(max(0, summary.samplingSeconds) * 1e9)
    constraintNanoseconds = UInt64(max(0, summary.constraintSeconds) * 1e9)
    textNanoseconds = UInt64(max(0, summary.textSeconds) * 1e9)
    tokenStamps = summary.tokenStamps
  }

  /// Takes what a server says, and when its pieces came; a piece counts as a token where there are as many.
  fileprivate mutating func take(_ call: ObservedCall, prompt: Int?, cached: Int?, output: Int?) {
    firstToken = call.pieces.first
    lastToken = call.pieces.last
    promptTokens = prompt ?? 0
    cachedTokens = min(cached ?? 0, promptTokens)
    isCacheReported = cached != nil
    outputTokens = output ?? call.pieces.count
    streamPieces = call.pieces.count
    if call.pieces.count == outputTokens { tokenStamps = call.pieces }
  }
}
