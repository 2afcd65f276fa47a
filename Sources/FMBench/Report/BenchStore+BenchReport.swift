import Foundation

extension BenchStore {
  /// Reads what a report shows.
  ///
  /// - Parameter runs: those to show; nil for ``newestRuns()``.
  /// - Throws: ``StoreError/noSuchRun(_:)`` for a run that is not there, or an empty database.
  package func benchReport(runs: [Int]? = nil) throws(StoreError) -> BenchReport {
    var shown: [Int] = []
    let wanted = if let runs { runs } else { try newestRuns() }
    for run in wanted.sorted() where !shown.contains(run) { shown.append(run) }
    guard !shown.isEmpty else { throw .noSuchRun("latest") }
    var reported: [ReportedRun] = []
    var cells: [ReportedCell] = []
    for run in shown {
      reported.append(try reportedRun(run))
      cells += try reportedCells(run: run)
    }
    let stored = try database.rows("SELECT COUNT(*) FROM run").first?.int(0) ?? 0
    return BenchReport(
      runs: reported, cells: cells, comparison: DeviceComparison(try comparedCells(runs: shown)),
      verdicts: try verdicts(on: shown), otherRuns: max(0, stored - reported.count))
  }

  /// Compares runs that were played in turn, the first of an interleaving with each of the others.
  private func verdicts(on runs: [Int]) throws(StoreError) -> [RunComparison] {
    var arms: [(interleaving: String, run: Int, device: String, model: String, isServer: Bool)] = []
    for run in runs {
      let row = try database.rows(
        """
        SELECT n.interleaving, n.model_sha, (SELECT device FROM cell WHERE run_id = n.id LIMIT 1),
            n.endpoint IS NOT NULL
          FROM run n WHERE n.id = ?
        """, [.int(run)]
      ).first
      guard let row, let name = row.string(0) else { continue }
      arms.append(
        (name, run, row.string(2) ?? "", row.string(1) ?? "", row.bool(3) ?? false))
    }
    var comparisons: [RunComparison] = []
    for (index, second) in arms.enumerated() where comparisons.count < 8 {
      guard let place = arms.firstIndex(where: { $0.interleaving == second.interleaving }),
        place < index
      else { continue }
      let first = arms[place]
      let axis: ComparisonAxis =
        first.device != second.device
        ? (first.isServer || second.isServer ? .endpoint : .device)
        : first.model != second.model ? .model : .run
      let names =
        axis == .device || axis == .endpoint
        ? (first.device, second.device) : ("run \(first.run)", "run \(second.run)")
      comparisons.append(
        RunComparison(
          axis: axis, first: (names.0, try measuredCells(runs: [first.run])),
          second: (names.1, try measuredCells(runs: [second.run]))))
    }
    return comparisons
  }

  /// The runs that hold the newest valid cell of some scenario, state, model and device.
  ///
  /// The newest run is always among them, so that a failure shows.
  package func newestRuns() throws(StoreError) -> [Int] {
    var chosen = try database.rows("SELECT MAX(id) FROM run").compactMap { $0.int(0) }
    var seen: Set<[String]> = []
    let rows = try database.rows(
      """
      SELECT run_id, model_sha, device, device_name, kv_type, threads, scenario, variant, state,
          masks, level, mode, policy, streaming, prefix_edit, prompt_form,
          start
        FROM v_cell WHERE valid_trials > 0 ORDER BY run_id DESC, cell_id
      """)
    for row in rows {
      let key = (1...16).map { column in
        row.string(column) ?? row.int(column).map { String($0) } ?? ""
      }
      guard let run = row.int(0), seen.insert(key).inserted else { continue }
      if !chosen.contains(run) { chosen.append(run) }
    }
    // A run that was played in turn with another says little without it.
    for run in chosen {
      let partners = try database.rows(
        "SELECT id FROM run WHERE interleaving = (SELECT interleaving FROM run WHERE id = ?)",
        [.int(run)])
      for partner in partners.compactMap({ $0.int(0) }) where !chosen.contains(partner) {
        chosen.append(partner)
      }
    }
    return chosen.sorted()
  }

  private func reportedRun(_ id: Int) throws(StoreError) -> ReportedRun {
    let rows = try database.rows(
      """
      SELECT n.uuid, n.started, n.ended, n.status, n.error, n.label, n.argv, n.tool_version,
          n.engine_commit, n.dirty, n.commit_source, n.build, n.suite, n.suite_sha, n.profile,
          n.level, n.mode, n.seed, n.gap_scale, n.context, n.load_ns, n.load_memory, m.name,
          m.sha256, m.quant, m.bytes, m.params, n.energy_source, n.energy_hz, n.idle_watts,
          n.level, n.mode, n.policy, n.streaming, n.prefix_edit, n.prompt_form, n.start,
          n.status, n.pid, (SELECT host FROM environment WHERE run_id = n.id), n.started
        FROM run n JOIN model m ON m.sha256 = n.model_sha WHERE n.id = ?
      """, [.int(id)])
    guard let row = rows.first else { throw .noSuchRun(String(id)) }
    func text(_ column: Int) -> String { row.string(column) ?? "" }
    let first = try database.rows(
      """
      SELECT device, device_name, device_kind, threads, kv_type FROM cell WHERE run_id = ?
        ORDER BY id LIMIT 1
      """, [.int(id)]
    ).first
    return ReportedRun(
      id: id, uuid: text(0), started: text(1), ended: row.string(2),
      status: RunStatus.shown(row, at: 37),
      error: row.string(4), label: row.string(5), arguments: Self.strings(json: text(6)),
      toolVersion: text(7), commit: row.string(8), isDirty: row.bool(9), commitSource: text(10),
      build: text(11), suite: text(12), suiteSHA: text(13), profile: text(14), level: text(15),
      mode: text(16), style: PlayStyle(row, at: 30),
      seed: UInt64(bitPattern: Int64(row.int(17) ?? 0)),
      gapScale: row.double(18) ?? 0, context: row.int(19) ?? 0,
      loadMilliseconds: row.double(20).map { $0 / 1e6 }, loadMemoryBytes: row.int(21),
      energy: row.string(27).map {
        EnergyBaseline(source: $0, hertz: row.double(28), idleWatts: row.double(29))
      },
      model: text(22), modelSHA: text(23), quantization: row.string(24), modelBytes: row.int(25),
      parameters: row.int(26), device: first.map { Self.device($0, at: 0) },
      threads: first?.int(3), kvType: first?.string(4), machine: try machine(of: id))
  }

  private static func device(_ row: SQLRow, at column: Int) -> ComparedDevice {
    ComparedDevice(
      selector: row.string(column) ?? "", name: row.string(column + 1) ?? "",
      kind: row.string(column + 2))
  }

  /// The words of a command line; the text itself where it is no array of strings.
  private static func strings(json: String) -> [String] {
    (try? JSONDecoder().decode([String].self, from: Data(json.utf8))) ?? [json]
  }

  private func machine(of run: Int) throws(StoreError) -> ReportedMachine {
    let row =
      try database.rows(
        """
        SELECT host, cpu, cpu_flags, cores_online, cores_usable, cores_physical, governor,
            frequency_mhz, memory_bytes, memory_available_bytes, swap_used_bytes, kernel, os,
            container, virtual, power_source, temperature_c, temperature_end_c, load_1m,
            load_1m_end, gpu, driver, vk_api, instruction_set
          FROM environment WHERE run_id = ?
        """, [.int(run)]
      ).first ?? SQLRow(values: [])
    return ReportedMachine(
      host: row.string(0), cpu: row.string(1), cpuFlags: row.string(2), onlineCores: row.int(3),
      usableCores: row.int(4), physicalCores: row.int(5), governor: row.string(6),
      frequencyMegahertz: row.double(7), memoryBytes: row.int(8),
      availableMemoryBytes: row.int(9), usedSwapBytes: row.int(10), kernel: row.string(11),
      operatingSystem: row.string(12), container: row.string(13), isVirtual: row.bool(14),
      powerSource: row.string(15), temperatures: [row.double(16), row.double(17)],
      loads: [row.double(18), row.double(19)], gpu: row.string(20), driver: row.string(21),
      vulkanVersion: row.string(22), instructionSet: row.string(23))
  }
}
