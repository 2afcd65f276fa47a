import FMBench
import FMCommand

/// `fmbench export`: trials for other programs.
enum ExportCommand {
  static let command = Command(
    name: "export",
    summary: "Prints trials with their metrics as CSV, JSON, Markdown or llama-bench's SQL.",
    discussion: """
      One row a measured trial, invalid ones with their reason and without numbers. Times
      are milliseconds, rates tokens a second; what is not known is empty, or null.
      llama-bench: reading and generating of each cell's first requests, a test each.
      """,
    positionals: [Positional("RUN", .any, help: "Numbers, latest, or uuids; all when none.")],
    options: [
      .value(
        "format", "NAME", completion: Completion(formats),
        help: "csv (the default), json, markdown, or llama-bench: SQL for what reads its table."),
      .flag("json", help: "The same as --format json."), StoreOptions.option,
    ],
    examples: [
      "fmbench export > trials.csv", "fmbench export latest --format markdown",
      "fmbench export --format llama-bench | sqlite3 bench.sqlite",
    ]
  ) { try run($0) }

  private static let llamaBench = "llama-bench"
  private static let formats = TrialExport.Format.allCases.map(\.rawValue) + [llamaBench]

  private static func run(_ arguments: Arguments) throws -> ExitCode {
    let name = try arguments.choice("format", of: formats)
    if name != nil, arguments.flag("json") {
      throw UsageError.conflict("'--json' and '--format' both say what is printed")
    }
    let format =
      arguments.flag("json") ? .json : name.flatMap(TrialExport.Format.init(rawValue:)) ?? .csv
    let store = try BenchStore(reading: StoreOptions.path(arguments))
    let named = try arguments.positionals.map { try store.runID($0) }
    let runs = try named.isEmpty ? store.runs().map(\.id).sorted() : named
    if name == llamaBench {
      Terminal.print(try store.llamaBenchSQL(runs: runs))
      return .success
    }
    Terminal.print(try store.trialExport(runs: runs).text(format))
    return .success
  }
}
