/// Histories as text: the runs of a lone one, or else a line for each metric of each.
package struct HistoryText: Sendable, Hashable {
  /// What was played on one model and device alike.
  package struct Block: Sendable, Hashable {
    package var header: String
    package var headings: [String]
    /// Columns from this one on are numbers.
    package var wordColumns: Int
    package var rows: [[String]]
    /// What is said of the rows, a line each.
    package var findings: [String]
  }

  package var blocks: [Block]
  /// Lines to print below all.
  package var notes: [String]

  private static let lineHeadings = [
    "scenario", "state", "metric", "trend", "verdict", "runs", "first", "last", "change %",
  ]

  /// Lays out a report.
  package init(_ report: HistoryReport) {
    if report.entries.count == 1, report.entries[0].series.count <= HistoryReport.mostColumns {
      blocks = [Self.runs(report.entries[0])]
      notes = Self.notes(report, isOneHistory: true)
    } else {
      blocks = Self.lines(report)
      notes = Self.notes(report, isOneHistory: false)
    }
  }

  // MARK: Lines of several

  private static func lines(_ report: HistoryReport) -> [Block] {
    var blocks: [Block] = []
    var subjects: [[Condition: String]] = []
    let shown = varying(report.entries.map(\.history.subject))
    for entry in report.entries {
      let subject = entry.history.subject
      let place = subjects.firstIndex(of: subject) ?? subjects.count
      if place == subjects.count {
        subjects.append(subject)
        blocks.append(
          Block(
            header: header(entry.history, shown), headings: lineHeadings,
            wordColumns: 5, rows: [], findings: []))
      }
      let cell = name(entry.history, among: report.entries)
      for series in entry.series {
        blocks[place].rows.append(line(cell, entry.history, series))
        blocks[place].findings += findings(series, withVerdict: false).map {
          "\(cell) \(entry.history.newest.state) \(series.metric.rawValue): \($0)"
        }
      }
    }
    return blocks
  }

  private static func line(
    _ name: String, _ history: CellHistory, _ series: MetricHistory
  ) -> [String] {
    let medians = series.points.map(\.median)
    let (first, last) = (medians.first ?? 0, medians.last ?? 0)
    return [
      name, history.newest.state, "\(series.metric.rawValue) \(series.metric.unit)",
      trend(medians, floor: series.floor), verdict(series), "\(medians.count)",
      ComparisonText.significant(first), ComparisonText.significant(last),
      first > 0 ? signed(last / first) : "–",
    ]
  }

  /// The scenario and its form, with the beginning of its hash where several have that name.
  private static func name(
    _ history: CellHistory, among entries: [HistoryReport.Entry]
  ) -> String {
    let newest = history.newest
    let hashes = Set(
      entries.filter { $0.history.newest.place == newest.place }
        .map { $0.history.newest.conditions[.scenario] })
    let hash = newest.conditions[.scenario].map { " (\($0.prefix(7)))" } ?? ""
    return newest.name + (hashes.count > 1 ? hash : "")
  }

  /// What is not the same for all subjects, in the order of conditions.
  private static func varying(_ subjects: [[Condition: String]]) -> [Condition] {
    Condition.allCases.filter { condition in
      subjects.contains { $0[condition] != subjects[0][condition] }
    }
  }

  /// `tiny on cpu: a processor, release build, 2 threads`, and the conditions named.
  private static func header(_ history: CellHistory, _ shown: [Condition]) -> String {
    let cell = history.newest
    let subject = history.subject
    let spoken: [Condition] = [.device, .host, .build]
    let words = [
      cell.conditions[.device] ?? cell.device, cell.conditions[.host],
      cell.conditions[.build].map { "\($0) build" },
    ]
    let others = shown.filter { !spoken.contains($0) }.compactMap { condition in
      subject[condition].map { "\(condition.rawValue) \($0)" }
    }
    return "\(cell.model) on " + (words.compactMap { $0 } + others).joined(separator: ", ")
  }

  /// The newest 20 medians as blocks of eight heights, over their range and at least two floors.
  private static func trend(_ medians: [Double], floor: Double) -> String {
    let newest = medians.suffix(20)
    guard let least = newest.min(), let most = newest.max() else { return "" }
    let span = max(most - least, 2 * floor * abs(most))
    guard span > 0, span.isFinite else { return "" }
    let heights = newest.map { Int((($0 - least) / span * 7).rounded()) }
    return String(
      String.UnicodeScalarView(
        heights.compactMap { Unicode.Scalar(0x2581 + UInt32(min(7, max(0, $0)))) }))
  }

  // MARK: Runs of one history

  private static func runs(_ entry: HistoryReport.Entry) -> Block {
    let history = entry.history
    let rows = history.cells.map { cell in
      let points = entry.series.map { $0.points.first { $0.run == cell.run } }
      return [date(cell.started), "\(cell.run)", cell.conditions[.commit] ?? "–"]
        + ["\(cell.trials.count)"] + points.map { $0.map(value) ?? "–" }
    }
    let said = entry.series.flatMap { series in
      findings(series, withVerdict: true).map { "\(series.metric.rawValue): \($0)" }
    }
    let newest = history.newest
    return Block(
      header: "\(newest.name) \(newest.state), \(header(history, Condition.allCases))",
      headings: ["date", "run", "commit", "n"]
        + entry.series.map { "\($0.metric.rawValue) \($0.metric.unit)" },
      wordColumns: 3, rows: rows, findings: said)
  }

  /// `2026-11-30 06:15` of a time as it is stored.
  private static func date(_ started: String) -> String {
    String(started.prefix(16)).replacing("T", with: " ")
  }

  private static func value(_ point: MetricHistory.Point) -> String {
    let interval = point.low.flatMap { low in
      point.high.map {
        " [\(ComparisonText.significant(low)) \(ComparisonText.significant($0))]"
      }
    }
    return ComparisonText.significant(point.median) + (interval ?? "")
  }

  // MARK: Words

  /// What is said of the newest run.
  static func verdict(_ series: MetricHistory) -> String {
    let judgement = series.judgement
    let ratio = judgement.ratio ?? 1
    let share = ReportTable.fixed(abs(ratio - 1) * 100, abs(ratio - 1) < 0.1 ? 1 : 0)
    let word = direction(series.metric, ratio)
    return switch judgement.verdict {
    case .tooFew:
      "too few runs to say: \(judgement.earlier) of \(OutOfLineRule.leastEarlier) before the newest"
    case .noRatio: "not judged: a median is not above 0"
    case .inLine: "in line"
    case .worse: "out of line, \(word) than the runs before by \(share) %"
    case .better: "\(word) than the runs before by \(share) %"
    }
  }

  private static func direction(_ metric: Metric, _ ratio: Double) -> String {
    switch metric.unit {
    case "ms", "tokens/s": (ratio < 1) == metric.isLowerBetter ? "faster" : "slower"
    default: ratio < 1 ? "lower" : "higher"
    }
  }

  /// `+8.2` for a ratio of 1.082.
  private static func signed(_ ratio: Double) -> String {
    (ratio >= 1 ? "+" : "") + ReportTable.fixed((ratio - 1) * 100, 1)
  }

  private static func findings(_ series: MetricHistory, withVerdict: Bool) -> [String] {
    var lines: [String] = []
    let judgement = series.judgement
    if withVerdict {
      let floor = ReportTable.fixed(series.floor * 100, 1)
      let z = judgement.z.map { " (z \(ReportTable.fixed($0, 1)), floor \(floor) %)" } ?? ""
      lines.append(verdict(series) + z)
    }
    if judgement.verdict == .worse || judgement.verdict == .better {
      lines += also("with the newest run", series.changedWithNewest)
    }
    if let step = series.step {
      let (before, after) = (series.points[step.index - 1], series.points[step.index])
      lines.append(
        "stepped by \(signed(step.ratio)) % (\(direction(series.metric, step.ratio))) between "
          + "\(place(before)) and \(place(after))")
      lines += also("with the step", series.changedWithStep)
    }
    return lines
  }

  private static func also(_ when: String, _ differences: [ConditionDifference]) -> [String] {
    guard !differences.isEmpty else { return [] }
    return ["\(when) also changed: " + differences.map(\.text).joined(separator: ", ")]
  }

  private static func place(_ point: MetricHistory.Point) -> String {
    "run \(point.run)" + (point.commit.map { " (\($0))" } ?? "")
  }

  private static func notes(_ report: HistoryReport, isOneHistory: Bool) -> [String] {
    guard !report.entries.isEmpty else {
      return [
        "No run has valid trials of what was asked for.", "hint: `fmbench runs` lists the runs",
      ]
    }
    let judged =
      "out of line: over \(OutOfLineRule.threshold) robust deviations of the runs before"
    let words =
      isOneHistory
      ? ["n valid trials, medians with their 95 % interval; \(judged)."]
      : [
        "runs with valid trials, the first median and the last, oldest to newest in trend;",
        "\(judged). `fmbench history --scenario S --state T` prints the runs.",
      ]
    return words + hint(report)
  }

  /// How to look at a new level alone, where there are runs enough since the newest step.
  private static func hint(_ report: HistoryReport) -> [String] {
    let since = report.entries.flatMap(\.series).compactMap { series in
      series.judgement.verdict == .worse
        ? series.step.map { series.points.count - $0.index } : nil
    }
    guard let least = since.min(), least > OutOfLineRule.leastEarlier else { return [] }
    return ["hint: `--last \(least)` looks at the runs since the newest step alone"]
  }
}
