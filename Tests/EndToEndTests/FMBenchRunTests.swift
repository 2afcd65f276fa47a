import FMTestSupport
import Foundation
import Testing

/// `--cache-windows`, and servers that do not answer.
@Suite(.enabled(if: Fixtures.smolLM2 != nil, "needs SmolLM2-135M-Instruct; run `fm pull`"))
struct FMBenchRunTests {
  private static let options = "--scenario device-slice --trials 1 --quiet --db :memory:"

  /// Bytes beyond the model's file that a run with a cache of so many windows holds.
  private func memory(windows: Int) throws -> Double {
    let run = try CommandRun.shell(
      "fmbench", "\"$0\" run --cache-windows \(windows) \(Self.options) --json")
    #expect(run.status == 0, "\(run.error)")
    let object = try JSONSerialization.jsonObject(with: Data(run.output.utf8))
    let report = (object as? [[String: Any]])?.first ?? object as? [String: Any]
    return try #require(report?["loadMemoryBytes"] as? Double)
  }

  @Test func `a cache of more windows takes as much more memory`() throws {
    let memories = [try memory(windows: 2), try memory(windows: 4), try memory(windows: 6)]
    // SmolLM2 keeps 23,040 bytes a token, and a window is 4,096 of them.
    let windows = 2.0 * 4096 * 23040
    #expect(abs(memories[1] - memories[0] - windows) < windows / 10)
    #expect(abs(memories[2] - memories[1] - windows) < windows / 10)
  }

  @Test func `memory that can't be had is told in bytes`() throws {
    // As much as 64 windows take, but not beside the program and the model.
    let run = try CommandRun.shell(
      "fmbench", "ulimit -v 6000000; \"$0\" run --cache-windows 64 \(Self.options)")
    #expect(run.status == 1)
    let pattern = /no memory for the KV cache \(60\d{8} bytes\)\nhint: .*--cache-windows/
    #expect(run.error.contains(pattern), "\(run.error)")
  }

  @Test func `an address where nobody answers is told in a sentence, without its secrets`() throws {
    let run = try CommandRun.run(
      "fmbench", "run", "--endpoint", "http://user:secret@127.0.0.1:9/v1?key=secret", "--db",
      ":memory:")
    #expect(run.status == 1)
    #expect(
      run.error.hasPrefix(
        "error: The connection to the server failed: http://127.0.0.1:9/v1/chat/completions: "),
      "\(run.error)")
    #expect(run.error.contains("\nhint: check that the server is running"))
    #expect(!run.error.contains("secret"))
  }
}
