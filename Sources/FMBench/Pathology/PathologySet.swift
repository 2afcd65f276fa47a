import FMCore
package import Foundation

/// The pathology set: pairs of forms that a review of a trace has to tell apart, known by a hash.
package struct PathologySet: Sendable {
  package var name: String
  package var pairs: [PathologyPair]
  /// SHA-256 over every file's name, length and bytes, in the order of ``fileName``.
  package var sha: String
  var texts: TextSources

  /// The file that every folder of pairs has.
  package static let fileName = "pathology.json"

  /// The form of ``fileName``.
  private struct Index: Codable {
    var name: String
    var format: Int
    var pairs: [String]
    var text: String
    /// The suite whose text it is, a folder beside this one; its own when absent.
    var textOf: String?
  }

  /// Reads and checks the pairs of a folder.
  ///
  /// - Throws: ``SuiteError``, naming the file.
  package init(folder: URL) throws(SuiteError) {
    var hash = SHA256()
    var unused = SHA256()
    let index: Index = try Suite.read(Self.fileName, folder, &hash, &unused)
    guard index.format == 1 else {
      throw .malformed(
        file: Self.fileName, reason: "format \(index.format), and this program reads format 1")
    }
    name = index.name
    let textFolder = try Suite.neighbour(index.textOf, of: folder)
    texts = try Suite.read(index.text, textFolder, &hash, &unused)
    pairs = []
    for name in index.pairs {
      let pair: PathologyPair = try Suite.read(name + ".json", folder, &hash, &unused)
      guard pair.name == name else {
        throw .invalid(scenario: name, reason: "its file is named otherwise: \(pair.name)")
      }
      try PathologyCheck(pair: pair).run()
      pairs.append(pair)
    }
    sha = hash.finish()
  }

  /// The pairs of the given names, in the set's order; all of them for an empty list.
  package func pairs(named names: [String]) throws(SuiteError) -> [PathologyPair] {
    let known = pairs.map(\.name)
    if let unknown = names.first(where: { !known.contains($0) }) {
      throw .noSuchScenario(unknown, known: known)
    }
    return names.isEmpty ? pairs : pairs.filter { names.contains($0.name) }
  }

  /// So many records as text, the same ones every time.
  func records(_ count: Int) -> String {
    guard count > 0,
      var sentences = texts.sentences("records", random: CounterRandom(seed: 1), lane: 0)
    else { return "" }
    return (0..<count).compactMap { _ in sentences.next() }.joined()
  }
}
