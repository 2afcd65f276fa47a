import FMBench
import FMCommand

/// `fmbench show`: the table of a stored run.
enum ShowCommand {
  static let command = Command(
    name: "show", summary: "Prints a stored run.",
    positionals: [
      Positional(
        "RUN", .optional, help: "latest (the default), a number, or the beginning of a uuid.")
    ],
    options: [StoreOptions.option, .flag("json", help: "Prints JSON.")],
    examples: ["fmbench show", "fmbench show 3 --json", "fmbench show --db other.sqlite latest"]
  ) { try run($0) }

  private static func run(_ arguments: Arguments) throws -> ExitCode {
    let store = try BenchStore(reading: StoreOptions.path(arguments))
    let id = try store.runID(arguments.positional(0) ?? "latest")
    try ReportPrinter.print(
      try store.report(run: id), json: arguments.flag("json"), withCosts: true)
    return .success
  }
}
