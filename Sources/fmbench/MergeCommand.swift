import FMBench
import FMCommand
import Foundation

/// `fmbench merge`: the runs of other databases into one.
enum MergeCommand {
  static let command = Command(
    name: "merge", summary: "Copies the runs of databases into another.",
    discussion: """
      Runs are known by their uuid, so merging twice changes nothing. The sources are only
      read, except that a file of an older version is brought up first.
      """,
    positionals: [
      Positional("INTO", help: "The database that gets the runs; it is made if missing."),
      Positional("FROM", .any, help: "Databases to copy from."),
    ],
    options: [.flag("json", help: "Prints JSON.")],
    examples: ["fmbench merge all.sqlite laptop.sqlite server.sqlite"]
  ) { try run($0) }

  private static func run(_ arguments: Arguments) throws -> ExitCode {
    let sources = Array(arguments.positionals.dropFirst())
    guard let target = arguments.positional(0), !sources.isEmpty else {
      throw UsageError.conflict("merging takes a database to write and at least one to read")
    }
    let place = Self.place(target)
    if let same = sources.first(where: { Self.place($0) == place }) {
      throw UsageError.conflict("'\(same)' can't be merged into itself")
    }
    // Every source is checked before the first row is copied.
    let stores = try sources.map { try BenchStore(reading: $0) }
    let store = try BenchStore(writing: target)
    var results: [JSONValue] = []
    for (path, source) in zip(sources, stores) {
      let result = try store.merge(from: source)
      if arguments.flag("json") {
        results.append(
          .object([
            ("from", .string(path)), ("runs", .array(result.copied.map { .integer($0) })),
            ("present", .integer(result.present)),
            ("noise_floors", .integer(result.noiseFloors)),
          ]))
        continue
      }
      Terminal.print(
        "\(path): \(result.copied.count) runs copied, \(result.present) were there, "
          + "\(result.noiseFloors) noise floors\n")
    }
    if arguments.flag("json") { Terminal.print(JSONValue.array(results).prettyText) }
    return .success
  }

  /// Where a path leads, by whatever name.
  private static func place(_ path: String) -> String {
    URL(filePath: path).resolvingSymlinksInPath().standardizedFileURL.path
  }
}
