import FMBench
import FMCore
import Foundation
import Testing

@Suite struct ReportContentTests {
  @Test func `a page has the numbers that show prints`() throws {
    let folder = try TemporaryFolder()
    let store = try BenchStore(writing: folder.path("r.sqlite"))
    let run = try ReportFixture.run(store, 1, trials: 5)
    let shown = try store.report(run: run).cells[0]
    let reported = try store.benchReport().cells[0]
    #expect(reported.metrics == shown.metrics)
    #expect(reported.trials.count == 5)
    #expect(reported.points.count == 10)
    #expect(reported.misses.map(\.reason) == ["evicted"])
    #expect(reported.misses.map(\.requests) == [5])
    #expect(reported.misses.map(\.tokens) == [100])
    #expect(reported.name == shown.name)
  }

  @Test func `the median trial is laid out in lanes`() throws {
    let folder = try TemporaryFolder()
    let store = try BenchStore(writing: folder.path("r.sqlite"))
    try ReportFixture.run(store, 1, trials: 3)
    let timeline = try #require(try store.benchReport().cells[0].timeline)
    #expect(timeline.repetition == 1)
    #expect(timeline.lanes.count == 1)
    let lane = timeline.lanes[0]
    #expect(lane.name == "assistant")
    #expect(lane.spans.count { $0.activity == .prefill } == 2)
    #expect(lane.spans.first { $0.activity == .prefill }?.start == 2)
    #expect(lane.spans.first { $0.activity == .prefill }?.end == 101)
    #expect(lane.spans.first { $0.activity == .tool }.map { $0.end - $0.start } == 21)
    #expect(lane.events.count == 3)
    #expect(timeline.wall == 405)
  }

  @Test func `without a name the newest run of every scenario and device is shown`() throws {
    let folder = try TemporaryFolder()
    let store = try BenchStore(writing: folder.path("r.sqlite"))
    let old = try ReportFixture.run(store, 1, trials: 1)
    let other = try ReportFixture.run(
      store, 2, trials: 1, cell: StoreFixture.cell(scenario: "device-slice"))
    let software = try ReportFixture.run(
      store, 3, trials: 1, cell: StoreFixture.cell(on: StoreFixture.software))
    let new = try ReportFixture.run(store, 4, trials: 1)
    let failed = try ReportFixture.run(store, 5, trials: 0)
    let report = try store.benchReport()
    #expect(report.runs.map(\.id) == [other, software, new, failed])
    #expect(report.otherRuns == 1)
    #expect(try store.benchReport(runs: [new, old, new]).runs.map(\.id) == [old, new])
    #expect(report.comparison.pairs.count == 1)
  }

  @Test func `writes a table for a README with its command, commit and machine`() throws {
    let folder = try TemporaryFolder()
    let store = try BenchStore(writing: folder.path("r.sqlite"))
    let run = try ReportFixture.run(store, 1, trials: 5)
    let text = ReportMarkdown(try store.benchReport(runs: [run])).text
    let lines = text.split(separator: "\n")
    #expect(lines[0].hasPrefix("| scenario | state | device | n | ttft ms |"))
    #expect(lines[2].hasPrefix("| one-tool | cold | cpu | 5 | 100 [100–100] |"))
    #expect(text.contains("`fmbench run --label 'it'\\''s'`"))
    #expect(text.contains("abc with changes"))
    #expect(text.contains("suite feed"))
  }

  @Test func `a name cannot leave its field of the Markdown table`() throws {
    for name in ReportFixture.hostile {
      let folder = try TemporaryFolder()
      let store = try BenchStore(writing: folder.path("r.sqlite"))
      var cell = StoreFixture.cell(scenario: name)
      cell.device = name
      try ReportFixture.run(store, 1, trials: 1, cell: cell)
      let text = ReportMarkdown(try store.benchReport()).text
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      func fields(_ line: Substring) -> Int {
        var count = 0
        var previous: Character = " "
        for character in line {
          if character == "|", previous != "\\" { count += 1 }
          previous = character
        }
        return count
      }
      #expect(fields(lines[0]) == fields(lines[2]), "\(name)")
      #expect(!lines[2].contains("<"), "\(name)")
    }
  }

  @Test func `gives the numbers as JSON`() throws {
    let folder = try TemporaryFolder()
    let store = try BenchStore(writing: folder.path("r.sqlite"))
    try ReportFixture.run(store, 1, trials: 2)
    let json = try ReportNumbers(try store.benchReport()).json()
    let numbers = try JSONDecoder().decode(ReportNumbers.self, from: Data(json.utf8))
    #expect(numbers.runs[0].arguments == ["fmbench", "run", "--label", "it's"])
    #expect(numbers.runs[0].seed == .max)
    #expect(numbers.cells[0].metrics[.ttft]?.median == 100)
    #expect(numbers.cells[0].trials?.count == 2)
    #expect(!numbers.isShortened)
  }
}
