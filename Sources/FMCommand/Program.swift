/// A command-line program: a table of commands.
package struct Program: Sendable {
  package let name: String
  /// One line on what the program is for.
  package let summary: String
  package let commands: [Command]
  /// Commands that this program calls itself: in no help, completion or manual.
  private let unlisted: [Command]
  /// What the manual page says beside the commands; nil where there is none.
  let manual: Manual?

  /// Describes a program; nothing runs yet.
  ///
  /// With a manual it has two commands more: `completions` and `man`.
  package init(
    name: String, summary: String, commands: [Command], unlisted: [Command] = [],
    manual: Manual? = nil
  ) {
    self.name = name
    self.summary = summary
    self.unlisted = unlisted
    self.manual = manual
    self.commands =
      commands + (manual == nil ? [] : PageCommands.all(name, summary, commands, manual))
  }

  /// Runs the command that `words` (the arguments without the program's own path) name.
  ///
  /// Prints help and errors itself and returns the exit code.
  package func run(_ words: [String]) async -> ExitCode {
    Terminal.occupyStandardDescriptors()
    do {
      let code = try await dispatch(words)
      if let error = Terminal.outputError { throw error }
      return code
    } catch let error as UsageError {
      Terminal.printError(error)
      let command = words.first.flatMap { find($0) }
      let page = command.map { "\(name) \($0.name) --help" } ?? "\(name) --help"
      Terminal.note("see `\(page)`")
      return .usage
    } catch is CancellationError {
      return .interrupted
    } catch {
      Terminal.printError(error)
      return .failure
    }
  }

  /// The help of a command, or of the program where `command` is nil.
  package func help(for command: Command? = nil) -> String {
    command.map { Help.text(for: $0, of: self) } ?? Help.text(for: self)
  }

  private func dispatch(_ words: [String]) async throws -> ExitCode {
    guard let first = words.first else {
      Terminal.note(help())
      return .usage
    }
    switch first {
    case "-h", "--help", "help":
      Terminal.print(try help(for: words.dropFirst().first.map(require)))
      return .success
    case "--version":
      Terminal.print("\(name) \(FMCommand.version)\n")
      return .success
    default: break
    }
    if first.hasPrefix("-") { throw UsageError.unknownOption(first, suggestion: nil) }
    let command = try require(first)
    let rest = Array(words.dropFirst())
    if Self.asksForHelp(rest) {
      Terminal.print(help(for: command))
      return .success
    }
    return try await command.run(command.parse(rest))
  }

  private func find(_ name: String) -> Command? {
    (commands + unlisted).first { $0.name == name }
  }

  private func require(_ name: String) throws(UsageError) -> Command {
    if let command = find(name) { return command }
    throw .unknownCommand(
      name, suggestion: Spelling.nearest(name, in: commands.map(\.name)))
  }

  private static func asksForHelp(_ words: [String]) -> Bool {
    words.prefix { $0 != "--" }.contains { $0 == "-h" || $0 == "--help" }
  }
}
