import FMBackend

/// A report as Markdown for a README: one table, with the command, the commit and the machine.
package struct ReportMarkdown: Sendable {
  private let report: BenchReport
  private let names: CellNames

  /// Most rows; a README with more is read by nobody.
  static let mostRows = 60

  package init(_ report: BenchReport) {
    self.report = report
    names = CellNames(report)
  }

  private static let columns: [Metric] = [
    .ttft, .ttftNext, .tpot, .decodeTPS, .prefillTPS, .hit, .taskWall, .peakMemory,
    .energyPerToken,
  ]

  /// The text, with a line feed at the end.
  package var text: String {
    let cells = report.cells.prefix(Self.mostRows)
    let metrics = Self.columns.filter { metric in cells.contains { $0.metrics[metric] != nil } }
    var lines = [
      Self.row(
        ["scenario", "state", "device", "n"]
          + metrics.map { $0.rawValue + " " + ($0.unit == "share" ? "%" : $0.unit) }),
      Self.row(
        ["---", "---", "---"] + [String](repeating: "---:", count: metrics.count + 1)),
    ]
    for cell in cells {
      lines.append(
        Self.row(
          [cell.name, cell.state, device(cell), "\(cell.trials.count)"].map(Self.escaped)
            + metrics.map { Self.field(cell.metrics[$0], $0) }))
    }
    lines.append("")
    lines.append(
      "Medians over n trials, in brackets the 95 % bootstrap interval of the median; "
        + "`fmbench explain` says how each number is taken.")
    if report.cells.count > cells.count {
      lines.append("\(report.cells.count - cells.count) more rows are not shown.")
    }
    lines += verdicts()
    lines.append("")
    for run in report.runs.prefix(12) { lines += Self.origin(run) }
    return lines.joined(separator: "\n") + "\n"
  }

  /// A table for each two runs that were played in turn, or why there is none.
  private func verdicts() -> [String] {
    guard !report.verdicts.isEmpty else {
      return report.reasonForNoVerdict.map { ["", "No verdict. \($0)"] } ?? []
    }
    var lines: [String] = []
    for comparison in report.verdicts {
      let text = RunComparisonText(comparison)
      let headings = RunComparisonText.headings
      lines.append("")
      lines += text.header.map { "- " + Self.escaped($0) }
      lines += ["", Self.row(headings), Self.row(headings.map { _ in "---" })]
      lines += text.rows.prefix(Self.mostRows).map { Self.row($0.map(Self.escaped)) }
      if !text.notes.isEmpty { lines.append("") }
      lines += text.notes.prefix(20).map { "- " + Self.escaped($0) }
    }
    return lines
  }

  private func device(_ cell: ReportedCell) -> String {
    let detail = names.detail(cell)
    let kind = cell.device.kind == "softwareGPU" ? " (software GPU)" : ""
    let selector = cell.device.selector
    if detail.isEmpty { return selector + kind }
    return (detail.contains(selector) ? "" : selector + ", ") + detail + kind
  }

  private static func field(_ estimate: Estimate?, _ metric: Metric) -> String {
    guard let estimate else { return "–" }
    let scale = metric.unit == "share" ? 100.0 : 1
    var text = Quantity.number(estimate.median * scale)
    if metric.unit == "ms", let low = estimate.low, let high = estimate.high {
      text += " [\(Quantity.range(low, high))]"
    }
    return text
  }

  /// The model, the machine, the commit and the command of a run.
  private static func origin(_ run: ReportedRun) -> [String] {
    let commit =
      run.commit.map { String($0.prefix(12)) + (run.isDirty == true ? " with changes" : "") }
      ?? "not known"
    let machine = [
      run.machine.cpu, run.machine.usableCores.map { Quantity.counted($0, "core") },
      run.machine.memoryBytes.map(Quantity.bytes), run.machine.gpu, run.machine.driver,
      run.machine.kernel.map { "Linux \($0)" },
    ].compactMap { $0 }.joined(separator: ", ")
    let model = run.model + (run.quantization.map { " (\($0))" } ?? "")
    return [
      "- Run \(run.id), " + escaped(String(run.started.prefix(10))) + ": " + escaped(model) + ", "
        + escaped(ReportSummary.device(run)) + "; fmbench " + escaped(run.build) + " "
        + escaped(commit) + ", suite " + escaped(String(run.suiteSHA.prefix(12))),
      "  - on " + escaped(machine.isEmpty ? "a machine that is not known" : machine),
    ] + costs(run) + [
      "  - " + code(CommandLineText.text(run.arguments))
    ]
  }

  /// Load time, memory beyond the file, and where energy was read; nothing where nothing is known.
  private static func costs(_ run: ReportedRun) -> [String] {
    let parts = [
      run.loadMilliseconds.map { "loaded in " + Quantity.milliseconds($0) },
      run.loadMemoryBytes.map { Quantity.bytes($0) + " beyond the file" },
      run.energy.map { "energy from " + $0.text },
    ].compactMap { $0 }
    return parts.isEmpty ? [] : ["  - " + escaped(parts.joined(separator: ", "))]
  }

  private static func row(_ fields: [String]) -> String {
    "| " + fields.joined(separator: " | ") + " |"
  }

  /// Text that Markdown and HTML take as it is: their signs escaped, on one line, not too long.
  static func escaped(_ text: String) -> String {
    var result = ""
    for (index, scalar) in text.unicodeScalars.enumerated() {
      if index == 300 { return result + "…" }
      switch scalar {
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "&": result += "&amp;"
      case "\\", "`", "*", "_", "[", "]", "|", "~", "#", "!", "$":
        result += "\\"
        result.unicodeScalars.append(scalar)
      default: result.unicodeScalars.append(oneLine(scalar))
      }
    }
    return result
  }

  /// Text in a code span whose fence is longer than any run of backticks in it.
  static func code(_ text: String) -> String {
    var plain = ""
    var longest = 0
    var current = 0
    for scalar in text.unicodeScalars.prefix(1000) {
      plain.unicodeScalars.append(oneLine(scalar))
      current = scalar == "`" ? current + 1 : 0
      longest = max(longest, current)
    }
    let fence = String(repeating: "`", count: longest + 1)
    return longest > 0 ? "\(fence) \(plain) \(fence)" : fence + plain + fence
  }

  private static func oneLine(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: "\u{FFFD}"
    default: scalar
    }
  }
}
