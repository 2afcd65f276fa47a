import FMBackend
import FMBench
import FMCore
import Foundation
import Testing

/// Comparisons of made-up runs in a store: exact times, so that verdicts are certain.
@Suite struct RunComparisonTests {
  /// What a made-up run has that is not the fixture's.
  struct Made {
    var device = StoreFixture.device
    var scenarios = ["one-tool"]
    var sha = "beef"
    var commit = "abcdef0"
    var kernel = "6.1.0"
    var interleaving: String?
    var arm: String?
    var primary: Bool? = true
    /// A factor on every time.
    var slowdown = 1.0
    var trials = 10
    /// Numbers of trials that are not valid.
    var invalid: Set<Int> = []
    var noise = 0.003
    var seed: UInt64 = 1
  }

  static func add(_ made: Made, to store: BenchStore) throws -> Int {
    var run = StoreFixture.run(uuid: UUID().uuidString)
    run.build.commit = made.commit
    run.build.isDirty = false
    run.interleaving = made.interleaving
    run.arm = made.arm
    var environment = HostEnvironment()
    environment.host = "a machine"
    environment.kernel = made.kernel
    environment.read(made.device)
    let id = try store.beginRun(run, model: StoreFixture.model, environment: environment)
    let random = CounterRandom(seed: made.seed)
    for (place, scenario) in made.scenarios.enumerated() {
      var row = StoreFixture.cell(scenario: scenario, sha: made.sha, on: made.device)
      row.isPrimary = made.primary
      let cell = try store.addCell(row, run: id)
      for number in 0..<made.trials {
        let noise = made.noise * (random.uniform(at: UInt64(number), lane: UInt64(place)) - 0.5)
        try add(number, made, factor: made.slowdown * (1 + noise), to: cell, store)
      }
    }
    try store.endRun(id, status: .finished)
    return id
  }

  private static func add(
    _ number: Int, _ made: Made, factor: Double, to cell: Int, _ store: BenchStore
  ) throws {
    let start = Double(number) * 1000
    let trial = try store.beginTrial(
      cell: cell, repetition: number, orderIndex: number, isWarmUp: false,
      started: StoreFixture.instant(start), loadAverage: nil)
    let session = try store.addSession(trial: trial, number: 0, name: "s", prefixTokens: 8)
    var request = StoreFixture.request(start: start)
    request.scheduled = StoreFixture.instant(start)
    request.submitted = StoreFixture.instant(start)
    request.prefillStart = StoreFixture.instant(start)
    request.firstToken = StoreFixture.instant(start + 100 * factor)
    request.lastToken = StoreFixture.instant(start + 140 * factor)
    request.completed = StoreFixture.instant(start + 141 * factor)
    request.tokenStamps = []
    _ = try store.addRequest(request, session: session)
    try store.endTrial(
      trial, ended: StoreFixture.instant(start + 500),
      invalidReason: made.invalid.contains(number) ? "a test" : nil,
      sample: ResourceSample(at: StoreFixture.instant(start + 500)))
  }

  private func compare(
    _ first: Made, _ second: Made, axis: ComparisonAxis = .run, across: Bool = false,
    prepare: (BenchStore) throws -> Void = { _ in }
  ) throws -> RunComparison {
    let folder = try TemporaryFolder()
    let store = try BenchStore(writing: folder.path("r.sqlite"))
    let runs = (try Self.add(first, to: store), try Self.add(second, to: store))
    try prepare(store)
    return RunComparison(
      axis: axis, first: ("a", try store.measuredCells(runs: [runs.0])),
      second: ("b", try store.measuredCells(runs: [runs.1])), acrossEnvironments: across)
  }

  private func inTurn(_ made: Made, _ arm: String) -> Made {
    var made = made
    made.interleaving = "x"
    made.arm = arm
    made.seed = arm == "A" ? 1 : 2
    return made
  }

  @Test func `pairs trials that were played in turn and finds a regression`() throws {
    let comparison = try compare(
      inTurn(Made(), "A"), inTurn(Made(slowdown: 1.1, invalid: [3]), "B"))
    #expect(comparison.isInterleaved)
    #expect(comparison.isJudged)
    #expect(comparison.outcome == .regression)
    let primary = comparison.rows.filter(\.isPrimary)
    #expect(primary.map(\.metric) == [.ttft, .tpot, .taskWall])
    #expect(primary.map(\.verdict) == ["regressed", "regressed", "regressed"])
    #expect(primary.allSatisfy { abs($0.effect.ratio - 1.1) < 0.01 })
    // The invalid trial's partner has no pair, and still counts in its own median.
    #expect(primary.map(\.effect.n) == [9, 9, 9])
    #expect(primary.map(\.firstTrials) == [10, 10, 10])
    #expect(primary.map(\.secondTrials) == [9, 9, 9])
    #expect(comparison.notes.contains { $0.contains("B has 1 invalid trials") })
    let secondary = comparison.rows.filter { !$0.isPrimary }
    #expect(secondary.map(\.metric) == [.prefillTPS, .decodeTPS, .modelTime])
    #expect(secondary.allSatisfy { $0.verdict == nil })
    let text = RunComparisonText(comparison)
    #expect(text.header[0] == "A  a: tiny on cpu: a processor, abcdef0, run 1")
    #expect(text.rows.count == 3 && text.secondaryRows.count == 3)
    #expect(text.rows.allSatisfy { $0.count == RunComparisonText.headings.count })
    #expect(text.rows[0].last?.hasPrefix("regressed (p ") == true)
  }

  @Test func `equal sides are within noise and no regression`() throws {
    let comparison = try compare(inTurn(Made(), "A"), inTurn(Made(), "B"))
    #expect(comparison.outcome == .noRegression)
    #expect(comparison.rows.filter(\.isPrimary).map(\.verdict).allSatisfy { $0 == "within noise" })
    let faster = try compare(inTurn(Made(), "A"), inTurn(Made(slowdown: 0.9), "B"))
    #expect(faster.outcome == .noRegression)
    #expect(faster.rows.filter(\.isPrimary).map(\.verdict).allSatisfy { $0 == "improved" })
  }

  @Test func `too few trials are inconclusive, with the number that is missing`() throws {
    let comparison = try compare(
      inTurn(Made(slowdown: 1.1, trials: 5), "A"), inTurn(Made(trials: 5), "B"))
    #expect(comparison.outcome == .inconclusive)
    // Three metrics in the family take 7 pairs.
    #expect(comparison.rows.filter(\.isPrimary).map(\.trialsNeeded) == [2, 2, 2])
    let last = try #require(RunComparisonText(comparison).rows[0].last)
    #expect(last.hasPrefix("inconclusive: about 2 more"))
  }

  @Test func `runs may differ in one thing, which is then what is compared`() throws {
    let commits = try compare(Made(), Made(commit: "123456789", slowdown: 1.2, seed: 3))
    #expect(!commits.isInterleaved)
    #expect(commits.compared.map(\.condition) == [.commit])
    #expect(commits.outcome == .regression)
    #expect(commits.rows.filter(\.isPrimary).allSatisfy { $0.floor == 0.05 })
    let device = try compare(Made(), Made(device: StoreFixture.software))
    #expect(device.compared.map(\.condition) == [.device, .driver, .instructionSet])
    #expect(device.isJudged)
  }

  @Test func `refuses to judge across environments unless told, and lists what differs`() throws {
    let other = Made(commit: "123456789", kernel: "6.12.1", slowdown: 1.5, seed: 3)
    let refused = try compare(Made(), other)
    #expect(refused.outcome == .notJudged)
    #expect(refused.differences.map(\.condition) == [.commit, .kernel])
    #expect(refused.rows.allSatisfy { $0.verdict == nil })
    let notes = RunComparisonText(refused).notes
    #expect(notes.contains("  the kernel (6.1.0 and 6.12.1)"))
    #expect(notes.contains { $0.contains("--across-environments") })
    let told = try compare(Made(), other, across: true)
    #expect(told.outcome == .regression)
    #expect(RunComparisonText(told).notes.contains { $0.contains("Judged in spite of") })
    let commits = try compare(Made(), other, axis: .commit)
    #expect(commits.differences.map(\.condition) == [.kernel])
    let scenario = try compare(Made(), Made(sha: "f00d"))
    #expect(scenario.differences.map(\.condition) == [.scenario])
  }

  @Test func `runs hours apart were made on another machine`() throws {
    let comparison = try compare(Made(), Made(seed: 2)) { store in
      try store.database.execute(
        """
        UPDATE run SET started = '2026-11-30T06:00:00.000Z', ended = '2026-11-30T06:10:00.000Z'
          WHERE id = 1;
        UPDATE run SET started = '2026-11-30T07:30:00.000Z', ended = '2026-11-30T07:40:00.000Z'
          WHERE id = 2;
        """)
    }
    #expect(comparison.differences.map(\.condition) == [.time])
    #expect(comparison.outcome == .notJudged)
  }

  @Test func `the first cell of a scenario counts where no family was declared`() throws {
    let undeclared = Made(scenarios: ["one-tool", "device-slice"], primary: nil)
    let comparison = try compare(inTurn(undeclared, "A"), inTurn(undeclared, "B"))
    #expect(comparison.rows.count { $0.isPrimary } == 6)
    let beside = Made(scenarios: ["device-slice"], primary: false)
    #expect(
      try compare(inTurn(beside, "A"), inTurn(beside, "B")).rows.count { $0.isPrimary } == 3)
  }

  @Test func `sides without a scenario in common are not judged`() throws {
    let comparison = try compare(Made(), Made(scenarios: ["device-slice"]))
    #expect(comparison.outcome == .notJudged)
    #expect(
      comparison.notes == [
        "one-tool cold: only A has valid trials", "device-slice cold: only B has valid trials",
      ])
    let invalid = try compare(Made(), Made(invalid: Set(0..<10)))
    #expect(invalid.outcome == .notJudged)
    let object = try JSONSerialization.jsonObject(with: Data(try invalid.json().utf8))
    #expect((object as? [String: Any])?["outcome"] as? String == "notJudged")
  }

  @Test func `a measured floor decides what counts`() throws {
    let folder = try TemporaryFolder()
    let store = try BenchStore(writing: folder.path("r.sqlite"))
    let noisy = (
      try Self.add(inTurn(Made(noise: 0.2), "A"), to: store),
      try Self.add(inTurn(Made(noise: 0.2), "B"), to: store)
    )
    let floors = try store.setNoiseFloors(runs: (noisy.0, noisy.1))
    #expect(floors.map(\.metric) == [.ttft, .tpot, .taskWall, .prefillTPS, .decodeTPS, .modelTime])
    #expect(floors.allSatisfy { $0.floor > 0.03 && $0.floor < 0.2 && $0.pairs == 10 })
    let runs = (
      try Self.add(inTurn(Made(), "A"), to: store),
      try Self.add(inTurn(Made(slowdown: 1.03), "B"), to: store)
    )
    let cells = (
      try store.measuredCells(runs: [runs.0]), try store.measuredCells(runs: [runs.1])
    )
    let comparison = RunComparison(axis: .run, first: ("a", cells.0), second: ("b", cells.1))
    let row = try #require(comparison.rows.first)
    #expect(row.isFloorMeasured && row.floor == floors[0].floor)
    #expect(row.verdict == "within noise")
    // For sessions, or for a process a trial, it does not count.
    for change in ["level = 'session'", "start = 'process'"] {
      try store.database.execute("UPDATE run SET \(change) WHERE id = \(runs.1)")
      #expect(try store.measuredCells(runs: [runs.1])[0].floors.isEmpty)
      try store.database.execute(
        "UPDATE run SET level = 'engine', start = 'running' WHERE id = \(runs.1)")
    }
    #expect(!(try store.measuredCells(runs: [runs.1])[0].floors.isEmpty))
    // On another machine it does not count.
    try store.database.execute("UPDATE environment SET host = 'another' WHERE run_id = \(runs.1)")
    let moved = try store.measuredCells(runs: [runs.1])
    #expect(moved[0].floors.isEmpty)
  }

  @Test func `pooled runs are independent trials`() throws {
    let folder = try TemporaryFolder()
    let store = try BenchStore(writing: folder.path("r.sqlite"))
    for made in [Made(), Made(device: StoreFixture.software), Made(commit: "123456789")] {
      _ = try Self.add(made, to: store)
    }
    let pooled = RunComparison(
      axis: .run, first: ("1,3", try store.measuredCells(runs: [1, 3])),
      second: ("2", try store.measuredCells(runs: [2])), acrossEnvironments: true)
    #expect(pooled.rows.first?.firstTrials == 20)
    #expect(pooled.first.runs == [1, 3])
  }
}
