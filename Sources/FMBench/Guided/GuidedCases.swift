import FMCore
package import Foundation

/// The schemas and documents that guided generation is measured with: two files of JSON lines.
package struct GuidedCases: Sendable {
  /// A schema as text, since the order of its members counts.
  package struct Schema: Sendable, Hashable, Codable {
    package var group: String
    package var name: String
    package var schema: String
  }

  /// A document of the schema of that name, spelled as answers are.
  package struct Document: Sendable, Hashable, Codable {
    package var group: String
    package var name: String
    package var document: String
  }

  /// The file that every folder of cases has.
  package static let fileName = "schemas.jsonl"

  package var schemas: [Schema]
  package var documents: [Document]

  /// Reads `schemas.jsonl` and `documents.jsonl` of a folder.
  ///
  /// - Throws: ``SuiteError``, naming the file and what is wrong with it.
  package init(folder: URL) throws(SuiteError) {
    schemas = try Self.lines(Self.fileName, in: folder)
    documents = try Self.lines("documents.jsonl", in: folder)
    if schemas.isEmpty { throw .malformed(file: Self.fileName, reason: "it has no schema") }
    for document in documents where schema(document.name) == nil {
      throw .malformed(
        file: "documents.jsonl", reason: "there is no schema '\(document.name)'")
    }
  }

  /// Leaves the schemas of these names, and their documents.
  package mutating func keep(_ names: [String]) {
    schemas.removeAll { !names.contains($0.name) }
    documents.removeAll { !names.contains($0.name) }
  }

  /// The schema of a name.
  package func schema(_ name: String) -> Schema? { schemas.first { $0.name == name } }

  private static func lines<Line: Decodable>(
    _ name: String, in folder: URL
  ) throws(SuiteError) -> [Line] {
    let path = folder.appending(path: name).path
    let bytes: [UInt8]
    do {
      bytes = try RegularFile.read(path, limit: Suite.byteLimit)
    } catch {
      throw .unreadable(file: path, reason: error.description)
    }
    var result: [Line] = []
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() where !line.isEmpty {
      do {
        result.append(try JSONDecoder().decode(Line.self, from: Data(line)))
      } catch {
        throw .malformed(file: name, reason: "line \(index + 1) \(Self.reason(error))")
      }
    }
    return result
  }

  private static func reason(_ error: any Error) -> String {
    switch error {
    case DecodingError.keyNotFound(let key, _): "has no '\(key.stringValue)'"
    case DecodingError.typeMismatch(_, let place), DecodingError.valueNotFound(_, let place):
      place.codingPath.last.map { "needs text as its '\($0.stringValue)'" } ?? "is no JSON object"
    default: "is no JSON"
    }
  }
}
