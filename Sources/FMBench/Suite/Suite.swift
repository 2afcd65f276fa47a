package import FMBackend
import FMCore
package import Foundation

/// A suite: scenario files and their texts, known by the hash of all of them.
package struct Suite: Sendable {
  package var name: String
  package var profile: String
  package var scenarios: [Scenario]
  package var texts: TextSources
  /// What sessions are played with; empty where the suite has none.
  package var material: SessionMaterial
  /// Scenarios whose first form in its first state is in the family that verdicts are about.
  package var primary: [String]
  /// SHA-256 over every file's name, length and bytes, in the order of `suite.json`.
  package var sha: String
  /// Of each scenario's file and the texts, in the order of ``scenarios``.
  private var scenarioSHAs: [String]
  /// The same with ``material``, on which runs at session level depend too.
  private var sessionSHAs: [String]

  /// The form of `suite.json`.
  private struct Index: Codable {
    var name: String
    var format: Int
    var profile: String
    var scenarios: [String]
    var primary: [String]?
    var text: String
    /// The suite whose text it is, a folder beside this one; its own when absent.
    var textOf: String?
    /// Tools and structures for sessions, in the folder of the text.
    var session: String?
  }

  /// Reads and checks the suite in `folder`.
  ///
  /// - Throws: ``SuiteError``, naming the file.
  package init(folder: URL) throws(SuiteError) {
    var hash = SHA256()
    var unused = SHA256()
    let index: Index = try Self.read("suite.json", folder, &hash, &unused)
    guard index.format == 1 else {
      throw .malformed(
        file: "suite.json", reason: "format \(index.format), and this program reads format 1")
    }
    name = index.name
    profile = index.profile
    primary = index.primary ?? []
    var textHash = SHA256()
    let textFolder = try Self.neighbour(index.textOf, of: folder)
    texts = try Self.read(index.text, textFolder, &hash, &textHash)
    let textDigest = textHash.finish()
    var sessionHash = SHA256()
    material = SessionMaterial()
    if let file = index.session {
      let bytes = try Self.bytes(file, textFolder, &hash, &sessionHash)
      material = try SessionMaterial(json: String(decoding: bytes, as: UTF8.self), file: file)
    }
    let sessionDigest = sessionHash.finish()
    scenarios = []
    scenarioSHAs = []
    sessionSHAs = []
    for name in index.scenarios {
      var own = SHA256()
      let scenario: Scenario = try Self.read(name + ".json", folder, &hash, &own)
      let digest = own.finish() + textDigest
      scenarioSHAs.append(SHA256.hexDigest(digest.utf8))
      sessionSHAs.append(SHA256.hexDigest((digest + sessionDigest).utf8))
      guard scenario.name == name else {
        throw .invalid(scenario: name, reason: "its file is named otherwise: \(scenario.name)")
      }
      scenarios.append(scenario)
    }
    sha = hash.finish()
    if let unknown = primary.first(where: { !index.scenarios.contains($0) }) {
      throw .malformed(file: "suite.json", reason: "primary names '\(unknown)', no scenario")
    }
    for scenario in scenarios { try ScenarioCheck(scenario: scenario, texts: texts).run() }
  }

  /// The scenarios of the given names, in the suite's order; all of them for an empty list.
  package func scenarios(named names: [String]) throws(SuiteError) -> [Scenario] {
    let known = scenarios.map(\.name)
    if let unknown = names.first(where: { !known.contains($0) }) {
      throw .noSuchScenario(unknown, known: known)
    }
    return names.isEmpty ? scenarios : scenarios.filter { names.contains($0.name) }
  }

  /// The scenarios to play on a device of some kind: those of the given names, or, where none is
  /// given, all that the device is not too slow for.
  ///
  /// A software GPU gets only those marked ``Scenario/fitsSoftwareDevices`` unless they are named.
  package func scenarios(
    named names: [String], on kind: DeviceDescription.Kind
  ) throws(SuiteError) -> [Scenario] {
    let chosen = try scenarios(named: names)
    guard names.isEmpty, kind == .softwareGPU else { return chosen }
    return chosen.filter { $0.fitsSoftwareDevices == true }
  }

  /// What a scenario's numbers depend on beside the model: SHA-256 of its file and of the texts.
  ///
  /// Of runs at session level also of the session file. Unlike ``sha`` it stays when other scenarios
  /// are added. Nil for a name that is not in the suite.
  package func scenarioSHA(_ name: String, level: PlayStyle.Level = .engine) -> String? {
    let index = scenarios.firstIndex { $0.name == name }
    return index.map { level == .engine ? scenarioSHAs[$0] : sessionSHAs[$0] }
  }

  /// Refuses a name that leads anywhere but to what is in one folder.
  private static func requirePlain(_ name: String) throws(SuiteError) {
    guard !name.isEmpty, !name.contains("/"), !name.contains("\0"), name != ".", name != ".." else {
      throw .malformed(file: "suite.json", reason: "'\(name)' is no plain file name")
    }
  }

  /// The folder of this name beside `folder`; `folder` itself without a name.
  static func neighbour(_ name: String?, of folder: URL) throws(SuiteError) -> URL {
    guard let name else { return folder }
    try requirePlain(name)
    return folder.standardizedFileURL.deletingLastPathComponent().appending(path: name)
  }

  /// Reads a JSON file and adds it to two hashes.
  static func read<Value: Decodable>(
    _ name: String, _ folder: URL, _ hash: inout SHA256, _ own: inout SHA256
  ) throws(SuiteError) -> Value {
    let bytes = try bytes(name, folder, &hash, &own)
    do {
      return try JSONDecoder().decode(Value.self, from: bytes)
    } catch {
      throw .malformed(file: name, reason: ErrorSentence(error).description)
    }
  }

  /// The most bytes of one of its files.
  static let byteLimit = 64 << 20

  /// Reads a file's bytes and adds them to two hashes.
  private static func bytes(
    _ name: String, _ folder: URL, _ hash: inout SHA256, _ own: inout SHA256
  ) throws(SuiteError) -> Data {
    try requirePlain(name)
    let path = folder.appending(path: name).path
    let bytes: Data
    do {
      bytes = Data(try RegularFile.read(path, limit: byteLimit))
    } catch {
      throw .unreadable(file: path, reason: error.description)
    }
    // Name and length keep bytes from moving between files unnoticed.
    let header = Array("\(name) \(bytes.count)\n".utf8)
    for part in [header, Array(bytes)] {
      part.withUnsafeBytes {
        hash.update($0)
        own.update($0)
      }
    }
    return bytes
  }
}

extension Suite {
  /// The folder of a suite, which has `file`: what was named, else beside the working folder's or the program's tree.
  ///
  /// Looked in, in order: `named`, `$FMBENCH_SUITE`, then `Benchmarks/NAME` and `share/fmbench/NAME`
  /// in the working folder, the program's folder and the folders above each.
  package static func folder(
    of name: String = "agent-v1", holding file: String = "suite.json", named: String? = nil,
    environment: [String: String] = ProcessInfo.processInfo.environment,
    program: String? = Bundle.main.executablePath,
    workingFolder: String = FileManager.default.currentDirectoryPath
  ) throws(SuiteError) -> URL {
    if let path = named ?? environment["FMBENCH_SUITE"].flatMap({ $0.isEmpty ? nil : $0 }) {
      let url = URL(filePath: path)
      if exists(file, in: url) { return url }
      throw .noSuite(folder: path, file: file)
    }
    var starts = [URL(filePath: workingFolder)]
    if let program {
      starts.append(URL(filePath: program).resolvingSymlinksInPath().deletingLastPathComponent())
    }
    for start in starts {
      var url = start.standardizedFileURL
      while true {
        for place in ["Benchmarks", "share/fmbench"] {
          let candidate = url.appending(path: place).appending(path: name)
          if exists(file, in: candidate) { return candidate }
        }
        let parent = url.deletingLastPathComponent()
        if parent.path == url.path || url.path == "/" { break }
        url = parent
      }
    }
    throw .notFound(name: name, searched: starts.map { $0.path + " and above" })
  }

  private static func exists(_ file: String, in folder: URL) -> Bool {
    FileManager.default.fileExists(atPath: folder.appending(path: file).path)
  }
}
