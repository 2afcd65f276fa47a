import FMCommand
import Glibc

/// The `fm` program: a table of subcommands, one file each.
@main
struct Main {
  /// In the order of the help; a new subcommand is one line here and one file beside this one.
  private static let commands: [Command] = [
    ChatCommand.command,
    PullCommand.command,
    ModelsCommand.command,
    InspectCommand.command,
    TokenizeCommand.command,
    PerplexityCommand.command,
    DevicesCommand.command,
  ]

  static func main() async {
    let program = Program(
      name: "fm", summary: "Runs language models on this machine.", commands: commands,
      manual: Manual(
        variables: Manual.commonVariables, files: Manual.commonFiles, seeAlso: ["fmbench(1)"]))
    let code = await program.run(Array(CommandLine.arguments.dropFirst()))
    exit(code.status)
  }
}
