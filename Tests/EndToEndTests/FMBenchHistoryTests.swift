import Foundation
import Testing

/// `fmbench history` as a script uses it, on runs of another program that were imported.
@Suite struct FMBenchHistoryTests {
  private func run(_ arguments: String...) throws -> CommandRun {
    try CommandRun.run("fmbench", arguments: arguments)
  }

  /// One test of llama-bench, an hour after the one before.
  private func line(_ number: Int, _ factor: Double) -> String {
    let samples = (0..<5).map { "\(1e8 * factor + Double($0 * number) * 1e4)" }
    return #"{"build_commit":"c0ffee\#(number)","model_filename":"m.gguf","backends":"CPU","#
      + #""n_threads":2,"n_prompt":512,"n_gen":0,"n_depth":0,"avg_ns":1,"#
      + #""test_time":"2026-11-30T\#(10 + number):00:00Z","#
      + #""samples_ns":[\#(samples.joined(separator: ","))]}"#
  }

  @Test func `the exit code says whether the newest run is out of line`() throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "fmbench-history-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "r.sqlite").path
    func add(_ lines: [String]) throws {
      let file = folder.appending(path: "bench.jsonl")
      try Data(lines.joined(separator: "\n").utf8).write(to: file)
      #expect(try run("import", "--db", path, file.path).status == 0)
    }
    try add((0..<8).map { line($0, 1) })
    let few = try run("history", "--db", path)
    #expect(few.status == 2)
    #expect(few.output.contains("ttft: too few runs to say: 7 of 8 before the newest"))
    try add([line(8, 1.01)])
    let calm = try run("history", "--db", path, "--metric", "ttft,prefill-tps")
    #expect(calm.status == 0, "\(calm.output)")
    #expect(calm.output.contains("prefill_tps: in line"))
    try add([line(9, 1.12)])
    let slow = try run("history", "--db", path, "--scenario", "llama-bench", "--state", "cold")
    #expect(slow.status == 1)
    #expect(slow.output.contains("ttft: out of line, slower than the runs before by 12 %"))
    #expect(slow.output.contains("2026-11-30 19:00  10   c0ffee9"))
    #expect(try run("history", "--db", path, "--last", "5").status == 2)
    #expect(try run("history", "--db", path, "--device", "vulkan:0").status == 2)
    let json = try run("history", "--db", path, "--json")
    #expect(json.status == 1)
    let object = try JSONSerialization.jsonObject(with: Data(json.output.utf8))
    #expect((object as? [String: Any])?["outcome"] as? String == "alarm")
  }

  @Test func `a history that is not understood is none`() throws {
    for arguments in [
      ["--metric", "speed"], ["--state", "hot"], ["--level", "low"], ["--last", "0"],
      ["--last", "501"], ["extra"],
    ] {
      let result = try CommandRun.run("fmbench", arguments: ["history"] + arguments)
      #expect(result.status == 64, "\(arguments): \(result.error)")
    }
    #expect(try run("history", "--metric", "tpott").error.contains("hint: did you mean 'tpot'?"))
    #expect(try run("history", "--metric", "speed").error.contains("hint: one of ttft, "))
    #expect(try run("history", "--db", "/no/such/file").status == 1)
  }
}
