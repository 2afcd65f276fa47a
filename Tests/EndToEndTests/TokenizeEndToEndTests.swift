import FMTestSupport
import Foundation
import Testing

/// `fm tokenize` with the real model.
@Suite(.enabled(if: Fixtures.smolLM2 != nil, "needs SmolLM2: run `fm pull`"))
struct TokenizeEndToEndTests {
  private func withFile(_ bytes: [UInt8], _ body: (String) throws -> Void) throws {
    let url = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try Data(bytes).write(to: url)
    defer { try? FileManager.default.removeItem(at: url) }
    try body(url.path)
  }

  private func ids(_ lines: String) -> [String] {
    lines.split(separator: "\n").compactMap { $0.split(separator: "\t").first.map(String.init) }
  }

  @Test func `prints an id and its piece a line, and the count apart`() throws {
    let run = try CommandRun.run("fm", "tokenize", input: "Hello there")
    #expect(run.status == 0, "\(run.error)")
    #expect(run.output == "19556\t\"Hello\"\n665\t\" there\"\n")
    #expect(run.error.contains("2 tokens for 11 bytes"))
  }

  @Test func `reads control tokens only when asked`() throws {
    let plain = try CommandRun.run("fm", "tokenize", input: "<|im_end|>")
    let special = try CommandRun.run("fm", "tokenize", "--special", input: "<|im_end|>")
    #expect(!ids(plain.output).contains("2"))
    #expect(ids(special.output) == ["2"])
  }

  @Test func `bytes that are not UTF-8 survive both ways`() throws {
    let bytes: [UInt8] = [0x61, 0xe6, 0xbc, 0x0a, 0x62]
    try withFile(bytes) { path in
      let run = try CommandRun.run("fm", "tokenize", path)
      #expect(run.status == 0, "\(run.error)")
      #expect(run.output.contains("\\xe6") || run.output.contains("\\xbc"))
      let back = try CommandRun.run(
        "fm", "tokenize", "--decode", input: ids(run.output).joined(separator: " "))
      #expect(back.output == String(decoding: bytes, as: UTF8.self))
    }
  }

  @Test func `bytes the vocabulary lacks are counted, not lost in silence`() throws {
    let run = try CommandRun.run("fm", "tokenize", input: "a\u{1}\u{2}b")
    #expect(run.status == 0)
    let back = try CommandRun.run(
      "fm", "tokenize", "--decode", input: ids(run.output).joined(separator: " "))
    let lost = 4 - back.output.utf8.count
    #expect(lost == 0 ? !run.error.contains("left out") : run.error.contains("\(lost) bytes have"))
  }

  @Test func `what has no text or no end is refused`() throws {
    let path = FileManager.default.temporaryDirectory.path
    let folder = try CommandRun.run("fm", "tokenize", path)
    #expect(folder.status == 1)
    #expect(
      folder.error == """
        error: cannot read \(path): Is a directory
        hint: give a readable file, or - for standard input

        """)
    let endless = try CommandRun.run("fm", "tokenize", "/dev/zero")
    #expect(endless.status == 1)
    #expect(endless.error.hasPrefix("error: /dev/zero has more than 268 MB"), "\(endless.error)")
  }

  @Test func `a long listing comes whole`() throws {
    let words = String(repeating: "one two three ", count: 20_000)
    let lines = try CommandRun.run("fm", "tokenize", input: words)
    let json = try CommandRun.run("fm", "tokenize", "--json", input: words)
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
    let tokens = try #require(object["tokens"] as? [[String: Any]])
    #expect(object["count"] as? Int == tokens.count)
    #expect(tokens.compactMap { $0["id"] as? Int }.map(String.init) == ids(lines.output))
  }

  @Test func `JSON holds ids and bytes`() throws {
    let run = try CommandRun.run("fm", "tokenize", "--json", input: "Hello")
    let expected = #"{"count":1,"tokens":[{"id":19556,"bytes":"48656c6c6f","text":"Hello"}]}"#
    #expect(run.output == expected + "\n")
  }

  @Test func `a word that is no id is an error that names it`() throws {
    let run = try CommandRun.run("fm", "tokenize", "--decode", input: "1 x 3")
    #expect(run.status == 1)
    #expect(run.error.contains("'x' is not a token id"))
  }
}
