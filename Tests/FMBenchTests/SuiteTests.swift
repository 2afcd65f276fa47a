import FMBench
import FMCore
import Foundation
import Testing

/// A tokenizer for tests: known words are one token each, everything else one token a byte.
///
/// It merges across a cut like real ones do: `ab` then `c` differs from `abc` when both are words.
struct WordEncoding: TextEncoding {
  var sequenceStart: TokenID? = 1
  private var words: [String] = []
  private var numbers: [String: TokenID] = [:]
  private static let firstWord: TokenID = 300

  init(words: [String]) {
    self.words = Array(Set(words + words.map { " " + $0 })).sorted()
    for (index, word) in self.words.enumerated() { numbers[word] = Self.firstWord + TokenID(index) }
  }

  func tokens(of text: String) -> [TokenID] {
    var tokens: [TokenID] = []
    var word = ""
    func flush(_ word: String) -> [TokenID] {
      if let number = numbers[word] { return [number] }
      return word.utf8.map { TokenID($0) + 10 }
    }
    for scalar in text.unicodeScalars {
      let isLetter = scalar.properties.isAlphabetic
      if !isLetter && !word.isEmpty {
        tokens += flush(word)
        word = ""
      }
      if isLetter || scalar == " " {
        word.unicodeScalars.append(scalar)
      } else {
        tokens += flush(String(scalar))
      }
    }
    return tokens + (word.isEmpty ? [] : flush(word))
  }

  func text(of tokens: [TokenID]) -> String {
    var bytes: [UInt8] = []
    for token in tokens {
      let index = Int(token - Self.firstWord)
      if words.indices.contains(index) {
        bytes += Array(words[index].utf8)
      } else if (10..<266).contains(token) {
        bytes.append(UInt8(token - 10))
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

@Suite struct SuiteTests {
  private func suite() throws -> Suite { try Suite(folder: Suite.folder(program: nil)) }

  private func encoding(_ suite: Suite) -> WordEncoding {
    WordEncoding(words: suite.texts.pad + suite.texts.filler + ["notes", "tool", "day", "Maren"])
  }

  @Test func `the scenarios have the token counts of their table`() throws {
    let suite = try suite()
    #expect(
      suite.scenarios.map(\.name)
        == [
          "one-tool", "planner-handoff", "tool-menu", "support-desk", "growing-transcript",
          "coding-loop", "data-agent", "schema-ladder", "fanout-shared", "overflow-recover",
          "device-slice",
        ])
    let plans = try suite.scenarios.flatMap { try ScenarioPlan.all(of: $0) }
    func prefixes(_ name: String) -> [[Int]] {
      plans.filter { $0.scenario == name }.map { $0.sessions.map(\.prefixTokens) }
    }
    #expect(prefixes("one-tool") == [[200]])
    #expect(prefixes("planner-handoff") == [[230, 60]])
    #expect(prefixes("tool-menu") == [[640], [1180], [2880]])
    #expect(prefixes("support-desk") == [[1250]])
    #expect(prefixes("growing-transcript") == [[200]])
    #expect(prefixes("coding-loop") == [[1200]])
    #expect(prefixes("data-agent") == [[1000]])
    #expect(prefixes("schema-ladder") == [[150], [150], [150], [150]])
    #expect(
      prefixes("fanout-shared") == [1, 2, 4, 8, 4].map { Array(repeating: 900, count: $0) })
    #expect(prefixes("overflow-recover") == [[300], [300]])
    let worker = Array(repeating: 60, count: 8)
    #expect(
      plans.map { $0.sessions.map { $0.steps.map(\.output.tokens) } }
        == [
          [[30, 60]], [[30, 30, 180], [160]], [[35, 80]], [[35, 80]], [[35, 80]],
          [[34, 70, 34, 70, 34, 70, 34, 70]], [Array(repeating: 60, count: 24)],
          [[40, 34, 40, 52, 40, 60, 40, 60, 38, 40, 34, 60]], [[110, 120, 150, 130]], [[120]],
          [[120]],
          [[120]], [[120]], [worker], [worker, worker], Array(repeating: worker, count: 4),
          Array(repeating: worker, count: 8), Array(repeating: worker, count: 4),
          [Array(repeating: 80, count: 15)], [Array(repeating: 80, count: 15)],
          [[8]],
        ])
    let window = try #require(plans.map(\.windowTokens).max())
    #expect(window <= 4096)
  }

  @Test func `texts have exactly the tokens asked for`() throws {
    let suite = try suite()
    let text = ExactText(texts: suite.texts, encoding: encoding(suite), seed: 7)
    for kind in suite.texts.sources.keys.sorted() {
      for count in [1, 2, 17, 60, 140, 350] {
        #expect(try text.tokens(kind: kind, count: count, lane: 5).count == count)
      }
    }
    for template in suite.texts.templates.keys.sorted() {
      for count in [1, 30, 120, 400] {
        #expect(try text.tokens(template: template, count: count).count == count)
      }
    }
  }

  @Test func `a forced output that fits is whole`() throws {
    let suite = try suite()
    let encoding = encoding(suite)
    let text = ExactText(texts: suite.texts, encoding: encoding, seed: 7)
    for (name, template) in suite.texts.templates.sorted(by: { $0.key < $1.key }) {
      let bare = encoding.tokens(of: template.replacingOccurrences(of: "<fill>", with: "")).count
      let made = encoding.text(of: try text.tokens(template: name, count: bare + 40))
      #expect((try? JSONSerialization.jsonObject(with: Data(made.utf8))) != nil, "\(made)")
    }
  }

  @Test func `texts depend on seed and lane alone`() throws {
    let suite = try suite()
    let encoding = encoding(suite)
    func made(_ seed: UInt64, _ lane: UInt64) throws -> [TokenID] {
      try ExactText(texts: suite.texts, encoding: encoding, seed: seed)
        .tokens(kind: "user", count: 80, lane: lane)
    }
    #expect(try made(1, 2) == made(1, 2))
    #expect(try made(1, 2) != made(2, 2))
    #expect(try made(1, 2) != made(1, 3))
  }

  @Test func `any change of a file changes the hash`() throws {
    let source = try Suite.folder(program: nil)
    let folder = try TemporaryFolder()
    let copy = folder.url.appending(path: "suite")
    try FileManager.default.copyItem(at: source, to: copy)
    let before = try Suite(folder: copy).sha
    #expect(before == (try suite()).sha)
    let file = copy.appending(path: "one-tool.json")
    let text = try String(contentsOf: file, encoding: .utf8)
    try text.replacingOccurrences(of: "\"tokens\": 140", with: "\"tokens\": 141")
      .write(to: file, atomically: true, encoding: .utf8)
    #expect(try Suite(folder: copy).sha != before)
  }

  @Test(arguments: [
    ("\"tokens\": 140 }", "\"tokens\": 0 }"),
    ("\"template\": \"search-call\"", "\"template\": \"no-such\""),
    ("\"kind\": \"user\"", "\"kind\": \"poem\""),
    ("\"contextTokens\": 4096", "\"contextTokens\": 100"),
    ("\"tokens\": 60 }", "\"tokens\": \"$unbound\" }"),
    ("\"calls\": [{ \"tool\": \"search_notes\", \"milliseconds\": 20 }]", "\"calls\": []"),
    ("\"prefix\": [", "\"prefix\": [[["),
    ("\"leadIn\"", "\"otherwise\""),
    ("\"milliseconds\": 20", "\"milliseconds\": -1"),
  ])
  func `refuses a scenario that breaks a rule`(found: String, replacement: String) throws {
    #expect(throws: SuiteError.self) {
      try changed("one-tool", replacing: found, with: replacement)
    }
  }

  /// Reads the suite with a scenario's file changed.
  private func changed(
    _ scenario: String, replacing found: String, with replacement: String
  ) throws -> Suite {
    let folder = try TemporaryFolder()
    let copy = folder.url.appending(path: "suite")
    try FileManager.default.copyItem(at: Suite.folder(program: nil), to: copy)
    let file = copy.appending(path: "\(scenario).json")
    let text = try String(contentsOf: file, encoding: .utf8)
    let changed = text.replacingOccurrences(of: found, with: replacement)
    try #require(changed != text)
    try changed.write(to: file, atomically: true, encoding: .utf8)
    return try Suite(folder: copy)
  }

  @Test func `a restart frees the window, and the longest sequence before it counts`() throws {
    let plans = try suite().scenarios(named: ["overflow-recover"])
      .flatMap { try ScenarioPlan.all(of: $0) }
    #expect(plans.map(\.windowTokens) == [3940, 3940])
    // One more turn would not have fitted.
    #expect(3940 + 280 > 4096)
    #expect(plans.allSatisfy { $0.sessions[0].steps.count { $0.restarts } == 1 })
  }

  @Test(arguments: [
    // A quote of more tokens than the session's own last answer has.
    ("\"keptTokens\": 80", "\"keptTokens\": 81"),
    ("\"session\": \"chat\"", "\"session\": \"other\""),
    // A session that is nothing but a restart.
    ("\"steps\": [{ \"append\"", "\"steps\": [{ \"restart\": true, \"append\""),
    ("\"repeat\": 13", "\"repeat\": 14"),
  ])
  func `refuses a restart that breaks a rule`(found: String, replacement: String) throws {
    #expect(throws: SuiteError.self) {
      try changed("overflow-recover", replacing: found, with: replacement)
    }
  }

  @Test(arguments: [
    ("\"lanes\": 8", "\"lanes\": 65"),
    ("\"lanes\": 8", "\"lanes\": 0"),
    ("\"lanes\": 8", "\"lanes\": \"eight\""),
    ("\"beginning\": \"differ\"", "\"beginning\": \"alike\""),
    // Of sessions at the same time none can quote another.
    (
      "{ \"kind\": \"user\", \"tokens\": 40 }",
      "{ \"kind\": \"quote\", \"tokens\": 60, \"session\": \"worker-2\" }"
    ),
  ])
  func `refuses lanes that break a rule`(found: String, replacement: String) throws {
    #expect(throws: SuiteError.self) {
      try changed("fanout-shared", replacing: found, with: replacement)
    }
  }

  @Test func `says where a suite was looked for`() {
    #expect(throws: SuiteError.noSuite(folder: "/nowhere", file: "suite.json")) {
      try Suite.folder(of: "x", named: "/nowhere")
    }
    #expect(throws: SuiteError.self) {
      try Suite.folder(of: "none", environment: [:], program: nil, workingFolder: "/")
    }
  }
}
