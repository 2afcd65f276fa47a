import FMBench
import Foundation
import Glibc
import Testing

/// Runs whose rows say that they go on.
@Suite struct RunStatusTests {
  /// A machine that booted at second 1,000,000 and gives processes a line of `/proc/PID/stat` each.
  private func machine(_ processes: [Int: String]) throws -> (TemporaryFolder, SystemFiles) {
    let folder = try TemporaryFolder()
    var files = ["proc/stat": "cpu  1 2 3\nbtime 1000000\nprocesses 7\n"]
    for (pid, text) in processes { files["proc/\(pid)/stat"] = text }
    for (path, text) in files {
      let url = folder.url.appending(path: path)
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try text.write(to: url, atomically: true, encoding: .utf8)
    }
    return (folder, SystemFiles(root: folder.url.path))
  }

  /// A line of a process in some state that began seconds after the machine booted.
  private func line(_ state: String, seconds: Int) -> String {
    let ticks = seconds * sysconf(Int32(_SC_CLK_TCK))
    return "17 (a ) name) \(state) " + (4...21).map { "\($0)" }.joined(separator: " ")
      + " \(ticks) 23 24\n"
  }

  @Test func `a process is over that is gone, dead or began later`() throws {
    let (folder, files) = try machine([
      2: line("S", seconds: 500), 3: line("R", seconds: 700), 4: line("Z", seconds: 500),
      5: "5 (short) S 1 2\n",
    ])
    let began = Date(timeIntervalSince1970: 1_000_501)
    #expect(files.isOver(pid: 1, since: began))
    #expect(!files.isOver(pid: 2, since: began))
    #expect(files.isOver(pid: 3, since: began))
    #expect(files.isOver(pid: 4, since: began))
    #expect(!files.isOver(pid: 5, since: began))
    // Where nothing tells when the machine booted, nothing is said.
    try FileManager.default.removeItem(at: folder.url.appending(path: "proc/stat"))
    #expect(!files.isOver(pid: 1, since: began))
  }

  @Test func `a killed run is shown as stopped, and its row is left as it is`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("r.sqlite")
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
      let store = try BenchStore(writing: path)
      _ = try store.beginRun(
        StoreFixture.run(uuid: "killed"), model: StoreFixture.model, environment: .capture())
      kill(getpid(), SIGKILL)
    }
    let store = try BenchStore(writing: path)
    _ = try store.beginRun(
      StoreFixture.run(uuid: "here"), model: StoreFixture.model, environment: .capture())
    _ = try store.beginRun(
      StoreFixture.run(uuid: "elsewhere"), model: StoreFixture.model,
      environment: HostEnvironment())
    // A machine without an identity can't be told from others.
    let killed = SystemFiles().hostIdentity() == nil ? "running" : "stopped"
    #expect(try store.runs().map(\.status) == ["running", "running", killed])
    #expect(try store.report(run: 1).status == killed)
    #expect(try store.report(run: 2).status == "running")
    let report = try store.benchReport(runs: [1, 2])
    #expect(report.runs.map(\.status) == [killed, "running"])
    #expect(try store.lines("SELECT DISTINCT status FROM run") == ["running"])
    let copy = try BenchStore(writing: folder.path("copy.sqlite"))
    #expect(try copy.merge(from: store).copied.count == (killed == "stopped" ? 1 : 0))
  }
}
