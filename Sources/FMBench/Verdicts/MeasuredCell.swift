import Foundation

/// A stored cell with its valid trials and what they depend on.
package struct MeasuredCell: Sendable {
  package var run: Int
  package var cell: Int
  package var scenario: String
  package var variant: String
  package var state: String
  package var interleaving: String?
  package var arm: String?
  /// Nil when it was not declared.
  package var isPrimary: Bool?
  package var conditions: [Condition: String]
  package var model: String
  package var device: String
  package var started: String
  package var ended: String?
  package var trials: [NumberedTrial]
  /// How many ``trials`` there are in the store, whether they were read or not.
  var validTrials: Int
  package var invalidTrials: Int
  /// By metric, where one was measured.
  package var floors: [Metric: Double]

  /// `schema-ladder/flat-3`.
  package var name: String { variant.isEmpty ? scenario : "\(scenario)/\(variant)" }
  /// What pairs cells of two sides.
  var place: [String] { [scenario, variant, state] }
}

extension BenchStore {
  /// The cells of the runs, in the order of the runs given, those without a valid trial too.
  ///
  /// - Parameter scenarios: only of these; empty for all.
  package func measuredCells(
    runs: [Int], scenarios: [String] = []
  ) throws(StoreError) -> [MeasuredCell] {
    var measured: [MeasuredCell] = []
    for run in runs {
      for var cell in try cells(run: run, scenarios: scenarios) {
        cell.trials = try numberedTrials(cell: cell.cell)
        for metric in PrimaryFamily.metrics + PrimaryFamily.secondaryMetrics {
          cell.floors[metric] = try noiseFloor(cell: cell.cell, metric: metric)
        }
        measured.append(cell)
      }
    }
    return measured
  }

  /// The cells of a run without trials and floors.
  func cells(run: Int, scenarios: [String]) throws(StoreError) -> [MeasuredCell] {
    try cells(where: "run_id = ? ORDER BY cell_id", [.int(run)])
      .filter { scenarios.isEmpty || scenarios.contains($0.scenario) }
  }

  /// The cells that a condition over the columns of `v_cell` selects, without trials and floors.
  func cells(
    where condition: String, _ values: [SQLValue]
  ) throws(StoreError) -> [MeasuredCell] {
    try database.rows(
      """
      SELECT run_id, cell_id, scenario, variant, state, interleaving, arm, primary_family, model,
          device, started, ended, invalid_trials, scenario_sha, suite_sha, seed, masks, gap_scale,
          level, mode, model_sha, context, kv_type, threads, ubatch, build, engine_commit, dirty,
          device_name, driver, instruction_set, host, cpu, cores_usable, kernel, os, governor,
          power_source, injected, policy, streaming, prefix_edit, prompt_form, start,
          valid_trials
        FROM v_cell WHERE \(condition)
      """, values
    ).map(Self.measuredCell)
  }

  private static func measuredCell(_ row: SQLRow) -> MeasuredCell {
    func text(_ column: Int) -> String { row.string(column) ?? "" }
    return MeasuredCell(
      run: row.int(0) ?? 0, cell: row.int(1) ?? 0, scenario: text(2), variant: text(3),
      state: text(4), interleaving: row.string(5), arm: row.string(6), isPrimary: row.bool(7),
      conditions: conditions(row), model: text(8), device: text(9), started: text(10),
      ended: row.string(11), trials: [], validTrials: row.int(44) ?? 0,
      invalidTrials: row.int(12) ?? 0, floors: [:])
  }

  private static func conditions(_ row: SQLRow) -> [Condition: String] {
    func text(_ column: Int) -> String? { row.string(column) }
    func number(_ column: Int) -> String? { row.int(column).map(String.init) }
    let commit = text(26).map { String($0.prefix(12)) + (row.bool(27) == true ? "-dirty" : "") }
    var found: [Condition: String] = [:]
    found[.scenario] =
      text(13).map { String($0.prefix(12)) } ?? "suite \(text(14)?.prefix(12) ?? "")"
    found[.seed] = number(15)
    found[.masks] = text(16)
    found[.gapScale] = row.double(17).map { "\($0)" }
    found[.level] = text(18)
    found[.mode] = text(19)
    found[.model] = text(20).map { String($0.prefix(12)) }
    found[.context] = number(21)
    found[.kvType] = text(22)
    found[.threads] = number(23)
    found[.rows] = number(24)
    found[.build] = text(25)
    found[.commit] = commit
    found[.device] = text(9).map { "\($0): \(text(28) ?? "")" }
    found[.driver] = text(29)
    found[.instructionSet] = text(30)
    found[.host] = text(31)
    found[.cpu] = text(32)
    found[.cores] = number(33)
    found[.kernel] = text(34)
    found[.os] = text(35)
    found[.governor] = text(36)
    found[.power] = text(37)
    found[.injected] = text(38)
    found[.policy] = text(39)
    found[.streaming] = row.bool(40).map { $0 ? "on" : "off" }
    found[.prefixEdit] = text(41)
    found[.promptForm] = text(42)
    found[.start] = text(43)
    return found
  }
}
