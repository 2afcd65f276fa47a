import FMBench
import FMCore
import FMEngine
import FMTestSupport
import Synchronization
import Testing

/// A target whose requests end only when so many are under way: a player that waits for one before
/// it begins the next would wait for ever.
private final class GatheringTarget: RequestTarget {
  let contextLength = 4096
  private let lanes: Int
  private let inner = FakeTarget()
  private let waiting = Mutex<[CheckedContinuation<Void, Never>]>([])

  init(lanes: Int) { self.lanes = lanes }

  var requests: Int { inner.requests }

  func clearCache() async throws { try await inner.clearCache() }

  func prefill(_ tokens: [TokenID]) async throws -> RequestOutcome {
    try await inner.prefill(tokens)
  }

  func perform(
    _ request: ScriptedRequest, interruption: Interruption
  ) async throws -> RequestOutcome {
    let submitted = MonotonicInstant.now
    await gather()
    var outcome = try await inner.perform(request, interruption: interruption)
    outcome.submitted = submitted
    return outcome
  }

  private func gather() async {
    await withCheckedContinuation { continuation in
      let all = waiting.withLock { waiting -> [CheckedContinuation<Void, Never>] in
        waiting.append(continuation)
        guard waiting.count == lanes else { return [] }
        defer { waiting = [] }
        return waiting
      }
      for continuation in all { continuation.resume() }
    }
  }
}

/// A number that others wait for.
private final class Count: Sendable {
  private typealias Waiting = (least: Int, CheckedContinuation<Void, Never>)
  private let state = Mutex<(value: Int, waiting: [Waiting])>((0, []))

  var value: Int { state.withLock { $0.value } }

  func add() {
    let reached = state.withLock { state in
      state.value += 1
      defer { state.waiting.removeAll { $0.least <= state.value } }
      return state.waiting.filter { $0.least <= state.value }
    }
    for (_, continuation) in reached { continuation.resume() }
  }

  func reaches(_ least: Int) async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.value < least { state.waiting.append((least, continuation)) }
        return state.value >= least
      }
      if isThere { continuation.resume() }
    }
  }
}

/// A target that begins a request when the one before it was announced.
private final class FollowingTarget: RequestTarget {
  let contextLength = 4096
  private let announced: Count
  private let inner = FakeTarget()

  init(_ announced: Count) { self.announced = announced }

  func clearCache() async throws { try await inner.clearCache() }

  func prefill(_ tokens: [TokenID]) async throws -> RequestOutcome {
    try await inner.prefill(tokens)
  }

  func perform(
    _ request: ScriptedRequest, interruption: Interruption
  ) async throws -> RequestOutcome {
    let submitted = MonotonicInstant.now
    await announced.reaches(inner.requests)
    var outcome = try await inner.perform(request, interruption: interruption)
    outcome.submitted = submitted
    return outcome
  }
}

@Suite struct LaneTests {
  private let suite: Suite
  private let folder: TemporaryFolder
  private let store: BenchStore

  init() throws {
    suite = try Suite(folder: Suite.folder(program: nil))
    folder = try TemporaryFolder()
    store = try BenchStore(writing: folder.path("r.sqlite"))
  }

  /// A suite whose only scenario is `fanout-shared` in one form.
  private func only(_ variant: String) throws -> Suite {
    var suite = suite
    suite.scenarios = try suite.scenarios(named: ["fanout-shared"])
    suite.scenarios[0].variants?.removeAll { $0.name != variant }
    return suite
  }

  private func run(
    _ target: any RequestTarget, _ variant: String, state: CacheState = .cold,
    observe: @escaping (RunEvent) -> Void = { _ in }
  ) async throws -> RunStatus {
    var options = RunOptions()
    options.effort = .trials(1)
    options.gapScale = 0
    options.states = [state]
    let runner = BenchRunner(
      store: store, target: target,
      subject: RunSubject(model: StoreFixture.model, device: StoreFixture.device),
      suite: try only(variant),
      encoding: WordEncoding(words: suite.texts.pad + suite.texts.filler), options: options)
    return try await runner.run(interruption: Interruption(), observe: observe).status
  }

  private func number(_ sql: String) throws -> Int {
    try store.database.rows(sql).first?.int(0) ?? -1
  }

  @Test(.timeLimit(.minutes(2)), arguments: [1, 2, 4, 8])
  func `as many sessions as the form has lanes are under way at the same time`(
    lanes: Int
  ) async throws {
    let target = GatheringTarget(lanes: lanes)
    #expect(try await run(target, "lanes-\(lanes)") == .finished)
    // A warm-up and a trial.
    #expect(target.requests == 2 * 8 * lanes)
    #expect(try store.lines("SELECT DISTINCT invalid_reason FROM trial") == [""])
    // Every n-th request of one session was under way together with every other session's.
    #expect(
      try number(
        """
        SELECT COUNT(*) FROM v_request a JOIN v_request b
          ON a.trial_id = b.trial_id AND a.number = b.number
          JOIN request x ON x.id = a.request_id JOIN request y ON y.id = b.request_id
          WHERE x.submitted_ns > y.completed_ns
        """) == 0)
    // Late is how long after its due time a request was handed over, whatever the others do.
    #expect(try number("SELECT COUNT(*) FROM request WHERE scheduled_ns > submitted_ns") == 0)
    let wall = try number(
      """
      SELECT MAX(r.completed_ns) - MIN(r.scheduled_ns) FROM request r
        JOIN session s ON s.id = r.session_id JOIN trial t ON t.id = s.trial_id
        WHERE t.phase = 'measured'
      """)
    let report = try store.report(run: 1)
    #expect(report.cells[0].metrics[.taskWall]?.median == Double(wall) / 1e6)
    #expect(report.cells[0].metrics[.handoffGap] == nil)
  }

  @Test(.timeLimit(.minutes(2)))
  func `each session's rows are stored in their order, with their tools`() async throws {
    var announced: [String: [Int]] = [:]
    _ = try await run(GatheringTarget(lanes: 4), "lanes-4") { event in
      guard case .request(let report) = event, !report.trial.isWarmUp else { return }
      announced[report.session, default: []].append(report.row.number)
    }
    for lane in 1...4 { #expect(announced["worker-\(lane)"] == Array(0..<8)) }
    #expect(
      try store.lines(
        """
        SELECT session_name || ' ' || number FROM v_request WHERE phase = 'measured'
          ORDER BY session, request_id
        """) == (1...4).flatMap { lane in (0..<8).map { "worker-\(lane) \($0)" } })
    #expect(
      try store.lines(
        """
        SELECT DISTINCT n_prompt, n_output FROM v_request WHERE phase = 'measured'
          AND session = 3 ORDER BY request_id
        """) == [
          "940|60", "1120|60", "1220|60", "1400|60", "1500|60", "1680|60", "1780|60", "1960|60",
        ])
    // Nothing that is written is waited for.
    #expect(try store.lines("SELECT DISTINCT recording_ns FROM trial") == ["0"])
    #expect(
      try number(
        """
        SELECT COUNT(*) FROM tool_call x JOIN request r ON r.id = x.request_id
          WHERE x.started_ns < r.completed_ns
        """) == 0)
    #expect(try number("SELECT COUNT(*) FROM tool_call") == 2 * 4 * 4)
  }

  @Test(.timeLimit(.minutes(2)))
  func `a request is announced while its session goes on`() async throws {
    let announced = Count()
    let target = FollowingTarget(announced)
    let status = try await run(target, "lanes-1") { event in
      if case .request = event { announced.add() }
    }
    #expect(status == .finished)
    // A warm-up and a trial.
    #expect(announced.value == 2 * 8)
  }

  @Test func `a disk that fills up ends all sessions with its error`() async throws {
    let pages = try number("PRAGMA page_count")
    try store.database.execute("PRAGMA max_page_count = \(pages + 12)")
    await #expect(throws: StoreError.full(path: store.path)) {
      for _ in 0..<100 { _ = try await run(FakeTarget(), "lanes-4") }
    }
    #expect(try number("SELECT COUNT(*) FROM request") > 0)
  }

  @Test func `workers share their beginning, and nothing when the cache is to be of no use`() throws
  {
    let plans = try suite.scenarios(named: ["fanout-shared"]).flatMap {
      try ScenarioPlan.all(of: $0)
    }
    #expect(plans.map(\.sessions.count) == [1, 2, 4, 8, 4])
    #expect(plans.allSatisfy { $0.windowTokens == 2020 && $0.isConcurrent })
    let text = ExactText(
      texts: suite.texts, encoding: WordEncoding(words: suite.texts.pad + suite.texts.filler),
      seed: 1)
    func shared(_ plan: ScenarioPlan) throws -> [Int] {
      let prefixes = try TrialScript(plan, text: text).sessions.map(\.prefix)
      #expect(prefixes.allSatisfy { $0.count == 900 })
      return prefixes.dropFirst().map { prefix in
        zip(prefix, prefixes[0]).prefix { $0 == $1 }.count
      }
    }
    #expect(try shared(plans[3]).allSatisfy { (800..<900).contains($0) })
    #expect(try shared(plans[4]).allSatisfy { $0 < 100 })
  }

  @Test(.timeLimit(.minutes(2)), arguments: [("lanes-4", 800..<900), ("cache-bust", 0..<100)])
  func `with the first one's prefix in the cache the others find what they share`(
    variant: String, shared: Range<Int>
  ) async throws {
    #expect(
      try await run(GatheringTarget(lanes: 4), variant, state: .prewarmed) == .finished)
    #expect(try store.lines("SELECT DISTINCT invalid_reason FROM trial") == [""])
    let found = try store.database.rows(
      """
      SELECT n_cached, ideal_cached FROM v_request WHERE phase = 'measured' AND role = 'measured'
        AND turn = 0 AND step = 0 ORDER BY session
      """)
    try #require(found.count == 4)
    #expect(found[0].int(0) == 900)
    for row in found.dropFirst() {
      #expect(shared.contains(row.int(0) ?? -1))
      #expect(row.int(0) == row.int(1))
    }
    // Nothing else was prepared.
    #expect(
      try store.lines(
        "SELECT session, n_prompt FROM v_request WHERE role = 'prewarm' AND phase = 'measured'")
        == ["0|900"])
  }

  @Test func `an engine decodes eight sessions in one step`() async throws {
    let vocabulary = 512
    let executor = ScriptedExecutor(
      vocabularySize: vocabulary, contextLength: 4096, blockCounts: [2048],
      rule: { _, _ in [Float](repeating: 0, count: vocabulary) })
    let steps = Mutex<[Int: Int]>([:])
    executor.beforeStep = { _, rows in
      steps.withLock { $0[rows, default: 0] += 1 }
    }
    let target = EngineTarget(
      engine: Engine(executor: executor, vocabulary: LaneVocabulary(vocabularySize: vocabulary)))
    #expect(try await run(target, "lanes-8") == .finished)
    #expect(try store.lines("SELECT DISTINCT invalid_reason FROM trial") == [""])
    // Prompts come in chunks of hundreds of rows; steps of eight decode, one row a session.
    #expect(steps.withLock { $0[8] ?? 0 } > 100)
  }

  @Test func `a failure in one session ends all, and every row is kept`() async throws {
    let target = FakeTarget(fault: .endsEarly(by: 1))
    #expect(try await run(target, "lanes-4") == .finished)
    #expect(
      try store.lines("SELECT DISTINCT invalid_reason FROM trial") == [
        "an output has 59 tokens, the script says 60 (it ended by length)"
      ])
    #expect(try number("SELECT COUNT(*) FROM request") == target.requests)
  }

  @Test func `a cold cache that was not cleared is found out`() async throws {
    _ = try await run(FakeTarget(fault: .keepsCache), "lanes-4")
    let reasons = try store.lines(
      "SELECT DISTINCT invalid_reason FROM trial WHERE phase = 'measured'")
    #expect(reasons.count == 1 && reasons[0].hasPrefix("the cold cache held"))
  }

  @Test func `an interruption ends every request under way`() {
    let interruption = Interruption()
    let requests = (0..<3).map { _ in GenerationCancellation() }
    for request in requests { interruption.watch(request) }
    interruption.unwatch(requests[1])
    interruption.request()
    #expect(requests.map(\.isCancelled) == [true, false, true])
    let late = GenerationCancellation()
    interruption.watch(late)
    #expect(late.isCancelled)
  }
}

/// A vocabulary without text.
private struct LaneVocabulary: EngineVocabulary {
  var vocabularySize: Int
  var endOfGeneration: Set<TokenID> = [2, 3]

  func makeTextStream() -> any TokenTextStream { LaneTextStream() }
}

private struct LaneTextStream: TokenTextStream {
  mutating func append(_ token: TokenID) -> String { "" }
  mutating func finish() -> String { "" }
}
