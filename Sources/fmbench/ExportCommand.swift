import FMBench
import FMCommand

/// `fmbench export`: trials for other programs.
enum ExportCommand {
  static let command = Command(
    name: "export", summary: "Prints trials with their metrics as CSV, JSON or Markdown.",
    discussion: """
      One row a measured trial, invalid ones with their reason and without numbers. Times
      are milliseconds, rates tokens a second; what is not known is empty, or null.
      """,
    positionals: [Positional("RUN", .any, help: "Numbers, latest, or uuids; all when none.")],
    options: [
      .value(
        "format", "NAME", completion: Completion(TrialExport.Format.allCases.map(\.rawValue)),
        help: "csv (the default), json, markdown."),
      .flag("json", help: "The same as --format json."), StoreOptions.option,
    ],
    examples: ["fmbench export > trials.csv", "fmbench export latest --format markdown"]
  ) { try run($0) }

  private static func run(_ arguments: Arguments) throws -> ExitCode {
    let name = try arguments.choice("format", of: TrialExport.Format.allCases.map(\.rawValue))
    if name != nil, arguments.flag("json") {
      throw UsageError.conflict("'--json' and '--format' both say what is printed")
    }
    let format =
      arguments.flag("json") ? .json : name.flatMap(TrialExport.Format.init(rawValue:)) ?? .csv
    let store = try BenchStore(reading: StoreOptions.path(arguments))
    let named = try arguments.positionals.map { try store.runID($0) }
    let runs = try named.isEmpty ? store.runs().map(\.id).sorted() : named
    Terminal.print(try store.trialExport(runs: runs).text(format))
    return .success
  }
}
