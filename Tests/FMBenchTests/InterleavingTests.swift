import FMBackend
import FMBench
import FMCore
import Foundation
import Testing

/// Runs of several targets in turn.
@Suite struct InterleavingTests {
  /// A store and the runs of its arms.
  private struct Played {
    let folder: TemporaryFolder
    let store: BenchStore
    let runs: [Int]
    let status: RunStatus
  }

  private func play(
    _ targets: [any RequestTarget], effort: RunOptions.Effort, scenarios: [String] = ["one-tool"],
    injected: String? = nil
  ) async throws -> Played {
    let folder = try TemporaryFolder()
    let store = try BenchStore(writing: folder.path("r.sqlite"))
    let suite = try Suite(folder: Suite.folder(program: nil))
    var options = RunOptions()
    options.scenarios = scenarios
    options.states = [.cold]
    options.effort = effort
    options.gapScale = 0
    var arms = targets.map {
      BenchArm(
        target: $0, subject: RunSubject(model: StoreFixture.model, device: StoreFixture.device),
        encoding: WordEncoding(words: suite.texts.pad + suite.texts.filler))
    }
    arms[arms.count - 1].injected = injected
    let runner = BenchRunner(store: store, arms: arms, suite: suite, options: options)
    let result = try await runner.runAll(interruption: Interruption()) { _ in }
    return Played(folder: folder, store: store, runs: result.runs, status: result.status)
  }

  private func compare(_ played: Played) throws -> RunComparison {
    RunComparison(
      axis: .device, first: ("A", try played.store.measuredCells(runs: [played.runs[0]])),
      second: ("B", try played.store.measuredCells(runs: [played.runs[1]])))
  }

  @Test func `plays A B and B A in turn, a run for each`() async throws {
    let played = try await play(
      [FakeTarget(), FakeTarget()], effort: .trials(4), scenarios: ["one-tool", "device-slice"])
    #expect(played.status == .finished)
    #expect(played.runs == [1, 2])
    #expect(
      try played.store.lines(
        """
        SELECT group_concat(arm || substr(scenario, 1, 1) || rep, ' ') FROM (
          SELECT n.arm, c.scenario, t.rep FROM trial t JOIN cell c ON c.id = t.cell_id
            JOIN run n ON n.id = c.run_id WHERE t.phase = 'measured' ORDER BY t.order_index)
        """) == ["Ao0 Bo0 Ad0 Bd0 Bd1 Ad1 Bo1 Ao1 Ao2 Bo2 Ad2 Bd2 Bd3 Ad3 Bo3 Ao3"])
    #expect(
      try played.store.lines(
        "SELECT COUNT(DISTINCT interleaving), COUNT(*), COUNT(DISTINCT uuid) FROM run")
        == ["1|2|2"])
    #expect(
      try played.store.lines(
        "SELECT scenario, primary_family FROM cell WHERE run_id = 2 ORDER BY id")
        == ["one-tool|1", "device-slice|0"])
    #expect(try compare(played).isInterleaved)
  }

  @Test func `an arm that fails ends the run though the other works`() async throws {
    let played = try await play(
      [FakeTarget(), FakeTarget(fault: .fails)], effort: .trials(10))
    #expect(played.status == .failed)
    #expect(
      try played.store.lines("SELECT status, error FROM run WHERE arm = 'A'") == [
        "failed|three trials in a row: request failed: the device is gone"
      ])
  }

  @Test func `a slowed target spends the time and spreads it over the stamps`() async throws {
    let slowed = SlowedTarget(ExactTarget(completed: 20), factor: 1.5)
    let before = MonotonicInstant.now
    let outcome = try await slowed.perform(
      ScriptedRequest(prompt: [5, 6], output: .natural(3)), interruption: Interruption())
    #expect(MonotonicInstant.now.seconds(since: before) >= 0.03)
    func milliseconds(_ stamp: MonotonicInstant?) -> Double? {
      stamp.map { ($0.seconds(since: outcome.submitted) * 1e6).rounded() / 1e3 }
    }
    #expect(milliseconds(outcome.prefillStart) == 0)
    #expect(milliseconds(outcome.firstToken) == 3)
    #expect(milliseconds(outcome.lastToken) == 15)
    #expect(milliseconds(outcome.completed) == 30)
    #expect(SlowedTarget(FakeTarget(contextLength: 9), factor: 0).contextLength == 9)
  }

  @Test func `a slowdown of 10 % is found, and equal sides are not told apart`() async throws {
    let exact = ExactTarget(completed: 20)
    let played = try await play(
      [exact, SlowedTarget(exact, factor: 1.1)], effort: .trials(9), injected: "1.1 times as long")
    let comparison = try compare(played)
    #expect(comparison.compared.map(\.condition) == [.injected])
    #expect(comparison.rows.prefix(2).map(\.verdict) == ["regressed", "regressed"])
    #expect(comparison.outcome == .regression)
    let equal = try compare(try await play([exact, exact], effort: .trials(9)))
    #expect(equal.rows.prefix(2).map(\.verdict) == ["within noise", "within noise"])
  }

  @Test func `a run until it is stable plays no more than it may`() async throws {
    let bounded = try await play([FakeTarget()], effort: .untilStable(least: 3, most: 5))
    let count = try played(bounded, arm: 0)
    #expect((3...5).contains(count))
    // Exact times are stable at once.
    let exact = try await play(
      [ExactTarget(completed: 3_600_000), ExactTarget(completed: 3_600_000)],
      effort: .untilStable(least: 6, most: 50),
      scenarios: ["device-slice"])
    #expect(try played(exact, arm: 1) < 50)
    #expect(try played(exact, arm: 0) == played(exact, arm: 1))
    #expect(try compare(exact).rows.first?.effect.ratio == 1)
  }

  private func played(_ run: Played, arm: Int) throws -> Int {
    let rows = try run.store.database.rows(
      """
      SELECT COUNT(*) FROM trial t JOIN cell c ON c.id = t.cell_id
        WHERE t.phase = 'measured' AND c.run_id = ?
      """, [.int(run.runs[arm])])
    return rows.first?.int(0) ?? 0
  }
}

/// A target whose stamps are made up: every request takes the same time on a clock of its own.
private struct ExactTarget: RequestTarget {
  private let fake = FakeTarget()
  /// When a request is whole, in milliseconds; long beside what the test itself takes, where the
  /// whole task must be exact.
  let completed: UInt64

  init(completed: UInt64) { self.completed = completed }

  var contextLength: Int { fake.contextLength }
  func clearCache() async throws { try await fake.clearCache() }
  func prefill(_ tokens: [TokenID]) async throws -> RequestOutcome {
    try await fake.prefill(tokens)
  }

  func perform(
    _ request: ScriptedRequest, interruption: Interruption
  ) async throws -> RequestOutcome {
    var outcome = try await fake.perform(request, interruption: interruption)
    let start = outcome.submitted.nanoseconds
    func stamp(_ milliseconds: UInt64) -> MonotonicInstant {
      MonotonicInstant(nanoseconds: start + milliseconds * 1_000_000)
    }
    outcome.prefillStart = stamp(0)
    outcome.firstToken = stamp(2)
    outcome.lastToken = stamp(10)
    outcome.completed = stamp(completed)
    outcome.tokenStamps = []
    return outcome
  }
}
