/// Names stored runs on the command line: `3`, `latest`, the beginning of a uuid, several with commas.
package enum RunSelector {
  /// Runs that were chosen, and what they are called.
  package struct Choice: Sendable, Hashable {
    package var name: String
    package var runs: [Int]
  }
}

extension BenchStore {
  /// The runs that `text` names along an axis: by themselves, or the newest of a device, commit or model.
  ///
  /// Along ``ComparisonAxis/run`` the text is a list of runs. Along another axis it is a device's
  /// selector, the beginning of a commit, the beginning of a model's name or hash, a number of
  /// threads or a cache's type; the newest run with a valid trial counts, that of an interrupted one too.
  /// - Throws: ``StoreError/noSuchRun(_:)``.
  package func runs(
    named text: String, by axis: ComparisonAxis, scenarios: [String] = []
  ) throws(StoreError) -> RunSelector.Choice {
    if axis == .run {
      var ids: [Int] = []
      for word in text.split(separator: ",") { ids.append(try runID(String(word))) }
      guard !ids.isEmpty else { throw .noSuchRun(text) }
      return RunSelector.Choice(name: text, runs: ids)
    }
    let rows = try database.rows(
      """
      SELECT run_id, scenario, device, engine_commit, model, model_sha, threads, kv_type, level,
          policy, streaming, prefix_edit, masks, start
        FROM v_cell WHERE valid_trials > 0 ORDER BY run_id DESC
      """)
    let found = rows.first { row in
      guard scenarios.isEmpty || scenarios.contains(row.string(1) ?? "") else { return false }
      switch axis {
      case .run: return false
      case .device, .endpoint: return row.string(2) == text
      case .commit: return text.utf8.count >= 4 && row.string(3)?.hasPrefix(text) == true
      case .model:
        return row.string(4)?.hasPrefix(text) == true || row.string(5)?.hasPrefix(text) == true
      case .threads: return row.int(6) == Int(text)
      case .kv: return row.string(7) == text
      case .level: return row.string(8) == text
      case .policy: return row.string(9) == text
      case .stream: return row.bool(10).map { $0 ? "on" : "off" } == text
      case .prefixEdit: return row.string(11) == text
      case .masks: return row.string(12) == text
      case .start: return row.string(13) == text
      }
    }
    guard let run = found?.int(0) else { throw .noSuchRun("\(axis.rawValue) \(text)") }
    return RunSelector.Choice(name: text, runs: [run])
  }
}
