import FMCommand
import Glibc

/// The `fmbench` program: a table of subcommands, one file each.
@main
struct Main {
  /// In the order of the help; a new subcommand is one line here and one file beside this one.
  private static let commands: [Command] = [
    RunCommand.command, ListCommand.command, SpeedCommand.command, ShowCommand.command,
    RunsCommand.command, CompareCommand.command, NoiseCommand.command, TraceCommand.command,
    OpsCommand.command, GrammarCommand.command, ReportCommand.command, MergeCommand.command,
    ExportCommand.command, ImportCommand.command, ExplainCommand.command, SchemaCommand.command,
  ]

  static func main() async {
    let program = Program(
      name: "fmbench", summary: "Measures what an agent's user feels.", commands: commands)
    let code = await program.run(Array(CommandLine.arguments.dropFirst()))
    exit(code.status)
  }
}
