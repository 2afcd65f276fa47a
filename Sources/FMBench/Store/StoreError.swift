/// What can go wrong with a benchmark database.
package enum StoreError: Error, Equatable, Sendable {
  /// SQLite refused: its extended result code, its message and the statement.
  case sqlite(code: Int32, message: String, sql: String)
  /// The file cannot be opened or made.
  case cannotOpen(path: String, code: Int32, reason: String)
  /// There is no file to read.
  case noFile(path: String)
  /// The file is no SQLite database, or one that was made by another program.
  case notABenchmarkDatabase(path: String, reason: String)
  /// Pages are missing or contradict each other.
  case damaged(path: String, reason: String)
  /// The database was written by a newer version of this program.
  case newerVersion(path: String, found: Int, supported: Int)
  /// The database was written by an older version, and cannot be written to bring it up.
  case olderVersion(path: String, found: Int, supported: Int)
  /// Another process kept the database locked for the whole waiting time.
  case locked(path: String, seconds: Double)
  /// The disk is full: what was announced before is kept.
  case full(path: String)
  /// The database cannot be written.
  case readOnly(path: String)
  /// A stored value has a form that this version does not understand.
  case malformedValue(table: String, column: String, reason: String)
  /// There is no such run.
  case noSuchRun(String)
  /// Runs fit the name, the newest of them this one, but none has a valid trial.
  case noValidTrial(name: String, run: Int)
}

extension StoreError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .sqlite(let code, let message, let sql):
      "SQLite error \(code): \(message) (in: \(Self.shortened(sql)))"
    case .cannotOpen(let path, let code, let reason):
      "cannot open the database \(path): \(reason) (SQLite error \(code))"
        + "\nhint: the folder must exist and be writable, or name another file with --db"
    case .noFile(let path):
      "there is no database \(path)\nhint: `fmbench run` makes one; --db names another"
    case .notABenchmarkDatabase(let path, let reason):
      "\(path) is not a database of fmbench: \(reason)\nhint: name another file with --db"
    case .damaged(let path, let reason):
      "the database \(path) is damaged: \(reason)"
        + "\nhint: keep the file, and start a new one with --db"
    case .newerVersion(let path, let found, let supported):
      "the database \(path) has schema version \(found), and this fmbench knows up to "
        + "\(supported)\nhint: use the newer fmbench, or another file with --db"
    case .olderVersion(let path, let found, let supported):
      "the database \(path) has schema version \(found) and must be brought to \(supported), but it "
        + "cannot be written\nhint: copy it to a folder that can be written, and name it with --db"
    case .locked(let path, let seconds):
      "the database \(path) stayed locked by another process for \(Int(seconds)) s"
        + "\nhint: end the program that writes to it"
    case .full(let path):
      "no space left to write the database \(path); every row announced before is kept"
    case .readOnly(let path):
      "the database \(path) cannot be written\nhint: check its permissions, or use --db"
    case .malformedValue(let table, let column, let reason):
      "the database holds a malformed \(table).\(column): \(reason)"
    case .noSuchRun(let name):
      "there is no run '\(name)'\nhint: `fmbench runs` lists them"
    case .noValidTrial(let name, let run):
      "no run of '\(name)' has a valid trial\nhint: `fmbench show \(run)` says why"
    }
  }

  private static func shortened(_ sql: String) -> String {
    let line = sql.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    return line.count > 120 ? line.prefix(117) + "..." : line
  }
}
