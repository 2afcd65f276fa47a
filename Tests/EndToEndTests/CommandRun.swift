import FMCore
import Foundation

/// One run of `fm` or `fmbench` as a user would make it.
struct CommandRun: Sendable {
  var output: String
  var error: String
  var status: Int32
  var seconds: Double

  /// The folder of the built executables: the test program's own.
  static let products: URL = {
    let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    return URL(filePath: own).deletingLastPathComponent()
  }()

  /// Runs a product with arguments and waits for its end.
  static func run(
    _ product: String, _ arguments: String..., input: String = "",
    environment: [String: String] = [:]
  ) throws -> CommandRun {
    try run(product, arguments: arguments, input: input, environment: environment)
  }

  /// Runs a product with arguments and waits for its end.
  static func run(
    _ product: String, arguments: [String], input: String = "",
    environment: [String: String] = [:]
  ) throws -> CommandRun {
    let process = Process()
    process.executableURL = products.appending(path: product)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    // Files instead of pipes: no deadlock, whatever the program writes.
    let files = ["in", "out", "err"].map { folder.appending(path: $0) }
    try Data(input.utf8).write(to: files[0])
    for file in files.dropFirst() { try Data().write(to: file) }
    process.standardInput = try FileHandle(forReadingFrom: files[0])
    process.standardOutput = try FileHandle(forWritingTo: files[1])
    process.standardError = try FileHandle(forWritingTo: files[2])
    let start = MonotonicInstant.now
    try process.run()
    process.waitUntilExit()
    return CommandRun(
      output: String(decoding: try Data(contentsOf: files[1]), as: UTF8.self),
      error: String(decoding: try Data(contentsOf: files[2]), as: UTF8.self),
      status: process.terminationStatus, seconds: MonotonicInstant.now.seconds(since: start))
  }
}
