import FMTestSupport
import Foundation
import Testing

/// `fmbench compare` and `fmbench noise` as a script uses them.
@Suite struct FMBenchCompareTests {
  private func run(_ arguments: String...) throws -> CommandRun {
    try CommandRun.run("fmbench", arguments: arguments)
  }

  private func json(_ text: String) throws -> [String: Any] {
    let object = try JSONSerialization.jsonObject(with: Data(text.utf8))
    return try #require(object as? [String: Any])
  }

  @Test func `a comparison that is not understood is none`() throws {
    for arguments in [
      ["cpu"], ["cpu", "cpu", "cpu"], ["cpu", "3"], ["some", "thing"],
      ["--by", "weather", "1", "2"], ["--by", "commit"], ["--by", "threads", "one", "2"],
      ["--by", "kv", "f16", "f17"],
      ["cpu", "cpu", "--quick", "--until-stable"],
    ] {
      let result = try CommandRun.run("fmbench", arguments: ["compare"] + arguments)
      #expect(result.status == 64, "\(arguments): \(result.error)")
    }
    let missing = try run("compare", "1", "2", "--db", "/no/such/file")
    #expect(missing.status == 1)
  }

  @Test(.enabled(if: Fixtures.smolLM2 != nil, "needs SmolLM2-135M-Instruct; run `fm pull`"))
  func `plays in turn, keeps the floor, and compares what is stored`() throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "fmbench-compare-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "r.sqlite").path
    let noise = try run(
      "noise", "--db", path, "--scenario", "device-slice", "--trials", "2", "--quiet")
    // Two pairs are too few to call anything.
    #expect(noise.status == 0, "\(noise.error)")
    #expect(noise.output.contains("device-slice  cold   ttft"))
    let played = try run(
      "compare", "cpu", "cpu", "--db", path, "--scenario", "device-slice", "--trials", "2",
      "--json", "--quiet")
    #expect(played.status == 2, "\(played.error)")
    let comparison = try json(played.output)
    #expect(comparison["isInterleaved"] as? Bool == true)
    #expect(comparison["outcome"] as? String == "inconclusive")
    let rows = try #require(comparison["rows"] as? [[String: Any]])
    #expect(rows.prefix(3).map { $0["metric"] as? String } == ["ttft", "tpot", "task_wall"])
    #expect(rows.prefix(3).allSatisfy { $0["isFloorMeasured"] as? Bool == true })
    let stored = try run("compare", "3", "4", "--db", path)
    #expect(stored.status == 2)
    #expect(stored.output.contains("played in turn (ABBA)"))
    let merged = folder.appending(path: "all.sqlite").path
    #expect(try run("merge", merged, path, path).output.contains("4 runs copied"))
    let table = try run("export", "--db", merged, "1", "4")
    #expect(table.output.split(separator: "\n").count == 5)
    #expect(try run("merge", merged).status == 64)
    #expect(try run("import", "--db", merged, path).status == 1)
    let apart = try run("compare", "1", "4", "--db", path, "--with", path)
    #expect(apart.output.contains("not played in turn"))
  }
}
