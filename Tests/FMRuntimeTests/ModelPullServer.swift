import FMTestSupport
import Foundation

/// A folder of files on a loopback server, `Fixtures/range_server.py`, that all tests share.
struct ModelPullServer {
  private static let shared = Result { try RangeServer() }

  private let server: RangeServer
  private let name = UUID().uuidString
  private let folder: URL

  /// Whether the programs that the tests run are there.
  static var isAvailable: Bool {
    ["python3", "curl"].allSatisfy { name in
      (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
        FileManager.default.isExecutableFile(atPath: "\($0)/\(name)")
      }
    }
  }

  init() throws {
    server = try Self.shared.get()
    folder = server.root.appending(path: name)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  /// Serves `bytes` as `name` from now on.
  func serve(_ bytes: [UInt8], as name: String) throws {
    try Data(bytes).write(to: folder.appending(path: name))
  }

  /// The address of a file, with the server's `mode` of sending it.
  func address(_ file: String, mode: String = "") -> String {
    "http://127.0.0.1:\(server.port)/\(mode)\(mode.isEmpty ? "" : "/")\(name)/\(file)"
  }

  /// For each request of this folder's files so far: the status and the first byte sent.
  var requests: [String] {
    let text = (try? String(contentsOf: server.log, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").filter { $0.contains(name) }.map { line in
      line.split(separator: " ").dropFirst().joined(separator: " ")
    }
  }
}

/// The server's process, which ends with this one.
private final class RangeServer: Sendable {
  let root: URL
  let log: URL
  let port: String
  /// The server ends when this is closed, at the latest with the test process.
  private let input = Pipe()

  init() throws {
    root = try temporaryFolder()
    log = root.appending(path: "requests.log")
    let output = Pipe()
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["python3", Fixtures.url("range_server.py").path, root.path, log.path]
    process.standardInput = input
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    // Blocks until the server listens and prints its port.
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    port = line.trimmingCharacters(in: .whitespacesAndNewlines)
  }
}

/// A fresh folder below the system's temporary one.
func temporaryFolder() throws -> URL {
  let folder = FileManager.default.temporaryDirectory
    .appending(path: "fm-runtime-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  return folder
}
