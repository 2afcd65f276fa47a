import CSQLite
import Foundation

/// A connection to a SQLite file: the one place that calls SQLite's C interface.
///
/// It belongs to one owner at a time and is not safe for concurrent use. Prepared statements are
/// kept by their text. Results are copied out, so nothing refers into SQLite's memory.
package final class SQLiteDatabase {
  /// How a file is opened.
  package enum Mode: Sendable, Hashable {
    /// Reads and writes; makes the file when it is missing.
    case readWrite
    /// Reads only; the file must exist.
    case readOnly
    /// Reads a file that nobody writes, on media where no lock or journal file can be made.
    case immutable
  }

  package let path: String
  /// How long a statement waits for another process's lock.
  package let busyTimeoutSeconds: Double
  private var handle: OpaquePointer?
  private var statements: [String: OpaquePointer] = [:]

  /// Opens the file; nothing is read from it yet.
  ///
  /// - Throws: ``StoreError/cannotOpen(path:code:reason:)``.
  package init(
    path: String, mode: Mode, busyTimeoutSeconds: Double = 10
  ) throws(StoreError) {
    self.path = path
    self.busyTimeoutSeconds = busyTimeoutSeconds
    var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    var name = path
    switch mode {
    case .readWrite: flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    case .readOnly: flags |= SQLITE_OPEN_READONLY
    case .immutable:
      flags |= SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
      name = "file:" + Self.percentEncoded(path) + "?immutable=1"
    }
    let code = sqlite3_open_v2(name, &handle, flags, nil)
    guard code == SQLITE_OK else {
      let reason = handle.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
      sqlite3_close_v2(handle)
      handle = nil
      throw .cannotOpen(path: path, code: code, reason: reason)
    }
    sqlite3_busy_timeout(handle, Int32(busyTimeoutSeconds * 1000))
  }

  deinit {
    for statement in statements.values { sqlite3_finalize(statement) }
    sqlite3_close_v2(handle)
  }

  /// Runs statements that take no values and whose rows nobody wants, separated by semicolons.
  package func execute(_ sql: String) throws(StoreError) {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    if code != SQLITE_OK { throw failure(code, sql) }
  }

  /// Runs one statement to its end.
  ///
  /// - Returns: the row id of the last row inserted on this connection.
  @discardableResult
  package func run(_ sql: String, _ values: [SQLValue] = []) throws(StoreError) -> Int {
    _ = try rows(sql, values)
    return Int(sqlite3_last_insert_rowid(handle))
  }

  /// All rows of one query, copied out.
  package func rows(_ sql: String, _ values: [SQLValue] = []) throws(StoreError) -> [SQLRow] {
    let statement = try prepared(sql)
    defer {
      sqlite3_reset(statement)
      sqlite3_clear_bindings(statement)
    }
    try bind(values, to: statement, sql)
    var result: [SQLRow] = []
    while true {
      let code = sqlite3_step(statement)
      if code == SQLITE_DONE { return result }
      guard code == SQLITE_ROW else { throw failure(code, sql) }
      result.append(row(of: statement))
    }
  }

  /// Rows changed by the last statement that changed any.
  package var changes: Int { Int(sqlite3_changes64(handle)) }

  /// Runs `body` in one transaction that takes the write lock first; a throw rolls it back.
  package func transaction<Result>(
    _ body: () throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    try execute("BEGIN IMMEDIATE")
    do {
      let result = try body()
      try execute("COMMIT")
      return result
    } catch {
      // A failed COMMIT may have rolled back by itself; then there is nothing left to undo.
      if sqlite3_get_autocommit(handle) == 0 { try? execute("ROLLBACK") }
      throw error
    }
  }

  /// Runs `body` on one state of the file, whatever other processes commit meanwhile.
  ///
  /// Inside a transaction it is that one's state.
  package func snapshot<Result>(
    _ body: () throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    guard sqlite3_get_autocommit(handle) != 0 else { return try body() }
    try execute("BEGIN")
    defer { try? execute("COMMIT") }
    return try body()
  }

  private func prepared(_ sql: String) throws(StoreError) -> OpaquePointer {
    if let known = statements[sql] { return known }
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v3(
      handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
    guard code == SQLITE_OK, let statement else { throw failure(code, sql) }
    statements[sql] = statement
    return statement
  }

  private func bind(
    _ values: [SQLValue], to statement: OpaquePointer, _ sql: String
  ) throws(StoreError) {
    let expected = Int(sqlite3_bind_parameter_count(statement))
    precondition(expected == values.count, "\(values.count) values for \(expected) in: \(sql)")
    for (offset, value) in values.enumerated() {
      let index = Int32(offset + 1)
      let code =
        switch value {
        case .null: sqlite3_bind_null(statement, index)
        case .integer(let value): sqlite3_bind_int64(statement, index, value)
        case .real(let value): sqlite3_bind_double(statement, index, value)
        case .text(let value):
          sqlite3_bind_text64(
            statement, index, value, UInt64(value.utf8.count), fm_sqlite_transient(),
            UInt8(SQLITE_UTF8))
        case .blob(let bytes):
          bytes.isEmpty
            ? sqlite3_bind_zeroblob(statement, index, 0)
            : sqlite3_bind_blob64(
              statement, index, bytes, UInt64(bytes.count), fm_sqlite_transient())
        }
      if code != SQLITE_OK { throw failure(code, sql) }
    }
  }

  private func row(of statement: OpaquePointer) -> SQLRow {
    let count = sqlite3_column_count(statement)
    return SQLRow(
      values: (0..<count).map { column in
        switch sqlite3_column_type(statement, column) {
        case SQLITE_INTEGER: return .integer(sqlite3_column_int64(statement, column))
        case SQLITE_FLOAT: return .real(sqlite3_column_double(statement, column))
        case SQLITE_TEXT:
          let bytes = sqlite3_column_text(statement, column)
          let length = Int(sqlite3_column_bytes(statement, column))
          return .text(
            String(decoding: UnsafeBufferPointer(start: bytes, count: length), as: UTF8.self))
        case SQLITE_BLOB:
          let bytes = sqlite3_column_blob(statement, column)
          let length = Int(sqlite3_column_bytes(statement, column))
          return .blob(Array(UnsafeRawBufferPointer(start: bytes, count: length)))
        default: return .null
        }
      })
  }

  /// The error that says what the result code means for the person who runs the benchmark.
  private func failure(_ code: Int32, _ sql: String) -> StoreError {
    let message = String(cString: sqlite3_errmsg(handle))
    switch code & 0xFF {
    case SQLITE_BUSY, SQLITE_LOCKED: return .locked(path: path, seconds: busyTimeoutSeconds)
    case SQLITE_FULL: return .full(path: path)
    case SQLITE_READONLY: return .readOnly(path: path)
    case SQLITE_NOTADB: return .notABenchmarkDatabase(path: path, reason: message)
    case SQLITE_CORRUPT: return .damaged(path: path, reason: message)
    case SQLITE_CANTOPEN: return .cannotOpen(path: path, code: code, reason: message)
    default: return .sqlite(code: code, message: message, sql: sql)
    }
  }

  private static func percentEncoded(_ path: String) -> String {
    path.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? path
  }
}
