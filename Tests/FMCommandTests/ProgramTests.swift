import FMCommand
import Testing

@Suite struct ProgramTests {
  private struct Broken: Error, CustomStringConvertible {
    var description: String { "it broke\nhint: mend it" }
  }

  private static let program = Program(
    name: "demo", summary: "Demonstrates.",
    commands: [
      Command(
        name: "echo", summary: "Checks its option.",
        discussion: "Nothing more.",
        positionals: [Positional("WORD", .optional, help: "A word.")],
        options: [
          .value("code", "N", letter: "c", help: "The exit code."),
          .flag("an-option-with-a-very-long-name", help: "Its help is on the next line."),
        ],
        examples: ["demo echo --code 3"]
      ) { arguments in
        ExitCode(Int32(try arguments.integer("code", in: 0...9) ?? 0))
      },
      Command(name: "break", summary: "Fails.") { _ in throw Broken() },
    ])

  @Test func `runs the named command and gives its exit code`() async {
    #expect(await Self.program.run(["echo"]) == .success)
    #expect(await Self.program.run(["echo", "-c", "3"]) == ExitCode(3))
    #expect(await Self.program.run(["break"]) == .failure)
  }

  @Test func `gives the usage code for a command line it does not understand`() async {
    #expect(await Self.program.run([]) == .usage)
    #expect(await Self.program.run(["ecko"]) == .usage)
    #expect(await Self.program.run(["--json"]) == .usage)
    #expect(await Self.program.run(["echo", "--code", "99"]) == .usage)
    #expect(await Self.program.run(["echo", "a", "b"]) == .usage)
  }

  @Test func `shows help on request, before checking anything else`() async {
    #expect(await Self.program.run(["--help"]) == .success)
    #expect(await Self.program.run(["help", "echo"]) == .success)
    #expect(await Self.program.run(["echo", "--wrong", "--help"]) == .success)
    #expect(await Self.program.run(["--version"]) == .success)
  }

  @Test func `lists commands in the help`() {
    #expect(
      Self.program.help() == """
        Demonstrates.

        Usage: demo COMMAND …

        Commands:
          echo   Checks its option.
          break  Fails.

        `demo COMMAND --help` explains a command; `demo --version` prints the version.

        """)
  }

  @Test func `explains a command with arguments, options and examples`() {
    #expect(
      Self.program.help(for: Self.program.commands[0]) == """
        Checks its option.

        Usage: demo echo [OPTIONS] [WORD]

        Nothing more.

        Arguments:
          WORD  A word.

        Options:
          -c, --code N                  The exit code.
              --an-option-with-a-very-long-name
                                        Its help is on the next line.
          -h, --help                    Print this.

        Examples:
          demo echo --code 3

        """)
  }

  @Test func `prints an error with its hint on a line of its own`() {
    #expect(Terminal.errorText(Broken(), color: false) == "error: it broke\nhint: mend it")
  }
}
