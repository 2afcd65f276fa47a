extension ReportPage {
  var hasComparison: Bool {
    !report.comparison.pairs.isEmpty || !report.comparison.refusals.isEmpty
  }

  /// Devices side by side: a row a pair, joined dots at the medians.
  func writeComparison(to page: inout MarkupWriter) {
    let comparison = report.comparison
    guard hasComparison else { return }
    section("devices", "Device against device", to: &page) { page in
      writeDeviceKey(to: &page)
      page.element("div", ["class": "charts"]) { page in
        for metric in DeviceComparison.metrics { pairs(metric).write(to: &page) }
      }
      page.element("ul", ["class": "notes"]) { page in
        for note in ComparisonText(comparison).notes.prefix(40) {
          page.element("li", text: note)
        }
      }
    }
  }

  private func series(_ device: ComparedDevice) -> Int {
    report.comparison.devices.firstIndex(of: device) ?? 0
  }

  private func writeDeviceKey(to page: inout MarkupWriter) {
    page.element("ul", ["class": "legend"]) { page in
      for (index, device) in report.comparison.devices.prefix(6).enumerated() {
        page.element("li") { page in
          PlotGlyph(series: index).writeKey(series: index, to: &page)
          page.element("bdi", text: "\(device.selector): \(device.name)")
        }
      }
    }
  }

  private func pairs(_ metric: Metric) -> RowChart {
    RowChart(
      title: Self.title(metric), unit: "\(metric.rawValue), \(metric.unit), medians",
      start: .zeroOrRatios,
      rows: report.comparison.pairs.prefix(Self.mostCells).compactMap { pair in
        guard let first = pair.first.metrics[metric]?.median,
          let second = pair.second.metrics[metric]?.median
        else { return nil }
        let (a, b) = (pair.first.device, pair.second.device)
        let ratio = pair.ratios[metric].map { ratio in
          // A rate that falls to a twentieth reads better than one times 0.05.
          ratio < 0.1 && ratio > 0
            ? "÷ " + Quantity.number(1 / ratio) : "× " + Quantity.number(ratio)
        }
        return RowChart.Row(
          label: "\(pair.key.name), \(pair.key.state)",
          detail: report.comparison.devices.count > 2 ? "\(a.selector) → \(b.selector)" : "",
          value: ratio ?? "–",
          valueDetail: Quantity.number(first) + " → " + Quantity.number(second),
          description: "\(a.selector) \(Quantity.text(first, metric)), \(b.selector) "
            + "\(Quantity.text(second, metric)), \(ratio ?? "no ratio")",
          marks: [
            .link(first, second),
            .dots([first], PlotGlyph(series: series(a)), series: series(a)),
            .dots([second], PlotGlyph(series: series(b)), series: series(b)),
          ])
      })
  }
}
