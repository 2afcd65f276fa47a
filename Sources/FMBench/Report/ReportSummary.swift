import FMBackend
import Foundation

/// The beginning of a report: what was measured and what came out, in words.
struct ReportSummary {
  /// A number that is shown large.
  struct Figure {
    var label: String
    var value: String
    var unit: String
    var detail: String
    /// The interval, or how many trials there were.
    var spread: String
  }

  var title: String
  /// Which runs are shown.
  var runs: [String] = []
  /// What came out.
  var findings: [String] = []
  /// What to know before trusting the numbers.
  var warnings: [String] = []
  var figures: [Figure] = []

  init(_ report: BenchReport) {
    let models = Self.unique(report.runs.map(\.model))
    title =
      models.count == 1 ? models[0] : Quantity.counted(models.count, "model")
    runs = Self.subjects(report)
    findings = Self.trials(report)
    if let cell = Self.headline(report) {
      findings += Self.answers(report, cell)
      figures = Self.figures(report, cell)
    }
    findings += Self.depth(report) + Self.comparison(report)
    warnings = Self.warnings(report)
  }

  static func unique(_ words: [String]) -> [String] {
    var result: [String] = []
    for word in words where !result.contains(word) { result.append(word) }
    return result
  }

  /// The first cell that has valid trials, a processor's before others.
  private static func headline(_ report: BenchReport) -> ReportedCell? {
    let cells = report.cells.filter { !$0.trials.isEmpty }
    let hardware = cells.filter { $0.device.kind != DeviceDescription.Kind.softwareGPU.rawValue }
    return hardware.first ?? cells.first
  }

  /// Who played what on what.
  private static func subjects(_ report: BenchReport) -> [String] {
    report.runs.prefix(6).map { run in
      let quantization = run.quantization.map { " (\($0))" } ?? ""
      let label = run.label.map { " “\($0)”" } ?? ""
      return "Run \(run.id)\(label), \(String(run.started.prefix(10))): \(run.model)"
        + "\(quantization) plays \(run.suite) on \(device(run))"
    } + (report.runs.count > 6 ? ["and \(report.runs.count - 6) more runs"] : [])
  }

  /// `cpu: AMD EPYC (CPU, AVX-512, 2 threads)`.
  static func device(_ run: ReportedRun) -> String {
    guard let device = run.device else { return "no device: it ended before its first cell" }
    let words = [
      DeviceDescription.Kind.label(stored: device.kind), run.machine.driver,
      run.machine.instructionSet, run.threads.map { Quantity.counted($0, "thread") },
    ].compactMap { $0 }
    return "\(device.selector): \(device.name)"
      + (words.isEmpty ? "" : " (" + words.joined(separator: ", ") + ")")
  }

  private static func trials(_ report: BenchReport) -> [String] {
    let planned = report.cells.reduce(0) { $0 + min(max($1.plannedTrials, 0), 1_000_000) }
    let valid = report.cells.reduce(0) { $0 + $1.trials.count }
    let requests = report.cells.reduce(0) { $0 + $1.points.count }
    guard valid > 0 else {
      return ["No trial is valid, so there are no numbers: the reasons are below."]
    }
    return [
      "\(Quantity.count(valid)) of \(Quantity.counted(planned, "planned trial")) count, with "
        + "\(Quantity.counted(requests, "request")) in "
        + "\(Quantity.counted(report.cells.count, "cell"))."
    ]
  }

  /// The states of one scenario on one device, the headline cell's first.
  private static func siblings(_ report: BenchReport, _ cell: ReportedCell) -> [ReportedCell] {
    report.cells.filter {
      $0.run == cell.run && $0.scenario == cell.scenario && $0.variant == cell.variant
        && !$0.trials.isEmpty
    }
  }

  private static func answers(_ report: BenchReport, _ cell: ReportedCell) -> [String] {
    let waits = siblings(report, cell).compactMap { sibling in
      sibling.metrics[.ttft].map { "\(Quantity.milliseconds($0.median)) \(sibling.state)" }
    }
    var sentences: [String] = []
    if !waits.isEmpty {
      sentences.append(
        "The first token of \(cell.name) on \(cell.device.selector) comes after "
          + waits.joined(separator: ", ") + ".")
    }
    if let pace = cell.metrics[.tpot], let rate = cell.metrics[.decodeTPS] {
      sentences.append(
        "Each token after it takes \(Quantity.milliseconds(pace.median)): "
          + "\(Quantity.number(rate.median)) tokens a second.")
    }
    return sentences
  }

  private static func depth(_ report: BenchReport) -> [String] {
    var devices: [ComparedDevice] = []
    return report.cells.filter { $0.metrics[.ttftSlope] != nil }.compactMap { cell in
      // A sentence for each of the first two devices is enough; the chart has the others.
      guard devices.count < 2, !devices.contains(cell.device) else { return nil }
      devices.append(cell.device)
      guard let wait = cell.metrics[.ttftSlope], let pace = cell.metrics[.tpotSlope] else {
        return nil
      }
      return "In \(cell.name) on \(cell.device.selector), 1,000 tokens more of context cost "
        + "\(Quantity.milliseconds(wait.median)) of time to first token and "
        + "\(Quantity.milliseconds(pace.median)) a token."
    }
  }

  /// How the times to the first token of two devices relate, over all they both played.
  private static func comparison(_ report: BenchReport) -> [String] {
    var sentences: [String] = []
    let devices = report.comparison.devices
    for (index, first) in devices.enumerated() {
      for second in devices.dropFirst(index + 1) where sentences.count < 3 {
        let ratios = report.comparison.pairs.filter {
          $0.first.device == first && $0.second.device == second
        }.compactMap { $0.ratios[.ttft] }.filter { $0 > 0 && $0.isFinite }
        guard let least = ratios.min(), let most = ratios.max() else { continue }
        let mean = exp(ratios.reduce(0) { $0 + log($1) } / Double(ratios.count))
        let spread =
          ratios.count > 1
          ? " (geometric mean of \(Quantity.counted(ratios.count, "cell")), "
            + "\(Quantity.range(least, most)))" : ""
        sentences.append(
          "To the first token, \(second.selector) takes \(Quantity.number(mean)) times as long as "
            + "\(first.selector)\(spread).")
      }
    }
    return sentences
  }

  private static func spread(_ estimate: Estimate, _ scale: Double = 1) -> String {
    guard let low = estimate.low, let high = estimate.high else { return "n = \(estimate.n)" }
    return "\(Quantity.range(low * scale, high * scale)), n = \(estimate.n)"
  }

  private static func figures(_ report: BenchReport, _ cell: ReportedCell) -> [Figure] {
    var figures: [Figure] = []
    func add(_ label: String, _ cell: ReportedCell, _ metric: Metric, _ detail: String) {
      guard let estimate = cell.metrics[metric] else { return }
      let words = Quantity.text(estimate.median, metric).split(separator: "\u{A0}")
      // The interval has the unit of the number above it.
      let scale = metric.unit == "ms" && words.last == "s" ? 1e-3 : 1
      figures.append(
        Figure(
          label: label, value: String(words.first ?? ""),
          unit: words.dropFirst().joined(separator: " "), detail: detail,
          spread: spread(estimate, scale)))
    }
    for sibling in siblings(report, cell).prefix(3) {
      add(
        "First token, \(sibling.state)", sibling, .ttft, "\(cell.name) on \(cell.device.selector)")
    }
    add("Pace", cell, .decodeTPS, "after the first token")
    if let deep = report.cells.first(where: {
      $0.run == cell.run && $0.metrics[.ttftSlope] != nil
    }), let slope = deep.metrics[.ttftSlope] {
      figures.append(
        Figure(
          label: "1,000 tokens of context",
          value: (slope.median < 0 ? "" : "+") + Quantity.number(slope.median), unit: "ms",
          detail: "to the first token, \(deep.name)", spread: spread(slope)))
    }
    add("Whole task", cell, .taskWall, "\(cell.name), \(cell.state)")
    return figures
  }
}
