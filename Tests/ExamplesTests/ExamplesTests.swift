import FMTestSupport
import Foundation
import Testing

/// Runs the programs of `Examples` as their readers would.
@Suite(.serialized) struct ExamplesTests {
  /// The folder of the built programs: the test program's own.
  private static let products: URL = {
    let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    return URL(filePath: own).deletingLastPathComponent()
  }()

  /// Runs a program to its end; `trace` gets what it recorded of itself.
  private func start(
    _ name: String, _ arguments: [String] = [], input: String = "",
    environment: [String: String] = [:], trace: String = "trace.jsonl"
  ) throws -> (output: String, error: String, trace: String) {
    let folder = FileManager.default.temporaryDirectory.appending(path: "fm-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let files = ["in", "out", "error", trace].map { folder.appending(path: $0) }
    try Data(input.utf8).write(to: files[0])
    for file in files[1...2] { try Data().write(to: file) }
    let process = Process()
    process.executableURL = Self.products.appending(path: name)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
      .merging(["FM_TRACE": files[3].path]) { $1 }
    process.standardInput = try FileHandle(forReadingFrom: files[0])
    process.standardOutput = try FileHandle(forWritingTo: files[1])
    process.standardError = try FileHandle(forWritingTo: files[2])
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    func text(_ file: URL) throws -> String {
      String(decoding: try Data(contentsOf: file), as: UTF8.self)
    }
    return try (text(files[1]), text(files[2]), text(files[3]))
  }

  private func run(_ name: String, _ arguments: [String] = [], input: String = "") throws -> String
  {
    try start(name, arguments, input: input).output
  }

  private func withTinyModel(_ body: (String) throws -> Void) throws {
    let tokenizer = TinyTokenizer.byteLevel
    let file = try TinyModel.llama(
      vocabularySize: tokenizer.vocabularySize, contextLength: 1024
    ).write(tokenizer: tokenizer)
    defer { try? FileManager.default.removeItem(at: file.deletingLastPathComponent()) }
    try body(file.path)
  }

  @Test func `bring-your-own-provider calls its tool and streams its answer`() throws {
    let output = try run("bring-your-own-provider")
    #expect(
      output == "The\nThe answer\nThe answer is\nThe answer is 42.\n5 entries, 10 tokens\n",
      "\(output)")
  }

  @Test func `texts are recorded where they are asked for alone, and with a warning`() throws {
    let silent = try start("bring-your-own-provider", environment: ["FM_TRACE_CONTENT": "0"])
    #expect(silent.error.isEmpty, "\(silent.error)")
    #expect(silent.trace.contains("lookUp") && !silent.trace.contains("meaning"))
    let open = try start("bring-your-own-provider", environment: ["FM_TRACE_CONTENT": "1"])
    #expect(open.error.hasPrefix("warning: recording prompts and answers to "), "\(open.error)")
    #expect(open.error.contains("keep it private"))
    #expect(open.trace.contains("meaning"))
  }

  @Test func `FM_TRACE on a program gives sessions, requests, model calls and tools`() throws {
    let text = try start("bring-your-own-provider", trace: "trace.txt").trace
    let kinds = text.split(separator: "\n").compactMap { line -> String? in
      let rest = line.drop { $0 == " " }
      guard rest.hasPrefix("#") else { return nil }
      return String(repeating: ">", count: (line.count - rest.count) / 2)
        + rest.split(separator: " ")[1]
    }
    #expect(kinds == ["session", ">request", ">>inference", ">>tool", ">>inference"], "\(text)")
  }

  @Test func `chat answers a line and says what was cached`() throws {
    try withTinyModel { model in
      let output = try run("chat", [model], input: "Hello\nAgain\n")
      #expect(output.contains("tokens were cached"), "\(output)")
    }
  }

  @Test func `transcripts are saved, restored, trimmed and judged`() throws {
    try withTinyModel { model in
      let output = try run("transcripts", [model])
      #expect(output.contains("restored 5 entries, equal: true"), "\(output)")
      #expect(output.hasSuffix("feedback: written\n"))
    }
  }

  @Test(.enabled(if: Fixtures.smolLM2 != nil, "needs SmolLM2-135M-Instruct; run `fm pull`"))
  func `day-planner plans a day on the default model`() throws {
    let run = try start("day-planner", ["--brief"])
    let lines = run.output.split(separator: "\n")
    #expect(lines.dropFirst().prefix(3).map { $0.prefix(2) } == ["1.", "2.", "3."], "\(lines)")
    // One action of the user's, two sessions in it, the declared tool, and no word of the notes.
    let records = run.trace.split(separator: "\n")
    #expect(records.count { $0.contains(#""k":"interval""#) && $0.contains("plan day") } == 1)
    #expect(records.count { $0.contains(#""k":"session""#) } == 2)
    #expect(records.contains { $0.contains(#""k":"toolCall""#) && $0.contains("searchNotes") })
    #expect(!run.trace.contains("Ines") && !run.trace.contains("budget review"))
  }

  @Test(.enabled(if: Fixtures.smolLM2 != nil, "needs SmolLM2-135M-Instruct; run `fm pull`"))
  func `extract reads a meeting as a typed record`() throws {
    let note = "Meet Ines on Monday at 9:15 in room 14 for 45 minutes about the budget."
    let output = try run("extract", input: note)
    #expect(output.contains("monday at 09:15, 45 min"), "\(output)")
  }
}
