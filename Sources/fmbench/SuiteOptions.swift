import FMBench
import FMCommand

/// Where the suite's files are.
enum SuiteOptions {
  static let option = Option.value(
    "suite", "FOLDER", help: "The suite's folder; the default is Benchmarks/agent-v1.")

  /// Finds and reads the suite.
  static func load(_ arguments: Arguments) throws -> Suite {
    try Suite(folder: Suite.folder(named: arguments.string("suite")))
  }
}
