extension BenchStore {
  /// The cells of a run with all they measured.
  func reportedCells(run: Int) throws(StoreError) -> [ReportedCell] {
    let rows = try database.rows(
      """
      SELECT id, scenario, variant, state, device, device_name, device_kind, masks, trials_planned
        FROM cell WHERE run_id = ? ORDER BY id
      """, [.int(run)])
    var cells = rows.map { row in
      ReportedCell(
        id: row.int(0) ?? 0, run: run, scenario: row.string(1) ?? "",
        variant: row.string(2) ?? "", state: row.string(3) ?? "",
        device: ComparedDevice(
          selector: row.string(4) ?? "", name: row.string(5) ?? "", kind: row.string(6)),
        masks: row.string(7) ?? "", plannedTrials: row.int(8) ?? 0)
    }
    let counts = try trialCounts(run: run)
    let costs = try costs(run: run)
    var requests = try database.rows(MeasuredRequest.sql, [.int(run)])[...]
    for index in cells.indices {
      for count in counts where count.cell == cells[index].id {
        if count.isUnfinished {
          cells[index].unfinishedTrials += count.reason.count
        } else {
          cells[index].invalidReasons.append(count.reason)
        }
      }
      // Both answers are in the order of the cells.
      let own = requests.prefix { $0.int(0) == cells[index].id }
      requests = requests.dropFirst(own.count)
      cells[index].take(own.map(MeasuredRequest.init), costs)
      try addTimeline(to: &cells[index], own.map(MeasuredRequest.init))
    }
    return cells
  }

  private typealias TrialCount = (
    cell: Int, isUnfinished: Bool, reason: CellSummary.InvalidReason
  )

  /// Measured trials that do not count, the most frequent reason first.
  private func trialCounts(run: Int) throws(StoreError) -> [TrialCount] {
    try database.rows(
      """
      SELECT t.cell_id, t.valid IS NULL, t.invalid_reason, COUNT(*)
        FROM trial t JOIN cell c ON c.id = t.cell_id
        WHERE c.run_id = ? AND t.phase = 'measured' AND t.valid IS NOT 1
        GROUP BY 1, 2, 3 ORDER BY 1, 4 DESC, 3
      """, [.int(run)]
    ).map { row in
      (
        row.int(0) ?? 0, row.bool(1) ?? false,
        CellSummary.InvalidReason(reason: row.string(2) ?? "", count: row.int(3) ?? 0)
      )
    }
  }

  /// Draws the median trial of a cell, with its tool calls.
  private func addTimeline(
    to cell: inout ReportedCell, _ requests: [MeasuredRequest]
  ) throws(StoreError) {
    guard let trial = cell.medianTrial(of: requests) else { return }
    let names = try database.rows(
      "SELECT number, name FROM session WHERE trial_id = ? ORDER BY number", [.int(trial)])
    let calls = try database.rows(
      """
      SELECT s.number, x.name, x.started_ns, x.ended_ns, x.out_tokens
        FROM session s JOIN request r ON r.session_id = s.id
          JOIN tool_call x ON x.request_id = r.id
        WHERE s.trial_id = ? AND r.role = 'measured' ORDER BY x.started_ns, x.id
      """, [.int(trial)])
    cell.timeline = TrialTimeline(
      requests.filter { $0.trial == trial && !$0.isPrewarm },
      sessions: names.map { ($0.int(0) ?? 0, $0.string(1) ?? "") },
      calls: calls.prefix(TrialTimeline.mostRequests).map(TrialTimeline.ToolCall.init))
  }
}

extension ReportedCell {
  /// Reduces the requests of the cell's valid trials, which are in the order of play.
  ///
  /// `costs` are what else trials are known for, by their id.
  mutating func take(_ requests: [MeasuredRequest], _ costs: [Int: [Metric: Double]]) {
    var prewarms: [Double] = []
    var trial: [MeasuredRequest] = []
    for request in requests {
      if request.isPrewarm {
        prewarms.append((request.times.completed - request.times.submitted) / 1e6)
        continue
      }
      if let last = trial.last, last.trial != request.trial {
        finish(trial, costs)
        trial = []
      }
      trial.append(request)
      points.append(
        DepthPoint(
          depth: Double(request.times.promptTokens), ttft: request.times.timeToFirstToken,
          tpot: request.times.timePerOutputToken))
      note(request)
    }
    finish(trial, costs)
    prewarmMilliseconds = Statistics.median(prewarms)
    misses.sort { ($1.tokens, $0.reason) < ($0.tokens, $1.reason) }
    let bootstrap = Bootstrap(seed: RunReport.bootstrapSeed)
    for metric in Metric.allCases {
      metrics[metric] = Estimate(values(metric), bootstrap: bootstrap)
    }
  }

  private mutating func finish(
    _ trial: [MeasuredRequest], _ costs: [Int: [Metric: Double]]
  ) {
    guard let first = trial.first else { return }
    let metrics = TrialMetrics(
      trial.map(\.times), recordingNanoseconds: first.recordingNanoseconds)
    trials.append(
      ReportedTrial(
        repetition: first.repetition,
        values: metrics.values.merging(costs[first.trial] ?? [:]) { $1 }))
  }

  /// Counts what the cache did not give.
  private mutating func note(_ request: MeasuredRequest) {
    guard let cached = request.times.cachedTokens else { return }
    let missed = max(0, Double(request.times.idealCached ?? 0) - Double(cached))
    // A reason is stored with every request; where nothing could be had, nothing was missed.
    guard missed > 0 else { return }
    let reason = request.missReason ?? "not recorded"
    if let place = misses.firstIndex(where: { $0.reason == reason }) {
      misses[place].requests += 1
      misses[place].tokens += missed
    } else {
      misses.append(CacheMiss(reason: reason, requests: 1, tokens: missed))
    }
  }

  /// The trial whose `task_wall` is nearest to the median; the earliest of equally near ones.
  func medianTrial(of requests: [MeasuredRequest]) -> Int? {
    var ids: [Int] = []
    for request in requests where !request.isPrewarm && ids.last != request.trial {
      ids.append(request.trial)
    }
    guard let median = metrics[.taskWall]?.median, ids.count == trials.count else {
      return ids.first
    }
    var nearest: (id: Int, distance: Double)?
    for (id, trial) in zip(ids, trials) {
      guard let wall = trial.values[.taskWall] else { continue }
      let distance = abs(wall - median)
      if nearest.map({ distance < $0.distance }) ?? true { nearest = (id, distance) }
    }
    return nearest?.id ?? ids.first
  }
}
