import FMBackend

/// The report as rows of text, for a table on standard output.
package struct ReportTable: Sendable, Hashable {
  /// Headings; the first three columns are words, the others numbers.
  package var headings: [String]
  package var rows: [[String]]
  /// Lines to print below: what the columns mean, and what was left out and why.
  package var notes: [String]

  /// Columns that hold words.
  package static let wordColumns = 2

  /// The headline metrics of every cell, the median with its interval.
  package init(_ report: RunReport) {
    let columns = Self.columns(report)
    headings = ["scenario", "state", "n"] + columns.map(\.heading)
    rows = report.cells.map { cell in
      [cell.name, cell.state.rawValue, "\(cell.validTrials)"]
        + columns.map { Self.text(cell.metrics[$0.metric], $0) }
    }
    notes = Self.notes(report, columns)
  }

  /// What the cells cost beside time, memory, energy and the parts of decoding, and what was good enough; nil
  /// when nobody knows.
  package static func costs(_ report: RunReport) -> ReportTable? {
    let columns = [
      Column(metric: .goodTurns, heading: "good_turns %", digits: 0, scale: 100),
      Column(metric: .goodSessions, heading: "good_sessions %", digits: 0, scale: 100),
      Column(metric: .outputTPS, heading: "output_tps", digits: 1),
      Column(metric: .reuseEfficiency, heading: "reuse %", digits: 0, scale: 100),
      Column(metric: .load, heading: "load ms", digits: 1),
      Column(metric: .samplerShare, heading: "sampler %", digits: 2, scale: 100),
      Column(metric: .grammarShare, heading: "grammar %", digits: 2, scale: 100),
      Column(metric: .detokenizerShare, heading: "detokenizer %", digits: 2, scale: 100),
      Column(metric: .peakMemory, heading: "peak_memory MB", digits: 0),
      Column(metric: .gpuMemory, heading: "gpu_memory MB", digits: 0),
      Column(metric: .energy, heading: "energy J", digits: 2),
      Column(metric: .energyPerToken, heading: "J/token", digits: 4),
      Column(metric: .energyPerSession, heading: "J/session", digits: 2),
    ].filter { column in report.cells.contains { $0.metrics[column.metric] != nil } }
    guard !columns.isEmpty else { return nil }
    return ReportTable(
      headings: ["scenario", "state"] + columns.map(\.heading),
      rows: report.cells.map { cell in
        [cell.name, cell.state.rawValue]
          + columns.map { Self.text(cell.metrics[$0.metric], $0, showsInterval: false) }
      },
      notes: [
        "Medians over trials; good: every ttft within 2 s, every tpot within 100 ms; `fmbench explain`",
        "says how each is taken.",
      ])
  }

  private init(headings: [String], rows: [[String]], notes: [String]) {
    self.headings = headings
    self.rows = rows
    self.notes = notes
  }

  /// How a metric is shown.
  private struct Column {
    var metric: Metric
    var heading: String
    var digits: Int
    var scale = 1.0
    var showsInterval = true
  }

  /// The columns that have anything to show; tails only where a cell has trials enough.
  private static func columns(_ report: RunReport) -> [Column] {
    let all = [
      Column(metric: .ttft, heading: "ttft ms", digits: 1),
      Column(metric: .ttftNext, heading: "ttft_next ms", digits: 1),
      Column(metric: .ttfc, heading: "ttfc ms", digits: 1),
      Column(metric: .tpot, heading: "tpot ms", digits: 2),
      Column(metric: .prefillTPS, heading: "prefill_tps", digits: 0, showsInterval: false),
      Column(metric: .decodeTPS, heading: "decode_tps", digits: 1, showsInterval: false),
      Column(metric: .hit, heading: "hit %", digits: 0, scale: 100, showsInterval: false),
      Column(metric: .handoffGap, heading: "handoff_gap ms", digits: 2, showsInterval: false),
      Column(metric: .taskWall, heading: "task_wall s", digits: 2, scale: 1e-3),
    ]
    return all.filter { column in
      report.cells.contains { $0.metrics[column.metric] != nil }
    }
  }

  private static func text(
    _ estimate: Estimate?, _ column: Column, showsInterval: Bool = true
  ) -> String {
    guard let estimate else { return "–" }
    func number(_ value: Double) -> String { fixed(value * column.scale, column.digits) }
    var text = number(estimate.median)
    guard showsInterval else { return text }
    if column.showsInterval, let low = estimate.low, let high = estimate.high {
      text += " [\(number(low)) \(number(high))]"
    }
    if let p95 = estimate.p95, column.showsInterval { text += " p95 \(number(p95))" }
    return text
  }

  private static func notes(_ report: RunReport, _ columns: [Column]) -> [String] {
    let masks = report.cells.contains { $0.masks == "on" } ? "on" : "off"
    var notes = [
      "n valid trials; medians over trials, in brackets the 95 % bootstrap interval of the median;",
      "ttft: first request, in the state named; ttft_next: median of the requests after it;",
      "masks \(masks); times injected for tools are the script's times \(report.gapScale).",
    ]
    if columns.contains(where: { $0.metric == .ttfc }) {
      notes.insert(
        "ttfc: until there was something to show, calls and tools before it included;", at: 2)
    }
    if report.deviceKind == DeviceDescription.Kind.softwareGPU.rawValue {
      notes.append(
        "The device is a software GPU: a processor playing one. Its times say nothing of hardware.")
    }
    for cell in report.cells {
      for reason in cell.invalidReasons {
        notes.append(
          "\(cell.name) \(cell.state.rawValue): \(reason.count) invalid: \(reason.reason)")
      }
      let flagged = cell.metrics.values.reduce(0) { $0 + $1.outliers }
      if flagged > 0 {
        notes.append(
          "\(cell.name) \(cell.state.rawValue): \(flagged) values lie far out (counted in)")
      }
      for (metric, name) in [(Metric.ttftSlope, "ttft"), (.tpotSlope, "tpot")] {
        guard let slope = cell.metrics[metric] else { continue }
        notes.append(
          "\(cell.name) \(cell.state.rawValue): \(name) \(slope.median < 0 ? "falls" : "grows") by "
            + "\(fixed(slope.median.magnitude, 2)) ms for every 1000 tokens of depth")
      }
    }
    return notes
  }

  /// `value` with so many digits after the point.
  static func fixed(_ value: Double, _ digits: Int) -> String {
    let scale = [1.0, 10, 100, 1000, 1e4, 1e5, 1e6][min(digits, 6)]
    let scaled = (value * scale).rounded()
    guard scaled.magnitude < 1e15 else { return "\(value)" }
    let whole = Int(scaled.magnitude)
    let sign = scaled < 0 ? "-" : ""
    guard digits > 0 else { return "\(sign)\(whole)" }
    let unit = Int(scale)
    let fraction = String(whole % unit)
    let zeros = String(repeating: "0", count: digits - fraction.count)
    return "\(sign)\(whole / unit).\(zeros)\(fraction)"
  }
}
