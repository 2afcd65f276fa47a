/// One stored run, for a list.
package struct RunListing: Sendable, Hashable {
  package var id: Int
  package var uuid: String
  package var started: String
  package var ended: String?
  package var status: String
  package var label: String?
  package var model: String
  package var build: String
  package var commit: String?
  package var isDirty: Bool?
  package var validTrials: Int
  package var invalidTrials: Int
}

extension BenchStore {
  /// Every run, newest first.
  package func runs() throws(StoreError) -> [RunListing] {
    try database.rows(
      """
      SELECT id, uuid, started, ended, status, label, model, build, engine_commit, dirty,
          valid_trials, invalid_trials
        FROM v_run ORDER BY id DESC
      """
    ).map { row in
      RunListing(
        id: row.int(0) ?? 0, uuid: row.string(1) ?? "", started: row.string(2) ?? "",
        ended: row.string(3), status: row.string(4) ?? "", label: row.string(5),
        model: row.string(6) ?? "", build: row.string(7) ?? "", commit: row.string(8),
        isDirty: row.bool(9), validTrials: row.int(10) ?? 0, invalidTrials: row.int(11) ?? 0)
    }
  }
}
