/// A command line that was not understood.
package enum UsageError: Error, Equatable, Sendable {
  case unknownCommand(String, suggestion: String?)
  case unknownOption(String, suggestion: String?)
  case missingValue(option: String, value: String)
  case unexpectedValue(option: String)
  case repeatedOption(String)
  case missingArgument(String)
  case unexpectedArgument(String)
  /// `expected` completes the sentence "should be …".
  case invalidValue(option: String, found: String, expected: String)
  /// A word that is none of the names an option knows; all are listed where none is likely.
  case unknownName(option: String, found: String, suggestion: String?, all: [String])
  /// Options that can't be given together, or one that needs another.
  case conflict(String)
}

extension UsageError: CustomStringConvertible {
  /// The message and, where there is a likely intention, a second line that starts with `hint: `.
  package var description: String {
    switch self {
    case .unknownCommand(let name, let suggestion):
      "no command '\(name)'" + Self.hint(suggestion)
    case .unknownOption(let name, let suggestion):
      "no option '\(name)'" + Self.hint(suggestion)
    case .missingValue(let option, let value): "'\(option)' needs a value: \(option) \(value)"
    case .unexpectedValue(let option): "'\(option)' takes no value"
    case .repeatedOption(let option): "'\(option)' is given more than once"
    case .missingArgument(let name): "the argument \(name) is missing"
    case .unexpectedArgument(let word): "unexpected argument '\(word)'"
    case .invalidValue(let option, let found, let expected):
      "'\(option)' should be \(expected), not '\(found)'"
    case .unknownName(let option, let found, let suggestion, let all):
      "'\(option)' knows no '\(found)'"
        + (suggestion == nil
          ? "\nhint: one of " + all.joined(separator: ", ") : Self.hint(suggestion))
    case .conflict(let text): text
    }
  }

  private static func hint(_ suggestion: String?) -> String {
    suggestion.map { "\nhint: did you mean '\($0)'?" } ?? ""
  }
}
