/// Takes the words of a command line apart by a command's declaration.
///
/// `--name VALUE`, `--name=VALUE`, `-n VALUE`, `-nVALUE`, several one-letter flags together (`-ab`), and
/// `--` after which every word is a positional argument. A lone `-` is positional (standard input).
/// A word that starts with `-` is never taken for the value of an option unless it is a number.
struct ArgumentParser {
  private let command: Command
  private var arguments = Arguments()

  init(command: Command) { self.command = command }

  mutating func parse(_ words: [String]) throws(UsageError) -> Arguments {
    var rest = words[...]
    while let word = rest.popFirst() {
      if word == "--" {
        for literal in rest { arguments.addPositional(literal) }
        break
      }
      if word.hasPrefix("--") {
        try parseLong(word, &rest)
      } else if word.hasPrefix("-"), word != "-" {
        try parseLetters(word, &rest)
      } else {
        arguments.addPositional(word)
      }
    }
    try checkPositionals()
    return arguments
  }

  private mutating func parseLong(
    _ word: String, _ rest: inout ArraySlice<String>
  ) throws(UsageError) {
    let parts = word.dropFirst(2).split(
      separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0])
    guard let option = command.options.first(where: { $0.name == name }) else {
      let names = command.options.map(\.name) + ["help"]
      throw .unknownOption("--\(name)", suggestion: Spelling.nearest(name, in: names, prefix: "--"))
    }
    try take(
      option, spelled: "--\(name)", attached: parts.count > 1 ? String(parts[1]) : nil, &rest)
  }

  private mutating func parseLetters(
    _ word: String, _ rest: inout ArraySlice<String>
  ) throws(UsageError) {
    var letters = word.dropFirst()
    while let letter = letters.popFirst() {
      guard let option = command.options.first(where: { $0.letter == letter }) else {
        throw .unknownOption("-\(letter)", suggestion: nil)
      }
      if option.value == nil {
        try take(option, spelled: "-\(letter)", attached: nil, &rest)
      } else {
        try take(
          option, spelled: "-\(letter)", attached: letters.isEmpty ? nil : String(letters), &rest)
        return
      }
    }
  }

  private mutating func take(
    _ option: Option, spelled: String, attached: String?, _ rest: inout ArraySlice<String>
  ) throws(UsageError) {
    if arguments.has(option.name), !option.repeats { throw .repeatedOption(spelled) }
    guard let placeholder = option.value else {
      guard attached == nil else { throw .unexpectedValue(option: spelled) }
      arguments.setFlag(option.name)
      return
    }
    if let attached {
      arguments.addValue(attached, for: option.name)
    } else if let next = rest.first, Self.isValue(next) {
      arguments.addValue(rest.removeFirst(), for: option.name)
    } else {
      throw .missingValue(option: spelled, value: placeholder)
    }
  }

  private static func isValue(_ word: String) -> Bool {
    !word.hasPrefix("-") || word == "-" || Double(word) != nil
  }

  private func checkPositionals() throws(UsageError) {
    let given = arguments.positionals.count
    let required = command.positionals.prefix { $0.count == .required }
    guard given >= required.count else {
      throw .missingArgument(command.positionals[given].name)
    }
    let takesAny = command.positionals.contains { $0.count == .any }
    guard takesAny || given <= command.positionals.count else {
      throw .unexpectedArgument(arguments.positionals[command.positionals.count])
    }
  }
}

/// Finds what somebody probably meant to type.
package enum Spelling {
  /// The candidate at most two edits away (one for short words), or that `word` begins.
  package static func nearest(
    _ word: String, in candidates: [String], prefix: String = ""
  ) -> String? {
    let typed = Array(word.utf8)
    guard !typed.isEmpty, typed.count < 64 else { return nil }
    if let start = candidates.first(where: { $0.hasPrefix(word) }) { return prefix + start }
    let limit = typed.count <= 4 ? 1 : 2
    let distances = candidates.map { distance(typed, Array($0.utf8)) }
    guard
      let index = distances.indices.min(by: { distances[$0] < distances[$1] }),
      distances[index] <= limit
    else { return nil }
    return prefix + candidates[index]
  }

  /// The Levenshtein distance: insertions, deletions and substitutions, each one.
  private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    var row = Array(0...right.count)
    for (i, a) in left.enumerated() {
      var diagonal = row[0]
      row[0] = i + 1
      for (j, b) in right.enumerated() {
        let substituted = diagonal + (a == b ? 0 : 1)
        diagonal = row[j + 1]
        row[j + 1] = min(substituted, row[j] + 1, diagonal + 1)
      }
    }
    return row[right.count]
  }
}
