/// Brings a database to the version this program writes, one step at a time.
package enum Migrations {
  /// One step: what takes a database of the version before to `version`.
  package struct Step: Sendable {
    package var version: Int
    package var sql: String

    package init(version: Int, sql: String) {
      self.version = version
      self.sql = sql
    }
  }

  /// Every step since the empty file; a step that was released never changes.
  package static let all = [
    Step(version: 1, sql: Schema.version1 + "\n" + Schema.views1),
    Step(version: 2, sql: Schema.version2),
    Step(version: 3, sql: Schema.version3),
    Step(version: 4, sql: Schema.version4),
    Step(version: 5, sql: Schema.version5),
  ]

  /// The version this program writes.
  package static var current: Int { all.last?.version ?? 0 }

  /// Applies the steps that are missing, all in one transaction.
  ///
  /// - Throws: ``StoreError/newerVersion(path:found:supported:)`` when the file is ahead of `steps`,
  ///   ``StoreError/notABenchmarkDatabase(path:reason:)`` when it is another program's.
  package static func apply(
    to database: SQLiteDatabase, steps: [Step] = all
  ) throws(StoreError) {
    let supported = steps.last?.version ?? 0
    if try version(of: database, supported: supported) == supported { return }
    try database.transaction { () throws(StoreError) in
      // Read again under the lock: another process may have just done the work.
      let found = try version(of: database, supported: supported)
      for step in steps where step.version > found {
        try database.execute(step.sql)
        try database.execute("PRAGMA user_version = \(step.version)")
      }
      try database.execute("PRAGMA application_id = \(Schema.applicationID)")
    }
  }

  /// The file's version; 0 for an empty file.
  package static func version(
    of database: SQLiteDatabase, supported: Int
  ) throws(StoreError) -> Int {
    let path = database.path
    // One state of the file: another process may be making its tables right now.
    let (application, version, objects) = try database.snapshot { () throws(StoreError) in
      (
        try database.rows("PRAGMA application_id").first?.int(0) ?? 0,
        try database.rows("PRAGMA user_version").first?.int(0) ?? 0,
        try database.rows("SELECT COUNT(*) FROM sqlite_master").first?.int(0) ?? 0
      )
    }
    if application == 0, version == 0, objects == 0 { return 0 }
    guard application == Schema.applicationID else {
      throw .notABenchmarkDatabase(path: path, reason: "another program made it")
    }
    guard version <= supported else {
      throw .newerVersion(path: path, found: version, supported: supported)
    }
    guard version >= 1 else {
      throw .notABenchmarkDatabase(path: path, reason: "its schema version is \(version)")
    }
    return version
  }
}
