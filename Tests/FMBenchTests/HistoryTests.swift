import FMBench
import Foundation
import Testing

/// Histories of made-up runs in a store.
@Suite struct HistoryTests {
  private typealias Made = RunComparisonTests.Made

  /// A store with a run for each factor, an hour apart, each of another commit.
  private func store(
    _ folder: TemporaryFolder, _ factors: [Double], _ base: Made = Made(trials: 3)
  ) throws -> BenchStore {
    let store = try BenchStore(writing: folder.path("r.sqlite"))
    for (number, factor) in factors.enumerated() {
      var made = base
      made.commit = "c0ffee\(number)"
      made.slowdown = factor
      made.seed = UInt64(number)
      try add(made, hour: number, to: store)
    }
    return store
  }

  private func add(_ made: Made, hour: Int, to store: BenchStore) throws {
    let run = try RunComparisonTests.add(made, to: store)
    let time = "2026-11-\(10 + hour / 24)T\(10 + hour % 24):00:00.000Z"
    try store.database.execute("UPDATE run SET started = '\(time)' WHERE id = \(run)")
  }

  private func report(
    _ store: BenchStore, _ query: HistoryQuery = HistoryQuery(),
    metrics: [Metric] = PrimaryFamily.metrics
  ) throws -> HistoryReport {
    HistoryReport(try store.histories(query, metrics: metrics), metrics: metrics)
  }

  @Test func `the newest run is judged by those before it`() throws {
    let folder = try TemporaryFolder()
    let store = try store(folder, Array(repeating: 1, count: 8))
    let early = try report(store)
    #expect(early.outcome == .tooFew)
    #expect(
      HistoryText(early).blocks[0].findings[0]
        == "ttft: too few runs to say: 7 of 8 before the newest")
    try add(Made(commit: "c0ffee8", slowdown: 1.01, trials: 3), hour: 8, to: store)
    #expect(try report(store).outcome == .noAlarm)
    try add(Made(commit: "badbad", slowdown: 1.12, trials: 3), hour: 9, to: store)
    let late = try report(store)
    #expect(late.outcome == .alarm)
    let entry = try #require(late.entries.first)
    #expect(late.entries.count == 1)
    #expect(entry.series.map(\.metric) == [.ttft, .tpot, .taskWall])
    #expect(entry.series.map(\.judgement.verdict) == [.worse, .worse, .worse])
    #expect(entry.series[0].points.map(\.run) == Array(1...10))
    #expect(entry.series[0].points.last?.commit == "badbad")
    let block = HistoryText(late).blocks[0]
    #expect(block.header.hasPrefix("one-tool cold, tiny on cpu: a processor, a machine, debug"))
    #expect(block.headings == ["date", "run", "commit", "n", "ttft ms", "tpot ms", "task_wall ms"])
    #expect(block.rows.count == 10 && block.rows.allSatisfy { $0.count == 7 })
    #expect(block.rows[9].prefix(4) == ["2026-11-10 19:00", "10", "badbad", "3"])
    #expect(block.rows[9][4].hasPrefix("112"))
    #expect(
      block.findings[0].hasPrefix("ttft: out of line, slower than the runs before by 12 % (z"))
    // Less is looked at, so less is said.
    var query = HistoryQuery()
    query.last = 5
    #expect(try report(store, query).entries[0].series[0].points.map(\.run) == Array(6...10))
    #expect(try report(store, query).outcome == .tooFew)
  }

  @Test func `a faster run is told and no alarm, and a step is placed`() throws {
    let folder = try TemporaryFolder()
    let store = try store(
      folder, Array(repeating: 1, count: 6) + Array(repeating: 0.8, count: 4),
      Made(trials: 3, noise: 0))
    try store.database.execute(
      "UPDATE environment SET kernel = '6.2.0' WHERE run_id >= 7")
    let report = try report(store, metrics: [.ttft, .decodeTPS])
    #expect(report.outcome == .noAlarm)
    let findings = HistoryText(report).blocks[0].findings
    #expect(
      findings.contains(
        "ttft: stepped by -20.0 % (faster) between run 6 (c0ffee5) and run 7 (c0ffee6)"))
    #expect(findings.contains("ttft: with the step also changed: the kernel (6.1.0 and 6.2.0)"))
    #expect(
      findings.contains {
        $0.hasPrefix("decode_tps: stepped by +") && $0.contains("% (faster) between run 6")
      })
    let slow = try store.histories(HistoryQuery(), metrics: [.tpot])
    #expect(slow.count == 1)
    try add(Made(commit: "fast", slowdown: 0.5, trials: 3), hour: 12, to: store)
    let fast = try self.report(store, metrics: [.tpot])
    #expect(fast.outcome == .noAlarm)
    #expect(
      HistoryText(fast).blocks[0].findings[0].hasPrefix("tpot: faster than the runs before by"))
  }

  @Test func `an alarm of a step that is long past says how to look at what came after`() throws {
    let folder = try TemporaryFolder()
    let store = try store(folder, Array(repeating: 1, count: 12) + Array(repeating: 1.2, count: 9))
    let report = try report(store)
    #expect(report.outcome == .alarm)
    #expect(
      HistoryText(report).notes.last
        == "hint: `--last 9` looks at the runs since the newest step alone")
    var query = HistoryQuery()
    query.last = 9
    let late = try self.report(store, query)
    #expect(late.outcome == .noAlarm)
    #expect(HistoryText(late).notes.count == 1)
  }

  @Test func `only runs of the same cell are one history`() throws {
    let changes = [
      "UPDATE run SET seed = 7", "UPDATE run SET gap_scale = 0.5", "UPDATE run SET context = 8192",
      "UPDATE run SET build = 'release'", "UPDATE run SET level = 'session'",
      "UPDATE run SET mode = 'live'", "UPDATE run SET policy = 'fresh'",
      "UPDATE run SET streaming = 0", "UPDATE run SET prefix_edit = 'tools'",
      "UPDATE run SET prompt_form = 'plain'", "UPDATE run SET start = 'process'",
      "UPDATE cell SET scenario_sha = 'f00d'", "UPDATE cell SET variant = 'x'",
      "UPDATE cell SET state = 'warm'", "UPDATE cell SET device = 'http://h/v1'",
      "UPDATE cell SET device_name = 'another'", "UPDATE cell SET masks = 'on'",
      "UPDATE cell SET kv_type = 'q8_0'", "UPDATE cell SET threads = 1",
      "UPDATE environment SET host = 'another'",
    ]
    let folder = try TemporaryFolder()
    let store = try store(folder, Array(repeating: 1, count: changes.count + 2))
    for (number, change) in changes.enumerated() {
      let key = change.contains("run SET") ? "id" : "run_id"
      try store.database.execute("\(change) WHERE \(key) = \(number + 1)")
    }
    let histories = try store.histories(HistoryQuery(), metrics: [.ttft])
    #expect(histories.map(\.cells.count) == Array(repeating: 1, count: changes.count) + [2])
    let text = HistoryText(HistoryReport(histories, metrics: [.ttft]))
    #expect(Set(text.blocks.map(\.header)).count == text.blocks.count)
    #expect(text.blocks.contains { $0.header.contains("kvType q8_0") })
    // Forms of one name are told apart by their hash.
    let names = text.blocks.flatMap { $0.rows.map { $0[0] } }
    #expect(names.contains("one-tool (f00d)") && names.contains("one-tool (beef)"))
    let rows = text.blocks.flatMap(\.rows)
    #expect(rows.allSatisfy { $0.count == text.blocks[0].headings.count })
    #expect(rows[0][4] == "too few runs to say: 0 of 8 before the newest")
  }

  @Test func `runs without valid trials or with a slowdown of a test do not count`() throws {
    let folder = try TemporaryFolder()
    let store = try store(folder, [1, 1, 1])
    try add(Made(slowdown: 3, trials: 2, invalid: [0, 1]), hour: 5, to: store)
    try store.database.execute("UPDATE run SET injected = '1.1' WHERE id = 2")
    let points = try report(store).entries[0].series[0].points
    #expect(points.map(\.run) == [1, 3])
    #expect(points.map(\.values.count) == [3, 3])
    // In the order of their start, however they were stored.
    try store.database.execute("UPDATE run SET started = '2026-11-09T10:00:00.000Z' WHERE id = 3")
    #expect(try report(store).entries[0].series[0].points.map(\.run) == [3, 1])
  }

  @Test func `selects cells, primary ones where none is named`() throws {
    let folder = try TemporaryFolder()
    let store = try store(folder, [1, 1], Made(scenarios: ["one-tool", "tool-menu"], trials: 2))
    try store.database.execute("UPDATE cell SET primary_family = 0 WHERE scenario = 'tool-menu'")
    func names(_ change: (inout HistoryQuery) -> Void) throws -> [String] {
      var query = HistoryQuery()
      change(&query)
      return try store.histories(query, metrics: [.ttft]).map { $0.cells[0].scenario }
    }
    #expect(try names { _ in } == ["one-tool"])
    #expect(try names { $0.scenarios = ["tool-menu"] } == ["tool-menu"])
    #expect(try names { $0.states = [.cold] } == ["one-tool", "tool-menu"])
    #expect(try names { $0.states = [.warm] } == [])
    #expect(try names { $0.devices = ["cpu"] } == ["one-tool"])
    #expect(try names { $0.devices = ["vulkan:0"] } == [])
    #expect(try names { $0.models = ["ti", "x"] } == ["one-tool"])
    #expect(try names { $0.models = ["aaaa"] } == ["one-tool"])
    #expect(try names { $0.models = ["x' OR '1'='1"] } == [])
    #expect(try names { $0.levels = [.session] } == [])
    #expect(try names { $0.levels = [.engine, .session] } == ["one-tool"])
    try store.database.execute("UPDATE cell SET primary_family = NULL")
    #expect(try names { _ in } == ["one-tool", "tool-menu"])
    let nothing = HistoryText(HistoryReport([], metrics: [.ttft]))
    #expect(nothing.blocks.isEmpty && nothing.notes[0].hasPrefix("No run has valid trials"))
  }

  @Test func `the measured floor decides, and JSON has every trial`() throws {
    let folder = try TemporaryFolder()
    let store = try store(folder, Array(repeating: 1, count: 9) + [1.06])
    #expect(try report(store).outcome == .alarm)
    try store.database.execute(
      """
      INSERT INTO noise_floor (measured, host, device, device_name, build, model_sha, scenario, variant,
          state, metric, pairs, ratio, floor)
        SELECT 'now', host, device, device_name, build, model_sha, scenario, variant, state, 'ttft', 9, 1,
          0.08 FROM v_cell WHERE run_id = 1
      """)
    let measured = try report(store, metrics: [.ttft])
    #expect(measured.entries[0].series[0].floor == 0.08)
    #expect(measured.outcome == .noAlarm)
    let object = try JSONSerialization.jsonObject(with: Data(try measured.json().utf8))
    let json = try #require(object as? [String: Any])
    #expect(json["outcome"] as? String == "noAlarm")
    let history = try #require((json["histories"] as? [[String: Any]])?.first)
    #expect((history["conditions"] as? [String: String])?["kvType"] == "f16")
    let metric = try #require((history["metrics"] as? [[String: Any]])?.first)
    let points = try #require(metric["points"] as? [[String: Any]])
    #expect(points.count == 10)
    #expect((points[0]["values"] as? [Double])?.count == 3)
    #expect(points[0]["low"] != nil)
    #expect((metric["judgement"] as? [String: Any])?["verdict"] as? String == "in line")
  }
}
