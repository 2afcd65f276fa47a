import FMBench
import FMCore
import Foundation
import Glibc
import Testing

/// Plays trials without end, in turn and at the same time, and writes a line for every announcement.
///
/// Kills itself without warning, `microseconds` after it began, wherever it is then.
private func playUntilKilled(_ folder: String, microseconds: UInt32) async throws {
  let suite = try Suite(folder: Suite.folder(program: nil))
  var options = RunOptions()
  options.scenarios = ["one-tool", "planner-handoff", "fanout-shared"]
  options.states = [.prewarmed]
  options.effort = .trials(1_000_000)
  options.gapScale = 0
  let encoding = WordEncoding(words: suite.texts.pad + suite.texts.filler)
  let announced = open(folder + "/announced", O_WRONLY | O_CREAT | O_APPEND, 0o600)
  Thread {
    usleep(microseconds)
    kill(getpid(), SIGKILL)
  }.start()
  let runner = BenchRunner(
    store: try BenchStore(writing: folder + "/r.sqlite"), target: FakeTarget(),
    subject: RunSubject(model: StoreFixture.model, device: StoreFixture.device), suite: suite,
    encoding: encoding, options: options)
  _ = try await runner.run(interruption: Interruption()) { event in
    guard case .request(let report) = event else { return }
    // One call a line: what a killed process wrote stays, and no line is cut.
    let line = "\(report.trial.orderIndex)|\(report.session)|\(report.row.number)\n"
    _ = line.utf8CString.withUnsafeBytes { write(announced, $0.baseAddress, $0.count - 1) }
  }
}

@Suite struct KillTests {
  /// Lines of `SELECT order_index|session|number`, as the child announces them.
  private func stored(_ store: BenchStore) throws -> Set<String> {
    Set(
      try store.lines(
        """
        SELECT order_index || '|' || session_name || '|' || number FROM v_request r
          WHERE n_output = COALESCE(
            (SELECT count FROM token_gap g WHERE g.request_id = r.request_id), 0)
        """))
  }

  @Test(.timeLimit(.minutes(2)))
  func `a run killed at 50 random moments keeps every announced request`() async throws {
    let random = CounterRandom(seed: 20_261_130)
    var withAnnouncements = 0
    var amongLanes = 0
    for kill in 0..<50 {
      let folder = try TemporaryFolder()
      let path = folder.url.path
      let microseconds = UInt32(random.bits(at: UInt64(kill)) % 200_000)
      await #expect(processExitsWith: .signal(SIGKILL)) {
        [path = path as String, microseconds = microseconds as UInt32] in
        try await playUntilKilled(path, microseconds: microseconds)
      }
      let text = (try? String(contentsOfFile: folder.path("announced"), encoding: .utf8)) ?? ""
      let announced = text.split(separator: "\n").map(String.init)
      let store = try BenchStore(writing: folder.path("r.sqlite"))
      #expect(try store.lines("PRAGMA integrity_check") == ["ok"])
      let requests = try stored(store)
      let missing = announced.filter { !requests.contains($0) }
      #expect(missing.isEmpty, "seed \(random.seed), kill \(kill) after \(microseconds) µs")
      // At most the one whose announcement the kill cut off.
      #expect(requests.count - announced.count <= 1)
      if !announced.isEmpty { withAnnouncements += 1 }
      if announced.contains(where: { $0.contains("worker-") }) { amongLanes += 1 }
    }
    #expect(withAnnouncements >= 25)
    #expect(amongLanes >= 10)
  }
}
