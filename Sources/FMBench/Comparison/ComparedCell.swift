/// What the numbers of a cell depend on beside its device; cells that differ in it are not compared.
package struct ComparisonKey: Sendable, Hashable, Codable {
  package var scenario: String
  package var variant: String
  package var state: String
  /// Of the scenario's file and texts; for a run that did not record it, `suite` and the suite's.
  package var scenarioSHA: String
  package var modelSHA: String
  package var seed: Int
  package var masks: String
  /// `engine` or `session`, and `scripted` or `live`.
  package var level: String
  package var mode: String
  /// ``PlayStyle/phrase``.
  package var style: String
  /// `release` or `debug`.
  package var build: String
  /// The machine's salted hash; nil where it is not known.
  package var host: String?

  /// `schema-ladder/flat-3`.
  package var name: String { variant.isEmpty ? scenario : "\(scenario)/\(variant)" }

  /// What differs from another key, a phrase each, in a fixed order; hashes are cut to 12 digits.
  package func differences(from other: ComparisonKey) -> [String] {
    var found: [String] = []
    func note(_ what: String, _ mine: String, _ theirs: String) {
      if mine != theirs { found.append("\(what) (\(mine) and \(theirs))") }
    }
    note("the scenario", name, other.name)
    note("the state", state, other.state)
    note("the scenario's hash", Self.cut(scenarioSHA), Self.cut(other.scenarioSHA))
    note("the model's hash", Self.cut(modelSHA), Self.cut(other.modelSHA))
    note("the seed", "\(seed)", "\(other.seed)")
    note("the masks", masks, other.masks)
    note("the level", level, other.level)
    note("the mode", mode, other.mode)
    note("the way of playing", style, other.style)
    note("the build", build, other.build)
    note("the machine", host ?? "not known", other.host ?? "not known")
    return found
  }

  private static func cut(_ hash: String) -> String {
    hash.hasPrefix("suite ") ? String(hash.prefix(18)) : String(hash.prefix(12))
  }
}

/// A device as far as a comparison tells devices apart.
package struct ComparedDevice: Sendable, Hashable, Codable {
  package var selector: String
  package var name: String
  /// A `DeviceDescription.Kind`; nil where it was not recorded.
  package var kind: String?
}

/// A stored cell with its trials reduced to metrics.
package struct ComparedCell: Sendable, Codable {
  package var run: Int
  package var cell: Int
  package var key: ComparisonKey
  package var model: String
  package var quantization: String?
  package var device: ComparedDevice
  package var driver: String?
  package var instructionSet: String?
  package var threads: Int?
  package var kvType: String?
  package var commit: String?
  package var metrics: [Metric: Estimate]
}

extension BenchStore {
  /// The cells with at least one valid trial, oldest first.
  ///
  /// - Parameters:
  ///   - runs: only of these runs; nil for all.
  ///   - scenarios: only of these; empty for all.
  ///   - model: only of models whose name or hash begins so; nil for all.
  package func comparedCells(
    runs: [Int]? = nil, scenarios: [String] = [], model: String? = nil
  ) throws(StoreError) -> [ComparedCell] {
    let rows = try database.rows(
      """
      SELECT cell_id, run_id, scenario, variant, state, scenario_sha, suite_sha, model_sha, model,
          quant, device, device_name, device_kind, driver, instruction_set, threads, kv_type, seed,
          masks, level, mode, build, engine_commit, dirty, host, level, mode, policy, streaming,
          prefix_edit, prompt_form, start
        FROM v_cell WHERE valid_trials > 0 ORDER BY run_id, cell_id
      """)
    var cells: [ComparedCell] = []
    for row in rows {
      var cell = Self.comparedCell(row)
      if let runs, !runs.contains(cell.run) { continue }
      if !scenarios.isEmpty, !scenarios.contains(cell.key.scenario) { continue }
      if let model, !cell.model.hasPrefix(model), !cell.key.modelSHA.hasPrefix(model) { continue }
      let trials = try trialMetrics(cell: cell.cell)
      for metric in DeviceComparison.metrics {
        cell.metrics[metric] = Estimate(
          trials.compactMap { $0.values[metric] },
          bootstrap: Bootstrap(seed: RunReport.bootstrapSeed))
      }
      cells.append(cell)
    }
    return cells
  }

  private static func comparedCell(_ row: SQLRow) -> ComparedCell {
    func text(_ column: Int) -> String { row.string(column) ?? "" }
    let commit = row.string(22).map { $0 + (row.bool(23) == true ? "-dirty" : "") }
    return ComparedCell(
      run: row.int(1) ?? 0, cell: row.int(0) ?? 0,
      key: ComparisonKey(
        scenario: text(2), variant: text(3), state: text(4),
        scenarioSHA: row.string(5) ?? "suite \(text(6))", modelSHA: text(7),
        seed: row.int(17) ?? 0, masks: text(18), level: text(19), mode: text(20),
        style: PlayStyle(row, at: 25).phrase, build: text(21),
        host: row.string(24)),
      model: text(8), quantization: row.string(9),
      device: ComparedDevice(selector: text(10), name: text(11), kind: row.string(12)),
      driver: row.string(13), instructionSet: row.string(14), threads: row.int(15),
      kvType: row.string(16), commit: commit, metrics: [:])
  }
}
