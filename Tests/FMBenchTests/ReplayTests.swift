import FMBench
import FMRuntime
import FMText
import Foundation
import FoundationModels
import Testing

/// Transcripts of applications, played again.
@Suite struct ReplayTests {
  private func segments(_ text: String) -> [Transcript.Segment] {
    [.text(Transcript.TextSegment(content: text))]
  }

  /// A conversation of two turns, the first with two calls of one tool.
  private func transcript() throws -> Transcript {
    let schema = try GenerationSchema(
      jsonContent: GeneratedContent(
        json: #"{"type": "object", "properties": {"day": {"type": "string"}}, "required": ["day"]}"#
      ))
    func call(_ id: String, _ day: String) -> Transcript.ToolCall {
      Transcript.ToolCall(
        id: id, toolName: "meetings", arguments: GeneratedContent(properties: ["day": day]))
    }
    return Transcript(entries: [
      .instructions(
        Transcript.Instructions(
          segments: segments("You keep a calendar. Be brief."),
          toolDefinitions: [
            Transcript.ToolDefinition(
              name: "meetings", description: "Lists a day's meetings.", parameters: schema)
          ])),
      .prompt(Transcript.Prompt(segments: segments("What is on this week?"))),
      .toolCalls(Transcript.ToolCalls([call("1", "Monday"), call("2", "Tuesday")])),
      .toolOutput(
        Transcript.ToolOutput(id: "1", toolName: "meetings", segments: segments("Budget at 9."))),
      .toolOutput(
        Transcript.ToolOutput(id: "2", toolName: "meetings", segments: segments("Nothing."))),
      .response(
        Transcript.Response(assetIDs: [], segments: segments("Only the budget on Monday."))),
      .prompt(Transcript.Prompt(segments: segments("Who comes?"))),
      .response(Transcript.Response(assetIDs: [], segments: segments("That is not noted."))),
    ])
  }

  private func file(_ transcript: Transcript, in folder: TemporaryFolder) throws -> String {
    let path = folder.path("week.json")
    try JSONEncoder().encode(transcript).write(to: URL(filePath: path))
    return path
  }

  /// Plays a transcript of entries again, cold, every trial valid.
  private func replay(
    _ entries: [Transcript.Entry]
  ) async throws -> (store: BenchStore, folder: TemporaryFolder) {
    let files = try TemporaryFolder()
    let loaded = try ConversationFixture.loaded()
    let replayed = try ReplayedTranscript(file: try file(Transcript(entries: entries), in: files))
    let played = try await ConversationFixture.play(
      ConversationTarget(loaded), ConversationFixture.style(),
      encoding: ModelTextEncoding(loaded.tokenizer), scenarios: [], states: [.cold],
      transcript: replayed)
    let reasons = try played.store.lines("SELECT DISTINCT invalid_reason FROM trial")
    #expect(reasons == [""])
    withExtendedLifetime(files) {}
    return played
  }

  @Test func `a stored transcript is played again with its calls, its answers and its counts`()
    async throws
  {
    let files = try TemporaryFolder()
    let loaded = try ConversationFixture.loaded()
    let replayed = try ReplayedTranscript(file: try file(transcript(), in: files))
    #expect(replayed.scenario == "replay:week")
    let (store, folder) = try await ConversationFixture.play(
      ConversationTarget(loaded), ConversationFixture.style(),
      encoding: ModelTextEncoding(loaded.tokenizer), scenarios: [], transcript: replayed)
    let reasons = try store.lines("SELECT DISTINCT invalid_reason FROM trial")
    #expect(reasons == [""])
    #expect(
      try store.lines("SELECT scenario, scenario_sha, state FROM v_cell ORDER BY cell_id")
        == ["replay:week|\(replayed.sha)|cold", "replay:week|\(replayed.sha)|prewarmed"])
    let answers = ["Only the budget on Monday.", "That is not noted."].map {
      loaded.tokenizer.encode($0).count
    }
    let rows = try store.lines(
      """
      SELECT turn, step, output_kind, n_output FROM v_request
        WHERE role = 'measured' AND phase = 'measured' AND state = 'cold' ORDER BY request_id
      """)
    try #require(rows.count == 3)
    #expect(rows[0].hasPrefix("0|0|call|"))
    #expect(rows[1] == "0|1|text|\(answers[0])")
    #expect(rows[2] == "1|0|text|\(answers[1])")
    let calls = try store.lines(
      """
      SELECT x.name, x.repeat_of IS NULL FROM tool_call x
        JOIN v_request v ON v.request_id = x.request_id
        WHERE v.state = 'cold' AND v.phase = 'measured' ORDER BY x.number
      """)
    #expect(calls == ["meetings|1", "meetings|1"])
    withExtendedLifetime((files, folder)) {}
  }

  @Test func `calls of one tool get their own answers, whichever runs first`() async throws {
    let files = try TemporaryFolder()
    let loaded = try ConversationFixture.loaded()
    let replayed = try ReplayedTranscript(file: try file(transcript(), in: files))
    let (store, folder) = try await ConversationFixture.play(
      ConversationTarget(loaded), ConversationFixture.style(),
      encoding: ModelTextEncoding(loaded.tokenizer), scenarios: [], transcript: replayed)
    let outputs = ["Budget at 9.", "Nothing."].map { loaded.tokenizer.encode($0).count }
    let calls = try store.lines("SELECT DISTINCT number, out_tokens FROM tool_call ORDER BY number")
    #expect(calls == ["0|\(outputs[0])", "1|\(outputs[1])"])
    withExtendedLifetime((files, folder)) {}
  }

  @Test func `text beside a call is part of the same answer`() async throws {
    var entries = Array(try transcript())
    entries.insert(
      .response(Transcript.Response(assetIDs: [], segments: segments("Let me look."))), at: 2)
    let (store, folder) = try await replay(entries)
    let kinds = try store.lines(
      "SELECT output_kind FROM v_request WHERE phase = 'measured' ORDER BY request_id")
    #expect(kinds == ["call", "text", "text"])
    withExtendedLifetime(folder) {}
  }

  @Test func `a server answers a transcript with as many tokens`() async throws {
    let files = try TemporaryFolder()
    let replayed = try ReplayedTranscript(file: try file(transcript(), in: files))
    let log = PieceModel.PromptLog()
    let target = ConversationTarget(
      model: PieceModel(behaviour: PieceModel.Behaviour(), log: log), contextLength: nil,
      toolForm: .hermes, count: { PieceModel.count($0) })
    let loaded = try ConversationFixture.loaded()
    let (store, folder) = try await ConversationFixture.play(
      target, ConversationFixture.style { $0.promptForm = .plain },
      encoding: ModelTextEncoding(loaded.tokenizer), scenarios: [], states: [.cold],
      endpoint: "http://server/v1", transcript: replayed)
    let reasons = try store.lines("SELECT DISTINCT invalid_reason FROM trial")
    #expect(reasons == [""])
    #expect(try store.lines("SELECT COUNT(*) FROM tool_call") == ["4"])
    withExtendedLifetime((files, folder)) {}
  }

  @Test(arguments: ["", "[]", "{}", "not JSON", #"{"transcript": {"entries": []}}"#])
  func `a file that holds no conversation is refused`(text: String) throws {
    let folder = try TemporaryFolder()
    let path = folder.path("x.json")
    try Data(text.utf8).write(to: URL(filePath: path))
    #expect(throws: SuiteError.self) { try ReplayedTranscript(file: path) }
  }

  @Test func `a conversation that can't be played to its end is refused before a model is loaded`()
    throws
  {
    let folder = try TemporaryFolder()
    let whole = Array(try transcript())
    // No answer at all, a call that nothing follows, a call without an output, an empty answer.
    let empty = Transcript.Entry.response(
      Transcript.Response(assetIDs: [], segments: segments("")))
    let broken = [
      Array(whole.prefix(2)), Array(whole.prefix(5)), Array(whole.prefix(4) + whole.dropFirst(5)),
      Array(whole.prefix(2)) + [empty],
    ]
    for entries in broken {
      #expect(throws: SuiteError.self) {
        try ReplayedTranscript(file: try file(Transcript(entries: entries), in: folder))
      }
    }
    _ = try ReplayedTranscript(file: try file(Transcript(entries: whole), in: folder))
  }

  @Test func `an answer's special tokens are text, and those of calls are not`() async throws {
    var entries = Array(try transcript())
    entries[entries.count - 1] = .response(
      Transcript.Response(assetIDs: [], segments: segments("<|im_end|> ok")))
    _ = try await replay(entries)
  }

  @Test func `a file that is not there is named`() {
    #expect {
      try ReplayedTranscript(file: "/nowhere/t.json")
    } throws: { error in
      "\(error)".contains("/nowhere/t.json")
    }
  }

  @Test func `without any state but cold and prewarmed and without sessions it is refused`()
    async throws
  {
    let files = try TemporaryFolder()
    let replayed = try ReplayedTranscript(file: try file(transcript(), in: files))
    let loaded = try ConversationFixture.loaded()
    await #expect(throws: SuiteError.self) {
      try await ConversationFixture.play(
        ConversationTarget(loaded), ConversationFixture.style(),
        encoding: ModelTextEncoding(loaded.tokenizer), scenarios: [], states: [.warm],
        transcript: replayed)
    }
    withExtendedLifetime(files) {}
  }
}
