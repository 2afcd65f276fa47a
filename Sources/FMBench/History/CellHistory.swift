/// The runs of one and the same cell, oldest first.
package struct CellHistory: Sendable {
  /// With valid trials; at least one.
  package var cells: [MeasuredCell]
  /// The newest floors of the newest cell, where one was measured.
  package var floors: [Metric: Double]

  /// What has to be equal in all runs: everything that was chosen, and the machine.
  ///
  /// The commit is what a history is about. What else comes with time, such as the kernel, is told
  /// where it changed beside a change of the numbers.
  package static let fixed: [Condition] = [
    .scenario, .seed, .masks, .gapScale, .level, .mode, .policy, .streaming, .prefixEdit,
    .promptForm, .start, .model, .context, .kvType, .threads, .build, .device, .host,
  ]

  /// What tells one history from another.
  struct Key: Hashable {
    var place: [String]
    var conditions: [Condition: String]

    init(_ cell: MeasuredCell) {
      place = cell.place
      conditions = cell.conditions.filter { CellHistory.fixed.contains($0.key) }
    }
  }

  var newest: MeasuredCell { cells[cells.count - 1] }
  /// The model and device, with what is common to the cells that were played there alike.
  var subject: [Condition: String] {
    var conditions = Key(newest).conditions
    conditions[.scenario] = nil
    return conditions
  }

  /// A metric over the runs that have it, judged; nil where none has.
  ///
  /// - Parameter bootstrap: for intervals of the medians; without one there are none.
  package func series(_ metric: Metric, bootstrap: Bootstrap? = nil) -> MetricHistory? {
    let found = cells.compactMap { cell in
      MetricHistory.Point(cell, metric, bootstrap).map { (cell, $0) }
    }
    let medians = found.map { $0.1.median }
    let floor = VerdictRule.floor(measured: floors[metric], isPaired: true)
    guard
      let judgement = OutOfLineRule.judge(
        medians, floor: floor, isLowerBetter: metric.isLowerBetter)
    else { return nil }
    let step = LevelStep(medians, floor: floor)
    func differences(at index: Int) -> [ConditionDifference] {
      ConditionDifference.all(found[index - 1].0.conditions, found[index].0.conditions)
        .filter { $0.condition != .commit }
    }
    return MetricHistory(
      metric: metric, floor: floor, isFloorMeasured: floors[metric] != nil,
      points: found.map { $0.1 }, judgement: judgement,
      changedWithNewest: found.count > 1 ? differences(at: found.count - 1) : [],
      step: step, changedWithStep: step.map { differences(at: $0.index) } ?? [])
  }
}

/// One metric of a history: a number a run, and what is said of the newest.
package struct MetricHistory: Sendable, Codable {
  /// One run's trials.
  package struct Point: Sendable, Codable {
    package var run: Int
    package var started: String
    /// The first twelve digits, with `-dirty` for a tree with changes.
    package var commit: String?
    /// A number a valid trial, in ``Metric/unit``.
    package var values: [Double]
    package var median: Double
    /// Bootstrap interval of the median; nil with one trial, or where none was asked for.
    package var low: Double?
    package var high: Double?

    init?(_ cell: MeasuredCell, _ metric: Metric, _ bootstrap: Bootstrap?) {
      values = cell.trials.compactMap { $0.values[metric] }.filter(\.isFinite)
      guard let median = Statistics.median(values) else { return nil }
      self.median = median
      run = cell.run
      started = cell.started
      commit = cell.conditions[.commit]
      let interval = bootstrap?.medianInterval(of: values)
      low = interval?.lowerBound
      high = interval?.upperBound
    }
  }

  package var metric: Metric
  /// The least change that counts, as a share.
  package var floor: Double
  package var isFloorMeasured: Bool
  /// Oldest first; at least one.
  package var points: [Point]
  package var judgement: HistoryJudgement
  /// What differs between the newest run and the one before, beside the commit.
  package var changedWithNewest: [ConditionDifference]
  package var step: LevelStep?
  /// What differs between the last run before the step and the first after it, beside the commit.
  package var changedWithStep: [ConditionDifference]
}
