package import FMBackend

/// One stored run, for a list.
package struct RunListing: Sendable, Hashable {
  package var id: Int
  package var uuid: String
  package var started: String
  package var ended: String?
  /// As people are told it: ``RunStatus/shown(_:at:files:)``.
  package var status: String
  package var label: String?
  package var model: String
  /// Selector, name and kind; nil for a run that ended before its first cell.
  package var device: String?
  package var deviceName: String?
  package var deviceKind: String?
  package var build: String
  package var commit: String?
  package var isDirty: Bool?
  package var validTrials: Int
  package var invalidTrials: Int
}

extension DeviceDescription.Kind {
  /// How tables call a stored kind; nothing for one that was not recorded.
  package static func label(stored: String?) -> String? {
    stored.flatMap { DeviceDescription.Kind(rawValue: $0)?.label ?? $0 }
  }
}

extension BenchStore {
  /// Every run, newest first.
  package func runs() throws(StoreError) -> [RunListing] {
    try database.rows(
      """
      SELECT id, uuid, started, ended, status, label, model, build, engine_commit, dirty,
          valid_trials, invalid_trials, device, device_name, device_kind,
          status, (SELECT pid FROM run n WHERE n.id = v_run.id),
          (SELECT host FROM environment e WHERE e.run_id = v_run.id), started
        FROM v_run ORDER BY id DESC
      """
    ).map { row in
      RunListing(
        id: row.int(0) ?? 0, uuid: row.string(1) ?? "", started: row.string(2) ?? "",
        ended: row.string(3), status: RunStatus.shown(row, at: 15), label: row.string(5),
        model: row.string(6) ?? "", device: row.string(12), deviceName: row.string(13),
        deviceKind: row.string(14), build: row.string(7) ?? "", commit: row.string(8),
        isDirty: row.bool(9), validTrials: row.int(10) ?? 0, invalidTrials: row.int(11) ?? 0)
    }
  }
}
