import Foundation

/// Which build of this program made a run.
package struct BuildIdentity: Sendable, Hashable, Codable {
  /// Where the commit was read.
  package enum Source: String, Sendable, Hashable, Codable {
    /// The variable `FMBENCH_COMMIT` named it, `-dirty` at its end saying that there were changes.
    case environment
    /// Git was asked about the source tree the program was compiled from.
    case git
    case none
  }

  package var version: String
  package var commit: String?
  package var isDirty: Bool?
  package var source: Source
  /// `release` or `debug`.
  package var configuration: String

  package init(
    version: String, commit: String?, isDirty: Bool?, source: Source, configuration: String
  ) {
    self.version = version
    self.commit = commit
    self.isDirty = isDirty
    self.source = source
    self.configuration = configuration
  }

  /// This program's version.
  package static let version = "0.1.0"

  /// The identity of the running program.
  ///
  /// `FMBENCH_COMMIT` wins, for programs that were copied away from their source. Otherwise git is
  /// asked in the folder this file was compiled from: that is the state of the source now, which
  /// is the build's when nothing was edited since; with edits, or with a source file that is newer than the
  /// program, as after another commit was checked out, `dirty` says so.
  package static func current(
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> BuildIdentity {
    var identity = BuildIdentity(
      version: version, commit: nil, isDirty: nil, source: .none, configuration: configuration)
    if let named = environment["FMBENCH_COMMIT"], !named.isEmpty {
      let isDirty = named.hasSuffix("-dirty")
      identity.commit = isDirty ? String(named.dropLast(6)) : named
      identity.isDirty = isDirty
      identity.source = .environment
    } else if let commit = git(["rev-parse", "HEAD"]), !commit.isEmpty {
      identity.commit = commit
      identity.isDirty = git(["status", "--porcelain", "--untracked-files=no"]).map {
        !$0.isEmpty || isOlderThanSource()
      }
      identity.source = .git
    }
    return identity
  }

  /// `release` or `debug`.
  static var configuration: String {
    #if DEBUG
      "debug"
    #else
      "release"
    #endif
  }

  /// Whether a source file was written after this program was: then it was built from another.
  private static func isOlderThanSource() -> Bool {
    let program = modified("/proc/self/exe") ?? .distantFuture
    let sources = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let files = FileManager.default.enumerator(
      at: sources, includingPropertiesForKeys: [.contentModificationDateKey])
    while let file = files?.nextObject() as? URL {
      guard ["swift", "c", "h", "inc", "comp"].contains(file.pathExtension) else { continue }
      if let date = modified(file.path), date > program { return true }
    }
    return false
  }

  private static func modified(_ path: String) -> Date? {
    let file = URL(filePath: path).resolvingSymlinksInPath().path
    return (try? FileManager.default.attributesOfItem(atPath: file))?[.modificationDate] as? Date
  }

  /// What git prints in the source folder; nil when there is no git, no repository or an error.
  private static func git(_ arguments: [String]) -> String? {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    guard FileManager.default.fileExists(atPath: folder.path) else { return nil }
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["git", "-C", folder.path] + arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return nil }
    let bytes = try? output.fileHandleForReading.readToEnd()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { return nil }
    return String(decoding: bytes ?? Data(), as: UTF8.self)
      .trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
