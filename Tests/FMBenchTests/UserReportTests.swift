import FMBench
import FMCore
import FMEngine
import FMTestSupport
import Synchronization
import Testing

/// Rows computed since it was last asked.
private final class RowCount: Sendable {
  private let rows = Mutex(0)

  func add(_ count: Int) { rows.withLock { $0 += count } }

  func take() -> Int {
    rows.withLock { rows in
      defer { rows = 0 }
      return rows
    }
  }
}

/// When steps began, each of which keeps the processor busy.
private final class StepWatch: Sendable {
  private let starts = Mutex<[MonotonicInstant]>([])

  func workForFortyMilliseconds() {
    let start = MonotonicInstant.now
    starts.withLock { $0.append(start) }
    while MonotonicInstant.now.seconds(since: start) < 0.04 {}
  }

  func take() -> [MonotonicInstant] {
    starts.withLock { starts in
      defer { starts = [] }
      return starts
    }
  }
}

/// What users of other benchmarks reported, on an engine of this process.
@Suite struct UserReportTests {
  private struct Silent: EngineVocabulary {
    var vocabularySize = 512
    var endOfGeneration: Set<TokenID> = [2, 3]

    func makeTextStream() -> any TokenTextStream { Stream() }

    struct Stream: TokenTextStream {
      mutating func append(_ token: TokenID) -> String { "x" }
      mutating func finish() -> String { "" }
    }
  }

  /// An engine that calls a hook with the rows of each step.
  private func engine(beforeStep: @escaping @Sendable (Int) -> Void = { _ in }) -> Engine {
    let executor = ScriptedExecutor(
      vocabularySize: 512, contextLength: 4096, blockCounts: [512],
      rule: ScriptedExecutor.random(seed: 9, vocabularySize: 512))
    executor.beforeStep = { _, rows in beforeStep(rows) }
    return Engine(executor: executor, vocabulary: Silent())
  }

  /// Plays `one-tool` from a cold cache so many times.
  private func play(
    _ folder: TemporaryFolder, on engine: Engine, trials: Int,
    observe: @escaping (RunEvent) -> Void = { _ in }
  ) async throws -> BenchStore {
    let suite = try Suite(folder: Suite.folder(program: nil))
    var options = RunOptions()
    options.scenarios = ["one-tool"]
    options.states = [.cold]
    options.effort = .trials(trials)
    options.gapScale = 0
    let store = try BenchStore(writing: folder.path("r.sqlite"))
    let runner = BenchRunner(
      store: store, target: EngineTarget(engine: engine),
      subject: RunSubject(
        model: StoreFixture.model, device: StoreFixture.device, loadNanoseconds: 7_000_000),
      suite: suite, encoding: WordEncoding(words: suite.texts.pad + suite.texts.filler),
      options: options)
    #expect(
      try await runner.run(interruption: Interruption(), observe: observe).status == .finished)
    return store
  }

  @Test func `the tenth cold trial computes as many tokens as the first`() async throws {
    let folder = try TemporaryFolder()
    let computed = RowCount()
    var perTrial: [Int] = []
    let store = try await play(folder, on: engine { computed.add($0) }, trials: 10) { event in
      if case .trialEnded = event { perTrial.append(computed.take()) }
    }
    // The device's own count, the warm-up's included.
    #expect(perTrial.count == 11 && Set(perTrial).count == 1)
    // What was cached is stored with every request, and left out of the rate.
    #expect(
      try store.lines(
        """
        SELECT number, COUNT(*), MIN(n_cached), MAX(n_cached), MIN(n_prompt), MAX(n_prompt)
          FROM v_request WHERE phase = 'measured' GROUP BY number
        """) == ["0|10|0|0|240|240", "1|10|269|269|330|330"])
    #expect(
      try store.lines(
        """
        SELECT COUNT(*) FROM v_request v JOIN request r ON r.id = v.request_id
          WHERE abs(prefill_tps * (r.first_token_ns - r.prefill_start_ns) / 1e9
            - (v.n_prompt - v.n_cached)) > 0.01
        """) == ["0"])
  }

  @Test func `a warm-up has every length of a trial, and loading is in no trial`() async throws {
    let folder = try TemporaryFolder()
    let store = try await play(folder, on: engine(), trials: 2)
    func shapes(_ phase: String) throws -> [String] {
      try store.lines(
        """
        SELECT DISTINCT number, n_prompt - n_cached, n_output FROM v_request
          WHERE phase = '\(phase)' ORDER BY number
        """)
    }
    #expect(try shapes("warmup") == shapes("measured"))
    #expect(try shapes("warmup").count == 2)
    #expect(try store.lines("SELECT order_index FROM trial WHERE phase = 'warmup'") == ["0"])
    #expect(try store.lines("SELECT load_ns FROM run") == ["7000000"])
    #expect(try store.report(run: 1).loadMilliseconds == 7)
    // The load was before the first request that is stored, whenever that was.
    #expect(MetricDefinition.named("load_time")?.formula == "run.load_ns")
  }

  @Test func `a stopwatch outside agrees with the time to first token within two percent`()
    async throws
  {
    // The stopwatch is the device's: its second step begins when the first token was handed over.
    // Forty milliseconds of work a step make two percent more than that takes.
    let watch = StepWatch()
    let engine = engine { _ in watch.workForFortyMilliseconds() }
    var differences: [Double] = []
    for number in 0..<5 {
      _ = watch.take()
      let start = MonotonicInstant.now
      var summary: GenerationSummary?
      for try await event in engine.generate(
        GenerationRequest(
          prompt: (0..<40).map { TokenID(20 + number * 50 + $0) }, sampling: .greedy,
          maximumTokens: 2))
      {
        if case .finished(let finished) = event { summary = finished }
      }
      let starts = watch.take()
      try #require(starts.count == 2)
      let outside = starts[1].seconds(since: start)
      let stamps = try #require(summary).stamps
      let inside = try #require(stamps.firstToken).seconds(since: stamps.submitted)
      #expect(inside >= 0.04 && inside <= outside)
      #expect(summary?.tokens.count == 2 && summary?.promptTokens == 40)
      differences.append(outside / inside - 1)
    }
    // On a busy machine a thread may lose its turn in between; that is nobody's time to first token.
    #expect((differences.min() ?? 1) <= 0.02, "\(differences)")
  }

  @Test func `every number of a report says how it is taken, and what others leave out of theirs`()
    throws
  {
    for metric in Metric.allCases {
      let definition = try #require(MetricDefinition.named(metric.rawValue), "\(metric)")
      #expect(!definition.formula.isEmpty)
      #expect(definition.unit == metric.unit)
    }
    for name in ["ttft", "prefill_tps", "decode_tps"] {
      let definition = try #require(MetricDefinition.named(name))
      #expect(definition.elsewhere.contains { $0.hasPrefix("llama-bench") })
    }
  }
}
