/// What a merge did.
package struct MergeResult: Sendable, Hashable {
  /// Ids the copied runs have now, in the order of the source.
  package var copied: [Int] = []
  /// Runs that were there already, by their uuid.
  package var present = 0
  package var noiseFloors = 0

  package init() {}
}

extension BenchStore {
  /// Copies the runs of another database that this one does not have, each in one transaction.
  ///
  /// Runs are known by their uuid, models by their hash; rows get new ids. Runs that are still
  /// going on are left out until they end. Both databases have this version's tables.
  package func merge(from other: BenchStore) throws(StoreError) -> MergeResult {
    var result = MergeResult()
    var runs: [Int: Int] = [:]
    for row in try other.database.rows(
      """
      SELECT n.id, n.uuid, n.status, n.pid, e.host, n.started
        FROM run n LEFT JOIN environment e ON e.run_id = n.id ORDER BY n.id
      """
    ) {
      guard let old = row.int(0), let uuid = row.string(1) else { continue }
      let known = try database.rows("SELECT id FROM run WHERE uuid = ?", [.text(uuid)])
      if let id = known.first?.int(0) {
        runs[old] = id
        result.present += 1
        continue
      }
      if RunStatus.shown(row, at: 2) == RunStatus.running.rawValue { continue }
      let new = try database.transaction { () throws(StoreError) in
        try copy(run: old, from: other)
      }
      runs[old] = new
      result.copied.append(new)
    }
    result.noiseFloors = try copyNoiseFloors(from: other, runs: runs)
    return result
  }

  private func copy(run old: Int, from other: BenchStore) throws(StoreError) -> Int {
    let source = RowCopier(from: other.database, to: database)
    let model = try other.database.rows("SELECT model_sha FROM run WHERE id = ?", [.int(old)])
    try source.copy(
      "model", where: "sha256", model.first?.values.first ?? .null, unlessPresent: true)
    guard let run = try source.copy("run", where: "id", .int(old)).values.first else {
      throw .noSuchRun(String(old))
    }
    try source.copy("environment", where: "run_id", .int(old), setting: ["run_id": .int(run)])
    let cells = try source.copy("cell", where: "run_id", .int(old), setting: ["run_id": .int(run)])
    for (cell, newCell) in cells.sorted(by: { $0.key < $1.key }) {
      let trials = try source.copy(
        "trial", where: "cell_id", .int(cell), setting: ["cell_id": .int(newCell)])
      for (trial, newTrial) in trials.sorted(by: { $0.key < $1.key }) {
        try source.copy(
          "sample", where: "trial_id", .int(trial), setting: ["trial_id": .int(newTrial)])
        let sessions = try source.copy(
          "session", where: "trial_id", .int(trial), setting: ["trial_id": .int(newTrial)])
        for (session, newSession) in sessions.sorted(by: { $0.key < $1.key }) {
          try copy(session: session, as: newSession, source)
        }
      }
    }
    return run
  }

  private func copy(session: Int, as new: Int, _ source: RowCopier) throws(StoreError) {
    let requests = try source.copy(
      "request", where: "session_id", .int(session), setting: ["session_id": .int(new)])
    var calls: [Int: Int] = [:]
    for (request, newRequest) in requests.sorted(by: { $0.key < $1.key }) {
      try source.copy(
        "token_gap", where: "request_id", .int(request),
        setting: ["request_id": .int(newRequest)])
      calls.merge(
        try source.copy(
          "tool_call", where: "request_id", .int(request),
          setting: ["request_id": .int(newRequest), "repeat_of": .null])
      ) { $1 }
    }
    for (call, newCall) in calls.sorted(by: { $0.key < $1.key }) {
      let repeated = try source.from.rows(
        "SELECT repeat_of FROM tool_call WHERE id = ?", [.int(call)])
      guard let earlier = repeated.first?.int(0), let newEarlier = calls[earlier] else { continue }
      try database.run(
        "UPDATE tool_call SET repeat_of = ? WHERE id = ?", [.int(newEarlier), .int(newCall)])
    }
  }

  private func copyNoiseFloors(
    from other: BenchStore, runs: [Int: Int]
  ) throws(StoreError) -> Int {
    let source = RowCopier(from: other.database, to: database)
    var count = 0
    let rows = try other.database.rows(
      """
      SELECT id, run_a, run_b, measured, device, model_sha, scenario, variant, state, metric
        FROM noise_floor ORDER BY id
      """)
    for row in rows {
      let known = try database.rows(
        """
        SELECT id FROM noise_floor WHERE measured = ? AND device = ? AND model_sha = ?
          AND scenario = ? AND variant = ? AND state = ? AND metric = ?
        """, Array(row.values[3...]))
      guard known.isEmpty else { continue }
      let sides = [row.int(1), row.int(2)].map { $0.flatMap { runs[$0] } }
      try source.copy(
        "noise_floor", where: "id", row.values[0],
        setting: ["run_a": .int(sides[0]), "run_b": .int(sides[1])])
      count += 1
    }
    return count
  }
}

/// Copies rows of one table between databases of the same version, giving them new ids.
private struct RowCopier {
  let from: SQLiteDatabase
  let to: SQLiteDatabase

  init(from: SQLiteDatabase, to: SQLiteDatabase) {
    self.from = from
    self.to = to
  }

  /// Copies the rows in which `column` is `value`, with some columns set otherwise.
  ///
  /// Names of tables and columns are this program's own.
  /// - Returns: the new id of each old one; nothing for tables without a column `id`.
  @discardableResult
  func copy(
    _ table: String, where column: String, _ value: SQLValue, setting: [String: SQLValue] = [:],
    unlessPresent: Bool = false
  ) throws(StoreError) -> [Int: Int] {
    let columns = try to.rows("SELECT name FROM pragma_table_info(?)", [.text(table)])
      .compactMap { $0.string(0) }
    let copied = columns.filter { $0 != "id" }
    let names = copied.joined(separator: ", ")
    let id = columns.contains("id") ? "id" : "NULL"
    let rows = try from.rows(
      "SELECT \(id), \(names) FROM \(table) WHERE \(column) = ? ORDER BY 1", [value])
    let marks = copied.map { _ in "?" }.joined(separator: ", ")
    let insert =
      "INSERT \(unlessPresent ? "OR IGNORE " : "")INTO \(table) (\(names)) VALUES (\(marks))"
    var ids: [Int: Int] = [:]
    for row in rows {
      let values = zip(copied, row.values.dropFirst()).map { setting[$0] ?? $1 }
      let new = try to.run(insert, values)
      if let old = row.int(0) { ids[old] = new }
    }
    return ids
  }
}
