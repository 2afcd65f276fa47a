/// What a shell offers for a value: words known beforehand, and files.
package struct Completion: Sendable {
  /// Which names of the file system are offered.
  package enum Files: Sendable, Hashable { case none, files, folders }

  /// Asked when a script is made, so that a command that runs does not pay for them.
  package let words: @Sendable () -> [String]
  package let files: Files

  /// Offers `words`, and `files` beside them.
  package init(
    _ words: @autoclosure @escaping @Sendable () -> [String] = [], files: Files = .none
  ) {
    self.words = words
    self.files = files
  }

  /// What the name of a value says by itself: a `FILE` is a file, a `DIR` a folder.
  static func implied(by value: String?) -> Completion {
    switch value {
    case "FILE", "PATH", "RUN|FILE", "INTO", "FROM": Completion(files: .files)
    case "MODEL": Completion(files: .files)
    case "DIR", "FOLDER": Completion(files: .folders)
    default: Completion()
    }
  }
}

/// One named option of a command: a flag, or an option with a value.
package struct Option: Sendable {
  /// The name after `--`.
  package let name: String
  /// The letter after `-`, where there is one.
  package let letter: Character?
  /// What the value is called in the help (`FILE`, `N`); nil for a flag.
  package let value: String?
  /// Whether it may be given several times; otherwise that is an error.
  package let repeats: Bool
  /// What a shell offers for the value.
  package let completion: Completion
  /// One line for the help.
  package let help: String

  /// Whether the value is a list with commas, as its name shows: `A,B`.
  var takesList: Bool { value?.contains(",") ?? false }

  /// A switch that is on when it is given.
  package static func flag(
    _ name: String, letter: Character? = nil, help: String
  ) -> Option {
    Option(
      name: name, letter: letter, value: nil, repeats: false, completion: Completion(), help: help)
  }

  /// An option with a value: `--name VALUE` or `--name=VALUE`.
  ///
  /// Without a `completion`, a value named `FILE`, `PATH` or `MODEL` is completed as a file, and one
  /// named `DIR` or `FOLDER` as a folder.
  package static func value(
    _ name: String, _ value: String, letter: Character? = nil, repeats: Bool = false,
    completion: Completion? = nil, help: String
  ) -> Option {
    Option(
      name: name, letter: letter, value: value, repeats: repeats,
      completion: completion ?? .implied(by: value), help: help)
  }
}

/// One argument given by its place.
package struct Positional: Sendable {
  /// Whether an argument must be given, and how many may be.
  package enum Count: Sendable, Hashable { case required, optional, any }

  /// What it is called in the help, in capitals.
  package let name: String
  package let count: Count
  /// What a shell offers for it.
  package let completion: Completion
  /// One line for the help.
  package let help: String

  /// Declares an argument; its `completion` is as that of an option's value.
  package init(
    _ name: String, _ count: Count = .required, completion: Completion? = nil, help: String
  ) {
    self.name = name
    self.count = count
    self.completion = completion ?? .implied(by: name)
    self.help = help
  }
}

/// A subcommand: what it takes, and the code that runs it.
package struct Command: Sendable {
  package let name: String
  /// One line for the list of commands.
  package let summary: String
  /// More for the command's own help, lines of at most 80 columns; may be empty.
  package let discussion: String
  /// Arguments by place; only the last may be optional or any number.
  package let positionals: [Positional]
  /// Options, in the order of the help.
  package let options: [Option]
  /// Whole command lines, shown in the help.
  package let examples: [String]
  /// Carries it out; thrown errors are printed and give exit code 1, or 64 for a ``UsageError``.
  package let run: @Sendable (Arguments) async throws -> ExitCode

  /// Declares a command.
  package init(
    name: String, summary: String, discussion: String = "", positionals: [Positional] = [],
    options: [Option] = [], examples: [String] = [],
    run: @escaping @Sendable (Arguments) async throws -> ExitCode
  ) {
    self.name = name
    self.summary = summary
    self.discussion = discussion
    self.positionals = positionals
    self.options = options
    self.examples = examples
    self.run = run
  }

  /// Takes `words` apart by this command's declaration.
  package func parse(_ words: [String]) throws(UsageError) -> Arguments {
    var parser = ArgumentParser(command: self)
    return try parser.parse(words)
  }
}
