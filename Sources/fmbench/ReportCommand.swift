import FMBench
import FMCommand
import FMCore
import Foundation

/// `fmbench report`: a page with tables, plots and timelines.
enum ReportCommand {
  static let command = Command(
    name: "report", summary: "Writes one page with tables, plots and timelines.",
    discussion: """
      The page is one HTML file that needs no network. Without RUN it shows the newest run of
      every scenario, state, model and device. What it prints is the path of the page.
      """,
    positionals: [
      Positional("RUN", .any, help: "latest, a number, the beginning of a uuid, or all.")
    ],
    options: [
      StoreOptions.option,
      .value(
        "output", "FILE", letter: "o",
        help: "Where the page goes; the default is report.html beside the database, - is stdout."),
      .flag("markdown", help: "Prints a table for a README instead."),
      .flag("json", help: "Prints the numbers as JSON instead."),
      SuiteOptions.option,
    ],
    examples: [
      "fmbench report", "fmbench report 3 4 --output cpu-and-gpu.html",
      "fmbench report latest --markdown",
    ]
  ) { try run($0) }

  private static func run(_ arguments: Arguments) throws -> ExitCode {
    if arguments.flag("markdown"), arguments.flag("json") {
      throw UsageError.conflict("'--markdown' and '--json' both say what is written")
    }
    let database = try StoreOptions.path(arguments)
    let store = try BenchStore(reading: database)
    var report = try store.benchReport(runs: try runs(arguments, store))
    // Titles of scenarios are an adornment: without the suite's files the page has their names.
    if let suite = try? SuiteOptions.load(arguments) { report.describeScenarios(by: suite) }
    if arguments.flag("markdown") || arguments.flag("json") {
      let text =
        arguments.flag("json") ? try ReportNumbers(report).json() : ReportMarkdown(report).text
      try write(Array(text.utf8), arguments.string("output") ?? "-", database)
      return .success
    }
    let beside = URL(filePath: database).deletingLastPathComponent()
    let output = arguments.string("output") ?? beside.appending(path: "report.html").relativePath
    try write(ReportPage(report).html(), output, database)
    if output != "-" { Terminal.print(output + "\n") }
    return .success
  }

  /// The runs that are named; nil when none is.
  private static func runs(_ arguments: Arguments, _ store: BenchStore) throws -> [Int]? {
    guard !arguments.positionals.isEmpty else { return nil }
    if arguments.positionals.contains("all") { return try store.runs().map(\.id) }
    return try arguments.positionals.map { try store.runID($0) }
  }

  /// Writes the file whole or not at all; never over a database.
  private static func write(_ bytes: [UInt8], _ path: String, _ database: String) throws {
    guard path != "-" else { return Terminal.print(bytes: bytes) }
    guard !path.isEmpty else {
      throw UsageError.invalidValue(option: "--output", found: "", expected: "a file's path")
    }
    if let kind = RegularFile.otherKind(at: path) {
      throw UsageError.invalidValue(
        option: "--output", found: path, expected: "a file's path; it is a \(kind)")
    }
    let file = FileHandle(forReadingAtPath: path)
    let start = (try? file?.read(upToCount: 15)) ?? Data()
    try? file?.close()
    guard !start.elementsEqual("SQLite format 3".utf8), path != database else {
      throw UsageError.conflict("'--output \(path)' is a database, which would be lost")
    }
    let url = URL(filePath: path)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: url, options: .atomic)
  }
}
