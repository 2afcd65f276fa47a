@testable import FMBench
import FMCore
import Foundation
import Synchronization
import Testing

/// Runs that start a process for every trial, with a shell in the place of the program.
@Suite struct TrialProcessTests {
  /// What a run left behind, and said.
  private struct Played {
    var store: BenchStore
    var folder: TemporaryFolder
    var status: RunStatus
    var announcements: [String] = []
    /// Of every trial, warm-ups first.
    var reasons: [String]
  }

  /// Plays a trial and its warm-up in a shell with a script each; `$1` is the first word for the process.
  private func play(
    _ script: String, executable: String = "/bin/sh", patience: Double = 15,
    observe: @escaping (RunEvent, Interruption) -> Void = { _, _ in }
  ) async throws -> Played {
    let folder = try TemporaryFolder()
    let store = try BenchStore(writing: folder.path("r.sqlite"))
    var options = RunOptions()
    options.scenarios = ["one-tool"]
    options.states = [.cold]
    options.effort = .trials(1)
    let suite = try Suite(folder: Suite.folder(program: nil))
    var process = TrialProcess(executable: executable, arguments: ["-c", script, "trial"])
    process.patience = patience
    let arm = Self.arm(.process(process), suite)
    let runner = BenchRunner(store: store, arms: [arm], suite: suite, options: options)
    let interruption = Interruption()
    let lines = Mutex<[String]>([])
    let result = try await runner.run(interruption: interruption) { event in
      if case .announcement(let line) = event { lines.withLock { $0.append(line) } }
      observe(event, interruption)
    }
    return Played(
      store: store, folder: folder, status: result.status,
      announcements: lines.withLock { $0 },
      reasons: try store.lines("SELECT invalid_reason FROM trial"))
  }

  private static func arm(_ source: TargetSource, _ suite: Suite) -> BenchArm {
    var style = PlayStyle()
    style.start = .process
    return BenchArm(
      source: source, form: .tokens(contextLength: 4096),
      subject: RunSubject(model: StoreFixture.model, device: StoreFixture.device),
      encoding: WordEncoding(words: suite.texts.pad + suite.texts.filler), style: style)
  }

  @Test(arguments: [
    ("exit 3", "failed: the trial's process ended with code 3"),
    ("kill -9 $$", "failed: the trial's process ended by signal 9"),
    ("exit 0", "failed: the trial's process did not end the trial"),
  ])
  func `a process that does not play its trial makes it invalid`(
    script: String, reason: String
  ) async throws {
    let played = try await play(script)
    #expect(played.status == .finished)
    #expect(played.reasons == [reason, reason])
    #expect(try played.store.lines("SELECT COUNT(*) FROM sample") == ["2"])
    #expect(try played.store.lines("SELECT DISTINCT start FROM v_cell") == ["process"])
  }

  @Test func `a program that is not there makes its trials invalid`() async throws {
    let played = try await play("", executable: "/no/such/program")
    let reason = try #require(played.reasons.first)
    #expect(reason.hasPrefix("failed: /no/such/program cannot be started: "))
  }

  @Test func `every line is an announcement, however it is cut`() async throws {
    let played = try await play(#"printf 'first\nsec'; printf 'ond\n%s\n' "$1"; printf 'rest'"#)
    #expect(
      played.announcements == ["first", "second", "--trial=1", "first", "second", "--trial=2"])
  }

  @Test func `an interruption closes the process's input`() async throws {
    // Without a closed input it would wait for ever.
    let played = try await play("echo ready; cat; exit 7") { event, interruption in
      if case .announcement = event { interruption.request() }
    }
    #expect(played.status == .interrupted)
    #expect(played.reasons == ["interrupted"])
  }

  @Test func `a process that does not stop when it is told to is killed`() async throws {
    let played = try await play("echo ready; kill -STOP $$", patience: 0.1) { event, interruption in
      if case .announcement = event { interruption.request() }
    }
    #expect(played.status == .interrupted)
    #expect(played.reasons == ["interrupted"])
  }

  @Test(arguments: [
    ("run.jsonl", "trial-7-run.jsonl"),
    ("/out/a.b/run.otlp.json", "/out/a.b/trial-7-run.otlp.json"),
    ("out/%p.jsonl", "out/%p.jsonl"),
  ])
  func `a process has a trace of its own`(path: String, expected: String) {
    #expect(TrialProcess.tracePath(path, trial: 7) == expected)
  }

  @Test func `the process is told when it was started`() async throws {
    let before = MonotonicInstant.now.nanoseconds
    let played = try await play(#"echo "$2""#)
    let stamp = try #require(played.announcements.first?.split(separator: "=").last)
    let since = try #require(UInt64(stamp))
    #expect((before...MonotonicInstant.now.nanoseconds).contains(since))
  }

  /// A run of a cell in a state that waits for a process to play its first measured trial.
  private func waiting(
    _ store: BenchStore, start: PlayStyle.Start = .process, state: CacheState = .prewarmed,
    suite: String = "feed"
  ) throws -> Int {
    var row = StoreFixture.run(uuid: UUID().uuidString)
    row.suiteSHA = suite
    row.style.start = start
    let run = try store.beginRun(row, model: StoreFixture.model, environment: HostEnvironment())
    let cell = try store.addCell(StoreFixture.cell(state: state), run: run)
    return try store.beginTrial(
      cell: cell, repetition: 4, orderIndex: 7, isWarmUp: false, started: .now, loadAverage: nil)
  }

  @Test func `plays the trial that another process began, as the store says`() async throws {
    let folder = try TemporaryFolder()
    let store = try BenchStore(writing: folder.path("r.sqlite"))
    let suite = try Suite(folder: Suite.folder(program: nil))
    let order = try OrderedTrial(try waiting(store, suite: suite.sha), store: store)
    #expect(order.style.start == .process)
    let reports = Mutex<[String]>([])
    let reason = try await order.play(
      suite, on: Self.arm(.running(.requests(FakeTarget())), suite), loadNanoseconds: 5_000_000,
      store: store, interruption: Interruption()
    ) { event in
      guard case .request(let report) = event else { return }
      reports.withLock { $0.append("\(report.trial.text) \(report.row.role.rawValue)") }
    }
    #expect(reason == nil)
    #expect(
      reports.withLock { $0 } == [
        "one-tool prewarmed #5 prewarm", "one-tool prewarmed #5 measured",
        "one-tool prewarmed #5 measured",
      ])
    #expect(
      try store.lines("SELECT valid, load_ns, ended_ns > started_ns FROM trial")
        == ["1|5000000|1"])
    #expect(try store.lines("SELECT COUNT(*) FROM request") == ["3"])
    // Of the run's seed and not of a new run's, so that both processes mean the same texts.
    #expect(try store.lines("SELECT seed FROM run") == ["-1"])
  }

  @Test func `plays nothing with another suite or model than the run's`() async throws {
    let folder = try TemporaryFolder()
    let store = try BenchStore(writing: folder.path("r.sqlite"))
    let suite = try Suite(folder: Suite.folder(program: nil))
    var arm = Self.arm(.running(.requests(FakeTarget())), suite)
    func play(_ trial: Int) async throws {
      _ = try await OrderedTrial(trial, store: store).play(
        suite, on: arm, loadNanoseconds: 1, store: store, interruption: Interruption()
      ) { _ in }
    }
    let other = try waiting(store)
    await #expect(throws: TrialOrderError.changed("the suite")) { try await play(other) }
    let same = try waiting(store, suite: suite.sha)
    arm.subject.model.sha256 = String(repeating: "b", count: 64)
    await #expect(throws: TrialOrderError.changed("the model's file")) { try await play(same) }
    #expect(try store.lines("SELECT COUNT(*) FROM request") == ["0"])
  }

  @Test func `plays no trial that waits for nobody`() throws {
    let folder = try TemporaryFolder()
    let store = try BenchStore(writing: folder.path("r.sqlite"))
    #expect(throws: TrialOrderError.noSuchTrial(1)) { try OrderedTrial(1, store: store) }
    let running = try waiting(store, start: .running)
    #expect(throws: TrialOrderError.notWaiting(running)) {
      try OrderedTrial(running, store: store)
    }
    let failed = try waiting(store)
    try OrderedTrial(failed, store: store).fail(FakeTarget.Failure(), store: store)
    #expect(
      try store.lines("SELECT invalid_reason FROM trial WHERE id = \(failed)")
        == ["failed: the device is gone"])
    #expect(throws: TrialOrderError.notWaiting(failed)) { try OrderedTrial(failed, store: store) }
  }
}
