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
    try run(products.appending(path: product), arguments, input: input, environment: environment)
  }

  /// Runs a product by a shell's `script`, in which `"$0"` is the product.
  static func shell(_ product: String, _ script: String) throws -> CommandRun {
    let path = products.appending(path: product).path
    return try run(URL(filePath: "/bin/sh"), ["-c", script, path], input: "", environment: [:])
  }

  /// What a run took, however busy the machine was.
  struct Cost: Sendable {
    var processorSeconds: Double
    var peakBytes: Int
  }

  /// Forks from a small process, for the peak of a child begins with that of its parent.
  private static let meter = """
    import os, resource, sys
    child = os.fork()
    if child == 0:
      os.execv(sys.argv[2], sys.argv[2:])
    status = os.waitpid(child, 0)[1]
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    with open(sys.argv[1], "w") as file:
      file.write("%f %d" % (usage.ru_utime + usage.ru_stime, usage.ru_maxrss))
    sys.exit(os.waitstatus_to_exitcode(status) & 255)
    """

  /// Runs a product and measures it.
  static func measured(
    _ product: String, _ arguments: String...
  ) throws -> (run: CommandRun, cost: Cost) {
    let report = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: report) }
    let words = ["python3", "-c", meter, report.path, products.appending(path: product).path]
    let run = try run(
      URL(filePath: "/usr/bin/env"), words + arguments, input: "", environment: [:])
    let fields = try String(contentsOf: report, encoding: .utf8).split(separator: " ")
    let cost = Cost(
      processorSeconds: fields.first.flatMap { Double($0) } ?? .infinity,
      peakBytes: fields.last.flatMap { Int($0) }.map { $0 * 1024 } ?? .max)
    return (run, cost)
  }

  private static func run(
    _ executable: URL, _ arguments: [String], input: String, environment: [String: String]
  ) throws -> CommandRun {
    let process = Process()
    process.executableURL = executable
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
