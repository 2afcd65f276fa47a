import FMCore
import FMText
import Foundation
import FoundationModels

/// A transcript of an application that is played again, its answers and tools as they were.
package struct ReplayedTranscript: Sendable, Hashable {
  /// The file's name without its ending.
  package var name: String
  /// SHA-256 of the file.
  package var sha: String
  private var json: Data

  /// The most bytes of a file.
  private static let byteLimit = 64 << 20

  /// Reads a file that a `Transcript` was encoded into.
  ///
  /// - Throws: ``SuiteError/unreadable(file:reason:)``, ``SuiteError/malformed(file:reason:)``.
  package init(file path: String) throws(SuiteError) {
    do {
      json = Data(try RegularFile.read(path, limit: Self.byteLimit))
    } catch {
      throw .unreadable(file: path, reason: error.description)
    }
    name = URL(filePath: path).deletingPathExtension().lastPathComponent
    sha = SHA256.hexDigest(json)
    try check(
      try script(encoding: ByteEncoding(), style: PlayStyle(), toolForm: .hermes), path: path)
  }

  /// Refuses what can't be played to its end.
  private func check(_ script: ConversationScript, path: String) throws(SuiteError) {
    let asks = script.sessions.flatMap(\.asks)
    guard !asks.isEmpty else {
      throw .malformed(file: path, reason: "it has no prompt with an answer to play")
    }
    for ask in asks {
      for (number, step) in ask.steps.enumerated() {
        let isLast = number == ask.steps.count - 1
        guard step.calls.isEmpty == isLast else {
          throw .malformed(
            file: path,
            reason: isLast
              ? "turn \(ask.turn) ends with a call of a tool that nothing follows"
              : "turn \(ask.turn) has an answer before its last that calls no tool")
        }
        if let call = step.calls.first(where: { $0.result.isEmpty }) {
          throw .malformed(
            file: path, reason: "turn \(ask.turn) has no output of the tool '\(call.tool)'")
        }
      }
    }
  }

  /// The scenario's name in tables.
  package var scenario: String { "replay:\(name)" }

  func transcript() throws(SuiteError) -> Transcript {
    do {
      return try JSONDecoder().decode(Transcript.self, from: json)
    } catch {
      throw .malformed(file: name, reason: ErrorSentence(error).description)
    }
  }

  /// The script that plays the transcript with a model's own tokens.
  ///
  /// Answers are forced to what they were; a server, which can't be forced, gives as many tokens.
  func script(
    encoding: any TextEncoding, style: PlayStyle, toolForm: ToolCallForm
  ) throws(SuiteError) -> ConversationScript {
    var writer = ReplayWriter(encoding: encoding, style: style, toolForm: toolForm)
    for entry in try transcript() { writer.add(entry) }
    let session = writer.finish()
    return ConversationScript(
      isConcurrent: false, sessions: [session],
      windowTokens: writer.windowTokens)
  }
}

/// Bytes as tokens: enough to see whether a transcript can be played, before a model is loaded.
private struct ByteEncoding: TextEncoding {
  var sequenceStart: TokenID? { nil }

  func tokens(of text: String) -> [TokenID] { text.utf8.map { TokenID($0) } }

  func text(of tokens: [TokenID]) -> String {
    String(decoding: tokens.map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
  }
}

/// Turns entries into the requests that made them.
private struct ReplayWriter {
  let encoding: any TextEncoding
  let style: PlayStyle
  let toolForm: ToolCallForm
  private(set) var windowTokens = 0
  private var instructions = ""
  private var tools: [SessionMaterial.Tool] = []
  private var asks: [ConversationScript.Ask] = []
  /// A response that calls may follow, whose text is then part of the same answer.
  private var pending: String?

  init(encoding: any TextEncoding, style: PlayStyle, toolForm: ToolCallForm) {
    self.encoding = encoding
    self.style = style
    self.toolForm = toolForm
  }

  mutating func add(_ entry: Transcript.Entry) {
    if case .toolCalls(let calls) = entry { return append(calls) }
    flush()
    switch entry {
    case .instructions(let entry):
      instructions = entry.segments.text
      tools = entry.toolDefinitions.map {
        SessionMaterial.Tool(
          name: $0.name, description: $0.description, parameters: $0.parameters, json: "")
      }
      windowTokens += encoding.tokens(of: instructions).count
    case .prompt(let entry):
      let prompt = entry.segments.text
      asks.append(
        ConversationScript.Ask(
          turn: asks.count, prompt: [.text(prompt, tokens: count(prompt))], restarts: false,
          thinkMilliseconds: 0, steps: []))
    case .response(let entry): pending = entry.segments.text
    case .toolOutput(let output): answer(output)
    case .toolCalls, .reasoning: break
    }
  }

  /// Ends an answer that was text alone.
  private mutating func flush() {
    guard let text = pending else { return }
    pending = nil
    append(kind: .text, answer: text, calls: [])
  }

  mutating func finish() -> ConversationScript.Session {
    flush()
    return ConversationScript.Session(
      name: "replay", instructions: instructions,
      instructionTokens: encoding.tokens(of: instructions).count, tools: tools,
      asks: asks.filter { !$0.steps.isEmpty })
  }

  private mutating func append(_ calls: Transcript.ToolCalls) {
    let spelled = calls.map { call in
      toolForm.opener + toolForm.head(name: call.toolName)
        + Array((JSONText.spaced(call.arguments.jsonString) ?? "{}").utf8) + ToolCallForm.tail
        + toolForm.closer
    }
    let spelling = String(
      decoding: Array(spelled.joined(separator: toolForm.separator)), as: UTF8.self)
    let said = pending ?? ""
    pending = nil
    append(
      kind: .call, answer: said.isEmpty ? spelling : "\(said)\n\(spelling)",
      calls: calls.map {
        ConversationScript.Call(
          tool: $0.toolName, arguments: $0.arguments, milliseconds: 0, result: "", resultTokens: 0)
      })
  }

  private mutating func append(
    kind: OutputKind, answer: String, calls: [ConversationScript.Call]
  ) {
    guard !asks.isEmpty, !answer.isEmpty else { return }
    let tokens =
      kind == .call ? encoding.tokens(ofAnswer: answer).count : encoding.tokens(of: answer).count
    windowTokens += tokens
    var output: AnswerScript.Output = kind == .call ? .calls(answer) : .forced(answer)
    if style.promptForm == .plain { output = .natural(max(1, tokens)) }
    if style.mode == .live { output = .free }
    asks[asks.count - 1].steps.append(
      ConversationScript.Step(
        kind: kind, output: output,
        outputTokens: style.mode == .live ? nil : max(1, tokens), calls: calls))
  }

  /// Gives the next call of this tool that has no answer yet what it answered.
  private mutating func answer(_ output: Transcript.ToolOutput) {
    guard let ask = asks.indices.last, let step = asks[ask].steps.indices.last,
      let call = asks[ask].steps[step].calls.firstIndex(where: {
        $0.tool == output.toolName && $0.result.isEmpty
      })
    else { return }
    let result = output.segments.text
    asks[ask].steps[step].calls[call].result = result
    asks[ask].steps[step].calls[call].resultTokens = count(result)
  }

  private mutating func count(_ text: String) -> Int {
    let tokens = encoding.tokens(of: text).count
    windowTokens += tokens
    return tokens
  }
}
