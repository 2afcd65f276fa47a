import FMCommand
import Glibc

/// The `fmbench` program: a table of subcommands, one file each.
@main
struct Main {
  /// In the order of the help; a new subcommand is one line here and one file beside this one.
  private static let commands: [Command] = [
    RunCommand.command, ListCommand.command, SpeedCommand.command, ShowCommand.command,
    RunsCommand.command, CompareCommand.command, HistoryCommand.command, NoiseCommand.command,
    TraceCommand.command, PathologyCommand.command, OpsCommand.command, GrammarCommand.command,
    ReportCommand.command, MergeCommand.command, ExportCommand.command, ImportCommand.command,
    ExplainCommand.command, SchemaCommand.command,
  ]

  private static let manual = Manual(
    exitCodes: Manual.commonExitCodes + [
      Manual.Entry("2", "compare: inconclusive, or not comparable; history: too few runs.")
    ],
    variables: Manual.commonVariables + [
      Manual.Entry("FMBENCH_SUITE", "The folder of the suite, where --suite names none.")
    ],
    files: [
      Manual.Entry(StoreOptions.defaultPath, "The database, where --db names no other."),
      Manual.Entry("Results/report.html", "The page of report: beside the database."),
      Manual.Entry(
        "share/fmbench/agent-v1",
        "The suite, below the program's folder or one above it; Benchmarks/agent-v1 likewise."),
    ] + Manual.commonFiles,
    seeAlso: ["fm(1)"])

  static func main() async {
    let program = Program(
      name: "fmbench", summary: "Measures what an agent's user feels.", commands: commands,
      unlisted: [PlayTrialCommand.command], manual: manual)
    let code = await program.run(Array(CommandLine.arguments.dropFirst()))
    exit(code.status)
  }
}
