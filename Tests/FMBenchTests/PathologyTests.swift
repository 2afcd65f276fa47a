import FMBench
import FMRuntime
import FMTestSupport
import FMTrace
import Foundation
import Testing

/// The pathology set: every habit is found by the detector it is made for, and by no other.
@Suite struct PathologyTests {
  private static let folder = Result {
    try Suite.folder(of: "pathology", holding: PathologySet.fileName, environment: [:])
  }

  private func set() throws -> PathologySet { try PathologySet(folder: Self.folder.get()) }

  @Test func `every habit raises what its file says, and its remedy nothing`() async throws {
    let set = try set()
    let player = PathologyPlayer(set)
    for pair in set.pairs {
      let played = try await player.play(pair)
      #expect(played.before.deviations.isEmpty, "\(pair.name) before: \(played.before.deviations)")
      #expect(played.after.deviations.isEmpty, "\(pair.name) after: \(played.after.deviations)")
      #expect(played.before.figures != played.after.figures, "\(pair.name)")
    }
  }

  @Test func `every question of a review has a pair`() throws {
    let questions = try Set(set().pairs.flatMap { $0.before.finds.keys })
    #expect(questions == Set(ReviewQuestion.allCases.map(\.rawValue)))
  }

  @Test func `a detector that misses or cries wolf is told`() async throws {
    let set = try set()
    var pair = try #require(set.pairs(named: ["endless-search"]).first)
    swap(&pair.before.requests, &pair.after.requests)
    let played = try await PathologyPlayer(set).play(pair)
    #expect(!played.isAsExpected)
    let (miss, wolf) = (played.before.deviations.first, played.after.deviations.first)
    #expect(miss?.question == .repeatedCalls && miss?.expected == 1 && miss?.found == 0)
    #expect(wolf?.question == .repeatedCalls && wolf?.expected == 0 && wolf?.found == 1)
  }

  @Test func `a budget answers new calls until it is spent`() async throws {
    let set = try set()
    var pair = try #require(set.pairs(named: ["endless-search"]).first)
    func bytes(_ form: PlayedForm) -> Double? {
      form.figures.first { $0.name == "tool output" }?.value
    }
    let without = try await bytes(PathologyPlayer(set).play(pair).before)
    pair.before.tools?[0].budget = 2
    let with = try await bytes(PathologyPlayer(set).play(pair).before)
    #expect(with == without.map { $0 / 2 })
  }

  @Test(.enabled(if: Fixtures.smolLM2 != nil, "needs SmolLM2-135M-Instruct; run `fm pull`"))
  func `a real model says what the file says, and counts in its own tokens`() async throws {
    let set = try set()
    let file = try #require(Fixtures.smolLM2)
    let model = try Runtime.load(file.path)
    let player = PathologyPlayer(set, on: model)
    for pair in try set.pairs(named: ["wrong-tool", "session-per-turn"]) {
      let played = try await player.play(pair)
      #expect(played.isAsExpected, "\(pair.name): \(played)")
      for form in [played.before, played.after] {
        #expect(form.review.numbers.contexts.allSatisfy { $0.firstTokens > 20 })
        #expect(form.review.numbers.rows.first { $0.kind == .firstToken }?.count ?? 0 > 0)
      }
    }
    let plain = try await PathologyPlayer(set).play(set.pairs(named: ["wrong-tool"])[0])
    #expect(plain.before.review.numbers.rows.first { $0.kind == .firstToken }?.count == 0)
  }

  @Test func `a file that contradicts itself is refused with its name`() throws {
    let source = try Self.folder.get()
    let text = try String(contentsOf: source.appending(path: "slow-tool.json"), encoding: .utf8)
    let cases = [
      ("\"slowToolOrModel\": 1", "\"slowTool\": 1", "no review asks 'slowTool'"),
      ("\"milliseconds\": 3200", "\"milliseconds\": -1", "takes no time"),
      ("\"session\": \"plan\"", "\"session\": \"other\"", "no session 'other'"),
      ("\"type\": \"number\"", "\"type\": \"date\"", "no text and no number"),
      ("\"records\": 3", "\"records\": 100000", "records"),
    ]
    for (old, new, reason) in cases {
      try #require(text.contains(old))
      let error = #expect(throws: SuiteError.self) {
        try load(text.replacingOccurrences(of: old, with: new))
      }
      #expect(error.map { "\($0)" }?.contains(reason) == true, "\(String(describing: error))")
      #expect(error.map { "\($0)" }?.contains("slow-tool") == true)
    }
    #expect(try load(text).pairs.map(\.name) == ["slow-tool"])
    #expect(throws: SuiteError.self) { try load("[]") }
  }

  /// The set of one file, in a folder of its own.
  private func load(_ pair: String) throws -> PathologySet {
    let folder = try TemporaryFolder()
    let index = #"{"name":"p","format":1,"pairs":["slow-tool"],"text":"text.json"}"#
    try Data(index.utf8).write(to: folder.url.appending(path: PathologySet.fileName))
    try Data(pair.utf8).write(to: folder.url.appending(path: "slow-tool.json"))
    let text = try Suite.folder(environment: [:]).appending(path: "text.json")
    try FileManager.default.copyItem(at: text, to: folder.url.appending(path: "text.json"))
    return try PathologySet(folder: folder.url)
  }
}
