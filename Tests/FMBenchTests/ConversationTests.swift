import FMBench
import FMCore
import FMRuntime
import FMText
import FoundationModels
import Testing

/// Suites played through sessions on an engine of this package.
@Suite struct ConversationTests {
  private func play(
    _ style: PlayStyle, _ scenarios: [String], states: [CacheState] = []
  ) async throws -> (store: BenchStore, folder: TemporaryFolder) {
    let loaded = try ConversationFixture.loaded()
    return try await ConversationFixture.play(
      ConversationTarget(loaded), style, encoding: ModelTextEncoding(loaded.tokenizer),
      scenarios: scenarios, states: states)
  }

  private let measured = "FROM v_request WHERE phase = 'measured' AND role = 'measured'"

  @Test func `calls, tools and structured answers go through a session and are counted`()
    async throws
  {
    let (store, folder) = try await play(
      ConversationFixture.style { $0.hasMasks = true }, ["one-tool", "planner-handoff"])
    let reasons = try store.lines("SELECT DISTINCT invalid_reason FROM trial")
    #expect(reasons == [""])
    #expect(
      try store.lines("SELECT DISTINCT level, mode, policy, streaming, masks FROM v_cell")
        == ["session|scripted|one|1|on"])
    let requests = try store.lines(
      """
      SELECT session_name, turn, step, output_kind, finish \(measured)
        AND scenario = 'planner-handoff' AND state = 'cold' ORDER BY request_id
      """)
    #expect(
      requests == [
        "gather|0|0|call|length", "gather|0|1|call|length", "gather|0|2|text|length",
        "plan|0|0|json|end_of_turn",
      ])
    // A grammar ends what is whole. What was forced is what was counted, and prompts are what this package counts of the transcript.
    #expect(
      try store.lines(
        """
        SELECT COUNT(*) FROM request WHERE role = 'measured'
          AND (n_output != expected_output OR ABS(n_prompt - expected_prompt) > 8)
        """) == ["0"])
    #expect(
      try store.lines(
        "SELECT name, COUNT(*) FROM tool_call GROUP BY name ORDER BY name")
        == ["read_calendar|6", "search_notes|12"])
    withExtendedLifetime(folder) {}
  }

  @Test func `a turn's later requests find its earlier ones in the cache`() async throws {
    let (store, folder) = try await play(
      ConversationFixture.style(), ["one-tool"], states: [.cold, .prewarmed, .warm])
    let rows = try store.lines(
      """
      SELECT state, step, n_cached > 0, n_cached >= n_prompt * 0.5 \(measured) ORDER BY request_id
      """)
    #expect(
      rows == [
        "cold|0|0|0", "cold|1|1|1", "prewarmed|0|1|1", "prewarmed|1|1|1", "warm|0|1|1",
        "warm|1|1|1",
      ])
    withExtendedLifetime(folder) {}
  }

  @Test func `what could have been cached is known, and never less than what was`() async throws {
    for edit in [PlayStyle.PrefixEdit.none, .timestamp] {
      let (store, folder) = try await play(
        ConversationFixture.style { $0.prefixEdit = edit },
        ["one-tool", "planner-handoff", "fanout-shared"])
      let odd = try store.lines(
        """
        SELECT request_id, n_prompt, n_cached, ideal_cached FROM v_request
          WHERE ideal_cached IS NULL OR ideal_cached < n_cached OR ideal_cached >= n_prompt
            AND role <> 'prewarm'
        """)
      #expect(odd.isEmpty)
      // Of a cold cache nothing; a warm one could have held all but what the turn adds.
      let firsts = try store.lines(
        """
        SELECT state, ideal_cached > 0 \(measured) AND scenario = 'one-tool' AND step = 0
          ORDER BY request_id
        """)
      #expect(firsts.first == "cold|0")
      let report = try store.report(run: 1)
      #expect(report.cells.allSatisfy { $0.metrics[.idealHit] != nil })
      withExtendedLifetime(folder) {}
    }
  }

  @Test func `what the template and the tools' descriptions make of a prompt is told apart`()
    async throws
  {
    let (store, folder) = try await play(
      ConversationFixture.style(), ["one-tool"], states: [.cold])
    let rows = try store.database.rows(
      """
      SELECT n_template, n_prompt FROM request WHERE role = 'measured' ORDER BY id
      """)
    try #require(rows.count == 4)
    let template = rows.compactMap { $0.int(0) }
    let texts = rows.map { ($0.int(1) ?? 0) - ($0.int(0) ?? 0) }
    // Marks of messages, and the tools; the second request has two messages more, and their marks.
    try #require(template.count == 4)
    #expect(template[1] > template[0] && template[0] == template[2])
    // The script's instructions and question.
    #expect(texts[0] == 100)
    // The call with its arguments, and the tool's result.
    #expect((160...220).contains(texts[1]) && texts[1] == texts[3])
    withExtendedLifetime(folder) {}
  }

  @Test func `content is first seen on the last request of a turn, after its tools`() async throws {
    let (store, folder) = try await play(
      ConversationFixture.style(), ["one-tool"], states: [.cold])
    let rows = try store.lines(
      "SELECT step, content_ms IS NULL, content_ms >= ttft_ms \(measured) ORDER BY request_id")
    #expect(rows == ["0|1|", "1|0|1"])
    let report = try store.report(run: 1)
    let cell = try #require(report.cells.first)
    let content = try #require(cell.metrics[.ttfc])
    let token = try #require(cell.metrics[.ttft])
    #expect(content.median > token.median)
    withExtendedLifetime(folder) {}
  }

  @Test func `without streaming the first content is the whole answer`() async throws {
    let (store, folder) = try await play(
      ConversationFixture.style { $0.isStreaming = false }, ["one-tool"], states: [.cold])
    #expect(
      try store.lines(
        "SELECT first_content_ns > last_token_ns FROM request WHERE step = 1") == ["1", "1"])
    withExtendedLifetime(folder) {}
  }

  @Test func `a time at the head leaves the next turn nothing in the cache, and tools little`()
    async throws
  {
    func hits(_ edit: PlayStyle.PrefixEdit) async throws -> [Double] {
      let (store, folder) = try await play(
        ConversationFixture.style { $0.prefixEdit = edit }, ["support-desk"], states: [.cold])
      defer { withExtendedLifetime(folder) {} }
      return try store.database.rows("SELECT hit \(measured) AND step = 0 ORDER BY request_id")
        .compactMap { $0.double(0) }
    }
    let (none, timestamp) = (try await hits(.none), try await hits(.timestamp))
    let tools = try await hits(.tools)
    try #require(none.count == 4 && timestamp.count == 4 && tools.count == 4)
    #expect(none.dropFirst().allSatisfy { $0 > 0.5 })
    #expect(timestamp.dropFirst().allSatisfy { $0 < 0.1 })
    for turn in 1..<4 { #expect(tools[turn] < none[turn] && tools[turn] > timestamp[turn]) }
  }

  @Test func `another session for every turn keeps the conversation`() async throws {
    func prompts(_ policy: PlayStyle.Policy) async throws -> [String] {
      let (store, folder) = try await play(
        ConversationFixture.style { $0.policy = policy }, ["support-desk"], states: [.cold])
      defer { withExtendedLifetime(folder) {} }
      let reasons = try store.lines("SELECT DISTINCT invalid_reason FROM trial")
      #expect(reasons == [""])
      return try store.lines("SELECT output_kind, n_output \(measured) ORDER BY request_id")
    }
    #expect(try await prompts(.one) == prompts(.fresh))
  }

  @Test func `conversations that begin again and those that run together are whole`() async throws {
    let (store, folder) = try await play(
      ConversationFixture.style(), ["overflow-recover", "fanout-shared"], states: [.cold])
    let reasons = try store.lines("SELECT DISTINCT invalid_reason FROM trial")
    #expect(reasons == [""])
    #expect(
      try store.lines(
        """
        SELECT variant, COUNT(*) \(measured) AND scenario = 'fanout-shared'
          GROUP BY variant ORDER BY variant
        """) == ["cache-bust|32", "lanes-1|8", "lanes-2|16", "lanes-4|32", "lanes-8|64"])
    // The prompt after the restart is shorter than the one before it.
    let prompts = try store.database.rows(
      "SELECT n_prompt \(measured) AND variant = 'trim' ORDER BY request_id"
    ).compactMap { $0.int(0) }
    #expect(prompts.count == 15 && prompts[13] < prompts[12] / 4)
    withExtendedLifetime(folder) {}
  }

  @Test func `a report and a comparison keep ways of playing apart`() async throws {
    let loaded = try ConversationFixture.loaded()
    let target = ConversationTarget(loaded)
    let encoding = ModelTextEncoding(loaded.tokenizer)
    let (store, folder) = try await ConversationFixture.play(
      target, ConversationFixture.style(), encoding: encoding, scenarios: ["one-tool"],
      states: [.cold])
    let (_, other) = try await ConversationFixture.play(
      target, ConversationFixture.style { $0.policy = .fresh }, encoding: encoding,
      scenarios: ["one-tool"], states: [.cold], into: store)
    #expect(try store.newestRuns() == [1, 2])
    let page = String(decoding: try ReportPage(store.benchReport()).html(), as: UTF8.self)
    #expect(page.contains("session level, a new session every turn"))
    let comparison = RunComparison(
      axis: .run, first: ("1", try store.measuredCells(runs: [1])),
      second: ("2", try store.measuredCells(runs: [2])))
    #expect(comparison.compared.map(\.condition) == [.policy])
    #expect(comparison.differences.isEmpty)
    let refused = RunComparison(
      axis: .device, first: ("1", try store.measuredCells(runs: [1])),
      second: ("2", try store.measuredCells(runs: [2])))
    #expect(refused.differences.map(\.condition) == [.policy])
    withExtendedLifetime((folder, other)) {}
  }

  @Test func `in live mode the model decides, and nothing is missed`() async throws {
    let (store, folder) = try await play(
      ConversationFixture.style { $0.mode = .live }, ["one-tool"], states: [.cold])
    #expect(try store.lines("SELECT DISTINCT mode FROM v_cell") == ["live"])
    let reasons = try store.lines("SELECT DISTINCT invalid_reason FROM trial")
    #expect(reasons == [""])
    #expect(
      try store.lines("SELECT COUNT(*) FROM request WHERE expected_output IS NOT NULL") == ["0"])
    #expect(try store.lines("SELECT MIN(n_output) > 0 FROM request") == ["1"])
    withExtendedLifetime(folder) {}
  }
}

/// Suites played on models of others, as servers are.
@Suite struct ServerConversationTests {
  private func play(
    _ behaviour: PieceModel.Behaviour, _ scenarios: [String] = ["one-tool"],
    states: [CacheState] = [.cold]
  ) async throws -> (store: BenchStore, log: PieceModel.PromptLog, folder: TemporaryFolder) {
    let log = PieceModel.PromptLog()
    let model = PieceModel(behaviour: behaviour, log: log)
    let target = ConversationTarget(
      model: model, contextLength: nil, toolForm: .hermes, count: { PieceModel.count($0) })
    let style = ConversationFixture.style { $0.promptForm = .plain }
    let suite = try Suite(folder: Suite.folder(program: nil))
    let words = suite.texts.pad + suite.texts.filler
    let (store, folder) = try await ConversationFixture.play(
      target, style, encoding: WordEncoding(words: words), scenarios: scenarios, states: states,
      endpoint: "http://server/v1")
    return (store, log, folder)
  }

  @Test func `what a server is asked is messages of text, with its own answers in them`()
    async throws
  {
    let (store, log, folder) = try await play(PieceModel.Behaviour())
    let reasons = try store.lines("SELECT DISTINCT invalid_reason FROM trial")
    #expect(reasons == [""])
    #expect(
      try store.lines("SELECT endpoint, prompt_form FROM v_cell") == ["http://server/v1|plain"])
    for request in log.requests {
      #expect(request.enabledToolDefinitions.isEmpty && request.schema == nil)
    }
    let second = try #require(log.requests.last).transcript
    let kinds = second.map { entry in
      switch entry {
      case .instructions(let entry): "instructions \(entry.toolDefinitions.count)"
      case .prompt: "prompt"
      case .response: "response"
      case .toolCalls, .toolOutput, .reasoning: "other"
      }
    }
    #expect(kinds == ["instructions 0", "prompt", "response", "prompt"])
    if case .response(let answer) = second[2] {
      #expect(answer.segments.map(\.description).joined().hasPrefix("word word "))
    }
    withExtendedLifetime(folder) {}
  }

  @Test func `no two trials begin alike, since a server's cache can't be emptied`() async throws {
    let (_, log, folder) = try await play(PieceModel.Behaviour())
    let beginnings = log.requests.compactMap { request -> String? in
      guard case .instructions(let entry)? = request.transcript.first else { return nil }
      return String(entry.segments.map(\.description).joined().prefix(14))
    }
    #expect(beginnings.count == 4)
    #expect(Set(beginnings).count == 2)
    #expect(beginnings.allSatisfy { $0.hasPrefix("Case ") && $0.utf8.count == 14 })
    withExtendedLifetime(folder) {}
  }

  @Test func `a cache that is not reported is not known, and never 0`() async throws {
    let (store, _, folder) = try await play(PieceModel.Behaviour())
    #expect(try store.lines("SELECT DISTINCT n_cached, hit FROM v_request") == ["|"])
    #expect(try store.report(run: 1).cells.first?.metrics[.hit] == nil)
    let (other, _, second) = try await play(
      PieceModel.Behaviour(reportsCache: true), states: [.prewarmed])
    let reasons = try other.lines("SELECT DISTINCT invalid_reason FROM trial")
    #expect(reasons == [""])
    #expect(try other.report(run: 1).cells.first?.metrics[.hit] != nil)
    withExtendedLifetime((folder, second)) {}
  }

  @Test func `answers of another length and prompts of another count make a trial invalid`()
    async throws
  {
    let (short, _, first) = try await play(PieceModel.Behaviour(missing: 1))
    #expect(
      try short.lines("SELECT DISTINCT invalid_reason FROM trial")
        == ["request 0 gave 29 tokens, and the script says 30"])
    let (long, _, second) = try await play(PieceModel.Behaviour(extraPrompt: 40))
    let reasons = try long.lines("SELECT DISTINCT invalid_reason FROM trial")
    #expect(reasons.count == 1)
    #expect(reasons.first?.contains("prompt tokens instead of") == true)
    withExtendedLifetime((first, second)) {}
  }

  @Test func `a server that counts nothing is counted here`() async throws {
    let (store, _, folder) = try await play(PieceModel.Behaviour(reportsUsage: false))
    let reasons = try store.lines("SELECT DISTINCT invalid_reason FROM trial")
    #expect(reasons == [""])
    #expect(
      try store.lines("SELECT COUNT(*) FROM request WHERE n_prompt != expected_prompt") == ["0"])
    #expect(
      try store.lines("SELECT DISTINCT stream_pieces = n_output FROM v_request") == ["1"])
    withExtendedLifetime(folder) {}
  }

  @Test func `a server is asked something new in live mode too`() async throws {
    let log = PieceModel.PromptLog()
    let target = ConversationTarget(
      model: PieceModel(behaviour: PieceModel.Behaviour(), log: log), contextLength: nil,
      toolForm: .hermes, count: { PieceModel.count($0) })
    let suite = try Suite(folder: Suite.folder(program: nil))
    let (store, folder) = try await ConversationFixture.play(
      target, ConversationFixture.style { $0.mode = .live },
      encoding: WordEncoding(words: suite.texts.pad + suite.texts.filler),
      scenarios: ["one-tool"], states: [.cold], endpoint: "http://server/v1")
    let reasons = try store.lines("SELECT DISTINCT invalid_reason FROM trial")
    #expect(reasons == [""])
    #expect(log.requests.allSatisfy { !$0.enabledToolDefinitions.isEmpty })
    let beginnings = log.requests.compactMap { request -> String? in
      guard case .instructions(let entry)? = request.transcript.first else { return nil }
      return String(entry.segments.map(\.description).joined().prefix(14))
    }
    #expect(Set(beginnings).count == 2)
    withExtendedLifetime(folder) {}
  }

  @Test func `Ctrl-C cuts a request that a server never answers`() async throws {
    let folder = try TemporaryFolder()
    let store = try BenchStore(writing: folder.path("c.sqlite"))
    let suite = try Suite(folder: Suite.folder(program: nil))
    var options = RunOptions()
    options.scenarios = ["one-tool"]
    options.states = [.cold]
    options.effort = .trials(1)
    let interruption = Interruption()
    let log = PieceModel.PromptLog()
    let model = PieceModel(
      behaviour: PieceModel.Behaviour(hangs: true), log: log,
      began: { interruption.request() })
    let target = ConversationTarget(
      model: model, contextLength: nil, toolForm: .hermes, count: { PieceModel.count($0) })
    let arm = BenchArm(
      target: .conversations(target),
      subject: RunSubject(model: StoreFixture.model, device: StoreFixture.device),
      encoding: WordEncoding(words: suite.texts.pad + suite.texts.filler),
      style: ConversationFixture.style { $0.promptForm = .plain }, endpoint: "http://server/v1")
    let runner = BenchRunner(store: store, arms: [arm], suite: suite, options: options)
    let result = try await runner.run(interruption: interruption) { _ in }
    #expect(result.status == .interrupted)
    let reasons = try store.lines("SELECT invalid_reason FROM trial")
    #expect(reasons == ["interrupted"])
    #expect(log.requests.count == 1)
  }

  @Test(arguments: [
    ("http://u:secret@host:8080/v1?key=secret#secret", "http://host:8080/v1"),
    ("https://host/v1", "https://host/v1"), ("http://[::1]:80/v1", "http://[::1]:80/v1"),
  ])
  func `of an address only what is no secret is stored`(address: String, shown: String) {
    #expect(ServerAddress.shown(address) == shown)
    let words = ServerAddress.shown(in: [
      "fmbench", "--endpoint", address, "--endpoint=\(address)", "-q",
    ])
    #expect(words == ["fmbench", "--endpoint", shown, "--endpoint=\(shown)", "-q"])
    #expect(!ServerAddress.shown("http://secret:secret@ho st/").contains("secret"))
    #expect(ServerAddress.named(address) == shown)
    #expect(ServerAddress.named("cpu") == "cpu")
  }

  @Test func `a server is prewarmed by a request of one token`() async throws {
    let (store, log, folder) = try await play(
      PieceModel.Behaviour(reportsCache: true), states: [.prewarmed])
    #expect(
      try store.lines(
        "SELECT role, n_output FROM v_request WHERE phase = 'measured' ORDER BY request_id")
        == ["prewarm|1", "measured|30", "measured|60"])
    #expect(log.requests.count == 6)
    withExtendedLifetime(folder) {}
  }
}
