import FMFormats
import Foundation

/// Where a model file came from and what its bytes were, kept as `<name>.json` beside it.
package struct ModelRecord: Codable, Sendable, Hashable {
  /// The most bytes a record has that was written by this program.
  private static let byteLimit = 65_536

  /// An address, `pypi:PACKAGE==VERSION`, or `file` for one that was there before.
  package var source: String
  /// 64 lower-case hexadecimal digits.
  package var sha256: String
  package var byteCount: Int

  package init(source: String, sha256: String, byteCount: Int) {
    self.source = source
    self.sha256 = sha256
    self.byteCount = byteCount
  }

  /// Where the record of the file at `path` is.
  package static func path(forFileAt path: String) -> String {
    (path.hasSuffix(".gguf") ? String(path.dropLast(5)) : path) + ".json"
  }

  /// The record of the file at `path`; nil where nothing readable is.
  package init?(ofFileAt path: String) {
    guard let handle = FileHandle(forReadingAtPath: Self.path(forFileAt: path)) else { return nil }
    defer { try? handle.close() }
    guard
      let bytes = try? handle.read(upToCount: Self.byteLimit),
      let record = try? JSONDecoder().decode(Self.self, from: bytes)
    else { return nil }
    self = record
  }

  /// Writes the record of the file at `path`, as a whole or not at all.
  func write(forFileAt path: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let file = try FileReplacement(path: Self.path(forFileAt: path))
    try file.append([UInt8](try encoder.encode(self)) + [UInt8(ascii: "\n")])
    try file.commit()
  }
}
