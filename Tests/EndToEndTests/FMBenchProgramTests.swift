import FMBackend
import FMBench
import FMRuntime
import FMTestSupport
import Foundation
import Testing

/// Runs `fmbench` as a user does: exit codes, streams, files.
@Suite struct FMBenchProgramTests {
  /// A folder for one test's database.
  private final class Folder {
    let url = FileManager.default.temporaryDirectory
      .appending(path: "fmbench-\(UUID().uuidString)")

    init() throws {
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func path(_ name: String) -> String { url.appending(path: name).path }
  }

  private func run(_ arguments: String...) throws -> CommandRun {
    try CommandRun.run("fmbench", arguments: arguments)
  }

  @Test func `lists the scenarios`() throws {
    let list = try run("list")
    #expect(list.status == 0)
    for name in [
      "one-tool", "planner-handoff", "growing-transcript", "schema-ladder", "device-slice",
    ] {
      #expect(list.output.contains(name))
    }
    let json = try JSONSerialization.jsonObject(with: Data(try run("list", "--json").output.utf8))
    let scenarios = (json as? [String: Any])?["scenarios"] as? [Any]
    #expect(scenarios?.count == 11)
  }

  @Test(arguments: [
    "run", "list", "show", "runs", "compare", "history", "noise", "trace", "merge", "export",
    "import", "ops", "explain", "schema", "pathology",
  ])
  func `every command's help has an example`(command: String) throws {
    let help = try run(command, "--help")
    #expect(help.status == 0)
    #expect(help.output.contains("Examples:\n  "))
  }

  @Test func `prints the checklist of a review in ten steps`() throws {
    let text = try run("trace", "--checklist").output
    let numbers = text.split(separator: "\n").compactMap { line in
      line.split(separator: ".").first.flatMap { Int($0.drop { $0 == " " }) }
    }
    #expect(numbers == Array(1...10))
    #expect(text.contains("withTraceInterval") && text.contains("--redact"))
  }

  @Test func `finds calls of other tools than those that are expected`() throws {
    let folder = try Folder()
    let lines = [
      #"{"fm_trace":1,"program":"app","pid":1,"t":0,"unix_ns":0,"content":false}"#,
      #"{"b":1,"k":"toolCall","t":5,"a":{"tool":"searchWeb"}}"#, #"{"e":1,"t":9,"a":{}}"#, "",
    ]
    try Data(lines.joined(separator: "\n").utf8).write(to: URL(filePath: folder.path("t.jsonl")))
    func messages(_ tool: String) throws -> String {
      try run("trace", folder.path("t.jsonl"), "--expect-tool", tool).output
    }
    let found = try messages("searchNotes")
    #expect(found.contains("tool searchWeb was called once; the trace expects searchNotes"))
    #expect(try messages("searchWeb").contains("no   Is another tool called than expected"))
  }

  @Test func `plays the pathology set and says what differs`() throws {
    let text = try run("pathology", "--pair", "endless-search")
    #expect(text.status == 0, "\(text.output)")
    #expect(text.output.contains("before  repeatedCalls: tool searchNotes"))
    #expect(text.output.contains("after   no finding"))
    #expect(text.output.contains("tool calls 4 → 2"))
    let json = try run("pathology", "--json")
    #expect(json.status == 0)
    let object = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
    #expect((object?["pairs"] as? [Any])?.count ?? 0 >= 12)
    #expect(try run("pathology", "--pair", "none").error.contains("hint: the suite has"))
  }

  @Test func `explains each metric of its list`() throws {
    let names = try run("explain").output.split(separator: "\n").dropFirst()
      .compactMap { $0.split(separator: " ").first.map(String.init) }
    #expect(names.count > 10)
    for name in names { #expect(try run("explain", name).output.hasPrefix("\(name) (")) }
    #expect(try run("explain", "speed").status == 64)
  }

  @Test func `a command line that is not understood is no run`() throws {
    #expect(try run("run", "--quick", "--trials", "3").status == 64)
    #expect(try run("run", "--trials", "0").status == 64)
    #expect(try run("run", "--gap-scale", "nan").status == 64)
    #expect(try run("run", "--state", "lukewarm").status == 64)
    for option in ["--state", "--device", "--scenario", "--suite"] {
      #expect(try run("run", option, "").status == 64)
    }
    #expect(try run("run", "--state", ",").status == 64)
    #expect(try run("run", "--suite", "/no/such/folder").error.contains("no suite in '/no/such"))
    #expect(try run("merge", "a.sqlite", "./a.sqlite").status == 64)
    #expect(try run("run", "--quick", "--db", "").status == 64)
    for windows in ["0", "65", "two"] {
      #expect(try run("run", "--cache-windows", windows).status == 64)
    }
    for option in [["--device", "cpu"], ["--rounds", "2"], ["--cut"]] {
      let masks = try CommandRun.run("fmbench", arguments: ["grammar", "masks"] + option)
      #expect(masks.status == 64)
      #expect(masks.error.contains("not for 'masks'"), "\(masks.error)")
    }
    #expect(try run("shw").error.contains("hint: did you mean 'show'?"))
  }

  @Test func `times ops against what the device reaches`() throws {
    let table = try run("ops", "--quick", "--op", "silu")
    #expect(table.status == 64)
    let result = try run("ops", "--quick", "--op", "rms_norm", "--threads", "1", "--json")
    #expect(result.status == 0, "\(result.error)")
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
    #expect(object["selector"] as? String == "cpu")
    #expect(object["kind"] as? String == "cpu")
    let peaks = try #require(object["peaks"] as? [String: Double])
    #expect(peaks.values.allSatisfy { $0 > 0 })
    #expect((object["timings"] as? [Any])?.count == 2)
    #expect(try run("ops", "--quick", "--all").status == 64)
    #expect(try run("ops", "--device", "nothing").status == 1)
  }

  @Test func `names what is wrong with a database`() throws {
    let folder = try Folder()
    let path = folder.path("notes.txt")
    let text = String(repeating: "no database\n", count: 100)
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    for command in ["show", "runs", "run"] {
      let result = try run(command, "--db", path)
      #expect(result.status == 1)
      #expect(result.error.contains("notes.txt is not a database of fmbench"))
    }
    #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
    #expect(try run("show", "--db", folder.path("none")).error.contains("hint: "))
  }

  @Test func `a bad model is an error and no run`() throws {
    let folder = try Folder()
    let model = folder.path("bad.gguf")
    try Data("GGUF\u{3}\0\0\0".utf8).write(to: URL(filePath: model))
    let result = try run("run", "--model", model, "--db", folder.path("r.sqlite"))
    #expect(result.status == 1)
    #expect(result.error.contains("error: "))
    #expect(result.output.isEmpty)
    let runs = try run("runs", "--db", folder.path("r.sqlite"), "--json")
    #expect(runs.output == "[]\n")
  }

  @Test(.enabled(if: Fixtures.smolLM2 != nil, "needs SmolLM2-135M-Instruct; run `fm pull`"))
  func `records a run of a real model and shows it again`() throws {
    let folder = try Folder()
    let path = folder.path("r.sqlite")
    let result = try run(
      "run", "--db", path, "--scenario", "one-tool", "--state", "cold,prewarmed", "--trials", "1",
      "--json", "--label", "a test")
    #expect(result.status == 0, "\(result.error)")
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
    let cells = try #require(object["cells"] as? [[String: Any]])
    #expect(cells.map { $0["validTrials"] as? Int } == [1, 1])
    // Two cells of two requests, a warm-up of each, and two prefills.
    let lines = result.error.split(separator: "\n").filter { $0.contains(" tokens, ") }
    #expect(lines.count == 10)
    #expect(try run("show", "--db", path, "--json").output == result.output)
    #expect(try run("show", "--db", path).output.contains("one-tool  cold"))
    #expect(try run("runs", "--db", path).output.contains("a test"))
    let comparison = try run("compare", "--by", "device", "--db", path)
    #expect(comparison.status == 0)
    #expect(comparison.output.contains("Only cpu was measured"))
    #expect(comparison.output.contains("\nnext: "))
    #expect(try run("compare", "--by", "weather", "--db", path).status == 64)
  }

  @Test(
    .enabled(if: Fixtures.smolLM2 != nil, "needs SmolLM2-135M-Instruct; run `fm pull`"),
    .enabled(if: Devices.all().count > 1, "needs a Vulkan device, be it a software one"))
  func `compares the processor with the device that really ran`() throws {
    let folder = try Folder()
    let path = folder.path("r.sqlite")
    let device = try #require(Devices.all().last)
    let result = try run(
      "run", "--db", path, "--device", "cpu,\(device.selector)", "--scenario", "device-slice",
      "--trials", "1", "--quiet")
    #expect(result.status == 0, "\(result.error)")
    #expect(result.output.contains("device cpu, CPU"))
    #expect(result.output.contains(" on \(device.name)\n"))
    #expect(result.output.contains("device \(device.selector), \(device.kind.label)"))
    let comparison = try run("compare", "--by", "device", "--db", path, "--json")
    #expect(comparison.status == 0)
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(comparison.output.utf8)) as? [String: Any])
    let pairs = try #require(object["pairs"] as? [[String: Any]])
    #expect(pairs.count == 1)
    let ratios = try #require(pairs.first?["ratios"] as? [String: Double])
    #expect(ratios.keys.sorted() == ["decode_tps", "prefill_tps", "tpot", "ttft"])
    #expect(ratios.values.allSatisfy { $0 > 0 })
  }

  @Test(
    .enabled(if: Fixtures.smolLM2 != nil, "needs SmolLM2-135M-Instruct; run `fm pull`"),
    arguments: [SIGINT, SIGKILL], ["running", "process"])
  func `what was announced before a signal is kept`(number: Int32, start: String) throws {
    let folder = try Folder()
    let path = folder.path("r.sqlite")
    let process = Process()
    process.executableURL = CommandRun.products.appending(path: "fmbench")
    process.arguments = [
      "run", "--db", path, "--scenario", "one-tool", "--trials", "1000", "--start", start,
    ]
    let errors = Pipe()
    process.standardError = errors
    let table = folder.path("table")
    _ = FileManager.default.createFile(atPath: table, contents: nil)
    process.standardOutput = FileHandle(forWritingAtPath: table)
    try process.run()
    var said = Data()
    var isSignalled = false
    while let part = try errors.fileHandleForReading.read(upToCount: 4096), !part.isEmpty {
      said.append(part)
      let lines = String(decoding: said, as: UTF8.self).components(separatedBy: " tokens, ")
      guard lines.count > 4, !isSignalled else { continue }
      isSignalled = true
      kill(process.processIdentifier, number)
    }
    process.waitUntilExit()
    #expect(process.terminationStatus == (number == SIGINT ? 130 : SIGKILL))
    let announced =
      String(decoding: said, as: UTF8.self).components(separatedBy: " tokens, ").count - 1
    #expect(announced >= 4)
    let runs = try run("runs", "--db", path, "--json")
    #expect(runs.status == 0)
    #expect(runs.output.contains(number == SIGINT ? "interrupted" : "stopped"))
    if number == SIGINT {
      #expect(try String(contentsOfFile: table, encoding: .utf8).contains("interrupted"))
    }
    let stored = try requests(in: path)
    // What was stored when the signal came; a trial's process may have stored one more by then.
    #expect((announced...announced + 2).contains(stored))
  }

  @Test(.enabled(if: Fixtures.smolLM2 != nil, "needs SmolLM2-135M-Instruct; run `fm pull`"))
  func `starts a process for every trial, at either level`() throws {
    let folder = try Folder()
    let path = folder.path("r.sqlite")
    let result = try run(
      "compare", "--by", "start", "running", "process", "--db", path, "--scenario", "one-tool",
      "--state", "cold", "--trials", "1")
    #expect(result.status == 2, "\(result.error)")
    #expect(result.output.contains("what a trial begins with (running and process)"))
    // A warm-up and a trial of two requests on either side.
    let lines = result.error.split(separator: "\n").filter { $0.contains(" tokens, ") }
    #expect(lines.count == 8)
    #expect(lines.filter { $0.hasPrefix("B one-tool cold") }.count == 4)
    let shown = try run("show", "2", "--db", path)
    #expect(shown.output.contains("engine level, a new process every trial"))
    #expect(shown.output.contains("load ms"))
    #expect(!(try run("show", "1", "--db", path).output.contains("load ms")))
    let sessions = try CommandRun.run(
      "fmbench", "run", "--start", "process", "--level", "session", "--masks", "on", "--db", path,
      "--scenario", "one-tool", "--state", "prewarmed", "--trials", "1", "--json",
      environment: ["FM_TRACE": folder.path("trace.jsonl")])
    #expect(sessions.status == 0, "\(sessions.error)")
    // The third run's warm-up and trial are rows 5 and 6.
    for name in ["trial-5-trace.jsonl", "trial-6-trace.jsonl"] {
      let review = try run("trace", folder.path(name))
      #expect(review.output.contains("tool search_notes"), "\(review.error)")
    }
    #expect(sessions.output.contains("session level, a new process every trial"))
    #expect(!(try run("--help").output.contains("play-trial")))
    let wrong = try run("play-trial", "--trial", "1", "--model", "none", "--db", path)
    #expect(wrong.status == 1)
    #expect(wrong.error.contains("trial 1 waits for no process"))
    let missing = try run("play-trial", "--trial", "1", "--model", "x", "--db", path + ".none")
    #expect(missing.status == 1)
    #expect(!FileManager.default.fileExists(atPath: path + ".none"))
  }

  /// Rows of `request`, by the program Python always has a module for.
  private func requests(in path: String) throws -> Int {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [
      "python3", "-c",
      "import sqlite3,sys;print(sqlite3.connect(sys.argv[1]).execute("
        + "'SELECT COUNT(*) FROM request').fetchone()[0])", path,
    ]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    let digits = String(decoding: text, as: UTF8.self).filter(\.isNumber)
    return try #require(Int(digits))
  }
}
