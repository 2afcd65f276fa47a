import FMBench
import FMCore
import FMText
import Foundation
import Glibc
import Testing

/// A run that ends by a kill.
private struct Kill: Codable {
  var folder: String
  var microseconds: UInt32
  /// Whether the sessions of a trial are played at the same time.
  var hasLanes: Bool
  /// Whether sessions ask a server; otherwise token ids go to an engine.
  var isConversation: Bool
  /// Whether the time counts from the first announcement; otherwise from before the database.
  var countsFromFirst: Bool

  /// Plays trials without end and writes a line for every announcement.
  func play() async throws {
    var suite = try Suite(folder: Suite.folder(program: nil))
    suite.scenarios = try suite.scenarios(
      named: hasLanes ? ["fanout-shared"] : ["one-tool", "planner-handoff"])
    for index in suite.scenarios.indices {
      suite.scenarios[index].variants?.removeAll { $0.name != "lanes-4" }
    }
    var options = RunOptions()
    options.states = [.prewarmed]
    options.effort = .trials(1_000_000)
    options.gapScale = 0
    let encoding = WordEncoding(words: suite.texts.pad + suite.texts.filler)
    let announced = open(folder + "/announced", O_WRONLY | O_CREAT | O_APPEND, 0o600)
    if !countsFromFirst { killLater() }
    var count = 0
    let runner = BenchRunner(
      store: try BenchStore(writing: folder + "/r.sqlite"), arms: [arm(encoding)], suite: suite,
      options: options)
    _ = try await runner.run(interruption: Interruption()) { event in
      guard case .request(let report) = event else { return }
      // One call a line: what a killed process wrote stays, and no line is cut.
      let line = "\(report.trial.orderIndex)|\(report.session)|\(report.row.number)\n"
      _ = line.utf8CString.withUnsafeBytes { write(announced, $0.baseAddress, $0.count - 1) }
      if countsFromFirst, count == 0 { killLater() }
      count += 1
    }
  }

  private func arm(_ encoding: WordEncoding) -> BenchArm {
    let subject = RunSubject(model: StoreFixture.model, device: StoreFixture.device)
    guard isConversation else {
      return BenchArm(target: FakeTarget(), subject: subject, encoding: encoding)
    }
    let model = PieceModel(behaviour: PieceModel.Behaviour(), log: PieceModel.PromptLog())
    let target = ConversationTarget(
      model: model, contextLength: nil, toolForm: .hermes, count: { PieceModel.count($0) })
    return BenchArm(
      target: .conversations(target), subject: subject, encoding: encoding,
      style: ConversationFixture.style { $0.promptForm = .plain }, endpoint: "http://server/v1")
  }

  /// Kills this process without warning, from another thread.
  private func killLater() {
    Thread {
      usleep(microseconds)
      kill(getpid(), SIGKILL)
    }.start()
  }
}

@Suite struct KillTests {
  /// What is stored with all its stamps, in the words of the announcements.
  private func stored(_ store: BenchStore) throws -> Set<String> {
    Set(
      try store.lines(
        """
        SELECT order_index || '|' || session_name || '|' || number FROM v_request r
          WHERE n_output = COALESCE(
            (SELECT count FROM token_gap g WHERE g.request_id = r.request_id), 0)
        """))
  }

  @Test(.timeLimit(.minutes(3)))
  func `a run killed at 50 random moments keeps every announced request`() async throws {
    let random = CounterRandom(seed: 20_261_130)
    var total = 0
    for number in 0..<50 {
      let folder = try TemporaryFolder()
      let kill = Kill(
        folder: folder.url.path,
        microseconds: UInt32(random.bits(at: UInt64(number)) % 200_000),
        hasLanes: number % 2 == 1, isConversation: number % 3 == 2,
        countsFromFirst: number % 4 < 2)
      await #expect(processExitsWith: .signal(SIGKILL)) { [kill = kill as Kill] in
        try await kill.play()
      }
      let text = (try? String(contentsOfFile: folder.path("announced"), encoding: .utf8)) ?? ""
      let announced = text.split(separator: "\n").map(String.init)
      let place = Comment(
        rawValue: "seed \(random.seed), kill \(number) after \(kill.microseconds) µs")
      #expect(!announced.isEmpty || !kill.countsFromFirst, place)
      let store = try BenchStore(writing: folder.path("r.sqlite"))
      #expect(try store.lines("PRAGMA integrity_check") == ["ok"], place)
      let requests = try stored(store)
      #expect(announced.filter { !requests.contains($0) } == [], place)
      // At most the one whose announcement the kill cut off.
      #expect(requests.count - announced.count <= 1, place)
      total += announced.count
    }
    print("50 kills: \(total) requests announced, all stored")
  }
}
