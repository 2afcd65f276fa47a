extension ReportPage {
  /// A scenario: its table, its trials as dots, its requests over depth, its timelines.
  func writeScenario(
    _ scenario: String, _ index: Int, timelines: inout Int, to page: inout MarkupWriter
  ) {
    let own = cells.filter { $0.scenario == scenario }
    section("scenario-\(index)", scenario, to: &page) { page in
      if let text = report.scenarioTexts.first(where: { $0.name == scenario }) {
        page.element("p", ["class": "about"], text: "\(text.title): \(text.isolates).")
      }
      let measured = own.filter { !$0.trials.isEmpty }
      scenarioTable(scenario, own).write(to: &page)
      if measured.isEmpty {
        page.element(
          "p", ["class": "note"], text: "No trial of this scenario is valid: nothing to draw.")
        return
      }
      writePrewarming(measured, to: &page)
      page.element("div", ["class": "charts"]) { page in
        for metric in [Metric.ttft, .ttftNext, .tpot, .taskWall] {
          strips(metric, measured).write(to: &page)
        }
        writeDepth(measured, to: &page)
      }
      writeTimelines(measured, &timelines, to: &page)
    }
  }

  /// The metrics of a scenario's table, where any cell has them.
  private static let tabled: [Metric] = [
    .ttft, .ttftNext, .ttfc, .tpot, .decodeTPS, .prefillTPS, .hit, .handoffGap, .taskWall,
    .energyPerToken,
  ]

  private func scenarioTable(_ scenario: String, _ cells: [ReportedCell]) -> ReportTableWriter {
    let metrics = Self.tabled.filter { metric in cells.contains { $0.metrics[metric] != nil } }
    let rows = cells.map { cell in
      [
        ReportTableWriter.Field(text: names.short(cell), detail: names.detail(cell)),
        ReportTableWriter.Field(
          text: "\(cell.trials.count)",
          detail: cell.trials.count == cell.plannedTrials ? "" : "of \(cell.plannedTrials)",
          order: Double(cell.trials.count)),
      ] + metrics.map { field(cell, $0) } + [ReportTableWriter.Field(text: flags(cell))]
    }
    return ReportTableWriter(
      caption: "\(scenario): medians over trials, with the 95 % interval of the median",
      headings: [
        ReportTableWriter.Heading(text: "cell", isNumber: false),
        ReportTableWriter.Heading(text: "n", help: "valid trials"),
      ] + metrics.map(heading) + [ReportTableWriter.Heading(text: "flags", isNumber: false)],
      rows: rows)
  }

  func heading(_ metric: Metric) -> ReportTableWriter.Heading {
    ReportTableWriter.Heading(
      text: metric.rawValue, unit: metric.unit == "share" ? "%" : metric.unit,
      help: MetricDefinition.named(metric.rawValue)?.summary ?? "")
  }

  private func field(_ cell: ReportedCell, _ metric: Metric) -> ReportTableWriter.Field {
    guard let estimate = cell.metrics[metric] else { return ReportTableWriter.Field(text: "–") }
    let scale = metric.unit == "share" ? 100.0 : 1
    var field = ReportTableWriter.Field(
      text: Quantity.number(estimate.median * scale), order: estimate.median)
    if let low = estimate.low, let high = estimate.high {
      field.detail = Quantity.range(low * scale, high * scale)
    }
    if metric.unit == "ms" { field.quality = TrialQuality(cell.values(metric)) }
    return field
  }

  /// What to know of a cell beside its numbers.
  func flags(_ cell: ReportedCell) -> String {
    var flags: [String] = []
    if cell.invalidTrials > 0 { flags.append("\(cell.invalidTrials) invalid") }
    if cell.unfinishedTrials > 0 { flags.append("\(cell.unfinishedTrials) unfinished") }
    var outliers = 0
    for metric in Metric.allCases { outliers += cell.metrics[metric]?.outliers ?? 0 }
    if outliers > 0 { flags.append("\(outliers) far out") }
    if (1..<5).contains(cell.trials.count) { flags.append("few trials") }
    if cell.device.kind == "softwareGPU" { flags.append("software GPU") }
    return flags.joined(separator: ", ")
  }

  private func writePrewarming(_ cells: [ReportedCell], to page: inout MarkupWriter) {
    let costs = cells.compactMap { cell in
      cell.prewarmMilliseconds.map { "\(names.full(cell)): \(Quantity.milliseconds($0))" }
    }
    guard !costs.isEmpty else { return }
    page.element(
      "p", ["class": "note"],
      text: "Prefilling a prefix ahead took, in the median, "
        + costs.prefix(8).joined(separator: "; ") + ". It is in no number above.")
  }

  /// Every trial as a dot, its cell's median and interval.
  private func strips(_ metric: Metric, _ cells: [ReportedCell]) -> RowChart {
    RowChart(
      title: Self.title(metric), unit: "\(metric.rawValue), \(metric.unit), a dot a trial",
      rows: cells.compactMap { cell in
        guard let estimate = cell.metrics[metric] else { return nil }
        var marks: [RowChart.Mark] = []
        var detail = ""
        var interval = ""
        if let low = estimate.low, let high = estimate.high {
          marks.append(.interval(low, high))
          detail = Quantity.range(low, high)
          interval = ", 95 % interval \(detail)"
        }
        marks += [.median(estimate.median), .dots(cell.values(metric), .disc, series: 0)]
        return RowChart.Row(
          label: names.short(cell), detail: names.detail(cell),
          value: Quantity.number(estimate.median), valueDetail: detail,
          description: "median \(Quantity.text(estimate.median, metric))\(interval), "
            + "\(Quantity.counted(estimate.n, "trial")) from "
            + "\(Quantity.text(estimate.minimum, metric)) to "
            + Quantity.text(estimate.maximum, metric),
          marks: marks)
      })
  }

  static func title(_ metric: Metric) -> String {
    switch metric {
    case .ttft: "Time to first token"
    case .ttfc: "Time to first content"
    case .ttftNext: "Time to first token, later requests"
    case .tpot: "Time per output token"
    case .prefillTPS: "Prefill rate"
    case .decodeTPS: "Decode rate"
    case .taskWall: "Whole task"
    case .ttftSlope: "Time to first token for 1,000 tokens more"
    case .tpotSlope: "Time per output token for 1,000 tokens more"
    case .effectivePromptTPS: "Prompt tokens a second, cached ones included"
    case .outputTPS: "Output tokens a second of the whole task"
    case .goodTurns: "Turns that were good enough"
    case .goodSessions: "Sessions that were good enough"
    case .reuseEfficiency: "Part of what could have come from the cache that did"
    case .hit: "Prompt tokens from the cache"
    case .idealHit: "Prompt tokens that could have come from the cache"
    case .modelTime: "Time in requests"
    case .toolTime: "Time in tools"
    case .handoffGap: "Hand-off between sessions"
    case .samplerShare: "Part of decoding spent on choosing tokens"
    case .grammarShare: "Part of decoding spent on the grammar"
    case .detokenizerShare: "Part of decoding spent on making text"
    case .energy: "Energy of a trial"
    case .energyPerToken: "Energy per output token"
    case .energyPerSession: "Energy per session"
    case .gapMedian: "Median time between two tokens"
    case .gapTail: "Time between two tokens, 95th percentile"
    case .gapMost: "Longest time between two tokens"
    case .load: "Time to load the model"
    case .peakMemory: "Most memory of the process"
    case .gpuMemory: "GPU memory"
    }
  }

  /// Scatters where prompts have depths enough to see a growth.
  private func writeDepth(_ cells: [ReportedCell], to page: inout MarkupWriter) {
    let cells = cells.filter { Set($0.points.map(\.depth)).count >= 4 }
    // Six forms of marks can be told apart.
    for start in stride(from: 0, to: cells.count, by: 6) {
      let group = cells[start..<min(start + 6, cells.count)]
      func series(_ value: (DepthPoint) -> Double?) -> [DepthChart.Series] {
        group.compactMap { cell in
          let points = cell.points.compactMap { point in value(point).map { (point.depth, $0) } }
          return points.isEmpty
            ? nil : DepthChart.Series(label: names.full(cell), points: points)
        }
      }
      DepthChart(
        title: "Time to first token by depth", unit: "ms", series: series(\.ttft)
      ).write(to: &page)
      DepthChart(
        title: "Time per output token by depth", unit: "ms", series: series(\.tpot)
      ).write(to: &page)
    }
  }

  /// The median trials, those of one device on one axis.
  private func writeTimelines(
    _ cells: [ReportedCell], _ left: inout Int, to page: inout MarkupWriter
  ) {
    var omitted = 0
    var drawn: [ReportedCell] = []
    for cell in cells where cell.timeline != nil {
      if left > 0 { drawn.append(cell) } else { omitted += 1 }
      left = max(0, left - 1)
    }
    for device in DeviceOrder.unique(drawn.map(\.device)) {
      LaneChart(
        entries: drawn.filter { $0.device == device }.compactMap { cell in
          cell.timeline.map { timeline in
            LaneChart.Entry(
              label: names.full(cell),
              detail: "trial \(timeline.repetition + 1)"
                + (timeline.omittedRequests > 0
                  ? ", \(timeline.omittedRequests) requests not drawn" : ""),
              timeline: timeline)
          }
        }
      ).write(to: &page)
    }
    if omitted > 0 {
      page.element(
        "p", ["class": "note"],
        text: "\(Quantity.counted(omitted, "timeline")) not drawn: name fewer runs.")
    }
  }
}

/// Devices in the order they are met.
enum DeviceOrder {
  static func unique(_ devices: [ComparedDevice]) -> [ComparedDevice] {
    var result: [ComparedDevice] = []
    for device in devices where !result.contains(device) { result.append(device) }
    return result
  }
}
