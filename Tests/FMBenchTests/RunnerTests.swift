import FMBackend
import FMBench
import FMCore
import Foundation
import Synchronization
import Testing

@Suite struct RunnerTests {
  /// A run's store and everything it announced.
  private final class Recording {
    let folder: TemporaryFolder
    let store: BenchStore
    var events: [RunEvent] = []
    var status = RunStatus.running
    var run = 0

    init() throws {
      folder = try TemporaryFolder()
      store = try BenchStore(writing: folder.path("r.sqlite"))
    }

    func number(_ sql: String) throws -> Int {
      try store.database.rows(sql).first?.int(0) ?? -1
    }
  }

  private func record(
    _ target: FakeTarget, scenarios: [String] = [], states: [CacheState] = [], trials: Int = 2,
    device: DeviceDescription = StoreFixture.device
  ) async throws -> Recording {
    let recording = try Recording()
    let suite = try Suite(folder: Suite.folder(program: nil))
    var options = RunOptions()
    options.scenarios = scenarios
    options.states = states
    options.effort = .trials(trials)
    options.gapScale = 0
    options.arguments = ["fmbench", "run"]
    let runner = BenchRunner(
      store: recording.store, target: target,
      subject: RunSubject(model: StoreFixture.model, device: device),
      suite: suite, encoding: WordEncoding(words: suite.texts.pad + suite.texts.filler),
      options: options)
    let result = try await runner.run(interruption: Interruption()) { event in
      recording.events.append(event)
    }
    recording.run = result.run
    recording.status = result.status
    return recording
  }

  @Test func `plays every scenario in every state with the counts of the script`() async throws {
    let recording = try await record(FakeTarget())
    #expect(recording.status == .finished)
    // one-tool and planner-handoff in 3 states, tool-menu in 3 forms and 2 states, support-desk and coding-loop in 2
    // states, growing-transcript, data-agent, schema-ladder in 4 forms, fanout-shared in 5 and 2 states,
    // overflow-recover in 2, device-slice.
    #expect(try recording.number("SELECT COUNT(*) FROM cell") == 35)
    #expect(try recording.number("SELECT COUNT(*) FROM trial WHERE phase = 'measured'") == 70)
    #expect(try recording.number("SELECT COUNT(*) FROM trial WHERE phase = 'warmup'") == 35)
    #expect(try recording.number("SELECT COUNT(*) FROM trial WHERE valid IS NOT 1") == 0)
    // However often a prompt was played before, a cold one finds nothing.
    #expect(
      try recording.number(
        """
        SELECT MAX(n_cached) FROM v_request
          WHERE state = 'cold' AND turn = 0 AND step = 0 AND session = 0
            AND scenario <> 'fanout-shared'
        """) == 0)
    #expect(
      try recording.number(
        """
        SELECT COUNT(*) FROM request WHERE role = 'measured'
          AND (n_prompt IS NOT expected_prompt OR n_output IS NOT expected_output)
        """) == 0)
    #expect(
      try recording.store.lines(
        """
        SELECT n_prompt, n_output, output_kind FROM v_request
          WHERE scenario = 'one-tool' AND state = 'cold' AND phase = 'measured' AND rep = 0
        """) == ["240|30|call", "330|60|text"])
    #expect(
      try recording.store.lines(
        """
        SELECT n_prompt, n_output FROM v_request WHERE scenario = 'planner-handoff'
          AND state = 'prewarmed' AND role = 'measured' AND phase = 'measured' AND rep = 1
        """) == ["270|30", "510|30", "680|180", "280|160"])
    #expect(
      try recording.store.lines(
        """
        SELECT DISTINCT n_prompt FROM v_request
          WHERE scenario = 'growing-transcript' AND turn = 23
        """) == ["3020"])
  }

  @Test func `a session that begins again finds its prefix and computes the rest`() async throws {
    let recording = try await record(FakeTarget(), scenarios: ["overflow-recover"], trials: 1)
    #expect(try recording.number("SELECT COUNT(*) FROM trial WHERE valid IS NOT 1") == 0)
    #expect(
      try recording.store.lines(
        """
        SELECT variant, turn, n_prompt, n_cached, ideal_cached FROM v_request
          WHERE phase = 'measured' AND turn IN (0, 12, 13, 14) ORDER BY variant DESC, turn
        """) == [
          "trim|0|500|0|0", "trim|12|3860|3659|3659", "trim|13|580|300|300", "trim|14|860|659|659",
          "summary|0|500|0|0", "summary|12|3860|3659|3659", "summary|13|650|300|300",
          "summary|14|930|729|729",
        ])
  }

  @Test func `records a software device as one, and plays the slice alone on it`() async throws {
    let recording = try await record(FakeTarget(), device: StoreFixture.software)
    #expect(
      try recording.store.lines(
        """
        SELECT scenario, state, device, device_name, device_kind, length(scenario_sha),
          valid_trials FROM v_cell
        """) == ["device-slice|cold|vulkan:0|llvmpipe|softwareGPU|64|2"])
    #expect(
      try recording.store.lines(
        "SELECT n_prompt, n_output, phase FROM v_request ORDER BY rep, phase")
        == ["16|8|measured", "16|8|warmup", "16|8|measured"])
  }

  @Test func `stamps rise and parts fit in the whole`() async throws {
    let recording = try await record(FakeTarget(), scenarios: ["one-tool", "planner-handoff"])
    #expect(
      try recording.number(
        """
        SELECT COUNT(*) FROM request WHERE scheduled_ns > submitted_ns
          OR submitted_ns > prefill_start_ns OR prefill_start_ns > first_token_ns
          OR first_token_ns > last_token_ns OR last_token_ns > completed_ns
        """) == 0)
    #expect(
      try recording.number(
        "SELECT COUNT(*) FROM v_trial WHERE model_time_ms + tool_time_ms > task_wall_ms") == 0)
    #expect(
      try recording.number(
        """
        SELECT COUNT(*) FROM request r JOIN token_gap g ON g.request_id = r.id
          WHERE g.count IS NOT r.n_output
        """) == 0)
    // The stamps end where the request's own last stamp is.
    for row in try recording.store.database.rows(
      """
      SELECT r.submitted_ns, r.last_token_ns, g.count, g.gaps FROM request r
        JOIN token_gap g ON g.request_id = r.id
      """)
    {
      let start = MonotonicInstant(nanoseconds: UInt64(row.int(0) ?? 0))
      let stamps = TokenGaps.decode(row.bytes(3) ?? [], count: row.int(2) ?? 0, from: start)
      #expect(stamps?.last?.nanoseconds == UInt64(row.int(1) ?? 0))
    }
  }

  @Test func `the states differ in what the first prompt finds`() async throws {
    let recording = try await record(FakeTarget(), scenarios: ["one-tool"], trials: 1)
    #expect(
      try recording.store.lines(
        """
        SELECT state, n_prompt, n_cached, ideal_cached FROM v_request
          WHERE phase = 'measured' AND role = 'measured' AND turn = 0 AND step = 0
          ORDER BY state
        """) == ["cold|240|0|0", "prewarmed|240|200|200", "warm|300|259|259"])
    #expect(
      try recording.store.lines(
        "SELECT DISTINCT role FROM request ORDER BY role") == ["lead_in", "measured", "prewarm"])
  }

  @Test func `writing is measured, and never between a hand-off's two sides`() async throws {
    let recording = try await record(
      FakeTarget(), scenarios: ["planner-handoff"], states: [.cold], trials: 1)
    let order = recording.events.compactMap { event -> String? in
      guard case .request(let report) = event, !report.trial.isWarmUp else { return nil }
      return "\(report.session) \(report.row.step ?? -1)"
    }
    #expect(order == ["gather 0", "gather 1", "gather 2", "plan 0"])
    // The last answer of the first session and the second session's are both written at the end.
    let written = try recording.number(
      "SELECT recording_ns FROM trial WHERE phase = 'measured'")
    let wall = try recording.number(
      """
      SELECT MAX(completed_ns) - MIN(scheduled_ns) FROM request r
        JOIN session s ON s.id = r.session_id JOIN trial t ON t.id = s.trial_id
        WHERE t.phase = 'measured'
      """)
    #expect(written > 0 && written < wall)
  }

  @Test func `every announced request is in the database by then`() async throws {
    let recording = try await record(FakeTarget(), scenarios: ["one-tool"])
    let announced = recording.events.count { if case .request = $0 { true } else { false } }
    #expect(try recording.number("SELECT COUNT(*) FROM request") == announced)
    #expect(
      recording.events.first == .started(run: recording.run, trials: 9))
  }

  @Test func `plays rounds forwards and backwards in turn`() {
    let schedule = TrialSchedule(trials: [2, 1, 3])
    #expect(schedule.entries.map(\.cell) == [0, 1, 2, 0, 1, 2, 2, 0, 2])
    #expect(
      schedule.entries.map(\.isWarmUp) == Array(repeating: true, count: 3)
        + Array(repeating: false, count: 6))
    #expect(schedule.entries.map(\.repetition) == [0, 0, 0, 0, 0, 0, 1, 1, 2])
  }

  @Test func `a model that ends early makes the trial invalid with the reason`() async throws {
    let recording = try await record(
      FakeTarget(fault: .endsEarly(by: 3)), scenarios: ["one-tool"], states: [.cold])
    #expect(recording.status == .finished)
    let report = try recording.store.report(run: recording.run)
    #expect(report.cells.map(\.validTrials) == [0])
    #expect(report.cells.map(\.invalidTrials) == [2])
    #expect(
      report.cells[0].invalidReasons.map(\.reason) == [
        "an output has 57 tokens, the script says 60 (it ended by length)"
      ])
    #expect(report.cells[0].metrics.isEmpty)
    // A report without a valid trial still prints.
    #expect(ReportTable(report).rows == [["one-tool", "cold", "0"]])
  }

  @Test func `a cache that is not in the named state makes the trial invalid`() async throws {
    for (fault, state) in [
      (FakeTarget.Fault.keepsCache, CacheState.cold), (.losesCache, .prewarmed),
      (.losesCache, .warm),
    ] {
      let recording = try await record(
        FakeTarget(fault: fault), scenarios: ["one-tool"], states: [state])
      let reasons = try recording.store.report(run: recording.run).cells[0].invalidReasons
      #expect(reasons.count == 1)
      #expect(reasons.first?.reason.contains("the first prompt") == true)
    }
  }

  @Test func `a target that fails stops the run with its error`() async throws {
    let target = FakeTarget(fault: .fails)
    let recording = try await record(target, scenarios: ["one-tool"])
    #expect(recording.status == .failed)
    #expect(target.requests == 3)
    #expect(
      try recording.store.lines("SELECT status, error FROM run") == [
        "failed|three trials in a row: request failed: the device is gone"
      ])
    #expect(
      try recording.store.lines("SELECT DISTINCT error FROM request WHERE error IS NOT NULL") == [
        "the device is gone"
      ])
  }

  @Test func `an interrupted run keeps what it has and says so`() async throws {
    let recording = try await record(
      FakeTarget(fault: .interrupts(at: 9)), scenarios: ["one-tool"], states: [.cold], trials: 5)
    #expect(recording.status == .interrupted)
    // Two requests a trial: the warm-up, three trials, and one cut in its first request.
    #expect(
      try recording.store.lines(
        "SELECT valid, COUNT(*) FROM trial WHERE phase = 'measured' GROUP BY valid")
        == ["0|1", "1|3"])
    #expect(
      try recording.store.lines("SELECT invalid_reason FROM trial WHERE valid = 0")
        == ["interrupted"])
    #expect(try recording.store.lines("SELECT COUNT(*) FROM request") == ["9"])
    let report = try recording.store.report(run: recording.run)
    #expect(report.status == "interrupted")
    #expect(report.cells[0].metrics[.ttft]?.n == 3)
  }

  @Test func `rests before every trial, and Ctrl-C ends a rest`() async throws {
    let folder = try TemporaryFolder()
    let store = try BenchStore(writing: folder.path("r.sqlite"))
    let suite = try Suite(folder: Suite.folder(program: nil))
    var options = RunOptions()
    options.scenarios = ["device-slice"]
    options.effort = .trials(1)
    options.delay = 0.02
    let encoding = WordEncoding(words: suite.texts.pad + suite.texts.filler)
    func run(_ interruption: Interruption) async throws -> Double {
      let runner = BenchRunner(
        store: store, target: FakeTarget(),
        subject: RunSubject(model: StoreFixture.model, device: StoreFixture.device), suite: suite,
        encoding: encoding, options: options)
      let start = MonotonicInstant.now
      _ = try await runner.run(interruption: interruption) { event in
        if case .trialEnded = event { interruption.request() }
      }
      return MonotonicInstant.now.seconds(since: start)
    }
    #expect(try await run(Interruption()) >= 0.02)
    options.delay = 3600
    let interruption = Interruption()
    interruption.request()
    #expect(try await run(interruption) < 60)
    #expect(try store.lines("SELECT COUNT(*) FROM trial") == ["1"])
  }

  @Test func `refuses a window that is too small before anything is recorded`() async throws {
    await #expect(
      throws: SuiteError.windowTooSmall(
        scenario: "growing-transcript", needed: 3080, available: 1024)
    ) {
      _ = try await record(FakeTarget(contextLength: 1024), scenarios: ["growing-transcript"])
    }
    await #expect(throws: SuiteError.self) {
      _ = try await record(FakeTarget(), scenarios: ["no-such"])
    }
  }

  @Test func `finds runs by latest, number and the beginning of the uuid`() async throws {
    let recording = try await record(FakeTarget(), scenarios: ["one-tool"], states: [.cold])
    let store = recording.store
    let uuid = try #require(try store.lines("SELECT uuid FROM run").first)
    #expect(try store.runID("latest") == recording.run)
    #expect(try store.runID("\(recording.run)") == recording.run)
    #expect(throws: StoreError.noSuchRun("17")) { try store.runID("17") }
    #expect(throws: StoreError.noSuchRun("%")) { try store.runID("%") }
    // A uuid may begin with digits alone, which would read as a number.
    if Int(uuid.prefix(8)) == nil {
      #expect(try store.runID(String(uuid.prefix(8))) == recording.run)
    }
  }
}
