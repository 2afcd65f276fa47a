import Foundation

extension RunComparison {
  /// Compares the cells that both sides have.
  ///
  /// Cells are partners by scenario, form and state; of several on one side that are not pooled the
  /// last counts. Several runs on a side are pooled, their trials taken as independent. Trials are
  /// paired where both cells were played in turn with each other.
  package init(
    axis: ComparisonAxis, first: (name: String, cells: [MeasuredCell]),
    second: (name: String, cells: [MeasuredCell]), acrossEnvironments: Bool = false,
    rule: VerdictRule = VerdictRule(), bootstrapSeed: UInt64 = RunReport.bootstrapSeed
  ) {
    self.axis = axis
    self.first = Self.side(first)
    self.second = Self.side(second)
    isAcrossEnvironments = acrossEnvironments
    alpha = rule.alpha
    self.bootstrapSeed = bootstrapSeed
    (rows, notes, differences, compared) = ([], [], [], [])
    let partners = Self.partners(first.cells, second.cells)
    isInterleaved = !partners.isEmpty && partners.allSatisfy(\.isInterleaved)
    note(first.cells, second.cells, partners)
    findDifferences(partners)
    let declared = partners.contains { $0.isDeclaredPrimary }
    var seen: Set<String> = []
    for partner in partners {
      let isFirst = seen.insert(partner.cells.0[0].scenario).inserted
      addRows(partner, isPrimary: declared ? partner.isDeclaredPrimary : isFirst)
    }
    judge(rule)
  }

  /// Cells of both sides that did the same work.
  struct Partners {
    var cells: ([MeasuredCell], [MeasuredCell])

    var isInterleaved: Bool {
      guard cells.0.count == 1, cells.1.count == 1, let shared = cells.0[0].interleaving else {
        return false
      }
      return shared == cells.1[0].interleaving && cells.0[0].arm != cells.1[0].arm
    }

    var isDeclaredPrimary: Bool { cells.0[0].isPrimary == true }

    /// What both sides have of a metric.
    func samples(_ metric: Metric) -> TrialSamples {
      if isInterleaved {
        return .paired(NumberedTrial.pairs(cells.0[0].trials, cells.1[0].trials, metric))
      }
      return .independent(
        first: values(cells.0, metric), second: values(cells.1, metric))
    }

    func values(_ cells: [MeasuredCell], _ metric: Metric) -> [Double] {
      cells.flatMap { $0.trials.compactMap { $0.values[metric] } }
    }

    /// The larger of the sides' measured floors.
    func floor(_ metric: Metric) -> Double? {
      (cells.0 + cells.1).compactMap { $0.floors[metric] }.max()
    }
  }

  private static func side(_ side: (name: String, cells: [MeasuredCell])) -> Side {
    var runs: [Int] = []
    for cell in side.cells where !runs.contains(cell.run) { runs.append(cell.run) }
    let subject = side.cells.last.map { cell in
      let commit = cell.conditions[.commit].map { ", \($0)" } ?? ""
      return "\(cell.model) on \(cell.conditions[.device] ?? cell.device)\(commit)"
    }
    return Side(name: side.name, runs: runs, subject: subject ?? "nothing")
  }

  private static func partners(
    _ first: [MeasuredCell], _ second: [MeasuredCell]
  ) -> [Partners] {
    var partners: [Partners] = []
    for cell in first {
      guard !partners.contains(where: { $0.cells.0[0].place == cell.place }) else { continue }
      let left = first.filter { $0.place == cell.place && !$0.trials.isEmpty }
      let right = second.filter { $0.place == cell.place && !$0.trials.isEmpty }
      if !left.isEmpty, !right.isEmpty { partners.append(Partners(cells: (left, right))) }
    }
    return partners
  }

  private mutating func note(
    _ first: [MeasuredCell], _ second: [MeasuredCell], _ partners: [Partners]
  ) {
    for (side, cells) in [("A", first), ("B", second)] {
      for cell in cells {
        if cell.invalidTrials > 0 {
          notes.append(
            "\(cell.name) \(cell.state): \(side) has \(cell.invalidTrials) invalid trials "
              + "(`fmbench show \(cell.run)` says why)")
        }
        if !cell.trials.isEmpty, !partners.contains(where: { $0.cells.0[0].place == cell.place }) {
          notes.append("\(cell.name) \(cell.state): only \(side) has valid trials")
        }
      }
    }
  }

  private mutating func addRows(_ partners: Partners, isPrimary: Bool) {
    let bootstrap = Bootstrap(seed: bootstrapSeed)
    for metric in PrimaryFamily.metrics + PrimaryFamily.secondaryMetrics {
      let samples = partners.samples(metric)
      guard let effect = Effect(samples, bootstrap: bootstrap) else { continue }
      let sides = (
        partners.values(partners.cells.0, metric), partners.values(partners.cells.1, metric)
      )
      let floor = partners.floor(metric)
      let cell = partners.cells.0[0]
      rows.append(
        Row(
          scenario: cell.scenario, variant: cell.variant, state: cell.state, metric: metric,
          isPrimary: isPrimary && PrimaryFamily.metrics.contains(metric),
          first: Statistics.median(sides.0) ?? 0, second: Statistics.median(sides.1) ?? 0,
          firstTrials: sides.0.count, secondTrials: sides.1.count,
          firstQuality: TrialQuality(sides.0), secondQuality: TrialQuality(sides.1),
          outliers: [sides.0, sides.1].reduce(0) { $0 + Statistics.outliers($1).count { $0 } },
          effect: effect,
          floor: VerdictRule.floor(measured: floor, isPaired: effect.isPaired),
          isFloorMeasured: floor != nil))
    }
  }

  private mutating func judge(_ rule: VerdictRule) {
    guard isJudged else { return }
    let family = rows.indices.filter { rows[$0].isPrimary }
    let judged = rule.judge(
      family.map {
        VerdictRule.Member(
          effect: rows[$0].effect, floor: rows[$0].floor,
          isLowerBetter: rows[$0].metric.isLowerBetter)
      })
    for (index, result) in zip(family, judged) {
      rows[index].adjustedP = result.adjustedP
      rows[index].verdict = result.verdict.name
      if case .inconclusive(let needed) = result.verdict { rows[index].trialsNeeded = needed }
    }
  }
}

// MARK: Conditions

extension RunComparison {
  /// Sorts what differs into what is compared and what forbids a verdict.
  private mutating func findDifferences(_ partners: [Partners]) {
    var found: [ConditionDifference] = []
    for difference in partners.flatMap(\.differences) where !found.contains(difference) {
      let isTime = difference.condition == .time
      if !isTime || !found.contains(where: { $0.condition == .time }) { found.append(difference) }
    }
    let allowed = axis == .run ? Self.loneAxis(found) : axis.conditions
    compared = found.filter { allowed.contains($0.condition) }
    differences = found.filter { !allowed.contains($0.condition) }
    // A test's own slowdown is what its comparison is about.
    compared += differences.filter { $0.condition == .injected && isInterleaved }
    differences.removeAll { $0.condition == .injected && isInterleaved }
  }

  /// Runs may differ in one thing, which is then what is compared.
  private static func loneAxis(_ found: [ConditionDifference]) -> [Condition] {
    let differing = Set(found.map(\.condition)).subtracting([.time])
    let axis = ComparisonAxis.allCases.first { axis in
      guard !axis.conditions.isEmpty, differing.isSubset(of: axis.conditions) else { return false }
      return axis.definingCondition.map { differing.contains($0) } ?? true
    }
    return axis?.conditions ?? []
  }
}

extension RunComparison.Partners {
  /// Runs further apart than this met another machine, whatever it is called.
  private static let mostSecondsApart = 3600.0

  /// What differs between the sides, each difference once.
  var differences: [ConditionDifference] {
    var found: [ConditionDifference] = []
    for left in cells.0 {
      for right in cells.1 {
        for difference in ConditionDifference.all(left.conditions, right.conditions)
        where !found.contains(difference) { found.append(difference) }
      }
    }
    if !isInterleaved, let timeApart { found.append(timeApart) }
    return found
  }

  private var timeApart: ConditionDifference? {
    let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true, timeZone: .gmt)
    func date(_ text: String?) -> Date? { text.flatMap { try? style.parse($0) } }
    let starts = [cells.0, cells.1].map { $0.compactMap { date($0.started) } }
    let ends = [cells.0, cells.1].map {
      $0.compactMap { date($0.ended ?? $0.started) }
    }
    guard let startA = starts[0].min(), let startB = starts[1].min(), let endA = ends[0].max(),
      let endB = ends[1].max()
    else { return nil }
    let gap = max(startB.timeIntervalSince(endA), startA.timeIntervalSince(endB))
    guard gap > Self.mostSecondsApart else { return nil }
    return ConditionDifference(
      condition: .time, first: BenchStore.timestamp(startA), second: BenchStore.timestamp(startB))
  }
}
