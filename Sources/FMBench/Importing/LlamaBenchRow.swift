import FMCore
import Foundation

/// One test of llama.cpp's `llama-bench`, as its SQL, JSON or database has it.
package struct LlamaBenchRow: Sendable, Hashable {
  /// Column by name, as text; absent columns and empty ones are missing.
  package var columns: [String: String]
  /// Nanoseconds of every repetition; only JSON has them, of SQL it is the average alone.
  package var samples: [Double]

  func text(_ name: String) -> String? { columns[name] }
  func integer(_ name: String) -> Int? { columns[name].flatMap { Int($0) } }

  /// Tokens read, generated, and in the cache before.
  var prompt: Int { max(0, integer("n_prompt") ?? 0) }
  var generated: Int { max(0, integer("n_gen") ?? 0) }
  var depth: Int { max(0, integer("n_depth") ?? 0) }

  /// `pp512`, `tg128@d4096`, `pp512+tg128`.
  package var test: String {
    var parts: [String] = []
    if prompt > 0 { parts.append("pp\(prompt)") }
    if generated > 0 { parts.append("tg\(generated)") }
    return parts.joined(separator: "+") + (depth > 0 ? "@d\(depth)" : "")
  }
}

/// What cannot be imported.
package enum ImportError: Error, Equatable, Sendable, CustomStringConvertible {
  case unreadable(path: String, reason: String)
  case malformed(path: String, row: Int, reason: String)
  case nothing(path: String)

  package var description: String {
    switch self {
    case .unreadable(let path, let reason): "cannot read \(path): \(reason)"
    case .malformed(let path, let row, let reason): "\(path): test \(row) \(reason)"
    case .nothing(let path):
      "\(path) holds no test of llama-bench"
        + "\nhint: make it with `llama-bench -o sql`, `-o jsonl` or `-o json`"
    }
  }
}

extension LlamaBenchRow {
  /// The largest file that is read.
  package static let mostBytes = 64 << 20

  /// Reads a file of `llama-bench -o sql`, `json` or `jsonl`, or a database that was fed from it.
  ///
  /// SQL is taken apart and never run. llama-bench puts every value into quotes without escaping, so
  /// values are cut where one ends and the next begins; their number must fit the columns.
  package static func read(_ path: String) throws -> [LlamaBenchRow] {
    let bytes: [UInt8]
    do throws(RegularFileError) {
      bytes = try RegularFile.read(path, limit: mostBytes)
    } catch {
      throw ImportError.unreadable(path: path, reason: error.description)
    }
    let rows: [LlamaBenchRow]
    if bytes.starts(with: "SQLite format 3\0".utf8) {
      rows = try database(path)
    } else {
      let text = String(decoding: bytes, as: UTF8.self)
      let start = text.utf8.first { $0 > 0x20 }
      let isJSON = start == UInt8(ascii: "[") || start == UInt8(ascii: "{")
      rows = isJSON ? try json(text, path) : try sql(text, path)
    }
    if rows.isEmpty { throw ImportError.nothing(path: path) }
    for (index, row) in rows.enumerated() {
      guard row.prompt + row.generated > 0, row.prompt < 1 << 30, row.generated < 1 << 30,
        row.depth < 1 << 30
      else { throw ImportError.malformed(path: path, row: index + 1, reason: "has no tokens") }
      guard !row.samples.isEmpty, row.samples.allSatisfy({ $0 > 0 && $0 < 1e15 }) else {
        throw ImportError.malformed(path: path, row: index + 1, reason: "has no time above 0")
      }
    }
    return rows
  }

  /// The statements `INSERT INTO llama_bench (...) VALUES ('...', '...');`, one a line.
  private static func sql(_ text: String, _ path: String) throws -> [LlamaBenchRow] {
    var rows: [LlamaBenchRow] = []
    for line in text.split(whereSeparator: { $0 == "\n" || $0 == "\r\n" }) {
      guard line.hasPrefix("INSERT INTO llama_bench (") || line.hasPrefix("INSERT INTO test ("),
        let open = line.firstRange(of: "("), let middle = line.firstRange(of: ") VALUES ('"),
        let end = line.ranges(of: "')").last, middle.upperBound <= end.lowerBound
      else { continue }
      let names = line[open.upperBound..<middle.lowerBound].split(separator: ",")
        .map { $0.filter { $0 != " " } }
      let values = line[middle.upperBound..<end.lowerBound].split(
        separator: "', '", omittingEmptySubsequences: false)
      guard names.count == values.count else {
        throw ImportError.malformed(
          path: path, row: rows.count + 1,
          reason: "has \(values.count) values for \(names.count) columns")
      }
      rows.append(row(zip(names, values).map { (String($0), String($1)) }))
    }
    return rows
  }

  private static func json(_ text: String, _ path: String) throws -> [LlamaBenchRow] {
    func objects(_ text: String) -> [[String: Any]]? {
      let value = try? JSONSerialization.jsonObject(with: Data(text.utf8))
      return value as? [[String: Any]] ?? (value as? [String: Any]).map { [$0] }
    }
    let found =
      objects(text)
      ?? text.split(whereSeparator: \.isNewline).flatMap { objects(String($0)) ?? [] }
    return found.map { object in
      var pairs: [(String, String)] = []
      for (name, value) in object.sorted(by: { $0.key < $1.key }) {
        if let text = value as? String { pairs.append((name, text)) }
        if let number = value as? NSNumber { pairs.append((name, number.stringValue)) }
      }
      var row = row(pairs)
      if let samples = object["samples_ns"] as? [NSNumber], !samples.isEmpty {
        row.samples = samples.prefix(1000).map(\.doubleValue)
      }
      return row
    }
  }

  private static func database(_ path: String) throws(StoreError) -> [LlamaBenchRow] {
    let database = try SQLiteDatabase(path: path, mode: .readOnly)
    let tables = try database.rows(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name IN ('llama_bench', 'test')")
    guard let table = tables.first?.string(0) else { return [] }
    let names = try database.rows("SELECT name FROM pragma_table_info(?)", [.text(table)])
      .compactMap { $0.string(0) }
    return try database.rows("SELECT * FROM \(table)").map { found in
      row(
        zip(names, found.values).map { name, value in
          switch value {
          case .null, .blob: (name, "")
          case .text(let text): (name, text)
          case .integer(let number): (name, String(number))
          case .real(let number): (name, String(number))
          }
        })
    }
  }

  private static func row(_ pairs: [(String, String)]) -> LlamaBenchRow {
    var columns: [String: String] = [:]
    for (name, value) in pairs where !value.isEmpty { columns[name] = value }
    let average = columns["avg_ns"].flatMap { Double($0) }
    return LlamaBenchRow(columns: columns, samples: average.map { [$0] } ?? [])
  }
}
