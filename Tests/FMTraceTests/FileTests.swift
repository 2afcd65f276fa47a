import FMCore
import FMTrace
import Foundation
import Glibc
import Testing

@Suite struct FileTests {
  private static func path(_ name: String = "trace.jsonl") -> String {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder.appending(path: name).path(percentEncoded: false)
  }

  private static func lines(_ texts: [String]) -> [UInt8] {
    let header = #"{"fm_trace":1,"program":"a","pid":1,"t":5,"unix_ns":7,"content":false}"#
    return Array((([header] + texts).joined(separator: "\n") + "\n").utf8)
  }

  @Test(arguments: [false, true])
  func `a trace written as lines reads back the same`(hasContent: Bool) throws {
    var trace = TraceBuilder.agent(hasContent: hasContent).trace
    trace.spans[0].attributes += [
      TraceAttribute("whole", .measure(3)), TraceAttribute("tiny", .measure(1e-300)),
      TraceAttribute("least", .count(.min)), TraceAttribute("quoted", .name("a\"\\\n\u{1}<&é🙂")),
    ]
    trace.droppedCount = 3
    #expect(try TraceReader.read(trace.lines, path: "x") == trace)
  }

  @Test func `what a writer is told is in its file`() throws {
    let path = Self.path()
    let writer = try TraceFileWriter(path: path, recordsContent: true)
    let recorder = TraceRecorder(recordsContent: true)
    let now = MonotonicInstant.now
    let spans = (0..<200).map { _ in SpanID.next() }
    for tracer in [writer, recorder] as [any Tracer] {
      for (index, span) in spans.enumerated() {
        tracer.begin(
          span, kind: .generation, parent: index > 0 ? spans[index / 2] : nil, at: now,
          attributes: [TraceAttribute("n", .count(index))])
        tracer.content("prompt", "plain words \(index)", in: span)
        tracer.event("e", in: span, at: now, attributes: [TraceAttribute("x", .measure(0.5))])
      }
      for span in spans.reversed() {
        tracer.end(span, at: .now, attributes: [TraceAttribute("finish", .name("stop"))])
      }
    }
    #expect(writer.finish() == 0)
    let trace = try TraceReader.read(path)
    #expect(trace.spans.map(\.id) == recorder.spans.map(\.id))
    #expect(trace.spans.map(\.attributes) == recorder.spans.map(\.attributes))
    #expect(trace.spans.map(\.content) == recorder.spans.map(\.content))
    #expect(trace.spans.map(\.parent) == recorder.spans.map(\.parent))
    #expect(trace.events == recorder.events)
    #expect(trace.spans.allSatisfy { $0.end != nil })
    #expect(trace.header.processID == Int(ProcessInfo.processInfo.processIdentifier))
    #expect(trace.header.hasContent && !trace.isCut)
  }

  @Test func `whole requests are on disk before the program ends`() throws {
    let path = Self.path()
    let writer = try TraceFileWriter(path: path)
    let request = SpanID.next()
    writer.begin(request, kind: .request, parent: nil, at: .now, attributes: [])
    writer.end(request, at: .now, attributes: [])
    // Nobody closed the file: this is what a killed program leaves.
    let trace = try TraceReader.read(path)
    #expect(trace.spans.count == 1 && trace.spans[0].end != nil)
    writer.finish()
  }

  @Test func `a file cut anywhere reads up to the cut`() throws {
    let trace = TraceBuilder.agent(hasContent: true).trace
    let bytes = trace.lines
    let headerEnd = try #require(bytes.firstIndex(of: 0x0A))
    var longest = 0
    for end in 0...bytes.count {
      let part = Array(bytes[..<end])
      guard end > headerEnd else {
        #expect(throws: TraceError.notATrace(path: "x")) { try TraceReader.read(part, path: "x") }
        continue
      }
      let read = try TraceReader.read(part, path: "x")
      #expect(read.isCut == (part.last != 0x0A))
      #expect(read.spans.count >= longest)
      longest = read.spans.count
    }
    #expect(longest == trace.spans.count)
  }

  @Test func `a writer that reached its limit counts what it leaves out`() throws {
    let path = Self.path()
    let writer = try TraceFileWriter(path: path, byteLimit: 1000)
    for _ in 0..<100 {
      let span = SpanID.next()
      writer.begin(span, kind: .request, parent: nil, at: .now, attributes: [])
      writer.end(span, at: .now, attributes: [])
    }
    writer.finish()
    let trace = try TraceReader.read(path)
    #expect(trace.droppedCount > 0)
    #expect(trace.spans.count + trace.spans.count { $0.end != nil } + trace.droppedCount == 200)
  }

  @Test(.timeLimit(.minutes(1)))
  func `a pipe that nobody writes to is refused at once`() {
    let path = Self.path("fifo")
    #expect(mkfifo(path, 0o600) == 0)
    #expect(throws: TraceError.notRegularFile(path: path, kind: "pipe")) {
      try TraceReader.read(path)
    }
  }

  @Test func `a file that can't be written is an error that names it`() {
    #expect(throws: TraceError.inaccessible(path: "/nowhere/t.jsonl", code: ENOENT)) {
      try TraceFileWriter(path: "/nowhere/t.jsonl")
    }
    #expect(throws: TraceError.inaccessible(path: "/nowhere/t.jsonl", code: ENOENT)) {
      try TraceReader.read("/nowhere/t.jsonl")
    }
  }

  @Test func `only the owner can read a trace`() throws {
    let path = Self.path()
    let writer = try TraceFileWriter(path: path)
    writer.finish()
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }

  @Test(arguments: [
    ("", 2), ("x", 2), ("[", 2), (#"{"b":1}"#, 2), (#"{"b":0,"k":"load","t":1}"#, 2),
    (#"{"b":-1,"k":"load","t":1}"#, 2), (#"{"b":1,"k":"loads","t":1}"#, 2),
    (#"{"b":1,"k":"load","t":-1}"#, 2), (#"{"b":1,"k":"load","t":1e3}"#, 2),
    (#"{"b":1,"k":"load","t":99999999999999999999}"#, 2),
    (#"{"b":1,"k":"load","p":1,"t":1}"#, 2), (#"{"b":1,"k":"load","p":2,"t":1}"#, 2),
    (#"{"b":1,"k":"load","t":1,"a":[]}"#, 2), (#"{"b":1,"k":"load","t":1,"a":{"x":[1]}}"#, 2),
    ("{\"b\":1,\"k\":\"load\",\"t\":1}\n{\"b\":1,\"k\":\"load\",\"t\":1}", 3),
    ("{\"b\":1,\"k\":\"load\",\"t\":9}\n{\"e\":1,\"t\":8}", 3), (#"{"e":1,"t":8}"#, 2),
    (#"{"c":1,"key":"a","text":"b"}"#, 2), (#"{"i":5,"t":1}"#, 2), (#"{"what":1}"#, 2),
    (#"{"b":1,"k":"load","t":1} x"#, 2), (#"{"b":1,"k":"load","t":1,"a":{"x":"\u12"}}"#, 2),
    (String(repeating: "[", count: 100_000), 2), (#"{"b":1,"k":"load","t":1"#, 2),
  ])
  func `a line that no writer writes is an error with its number`(text: String, line: Int) {
    guard !text.isEmpty else { return }
    do {
      _ = try TraceReader.read(Self.lines([text]), path: "x")
      Issue.record("read: \(text.prefix(60))")
    } catch let error {
      guard case .malformed(_, line, let offset, let reason) = error else {
        Issue.record("\(error)")
        return
      }
      #expect(offset > 0 && !reason.isEmpty)
    }
  }

  @Test func `more than is taken is an error, not memory`() {
    let attributes = (0..<65).map { "\"a\($0)\":1" }.joined(separator: ",")
    let many = #"{"b":1,"k":"load","t":1,"a":{"# + attributes + "}}"
    #expect(throws: TraceError.tooLarge(path: "x", what: "attributes in a span", limit: 64)) {
      try TraceReader.read(Self.lines([many]), path: "x")
    }
    let long = String(repeating: " ", count: TraceReader.lineLimit + 1)
    #expect(
      throws: TraceError.tooLarge(
        path: "x", what: "bytes in a line", limit: TraceReader.lineLimit)
    ) {
      try TraceReader.read(Self.lines([long]), path: "x")
    }
    let wide = "[" + String(repeating: "1,", count: 5000) + "1]"
    #expect(throws: TraceError.self) { try TraceReader.read(Self.lines([wide]), path: "x") }
  }

  @Test(arguments: ["", "SQLite format 3\0\n", "{}\n", "{\"fm_trace\":0}\n", "null\n", "\n\n"])
  func `something else is no trace`(text: String) {
    #expect(throws: TraceError.notATrace(path: "x")) {
      try TraceReader.read(Array(text.utf8), path: "x")
    }
  }

  @Test func `a newer version says so`() {
    #expect(throws: TraceError.newerVersion(path: "x", found: 2, supported: 1)) {
      try TraceReader.read(Array("{\"fm_trace\":2}\n".utf8), path: "x")
    }
  }

  @Test func `changed bytes never trap, and what reads can be written in every form`() {
    let seed = UInt64.random(in: 0 ... .max)
    print("seed \(seed)")
    var random = SplitMix(state: seed)
    let bytes = TraceBuilder.agent(hasContent: true).trace.lines
    var readable = 0
    for _ in 0..<2000 {
      var changed = bytes
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let place = Int.random(in: 0..<changed.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: changed[place] = UInt8.random(in: 0 ... .max, using: &random)
        case 1: changed.remove(at: place)
        default: changed.insert(UInt8(ascii: "9"), at: place)
        }
      }
      guard let trace = try? TraceReader.read(changed, path: "x") else { continue }
      readable += 1
      guard readable % 8 == 0 else { continue }
      for format in TraceFormat.allCases { #expect(!format.bytes(of: trace).isEmpty) }
    }
    #expect(readable > 50)
  }
}

/// A small generator for tests; SplitMix64.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
