import FMBench
import Foundation
import Testing

/// Merging databases and exporting trials.
@Suite struct MergeTests {
  @Test func `copies every row of the runs that are missing, once`() async throws {
    let folder = try TemporaryFolder()
    let source = try BenchStore(writing: folder.path("a.sqlite"))
    let target = try BenchStore(writing: folder.path("b.sqlite"))
    let made = RunComparisonTests.Made(interleaving: "x", arm: "A", trials: 3, invalid: [1])
    var other = made
    other.arm = "B"
    let runs = (
      try RunComparisonTests.add(made, to: source), try RunComparisonTests.add(other, to: source)
    )
    _ = try source.setNoiseFloors(runs: (runs.0, runs.1))
    try source.database.execute(
      """
      INSERT INTO tool_call (id, request_id, number, name, started_ns, ended_ns, injected_ms, out_tokens)
        VALUES (7, 1, 0, 'find', 1, 2, 0, 5);
      INSERT INTO tool_call (id, request_id, number, name, started_ns, ended_ns, injected_ms, out_tokens,
        repeat_of) VALUES (9, 1, 1, 'find', 1, 2, 0, 5, 7);
      """)
    _ = try RunComparisonTests.add(made, to: target)
    _ = try StoreFixture.begin(source, uuid: "still running")

    let result = try target.merge(from: source)
    #expect(result.copied == [2, 3])
    #expect(result.present == 0)
    #expect(result.noiseFloors == 6)
    #expect(try target.lines("SELECT COUNT(*) FROM run") == ["3"])
    #expect(
      try target.lines(
        """
        SELECT b.name, a.id = b.repeat_of FROM tool_call a JOIN tool_call b
          ON b.number = 1 AND a.number = 0
        """) == ["find|1"])
    #expect(try target.lines("SELECT DISTINCT run_a, run_b FROM noise_floor") == ["2|3"])
    #expect(try target.lines("PRAGMA foreign_key_check").isEmpty)
    // The same numbers come out.
    let before = try source.measuredCells(runs: [runs.0])
    let after = try target.measuredCells(runs: [2])
    #expect(before.map(\.trials) == after.map(\.trials))
    #expect(before.map(\.conditions) == after.map(\.conditions))
    #expect(before.map(\.floors) == after.map(\.floors))

    let again = try target.merge(from: source)
    #expect(again.copied.isEmpty && again.present == 2 && again.noiseFloors == 0)
  }

  @Test func `exports a row a trial in three formats`() throws {
    let folder = try TemporaryFolder()
    let store = try BenchStore(writing: folder.path("a.sqlite"))
    let run = try RunComparisonTests.add(
      RunComparisonTests.Made(trials: 2, invalid: [1], noise: 0), to: store)
    try store.database.execute("UPDATE run SET label = 'a \"label\", | and more'")
    let export = try store.trialExport(runs: [run])
    #expect(export.rows.count == 2)
    let csv = try export.text(.csv).split(separator: "\n")
    #expect(csv.count == 3)
    #expect(csv[0].hasPrefix("run,uuid,started,label,model,"))
    #expect(csv[1].contains(",\"a \"\"label\"\", | and more\","))
    #expect(csv[1].contains(",1,,engine,scripted,,,none,tokens,running,off,"))
    #expect(csv[2].contains(",0,a test,engine,"))
    let json = try JSONSerialization.jsonObject(with: Data(try export.text(.json).utf8))
    let objects = try #require(json as? [[String: Any]])
    #expect(objects.map { $0["ttft_ms"] as? Double } == [100, nil])
    #expect(objects.map { $0["invalid_reason"] as? String } == [nil, "a test"])
    #expect(objects[0]["label"] as? String == "a \"label\", | and more")
    let markdown = try export.text(.markdown).split(separator: "\n")
    #expect(markdown.count == 4)
    #expect(markdown[2].contains("a \"label\", \\| and more"))
    #expect(try store.trialExport(runs: []).text(.json) == "[]\n")
  }
}
