import FMBench
import Foundation
import Testing

/// The suite with prompts to 32k tokens.
@Suite struct LongSuiteTests {
  private func suite(_ name: String) throws -> Suite {
    try Suite(folder: Suite.folder(of: name, program: nil))
  }

  @Test func `the long scenarios have names of their own and the windows of their table`() throws {
    let long = try suite("agent-v1-l")
    let short = try suite("agent-v1")
    #expect(long.name == "agent-v1-l" && long.profile == "L")
    #expect(Set(long.scenarios.map(\.name)).isDisjoint(with: short.scenarios.map(\.name)))
    // Everything of the short suite but the slice for software devices.
    #expect(
      long.scenarios.map(\.name).sorted()
        == short.scenarios.map(\.name).filter { $0 != "device-slice" }.map { $0 + "-l" }.sorted())
    func window(_ suite: Suite, _ name: String) throws -> [Int] {
      try suite.scenarios(named: [name]).flatMap { try ScenarioPlan.all(of: $0) }
        .map(\.windowTokens)
    }
    #expect(try window(long, "one-tool-l") == [690])
    #expect(try window(long, "tool-menu-l") == [5585])
    #expect(try window(long, "support-desk-l") == [11_889])
    #expect(try window(long, "growing-transcript-l") == [25_800])
    #expect(try window(long, "coding-loop-l") == [23_910])
    #expect(try window(long, "data-agent-l") == [14_994])
    #expect(try window(long, "fanout-shared-l") == Array(repeating: 13_060, count: 5))
    #expect(try window(long, "overflow-recover-l") == [32_500, 32_500])
    // These two have no longer form.
    #expect(try window(long, "planner-handoff-l") == window(short, "planner-handoff"))
    #expect(try window(long, "schema-ladder-l") == window(short, "schema-ladder"))
    #expect(long.scenarios.allSatisfy { $0.trials.quick == 0 && $0.contextTokens == 32_768 })
    #expect(
      long.primary.sorted() == short.primary.map { $0 + "-l" }.sorted())
  }

  @Test func `both suites have one text`() throws {
    #expect(try suite("agent-v1-l").texts == suite("agent-v1").texts)
    let folder = try Suite.folder(of: "agent-v1-l", program: nil)
    #expect(
      !FileManager.default.fileExists(atPath: folder.appending(path: "text.json").path))
  }

  @Test(arguments: ["..", ".", "", "../agent-v1", "/etc", "agent-v1/", "nothing-here"])
  func `a text is taken from a neighbour and from nowhere else`(name: String) throws {
    let folder = try TemporaryFolder()
    for suite in ["agent-v1", "agent-v1-l"] {
      try FileManager.default.copyItem(
        at: Suite.folder(of: suite, program: nil), to: folder.url.appending(path: suite))
    }
    let copy = folder.url.appending(path: "agent-v1-l")
    // A text where names with dots would lead to.
    try FileManager.default.copyItem(
      at: folder.url.appending(path: "agent-v1/text.json"),
      to: folder.url.appending(path: "text.json"))
    _ = try Suite(folder: copy)
    let file = copy.appending(path: "suite.json")
    let text = try String(contentsOf: file, encoding: .utf8)
    let changed = text.replacingOccurrences(
      of: "\"textOf\": \"agent-v1\"", with: "\"textOf\": \"\(name)\"")
    try #require(changed != text)
    try changed.write(to: file, atomically: true, encoding: .utf8)
    #expect(throws: SuiteError.self) { try Suite(folder: copy) }
  }

  @Test func `long scenarios play with the counts of the script`() async throws {
    let suite = try suite("agent-v1-l")
    let folder = try TemporaryFolder()
    let store = try BenchStore(writing: folder.path("r.sqlite"))
    var options = RunOptions()
    options.scenarios = ["data-agent-l", "support-desk-l"]
    options.states = [.cold]
    options.effort = .trials(1)
    options.gapScale = 0
    let runner = BenchRunner(
      store: store, target: FakeTarget(contextLength: 32_768),
      subject: RunSubject(model: StoreFixture.model, device: StoreFixture.device),
      suite: suite, encoding: WordEncoding(words: suite.texts.pad + suite.texts.filler),
      options: options)
    let result = try await runner.run(interruption: Interruption()) { _ in }
    #expect(result.status == .finished)
    #expect(try store.lines("SELECT DISTINCT invalid_reason FROM trial") == [""])
    #expect(
      try store.lines(
        """
        SELECT scenario, COUNT(*), MAX(n_prompt) FROM v_request WHERE phase = 'measured'
          GROUP BY scenario ORDER BY scenario
        """) == ["data-agent-l|4|14454", "support-desk-l|20|11819"])
    #expect(try store.lines("SELECT suite, profile FROM run") == ["agent-v1-l|L"])
  }
}
