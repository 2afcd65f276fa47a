import FMBench
import FMCore
import FMEngine
import FMTestSupport
import FMTrace
import Testing

@Suite struct EngineTraceTests {
  /// A vocabulary with a word for every token.
  private struct Words: EngineVocabulary {
    var vocabularySize = 512
    var endOfGeneration: Set<TokenID> = [2, 3]

    func makeTextStream() -> any TokenTextStream { Stream() }

    struct Stream: TokenTextStream {
      mutating func append(_ token: TokenID) -> String { " w\(token)" }
      mutating func finish() -> String { "" }
    }
  }

  /// Plays scenarios in turn and at the same time on an engine that is traced.
  private func play(_ folder: TemporaryFolder) async throws -> (BenchStore, [TraceSpan]) {
    let recorder = TraceRecorder()
    let executor = ScriptedExecutor(
      vocabularySize: 512, contextLength: 4096, blockCounts: [1024],
      rule: ScriptedExecutor.random(seed: 4, vocabularySize: 512))
    let engine = Engine(
      executor: executor, vocabulary: Words(),
      configuration: EngineConfiguration(tracer: recorder))
    var suite = try Suite(folder: Suite.folder(program: nil))
    suite.scenarios = try suite.scenarios(named: ["one-tool", "fanout-shared"])
    for index in suite.scenarios.indices {
      suite.scenarios[index].variants?.removeAll { $0.name != "lanes-4" }
    }
    var options = RunOptions()
    options.effort = .trials(1)
    options.gapScale = 0
    options.states = [.cold]
    let store = try BenchStore(writing: folder.path("r.sqlite"))
    let runner = BenchRunner(
      store: store, target: EngineTarget(engine: engine),
      subject: RunSubject(model: StoreFixture.model, device: StoreFixture.device), suite: suite,
      encoding: WordEncoding(words: suite.texts.pad + suite.texts.filler), options: options)
    #expect(try await runner.run(interruption: Interruption()) { _ in }.status == .finished)
    #expect(recorder.droppedCount == 0)
    return (store, recorder.spans)
  }

  @Test func `counts and stamps equal the engine's own trace, and parts make the whole`()
    async throws
  {
    let folder = try TemporaryFolder()
    let (store, spans) = try await play(folder)
    let rows = try store.database.rows(
      """
      SELECT submitted_ns, prefill_start_ns, first_token_ns, last_token_ns, completed_ns, n_prompt,
          n_cached, n_output, miss_reason, g.count, g.gaps
        FROM request r JOIN token_gap g ON g.request_id = r.id ORDER BY submitted_ns
      """)
    let requests = spans.filter { $0.kind == .generation }
    #expect(rows.count == requests.count && rows.count == 2 * (2 + 4 * 8))
    for row in rows {
      let stamps = (0..<5).map { UInt64(row.int($0) ?? 0) }
      let request = try #require(
        requests.first { $0.begin.nanoseconds == stamps[0] && $0.end?.nanoseconds == stamps[4] })
      #expect(request.count("prompt_tokens") == row.int(5))
      #expect(request.count("cached_tokens") == row.int(6))
      #expect(request.count("output_tokens") == row.int(7))
      #expect(request.value("cache_miss_reason") == .name(row.string(8) ?? ""))
      let parts = spans.filter { $0.parent == request.id }
      #expect(parts.map(\.kind) == [.queue, .prefill, .decode])
      #expect(parts.first?.end?.nanoseconds == stamps[1])
      // Stamped after the choice, which the trace's decode span begins with.
      let decode = try #require(parts.last)
      let decodeEnd = try #require(decode.end)
      let tokens = try #require(
        TokenGaps.decode(
          row.bytes(10) ?? [], count: row.int(9) ?? 0, from: request.begin))
      #expect(tokens.count == row.int(7))
      #expect(tokens.first?.nanoseconds == stamps[2] && tokens.last?.nanoseconds == stamps[3])
      #expect(tokens.allSatisfy { decode.begin <= $0 && $0 <= decodeEnd })
      let whole = Double(stamps[4] - stamps[0])
      let traced = parts.reduce(0.0) { $0 + ($1.end?.seconds(since: $1.begin) ?? 0) * 1e9 }
      #expect(abs(traced - whole) <= 0.01 * whole)
    }
    // The same of what people read: queue, prefill, decoding and tail are the request.
    #expect(
      try store.lines(
        """
        SELECT COUNT(*) FROM v_request WHERE n_output >= 2
          AND abs(queue_ms + prefill_ms + tpot_ms * (n_output - 1) + tail_ms - request_ms)
            <= 0.01 * request_ms
        """) == ["\(rows.count)"])
  }

  @Test func `the parts of decoding do not overlap and fit into it`() async throws {
    let folder = try TemporaryFolder()
    let (store, _) = try await play(folder)
    #expect(
      try store.lines(
        """
        SELECT COUNT(*) FROM request WHERE sampling_ns > 0 AND text_ns > 0 AND constraint_ns = 0
          AND sampling_ns + constraint_ns + text_ns <= completed_ns - submitted_ns
        """) == ["\(2 * (2 + 4 * 8))"])
    for cell in try store.report(run: 1).cells {
      let shares = [Metric.samplerShare, .grammarShare, .detokenizerShare].map {
        cell.metrics[$0]?.median
      }
      let (sampler, grammar, text) = (
        try #require(shares[0]), try #require(shares[1]), try #require(shares[2])
      )
      #expect(sampler > 0 && text > 0 && grammar == 0)
      #expect(sampler + text < 1)
    }
  }
}
