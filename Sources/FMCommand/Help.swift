/// The help texts, made from what commands declare.
enum Help {
  /// The list of a program's commands.
  static func text(for program: Program) -> String {
    let width = program.commands.map(\.name.count).max() ?? 0
    var lines = [program.summary, "", "Usage: \(program.name) COMMAND …", "", "Commands:"]
    for command in program.commands {
      lines.append("  \(padded(command.name, width))  \(command.summary)")
    }
    lines += [
      "",
      "`\(program.name) COMMAND --help` explains a command; `\(program.name) --version` "
        + "prints the version.",
    ]
    return lines.joined(separator: "\n") + "\n"
  }

  /// A command's usage, arguments, options and examples.
  static func text(for command: Command, of program: Program) -> String {
    var lines = ["\(command.summary)", "", "Usage: \(usage(of: command, program))"]
    if !command.discussion.isEmpty { lines += ["", command.discussion] }
    let arguments = command.positionals.map { ($0.name, $0.help) }
    if !arguments.isEmpty { lines += ["", "Arguments:"] + rows(arguments) }
    let options = command.options.map { (label($0), $0.help) } + [("-h, --help", "Print this.")]
    lines += ["", "Options:"] + rows(options)
    if !command.examples.isEmpty {
      lines += ["", "Examples:"] + command.examples.map { "  \($0)" }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// `fmbench show [OPTIONS] [RUN]`.
  static func usage(of command: Command, _ program: Program) -> String {
    var words = [program.name, command.name]
    if !command.options.isEmpty { words.append("[OPTIONS]") }
    for positional in command.positionals {
      switch positional.count {
      case .required: words.append(positional.name)
      case .optional: words.append("[\(positional.name)]")
      case .any: words.append("[\(positional.name) …]")
      }
    }
    return words.joined(separator: " ")
  }

  private static func label(_ option: Option) -> String {
    let letter = option.letter.map { "-\($0), " } ?? "    "
    return letter + "--\(option.name)" + (option.value.map { " \($0)" } ?? "")
  }

  private static func rows(_ entries: [(String, String)]) -> [String] {
    let width = min(28, entries.map { $0.0.count }.max() ?? 0)
    return entries.map { label, help in
      label.count > width
        ? "  \(label)\n  \(String(repeating: " ", count: width))  \(help)"
        : "  \(padded(label, width))  \(help)"
    }
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }
}
