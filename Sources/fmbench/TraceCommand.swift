import FMBench
import FMCommand
import FMTrace
import Foundation

/// `fmbench trace`: a stored run, or a recorded trace, as a timeline with a review.
enum TraceCommand {
  static let command = Command(
    name: "trace", summary: "Shows and reviews a stored run, or a trace of any program.",
    discussion: """
      A trace has sessions, requests, model calls with prefill and decode, and tool calls.
      The review asks it eleven questions and gives numbers and spans as evidence.

      Record a program of yours with FM_TRACE=PATH in its environment; .jsonl, .json (Chrome,
      Perfetto), .otlp.json (OpenTelemetry), .html and .txt choose the form. Prompts and
      answers are left out unless FM_TRACE_CONTENT=1 asks for them, and here unless --content
      does; e-mail addresses, phone numbers, long numbers and keys are redacted even then.
      """,
    positionals: [
      Positional(
        "RUN|FILE", .optional,
        help: "latest (the default), a run's number or uuid, or a .jsonl file.")
    ],
    options: [
      .value(
        "format", "FORMAT", completion: Completion(TraceFormat.allCases.map(\.rawValue)),
        help: "text (the default), html, chrome, otlp or jsonl; else by --output's ending."),
      .value("output", "PATH", letter: "o", help: "Writes there instead of to standard output."),
      .flag("content", help: "Shows recorded prompts, answers, arguments and outputs."),
      .value(
        "redact", "PATTERN", repeats: true,
        help: "Replaces what this regular expression finds in them, too."),
      .value(
        "expect-tool", "NAME", repeats: true,
        help: "Finds calls of other tools than these, where the program itself declares none."),
      .flag("json", help: "Prints the review as JSON."),
      .flag("checklist", help: "Prints ten steps from a question to a faster feature."),
      .flag("overhead", help: "Measures what tracing and recording cost on this machine."),
      StoreOptions.option,
    ],
    examples: [
      "fmbench trace", "fmbench trace 3 --output run.html",
      "FM_TRACE=chat.jsonl fm chat --prompt Hello && fmbench trace chat.jsonl",
      "fmbench trace chat.jsonl --format otlp --output chat.otlp.json",
      "fmbench trace chat.jsonl --expect-tool searchNotes", "fmbench trace --checklist",
    ]
  ) { try run($0) }

  private static func run(_ arguments: Arguments) throws -> ExitCode {
    if arguments.flag("checklist") {
      Terminal.print(TraceChecklist.text)
      return .success
    }
    if arguments.flag("overhead") { return try overhead(arguments) }
    let redactor = try TraceRedactor(patterns: arguments.strings("redact"))
    var trace = try load(arguments)
    let hadContent = trace.spans.contains { !$0.content.isEmpty }
    // Looked at before anything is taken out: the review says what kinds of data there are, not which.
    let expected = arguments.strings("expect-tool").map { ExpectedCall(tool: $0) }
    let review = TraceReview(
      TraceTree(trace), redactor: redactor, expected: expected.isEmpty ? nil : expected)
    trace =
      arguments.flag("content") ? trace.redacted(by: redactor) : trace.withoutContent()
    if arguments.flag("content") {
      Terminal.warn(
        hadContent
          ? "the output has prompts and answers; redaction finds forms, not meanings"
          : "no content was recorded; set FM_TRACE_CONTENT=1 when recording")
    }
    let path = arguments.string("output")
    if arguments.flag("json") {
      let text = TraceReviewText.json(review, of: trace).prettyText
      try write(Array(text.utf8), to: path)
      return .success
    }
    let tree = TraceTree(trace)
    switch try format(arguments, path) {
    case .text: try write(Array(TextTrace(tree, review: review).text.utf8), to: path)
    case .html: try write(Array(HTMLTrace(tree, review: review).text.utf8), to: path)
    case let other: try write(other.bytes(of: trace), to: path)
    }
    return .success
  }

  private static func format(_ arguments: Arguments, _ path: String?) throws -> TraceFormat {
    if let name = arguments.string("format") { return try TraceFormat(named: name) }
    return path.flatMap { TraceFormat(path: $0) } ?? .text
  }

  private static func load(_ arguments: Arguments) throws -> Trace {
    let name = arguments.positional(0) ?? "latest"
    if name.contains("/") || name.contains(".") || FileManager.default.fileExists(atPath: name) {
      return try TraceReader.read(name)
    }
    let store = try BenchStore(reading: StoreOptions.path(arguments))
    return try store.trace(run: store.runID(name))
  }

  private static func write(_ bytes: [UInt8], to path: String?) throws {
    guard let path else { return Terminal.print(bytes: bytes) }
    try TraceOutput.write(bytes, to: path)
    Terminal.note("wrote \(path) (\(Format.bytes(bytes.count)))")
  }

  private static func overhead(_ arguments: Arguments) throws -> ExitCode {
    let folder = FileManager.default.temporaryDirectory.path(percentEncoded: false)
    let overhead = try TraceOverhead.measure(folder: folder)
    // The disk that runs are written to is the one whose time counts.
    let disk = URL(filePath: try StoreOptions.path(arguments)).deletingLastPathComponent().path
    let recording = try RecordingCost.measure(
      folder: FileManager.default.isWritableFile(atPath: disk) ? disk : folder)
    if arguments.flag("json") {
      let rows = overhead.rows.map { row in
        JSONValue.object([
          ("tracer", .string(row.name)), ("ns_per_span", .number(row.nanoseconds)),
          ("bytes_per_span", .optional(row.bytes) { .number($0) }),
        ])
      }
      Terminal.print(
        JSONValue.object([
          ("spans", .integer(overhead.spans)), ("rows", .array(rows)),
          (
            "recording",
            .object([
              ("tokens_per_request", .integer(recording.tokens)),
              ("us_per_request", .number(recording.microsecondsPerRequest)),
              ("quick_us_per_request", .number(recording.quickMicrosecondsPerRequest)),
              ("processor_us_per_request", .number(recording.processorMicrosecondsPerRequest)),
              ("us_per_token", .number(recording.microsecondsPerToken)),
              ("bytes_per_request", .integer(recording.bytesPerRequest)),
            ])
          ),
        ]).prettyText)
      return .success
    }
    var table = Table([
      .init("tracer"), .init("µs/span", .right), .init("spans/s", .right),
      .init("bytes/span", .right),
    ])
    for row in overhead.rows {
      table.add([
        row.name, Format.fixed(row.nanoseconds / 1000, digits: 4),
        Format.fixed(1e9 / row.nanoseconds, digits: 0),
        row.bytes.map { Format.fixed($0, digits: 0) } ?? "",
      ])
    }
    Terminal.print(
      "A span is a begin and an end with three attributes; processor time, best of five rounds of "
        + "\(overhead.spans).\n\n" + table.text + "\n" + recordingText(recording))
    return .success
  }

  private static func recordingText(_ cost: RecordingCost) -> String {
    func fixed(_ value: Double) -> String { Format.fixed(value, digits: 1) }
    return "A recorded request is a row, the stamps of \(cost.tokens) tokens and a commit on disk: "
      + "\(fixed(cost.microsecondsPerRequest)) µs\n(the median of \(cost.requests); a tenth took "
      + "\(fixed(cost.quickMicrosecondsPerRequest)) µs or less), "
      + "\(fixed(cost.processorMicrosecondsPerRequest)) µs of them processor time,\n"
      + "\(fixed(cost.microsecondsPerToken)) µs a token; \(cost.bytesPerRequest) bytes.\n"
  }
}
