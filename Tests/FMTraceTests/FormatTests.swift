import FMCore
import FMTrace
import Foundation
import Testing

@Suite struct FormatTests {
  /// A trace whose every name and text tries to get out of where it is put.
  private static func hostile() -> Trace {
    let attack = "</script><img src=x onerror=alert(1)>\"'&\u{2028}\u{202E}\u{1B}[31m\n"
    var builder = TraceBuilder(hasContent: true)
    let session = builder.span(
      .session, at: 0, length: 2, [TraceAttribute("model", .name(attack))])
    builder.span(
      .toolCall, in: session, at: 0, length: 1, [TraceAttribute("tool", .name(attack))],
      content: [TraceContent(key: attack, text: attack)])
    builder.span(.interval, at: 0, length: 1, [TraceAttribute("name", .name(attack))])
    builder.event(attack, in: session, at: 1)
    var trace = builder.trace
    trace.header.program = attack
    return trace
  }

  @Test(arguments: [
    ("a.json", TraceFormat.chrome), ("a.otlp.json", .otlp), ("a.jsonl", .jsonl), ("a.html", .html),
    ("b/a.txt", .text), ("a", nil), ("a.json.gz", nil),
  ])
  func `a file's ending chooses the form`(path: String, format: TraceFormat?) {
    #expect(TraceFormat(path: path) == format)
  }

  @Test func `a page fetches nothing and can't be broken out of`() throws {
    let page = String(decoding: TraceFormat.html.bytes(of: Self.hostile()), as: UTF8.self)
    #expect(page.contains("default-src 'none'"))
    #expect(!page.contains("<img"))
    #expect(!page.contains("\u{1B}") && !page.contains("\u{202E}"))
    #expect(!page.contains("http://") && !page.contains("https://"))
    #expect(page.components(separatedBy: "</script>").count == 3)
    // The data is JSON, and nothing in it can end the element that holds it.
    let start = try #require(page.range(of: "id=\"spans\">"))
    let end = try #require(page.range(of: "</script>", range: start.upperBound..<page.endIndex))
    let data = Data(page[start.upperBound..<end.lowerBound].utf8)
    let spans = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    #expect(spans.count == 3)
  }

  @Test func `a page has a bar for every span and the review's answers`() {
    let builder = TraceBuilder.agent()
    let page = String(decoding: TraceFormat.html.bytes(of: builder.trace), as: UTF8.self)
    let bars = page.components(separatedBy: "<button class=\"bar ").count - 1
    #expect(bars == builder.trace.spans.count)
    for question in ReviewQuestion.allCases {
      #expect(page.contains(question.title.replacingOccurrences(of: "'", with: "&#39;")))
    }
    #expect(page.contains("prefers-color-scheme: dark"))
  }

  @Test func `a text shows the tree and steers no terminal`() {
    let text = String(
      decoding: TraceFormat.text.bytes(of: TraceBuilder.agent().trace), as: UTF8.self)
    #expect(text.contains("\n#4 session tiny") || text.contains("\n#4 session"))
    #expect(text.contains("\n  #5 request"))
    #expect(text.contains("\n    #6 inference"))
    #expect(text.contains("\n        #10 decode"))
    #expect(text.contains("app: 17 spans"))
    let hostile = String(decoding: TraceFormat.text.bytes(of: Self.hostile()), as: UTF8.self)
    #expect(!hostile.contains("\u{1B}") && !hostile.contains("\u{202E}"))
    #expect(hostile.contains("treat this as private data"))
  }

  @Test func `machines' forms of hostile names follow their rules`() throws {
    let trace = Self.hostile()
    #expect(try ChromeRules.check(TraceFormat.chrome.bytes(of: trace)).problems.isEmpty)
    #expect(try OTLPRules.check(TraceFormat.otlp.bytes(of: trace)).problems.isEmpty)
    #expect(try TraceReader.read(trace.lines, path: "x") == trace)
  }

  @Test func `an empty trace has every form`() throws {
    let trace = TraceBuilder().trace
    #expect(try ChromeRules.check(TraceFormat.chrome.bytes(of: trace)).problems.isEmpty)
    #expect(try OTLPRules.check(TraceFormat.otlp.bytes(of: trace)).problems.isEmpty)
    for format in TraceFormat.allCases { #expect(!format.bytes(of: trace).isEmpty) }
  }

  @Test func `a trace without content has none of its texts in any form`() {
    let trace = TraceBuilder.agent(hasContent: true).trace
    for format in TraceFormat.allCases {
      let with = String(decoding: format.bytes(of: trace), as: UTF8.self)
      let without = String(decoding: format.bytes(of: trace.withoutContent()), as: UTF8.self)
      #expect(with.contains("ann@example.com"), "\(format)")
      #expect(!without.contains("ann@example.com"), "\(format)")
      let redacted = trace.redacted(by: .builtIn)
      #expect(!String(decoding: format.bytes(of: redacted), as: UTF8.self).contains("ann@"))
    }
  }

  @Test(arguments: ["t.json", "t.otlp.json", "t.html", "t.txt", "t.jsonl", "t-%p.json", "odd"])
  func `an output ends in the form of its name and leaves nothing beside it`(name: String) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let path = folder.appending(path: name).path(percentEncoded: false)
    let output = try TraceOutput(path: path, recordsContent: false)
    let span = SpanID.next()
    output.writer.begin(span, kind: .request, parent: nil, at: .now, attributes: [])
    output.writer.end(span, at: .now, attributes: [])
    try output.finish()
    let files = try FileManager.default.contentsOfDirectory(
      atPath: folder.path(percentEncoded: false))
    let process = "\(ProcessInfo.processInfo.processIdentifier)"
    #expect(files == [name.replacingOccurrences(of: "%p", with: process)])
    let bytes = try Data(contentsOf: folder.appending(path: files[0]))
    switch TraceFormat(path: files[0]) ?? .jsonl {
    case .chrome: #expect(try ChromeRules.check(Array(bytes)).problems.isEmpty)
    case .otlp: #expect(try OTLPRules.check(Array(bytes)).problems.isEmpty)
    case .jsonl: #expect(try TraceReader.read(Array(bytes), path: "x").spans.count == 1)
    case .html: #expect(bytes.starts(with: Array("<!DOCTYPE html>".utf8)))
    case .text: #expect(String(decoding: bytes, as: UTF8.self).contains("request"))
    }
  }
}

@Suite struct OverheadTests {
  @Test func `the cost of a span is measured for every way to trace`() throws {
    let folder = FileManager.default.temporaryDirectory.path(percentEncoded: false)
    let overhead = try TraceOverhead.measure(spans: 500, folder: folder)
    #expect(overhead.rows.map(\.name) == ["off", "recorder", "file"])
    #expect(overhead.rows.allSatisfy { $0.nanoseconds.isFinite && $0.nanoseconds >= 0 })
    #expect((50...400).contains(overhead.rows[2].bytes ?? 0))
    let left = try FileManager.default.contentsOfDirectory(atPath: folder)
    let process = ProcessInfo.processInfo.processIdentifier
    #expect(!left.contains("fm-overhead-\(process).jsonl"))
    #expect(throws: TraceError.self) { try TraceOverhead.measure(spans: 1, folder: "/nowhere") }
  }
}
