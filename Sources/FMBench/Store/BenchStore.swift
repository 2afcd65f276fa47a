import FMCore
package import Foundation

/// A benchmark database: every write is one transaction that is on disk when the call returns.
///
/// Write-ahead logging lets readers and writers of several processes work at once; `synchronous =
/// FULL` makes each commit wait for the disk, so that what was announced survives a kill and a
/// power cut (about a millisecond a request, outside every measured interval).
package final class BenchStore {
  package let database: SQLiteDatabase
  package var path: String { database.path }

  /// Opens a database to write to; makes the file, and its folder, when they are missing.
  ///
  /// - Throws: ``StoreError`` that says what the file is instead.
  package init(writing path: String, busyTimeoutSeconds: Double = 10) throws(StoreError) {
    let folder = URL(filePath: path).deletingLastPathComponent()
    if (try? FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true)) == nil
    {
      throw .cannotOpen(path: path, code: 14, reason: "the folder cannot be made")
    }
    try Self.refuseOther(path)
    database = try SQLiteDatabase(
      path: path, mode: .readWrite, busyTimeoutSeconds: busyTimeoutSeconds)
    _ = try Migrations.version(of: database, supported: Migrations.current)
    try database.execute("PRAGMA foreign_keys = ON")
    _ = try database.rows("PRAGMA journal_mode = WAL")
    try database.execute("PRAGMA synchronous = FULL")
    try Migrations.apply(to: database)
    try verify()
  }

  /// Opens a database to read from; the file is not changed, unless an older version wrote it.
  ///
  /// Such a file is brought to this version first, so it must be writable.
  /// - Throws: ``StoreError`` that says what the file is instead.
  package init(reading path: String) throws(StoreError) {
    guard FileManager.default.fileExists(atPath: path) else {
      throw .noFile(path: path)
    }
    try Self.refuseOther(path)
    var opened = try Self.openForReading(path)
    let version = try Migrations.version(of: opened, supported: Migrations.current)
    guard version > 0 else { throw .notABenchmarkDatabase(path: path, reason: "it is empty") }
    if version < Migrations.current {
      do throws(StoreError) {
        try Migrations.apply(to: SQLiteDatabase(path: path, mode: .readWrite))
      } catch .readOnly, .cannotOpen {
        throw .olderVersion(path: path, found: version, supported: Migrations.current)
      }
      opened = try Self.openForReading(path)
    }
    database = opened
    try verify()
  }

  /// SQLite waits for a pipe's other end, and takes a file shorter than a page's least size for an
  /// empty one and writes over it.
  private static func refuseOther(_ path: String) throws(StoreError) {
    if let kind = RegularFile.otherKind(at: path), kind != "directory" {
      throw .notABenchmarkDatabase(path: path, reason: "it is a \(kind)")
    }
    let size = (try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? Int
    if let size, (1..<512).contains(size) {
      throw .notABenchmarkDatabase(path: path, reason: "it has \(size) bytes")
    }
  }

  /// Read-only media cannot hold the shared-memory file that WAL readers need.
  private static func openForReading(_ path: String) throws(StoreError) -> SQLiteDatabase {
    let database = try SQLiteDatabase(path: path, mode: .readOnly)
    do {
      _ = try database.rows("SELECT COUNT(*) FROM sqlite_master")
      return database
    } catch .cannotOpen, .readOnly {
      return try SQLiteDatabase(path: path, mode: .immutable)
    }
  }

  /// Checks that the tables are there and, for a file that is small enough, that its pages are.
  private func verify() throws(StoreError) {
    let names = Set(
      try database.rows("SELECT name FROM sqlite_master WHERE type = 'table'")
        .compactMap { $0.string(0) })
    if let missing = Schema.tables.first(where: { !names.contains($0) }) {
      throw .notABenchmarkDatabase(path: path, reason: "it has no table '\(missing)'")
    }
    let pages = try database.rows("PRAGMA page_count").first?.int(0) ?? 0
    guard pages < 8192 else { return }
    let answer = try database.rows("PRAGMA quick_check(1)").first?.string(0) ?? "no answer"
    if answer != "ok" { throw .damaged(path: path, reason: answer) }
  }

  /// The text of the rows `sql` gives, for tests and for people: columns joined by `|`.
  package func lines(_ sql: String) throws(StoreError) -> [String] {
    try database.rows(sql).map { row in
      row.values.map { value in
        switch value {
        case .null: ""
        case .integer(let value): String(value)
        case .real(let value): String(value)
        case .text(let value): value
        case .blob(let bytes): "\(bytes.count) bytes"
        }
      }.joined(separator: "|")
    }
  }
}

extension BenchStore {
  /// The wall clock in RFC 3339, UTC, with milliseconds.
  package static func timestamp(_ date: Date = Date()) -> String {
    date.formatted(
      Date.ISO8601FormatStyle(includingFractionalSeconds: true, timeZone: .gmt))
  }
}
