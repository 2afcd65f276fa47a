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

  private func run(_ name: String, _ arguments: [String] = [], input: String = "") throws -> String
  {
    let folder = FileManager.default.temporaryDirectory.appending(path: "fm-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let files = ["in", "out"].map { folder.appending(path: $0) }
    try Data(input.utf8).write(to: files[0])
    try Data().write(to: files[1])
    let process = Process()
    process.executableURL = Self.products.appending(path: name)
    process.arguments = arguments
    process.standardInput = try FileHandle(forReadingFrom: files[0])
    process.standardOutput = try FileHandle(forWritingTo: files[1])
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return String(decoding: try Data(contentsOf: files[1]), as: UTF8.self)
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
    let lines = try run("day-planner", ["--brief"]).split(separator: "\n")
    #expect(lines.dropFirst().prefix(3).map { $0.prefix(2) } == ["1.", "2.", "3."], "\(lines)")
  }

  @Test(.enabled(if: Fixtures.smolLM2 != nil, "needs SmolLM2-135M-Instruct; run `fm pull`"))
  func `extract reads a meeting as a typed record`() throws {
    let note = "Meet Ines on Monday at 9:15 in room 14 for 45 minutes about the budget."
    let output = try run("extract", input: note)
    #expect(output.contains("monday at 09:15, 45 min"), "\(output)")
  }
}
