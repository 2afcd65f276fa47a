/// The commands that print a program's own pages, made from its table of commands.
enum PageCommands {
  /// `completions` and `man` of the program that has `commands` and these two.
  static func all(
    _ name: String, _ summary: String, _ commands: [Command], _ manual: Manual?
  ) -> [Command] {
    // The same program again, made when a page is asked for: these two are on the page as well.
    let program = { @Sendable in
      Program(name: name, summary: summary, commands: commands, manual: manual)
    }
    return [completions(name, program), man(name, program)]
  }

  private static func completions(
    _ name: String, _ program: @escaping @Sendable () -> Program
  ) -> Command {
    let shells = Shell.allCases.map(\.rawValue)
    return Command(
      name: "completions", summary: "Prints the completion script of a shell.",
      discussion: """
        Load it from the shell's start file, or put it where the shell looks for such
        scripts; `make install` does that.
        """,
      positionals: [
        Positional("SHELL", completion: Completion(shells), help: "bash, zsh or fish.")
      ],
      examples: [
        "source <(\(name) completions bash)",
        "\(name) completions zsh > ~/.zfunc/_\(name)",
        "\(name) completions fish > ~/.config/fish/completions/\(name).fish",
      ]
    ) { arguments in
      let shell = arguments.positional(0) ?? ""
      guard let shell = Shell(rawValue: shell) else {
        throw UsageError.invalidValue(
          option: "SHELL", found: shell, expected: "one of " + shells.joined(separator: ", "))
      }
      Terminal.print(program().completions(for: shell))
      return .success
    }
  }

  private static func man(
    _ name: String, _ program: @escaping @Sendable () -> Program
  ) -> Command {
    Command(
      name: "man", summary: "Prints the manual page, in the man macros of troff.",
      examples: [
        "\(name) man | man -l -", "\(name) man > ~/.local/share/man/man1/\(name).1",
      ]
    ) { _ in
      Terminal.print(program().manualPage)
      return .success
    }
  }
}

/// A shell that completion scripts are written for.
package enum Shell: String, CaseIterable, Sendable { case bash, zsh, fish }

extension Program {
  /// A script that completes this program's command lines in a shell.
  package func completions(for shell: Shell) -> String {
    switch shell {
    case .bash: BashCompletions(program: self).text
    case .zsh: ZshCompletions(program: self).text
    case .fish: FishCompletions(program: self).text
    }
  }

  /// The manual page: troff with the man macros, plain ASCII.
  package var manualPage: String { ManualPage(program: self).text }

  /// What may be the first word instead of a command.
  static let ownWords = ["help", "--help", "--version"]
}

/// Text as a word of a shell.
enum ShellWord {
  /// `text` in single quotes, which bash and zsh read without looking inside.
  static func quoted(_ text: String) -> String {
    "'" + Printable.text(text, limit: .max).replacing("'", with: "'\\''") + "'"
  }

  /// `text` in single quotes as fish reads them: a backslash and a quote are escaped.
  static func fishQuoted(_ text: String) -> String {
    let text = Printable.text(text, limit: .max)
    return "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
  }

  /// A function's name for a program: anything but letters and digits becomes `_`.
  static func identifier(_ name: String) -> String {
    String(
      String.UnicodeScalarView(
        name.unicodeScalars.map {
          $0.isASCII && $0.properties.isAlphabetic || ("0"..."9").contains($0) ? $0 : "_"
        }
      ))
  }
}
