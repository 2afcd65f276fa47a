import Foundation

/// The entries of one call of an executor, as its events make them.
struct TurnEntries {
  private enum Slot {
    case response(Transcript.Response)
    case reasoning(Transcript.Reasoning)
    case toolCalls(id: String, [PendingCall])

    var id: String {
      switch self {
      case .response(let entry): entry.id
      case .reasoning(let entry): entry.id
      case .toolCalls(let id, _): id
      }
    }
  }

  fileprivate struct PendingCall {
    var id: String
    var name: String
    var arguments: String
    var metadata: [String: GeneratedContent] = [:]
  }

  private typealias Channel = LanguageModelExecutorGenerationChannel

  private var slots: [Slot] = []
  private var reported: [String: LanguageModelSession.Usage] = [:]
  private var creditedTokens = 0
  private var creditedReasoningTokens = 0

  /// Takes an event; whether it changed the text of a response.
  mutating func apply(_ event: LanguageModelExecutorGenerationChannel.Event) -> Bool {
    switch event.change {
    case .response(let action): return apply(action, entryID: event.entryID)
    case .reasoning(let action): apply(action, entryID: event.entryID)
    case .toolCalls(let action): apply(action, entryID: event.entryID)
    }
    return false
  }

  // MARK: Slots

  /// The slot an event goes to: that with its id, else the last one of its kind, else a new one.
  private mutating func slot(
    _ entryID: String?, isKind: (Slot) -> Bool, make: (String) -> Slot
  ) -> Int {
    if let entryID {
      if let index = slots.firstIndex(where: { $0.id == entryID && isKind($0) }) { return index }
    } else if let last = slots.last, isKind(last) {
      return slots.count - 1
    }
    slots.append(make(entryID ?? UUID().uuidString))
    return slots.count - 1
  }

  private mutating func apply(_ action: Channel.Response.Action, entryID: String?) -> Bool {
    let index = slot(entryID) {
      if case .response = $0 { true } else { false }
    } make: {
      .response(Transcript.Response(id: $0, segments: []))
    }
    guard case .response(var response) = slots[index] else { return false }
    defer { slots[index] = .response(response) }
    switch action.change {
    case .append(let fragment):
      creditedTokens &+= fragment.tokenCount
      response.segments.append(fragment)
      return true
    case .replace(let replacement):
      creditedTokens &+= replacement.tokenCount
      response.segments.replace(replacement)
      return true
    case .addAttachment(let segment): response.segments.append(.attachment(segment))
    case .removeAttachment(let id): response.segments.removeAll { $0.id == id }
    case .metadata(let metadata): response.notes = metadata.values
    case .usage(let usage): reported[response.id] = usage.sessionUsage
    }
    return false
  }

  private mutating func apply(_ action: Channel.Reasoning.Action, entryID: String?) {
    let index = slot(entryID) {
      if case .reasoning = $0 { true } else { false }
    } make: {
      .reasoning(Transcript.Reasoning(id: $0, segments: []))
    }
    guard case .reasoning(var reasoning) = slots[index] else { return }
    switch action.change {
    case .append(let fragment):
      creditedTokens &+= fragment.tokenCount
      creditedReasoningTokens &+= fragment.tokenCount
      reasoning.segments.append(fragment)
    case .replace(let replacement):
      creditedTokens &+= replacement.tokenCount
      creditedReasoningTokens &+= replacement.tokenCount
      reasoning.segments.replace(replacement)
    case .signature(let signature):
      creditedTokens &+= signature.tokenCount
      reasoning.signature = signature.data
    case .metadata(let metadata): reasoning.metadata = metadata.values
    case .usage(let usage): reported[reasoning.id] = usage.sessionUsage
    }
    slots[index] = .reasoning(reasoning)
  }

  private mutating func apply(_ action: Channel.ToolCalls.Action, entryID: String?) {
    let index = slot(entryID) {
      if case .toolCalls = $0 { true } else { false }
    } make: {
      .toolCalls(id: $0, [])
    }
    guard case .toolCalls(let entry, var calls) = slots[index] else { return }
    switch action.change {
    case .call(let id, let name, let action):
      let place =
        calls.firstIndex { $0.id == id }
        ?? {
          calls.append(PendingCall(id: id, name: name, arguments: ""))
          return calls.count - 1
        }()
      switch action.change {
      case .arguments(let fragment):
        creditedTokens &+= fragment.tokenCount
        calls[place].arguments += fragment.content
      case .metadata(let metadata): calls[place].metadata = metadata.values
      }
    case .remove(let id): calls.removeAll { $0.id == id }
    case .metadata: break
    case .usage(let usage): reported[entry] = usage.sessionUsage
    }
    slots[index] = .toolCalls(id: entry, calls)
  }

  // MARK: Results

  /// What the call took: what the executor reported last, else the tokens it credited.
  var usage: LanguageModelSession.Usage {
    if let last = slots.reversed().lazy.compactMap({ reported[$0.id] }).first { return last }
    var usage = LanguageModelSession.Usage.none
    usage.output.totalTokenCount = max(0, creditedTokens)
    usage.output.reasoningTokenCount = max(0, creditedReasoningTokens)
    return usage
  }

  /// The text of the last response.
  var responseText: String {
    for case .response(let response) in slots.reversed() { return response.segments.text }
    return ""
  }

  /// The entries so far; calls whose arguments can't be read have none yet.
  var entries: [Transcript.Entry] {
    slots.map { slot in
      switch slot {
      case .response(let response): return .response(response)
      case .reasoning(let reasoning): return .reasoning(reasoning)
      case .toolCalls(let id, let calls):
        return .toolCalls(Transcript.ToolCalls(id: id, calls.map { $0.call ?? $0.empty }))
      }
    }
  }

  /// The calls to run, in order.
  ///
  /// - Throws: ``GeneratedContent/ParsingError`` when the arguments of one are not JSON.
  func toolCalls() throws -> [Transcript.ToolCall] {
    var result: [Transcript.ToolCall] = []
    for case .toolCalls(_, let calls) in slots {
      for pending in calls {
        guard let call = pending.call, call.arguments.isComplete else {
          throw GeneratedContent.ParsingError(
            rawContent: pending.arguments, underlyingError: nil,
            debugDescription: "the arguments of the call of '\(pending.name)' are not JSON")
        }
        result.append(call)
      }
    }
    return result
  }

  /// The entries with the last response's text as a value of a schema.
  func entries(structuredAs name: String, content: GeneratedContent) -> [Transcript.Entry] {
    var result = entries
    for index in result.indices.reversed() {
      guard case .response(var response) = result[index] else { continue }
      let id = response.segments.first?.id ?? UUID().uuidString
      response.segments = [
        .structure(Transcript.StructuredSegment(id: id, schemaName: name, content: content))
      ]
      result[index] = .response(response)
      break
    }
    return result
  }
}

extension TurnEntries.PendingCall {
  /// The call with its arguments as far as they came; no arguments at all are an empty structure.
  fileprivate var call: Transcript.ToolCall? {
    guard let content = try? GeneratedContent(json: arguments.isEmpty ? "{}" : arguments) else {
      return nil
    }
    return Transcript.ToolCall(id: id, toolName: name, arguments: content, metadata: metadata)
  }

  fileprivate var empty: Transcript.ToolCall {
    Transcript.ToolCall(id: id, toolName: name, arguments: GeneratedContent(value: .null))
  }
}

extension [Transcript.Segment] {
  fileprivate mutating func append(
    _ fragment: LanguageModelExecutorGenerationChannel.TextFragment
  ) {
    let index =
      fragment.segmentID.map { id in firstIndex { $0.id == id } }
      ?? (indices.last.flatMap { if case .text = self[$0] { $0 } else { nil } })
    if let index, case .text(var text) = self[index] {
      text.content += fragment.content
      self[index] = .text(text)
    } else {
      let id = fragment.segmentID ?? UUID().uuidString
      append(.text(Transcript.TextSegment(id: id, content: fragment.content)))
    }
  }

  fileprivate mutating func replace(
    _ replacement: LanguageModelExecutorGenerationChannel.TextSegmentReplacement
  ) {
    let segment = Transcript.Segment.text(
      Transcript.TextSegment(id: replacement.segmentID, content: replacement.content))
    if let index = firstIndex(where: { $0.id == replacement.segmentID }) {
      self[index] = segment
    } else {
      append(segment)
    }
  }
}

extension LanguageModelExecutorGenerationChannel.Usage {
  fileprivate var sessionUsage: LanguageModelSession.Usage {
    LanguageModelSession.Usage(
      input: .init(
        totalTokenCount: input.totalTokenCount, cachedTokenCount: input.cachedTokenCount),
      output: .init(
        totalTokenCount: output.totalTokenCount, reasoningTokenCount: output.reasoningTokenCount),
      metadata: metadata)
  }
}
