/// What can be wrong with a suite's files, or with playing them on a model.
package enum SuiteError: Error, Equatable, Sendable {
  /// No folder holds the suite.
  case notFound(name: String, searched: [String])
  /// A file is missing or cannot be read.
  case unreadable(file: String, reason: String)
  /// A file is no JSON of the expected form.
  case malformed(file: String, reason: String)
  /// A file contradicts the rules of scenarios.
  case invalid(scenario: String, reason: String)
  /// The folder that was named has no such file.
  case noSuite(folder: String, file: String)
  /// No scenario has this name.
  case noSuchScenario(String, known: [String])
  /// A scenario needs a longer window than the model was opened with.
  case windowTooSmall(scenario: String, needed: Int, available: Int)
  /// The tokenizer cannot make a text of the asked length.
  case cannotFill(kind: String, tokens: Int, reason: String)
}

extension SuiteError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .noSuite(let folder, let file):
      "there is no suite in '\(folder)': it has no \(file)"
    case .notFound(let name, let searched):
      "the suite '\(name)' was not found in \(searched.joined(separator: ", "))"
        + "\nhint: name its folder with \(name == "guided" ? "--folder" : "--suite or FMBENCH_SUITE")"
    case .unreadable(let file, let reason): "cannot read \(file): \(reason)"
    case .malformed(let file, let reason): "\(file) is malformed: \(reason)"
    case .invalid(let scenario, let reason): "scenario '\(scenario)': \(reason)"
    case .noSuchScenario(let name, let known):
      "there is no scenario '\(name)'\nhint: the suite has \(known.joined(separator: ", "))"
    case .windowTooSmall(let scenario, let needed, let available):
      "scenario '\(scenario)' needs a window of \(needed) tokens, and the model was opened with "
        + "\(available)\nhint: --context \(needed)"
    case .cannotFill(let kind, let tokens, let reason):
      "no text of kind '\(kind)' with exactly \(tokens) tokens: \(reason)"
    }
  }
}
