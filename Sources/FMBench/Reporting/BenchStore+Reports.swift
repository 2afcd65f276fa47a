extension BenchStore {
  /// The id of the run a user means: `latest`, an id, or the beginning of a uuid.
  ///
  /// - Throws: ``StoreError/noSuchRun(_:)``.
  package func runID(_ name: String) throws(StoreError) -> Int {
    let rows: [SQLRow]
    if name == "latest" {
      rows = try database.rows("SELECT MAX(id) FROM run")
    } else if let id = Int(name), id < 1_000_000_000 {
      rows = try database.rows("SELECT id FROM run WHERE id = ?", [.int(id)])
    } else {
      rows = try database.rows(
        "SELECT id FROM run WHERE substr(uuid, 1, ?) = ?",
        [.int(name.unicodeScalars.count), .text(name.lowercased())])
    }
    guard rows.count == 1, let id = rows.first?.int(0) else { throw .noSuchRun(name) }
    return id
  }

  /// Summarizes a run.
  package func report(run id: Int) throws(StoreError) -> RunReport {
    let rows = try database.rows(
      """
      SELECT n.uuid, n.started, n.ended, n.status, n.error, n.label, m.name, m.sha256, m.quant,
          n.suite, n.suite_sha, n.seed, n.gap_scale, n.build, n.engine_commit, n.dirty,
          e.cpu, e.cores_usable, e.load_1m,
          v.device_name, v.device, v.device_kind, v.driver, v.instruction_set,
          n.load_ns, n.load_memory, n.energy_source, n.energy_hz, n.idle_watts,
          n.level, n.mode, n.policy, n.streaming, n.prefix_edit, n.prompt_form, n.start,
          n.status, n.pid, e.host, n.started
        FROM run n JOIN model m ON m.sha256 = n.model_sha LEFT JOIN environment e ON e.run_id = n.id
          JOIN v_run v ON v.id = n.id
        WHERE n.id = ?
      """, [.int(id)])
    guard let row = rows.first else { throw .noSuchRun(String(id)) }
    return RunReport(
      run: id, uuid: row.string(0) ?? "", started: row.string(1) ?? "", ended: row.string(2),
      status: RunStatus.shown(row, at: 36), error: row.string(4), label: row.string(5),
      model: row.string(6) ?? "", modelSHA: row.string(7) ?? "", quantization: row.string(8),
      suite: row.string(9) ?? "", suiteSHA: row.string(10) ?? "",
      seed: UInt64(bitPattern: Int64(row.int(11) ?? 0)), gapScale: row.double(12) ?? 0,
      style: PlayStyle(row, at: 29).phrase,
      build: row.string(13) ?? "", commit: row.string(14), isDirty: row.bool(15),
      device: row.string(19) ?? "", deviceSelector: row.string(20), deviceKind: row.string(21),
      driver: row.string(22), instructionSet: row.string(23), processor: row.string(16),
      usableCores: row.int(17),
      loadAverage: row.double(18), loadMilliseconds: row.double(24).map { $0 / 1e6 },
      loadMemoryBytes: row.int(25),
      energy: row.string(26).map {
        EnergyBaseline(source: $0, hertz: row.double(27), idleWatts: row.double(28))
      }, bootstrapSeed: RunReport.bootstrapSeed,
      cells: try cells(of: id))
  }

  private func cells(of run: Int) throws(StoreError) -> [CellSummary] {
    let rows = try database.rows(
      """
      SELECT id, scenario, variant, state, device, threads, masks, trials_planned
        FROM cell WHERE run_id = ? ORDER BY id
      """, [.int(run)])
    var cells: [CellSummary] = []
    for row in rows {
      guard let id = row.int(0), let scenario = row.string(1) else { continue }
      guard let state = CacheState(rawValue: row.string(3) ?? "") else {
        throw .malformedValue(table: "cell", column: "state", reason: row.string(3) ?? "null")
      }
      let reasons = try invalidReasons(cell: id)
      let trials = try trialMetrics(cell: id)
      cells.append(
        CellSummary(
          scenario: scenario, variant: row.string(2) ?? "", state: state,
          device: row.string(4) ?? "", threads: row.int(5), masks: row.string(6) ?? "",
          plannedTrials: row.int(7) ?? 0, validTrials: trials.count,
          invalidTrials: reasons.reduce(0) { $0 + $1.count }, invalidReasons: reasons,
          metrics: Self.estimates(trials)))
    }
    return cells
  }

  private static func estimates(_ trials: [TrialMetrics]) -> [Metric: Estimate] {
    let bootstrap = Bootstrap(seed: RunReport.bootstrapSeed)
    var estimates: [Metric: Estimate] = [:]
    for metric in Metric.allCases {
      estimates[metric] = Estimate(
        trials.compactMap { $0.values[metric] }, bootstrap: bootstrap)
    }
    return estimates
  }

  private func invalidReasons(
    cell: Int
  ) throws(StoreError) -> [CellSummary.InvalidReason] {
    try database.rows(
      """
      SELECT invalid_reason, COUNT(*) FROM trial
        WHERE cell_id = ? AND phase = 'measured' AND valid = 0
        GROUP BY invalid_reason ORDER BY COUNT(*) DESC, invalid_reason
      """, [.int(cell)]
    ).map {
      CellSummary.InvalidReason(reason: $0.string(0) ?? "", count: $0.int(1) ?? 0)
    }
  }

  /// The metrics of every valid trial of a cell, in the order they were played.
  func trialMetrics(cell: Int) throws(StoreError) -> [TrialMetrics] {
    try numberedTrials(cell: cell).map { TrialMetrics(values: $0.values) }
  }

  /// Every valid trial of a cell with its number, in the order they were played.
  func numberedTrials(cell: Int) throws(StoreError) -> [NumberedTrial] {
    let rows = try database.rows(
      """
      SELECT t.id, s.number, r.scheduled_ns, r.submitted_ns, r.prefill_start_ns, r.first_token_ns,
          r.last_token_ns, r.completed_ns, r.n_prompt,
          CASE WHEN r.cache_reported = 1 THEN r.n_cached END, r.ideal_cached, r.n_output,
          (SELECT SUM(ended_ns - started_ns) FROM tool_call x WHERE x.request_id = r.id),
          t.recording_ns, t.rep, r.first_content_ns, r.turn
        FROM trial t JOIN session s ON s.trial_id = t.id JOIN request r ON r.session_id = s.id
        WHERE t.cell_id = ? AND t.phase = 'measured' AND t.valid = 1 AND r.role = 'measured'
        ORDER BY t.order_index, r.submitted_ns
      """, [.int(cell)])
    var trials: [(id: Int, requests: [TrialMetrics.Request], recording: Double, repetition: Int)] =
      []
    for row in rows {
      let id = row.int(0) ?? 0
      if id != trials.last?.id { trials.append((id, [], row.double(13) ?? 0, row.int(14) ?? 0)) }
      trials[trials.count - 1].requests.append(Self.request(row))
    }
    let costs = try costs(cell: cell)
    return trials.map { trial in
      let times = TrialMetrics(trial.requests, recordingNanoseconds: trial.recording).values
      return NumberedTrial(
        repetition: trial.repetition, values: times.merging(costs[trial.id] ?? [:]) { $1 })
    }
  }

  private static func request(_ row: SQLRow) -> TrialMetrics.Request {
    var request = TrialMetrics.Request(
      session: row.int(1) ?? 0, scheduled: row.double(2) ?? 0, submitted: row.double(3) ?? 0,
      prefillStart: row.double(4), firstToken: row.double(5), lastToken: row.double(6),
      completed: row.double(7) ?? 0, promptTokens: row.int(8) ?? 0,
      cachedTokens: row.int(9), idealCached: row.int(10), outputTokens: row.int(11) ?? 0,
      toolNanoseconds: row.double(12) ?? 0)
    request.firstContent = row.double(15)
    request.turn = row.int(16)
    return request
  }
}
