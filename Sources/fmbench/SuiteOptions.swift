import FMBench
import FMCommand
import Foundation

/// Where the suite's files are.
enum SuiteOptions {
  static let option = Option.value(
    "suite", "NAME", completion: Completion(shipped, files: .folders),
    help: "agent-v1 (the default), agent-v1-l with prompts to 32k tokens, or a suite's folder.")

  /// Finds and reads the suite: the name of one that comes with the program, or a folder.
  static func load(_ arguments: Arguments) throws -> Suite {
    try Suite(folder: folder(arguments))
  }

  /// Where the suite is.
  static func folder(_ arguments: Arguments) throws -> URL {
    let named = arguments.string("suite")
    if named == "" {
      throw UsageError.invalidValue(
        option: "--suite", found: "", expected: "a suite's name or folder")
    }
    if let named, shipped.contains(named) {
      // Named, it is not what FMBENCH_SUITE says.
      return try Suite.folder(of: named, environment: [:])
    }
    return try Suite.folder(named: named)
  }

  /// Names of the first suite that comes with the program, where it is found; read when asked.
  static let scenarios = Completion(
    (try? Suite(folder: Suite.folder(environment: [:])))?.scenarios.map(\.name) ?? [])

  private static let shipped = ["agent-v1", "agent-v1-l"]
}
