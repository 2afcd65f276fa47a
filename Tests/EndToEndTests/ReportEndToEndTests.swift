import FMBench
import FMCore
import FMTestSupport
import Foundation
import Testing

/// `fmbench run`, `report`, `trace` and Ctrl-C with a model small enough for any machine, as a user runs them.
@Suite(.serialized) struct ReportEndToEndTests {
  /// A folder with a model, for one test.
  private final class Place {
    let model: String
    private let folder: URL

    init() throws {
      let tokenizer = TinyTokenizer.byteLevel
      let file = try TinyModel.llama(
        vocabularySize: tokenizer.vocabularySize, contextLength: 4096
      ).write(tokenizer: tokenizer)
      model = file.path
      folder = file.deletingLastPathComponent()
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func path(_ name: String) -> String { folder.appending(path: name).path }

    func text(_ name: String) throws -> String {
      try String(contentsOfFile: path(name), encoding: .utf8)
    }
  }

  private func bench(
    _ arguments: String..., environment: [String: String] = [:]
  ) throws -> CommandRun {
    try CommandRun.run("fmbench", arguments: arguments, environment: environment)
  }

  @Test func `a report has every scenario that was run, as HTML, Markdown and JSON`() throws {
    let place = try Place()
    let database = place.path("r.sqlite")
    let scenarios = ["one-tool", "device-slice"]
    let played = try bench(
      "run", "--model", place.model, "--db", database, "--trials", "1", "--gap-scale", "0",
      "--state", "cold", "--scenario", scenarios.joined(separator: ","), "--quiet")
    #expect(played.status == 0, "\(played.error)")
    let report = try bench("report", "--db", database)
    #expect(report.status == 0, "\(report.error)")
    #expect(report.output == place.path("report.html") + "\n")
    let markdown = try bench("report", "--db", database, "--markdown").output
    let html = try place.text("report.html")
    let numbers = try bench("report", "--db", database, "--json").output
    for scenario in scenarios {
      #expect(html.contains("<h2><bdi>\(scenario)</bdi></h2>"))
      #expect(markdown.contains("| \(scenario) | cold | cpu | 1 |"))
      #expect(numbers.contains("\"\(scenario)\""))
    }
    // One run of one device has no verdict, and one trial no interval; both are said.
    #expect(html.contains("Only cpu was measured") && html.contains("fewer than five valid trials"))
    #expect(markdown.contains("No verdict. Only cpu was measured"))
    #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(numbers.utf8)) }
    let page = try bench("report", "--db", database, "--output", "-")
    #expect(page.output == html)
  }

  @Test func `a run without a valid trial has a report that says so`() throws {
    let place = try Place()
    let database = place.path("r.sqlite")
    let store = try BenchStore(writing: database)
    let model = ModelRow(
      sha256: String(repeating: "a", count: 64), name: "tiny", architecture: "llama",
      quantization: nil, parameters: nil, bytes: 600, trainedContext: 2048)
    let run = try store.beginRun(
      RunRow(
        uuid: UUID().uuidString, build: BuildIdentity.current(), label: nil, arguments: ["fmbench"],
        seed: 1, gapScale: 1, suite: "agent-v1", suiteSHA: "feed", profile: "S",
        modelSHA: model.sha256, context: 4096, loadNanoseconds: nil, loadMemoryBytes: nil),
      model: model, environment: HostEnvironment())
    let cell = try store.addCell(
      CellRow(
        scenario: "one-tool", variant: "", state: .cold, scenarioSHA: nil, device: "cpu",
        deviceName: "a processor", deviceKind: "cpu", threads: nil, maximumRows: nil, kvType: nil,
        masks: "off", parameters: "{}", plannedTrials: 1),
      run: run)
    let trial = try store.beginTrial(
      cell: cell, repetition: 0, orderIndex: 0, isWarmUp: false, started: .now, loadAverage: nil)
    try store.endTrial(
      trial, ended: .now, invalidReason: "the disk was busy", sample: ResourceSample(at: .now))
    try store.endRun(run, status: .finished)
    for arguments in [[], ["--markdown", "--output", place.path("report.md")]] {
      let report = try CommandRun.run(
        "fmbench", arguments: ["report", "--db", database] + arguments)
      #expect(report.status == 0, "\(report.error)")
    }
    let html = try place.text("report.html")
    #expect(html.contains("No trial is valid") && html.contains("the disk was busy"))
    #expect(!html.contains(">nan") && !html.contains("NaN"))
    #expect(try place.text("report.md").contains("| one-tool | cold | cpu | 0 |"))
    let trace = try bench("trace", "--db", database, "--output", place.path("trace.html"))
    #expect(trace.status == 0, "\(trace.error)")
  }

  @Test func `FM_TRACE on a program gives a trace that fmbench reads, with prefill and decode`()
    throws
  {
    let place = try Place()
    let chat = try CommandRun.run(
      "fm", arguments: ["chat", "--model", place.model, "--prompt", "Hello", "--max-tokens", "6"],
      environment: ["FM_TRACE": place.path("chat.jsonl")])
    #expect(chat.status == 0, "\(chat.error)")
    let text = try bench("trace", place.path("chat.jsonl")).output
    let depths = text.split(separator: "\n").compactMap { line -> (Int, Substring)? in
      let rest = line.drop { $0 == " " }
      guard rest.hasPrefix("#") else { return nil }
      return (line.count - rest.count, rest.split(separator: " ")[1])
    }
    let session = try #require(depths.firstIndex { $0.1 == "session" })
    let inner = depths[session...]
    #expect(inner.contains { $0.0 == 2 && $0.1 == "request" }, "\(text)")
    for part in ["prefill", "decode"] {
      #expect(inner.contains { $0.0 >= 4 && $0.1 == part }, "\(part): \(text)")
    }
    #expect(!text.contains("Hello"))
    for form in ["html", "chrome", "otlp"] {
      let output = place.path("trace.\(form)")
      let written = try bench(
        "trace", place.path("chat.jsonl"), "--format", form, "--output", output)
      #expect(written.status == 0, "\(written.error)")
      #expect(try place.text("trace.\(form)").utf8.count > 500)
    }
  }

  @Test func `Ctrl-C ends a run in order and keeps its rows`() throws {
    let place = try Place()
    let database = place.path("r.sqlite")
    let process = Process()
    process.executableURL = CommandRun.products.appending(path: "fmbench")
    process.arguments = [
      "run", "--model", place.model, "--db", database, "--scenario", "device-slice", "--trials",
      "10000",
    ]
    let errors = Pipe()
    process.standardError = errors
    _ = FileManager.default.createFile(atPath: place.path("out"), contents: nil)
    process.standardOutput = FileHandle(forWritingAtPath: place.path("out"))
    try process.run()
    var said = Data()
    var isSignalled = false
    while let part = try errors.fileHandleForReading.read(upToCount: 4096), !part.isEmpty {
      said.append(part)
      let lines = String(decoding: said, as: UTF8.self).components(separatedBy: " tokens, ")
      guard lines.count > 6, !isSignalled else { continue }
      isSignalled = true
      kill(process.processIdentifier, SIGINT)
    }
    process.waitUntilExit()
    #expect(process.terminationReason == .exit && process.terminationStatus == 130)
    #expect(String(decoding: said, as: UTF8.self).contains("stopping; once more to leave at once"))
    #expect(try place.text("out").contains("interrupted"))
    let runs = try JSONSerialization.jsonObject(
      with: Data(try bench("runs", "--db", database, "--json").output.utf8))
    let run = try #require((runs as? [[String: Any]])?.first)
    #expect(run["status"] as? String == "interrupted")
    #expect((run["valid_trials"] as? Int ?? 0) >= 4)
    // What is there can be reported.
    let markdown = try bench("report", "--db", database, "--markdown")
    #expect(markdown.status == 0 && markdown.output.contains("| device-slice | cold | cpu |"))
  }

  /// Runs a product on a terminal of 100 columns and gives what it shows there.
  private static let terminal = """
    import fcntl, os, pty, struct, sys, termios
    child, end = pty.fork()
    if child == 0:
      fcntl.ioctl(2, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
      os.execv(sys.argv[1], sys.argv[1:])
    shown = b""
    while True:
      try:
        part = os.read(end, 65536)
      except OSError:
        break
      if not part:
        break
      shown += part
    os.waitpid(child, 0)
    os.write(1, shown)
    """

  @Test func `a terminal sees a bar with the time left, and colours unless NO_COLOR is set`()
    throws
  {
    let place = try Place()
    try Self.terminal.write(
      toFile: place.path("terminal.py"), atomically: true, encoding: .utf8)
    let script = "python3 '\(place.path("terminal.py"))' \"$0\" "
    let played = try CommandRun.shell(
      "fmbench",
      "TERM=xterm " + script
        + "run --model '\(place.model)' --db '\(place.path("r.sqlite"))' -s device-slice --trials 4"
    )
    #expect(played.output.contains("/5  "), "\(played.output)")
    #expect(played.output.contains(" left  device-slice cold"), "\(played.output)")
    // Elsewhere there is no bar.
    let piped = try bench(
      "run", "--model", place.model, "--db", place.path("r.sqlite"), "-s", "device-slice",
      "--trials", "1")
    #expect(!piped.error.contains("[#") && !piped.error.contains("\u{1B}"))
    let colored = try CommandRun.shell("fmbench", "env -u NO_COLOR TERM=xterm " + script + "shw")
    #expect(colored.output.contains("\u{1B}[31merror:"), "\(colored.output)")
    let plain = try CommandRun.shell("fmbench", "NO_COLOR=1 TERM=xterm " + script + "shw")
    #expect(plain.output.contains("error: no command") && !plain.output.contains("\u{1B}["))
  }

  @Test func `every command that prints data prints JSON`() throws {
    let place = try Place()
    let database = place.path("r.sqlite")
    let played = try bench(
      "run", "--model", place.model, "--db", database, "--trials", "1", "-s", "device-slice",
      "--json")
    var outputs = ["run": played.output]
    for arguments in [
      ["list"], ["runs", "--db", database], ["show", "--db", database], ["explain"],
      ["explain", "ttft"], ["schema"], ["export", "--db", database], ["report", "--db", database],
      ["trace", "--db", database], ["compare", "--db", database],
      ["compare", "1", "1", "--db", database], ["merge", place.path("all.sqlite"), database],
      ["ops", "--quick", "--op", "rms_norm", "--threads", "1"],
      ["speed", "--model", place.model, "--prefill", "8", "--trials", "1"],
      ["noise", "--model", place.model, "--db", database, "-s", "device-slice", "--trials", "1"],
    ] {
      let run = try CommandRun.run("fmbench", arguments: arguments + ["--json"])
      #expect(run.status != 64, "\(arguments): \(run.error)")
      outputs[arguments.joined(separator: " ")] = run.output
    }
    for (command, output) in outputs.sorted(by: { $0.key < $1.key }) {
      #expect(throws: Never.self, "\(command): \(output)") {
        try JSONSerialization.jsonObject(with: Data(output.utf8))
      }
    }
    // Those that have no --json print no data: pages, and answers that are JSON anyway.
    let lacking = try CommandRun.run("fmbench", "--help").output
      .components(separatedBy: "Commands:\n").last?.split(separator: "\n")
      .prefix { $0.hasPrefix("  ") }
      .compactMap { $0.split(separator: " ").first.map(String.init) }
      .filter { try !CommandRun.run("fmbench", $0, "--help").output.contains("--json") }
    #expect(lacking == ["completions", "man"])
  }
}
