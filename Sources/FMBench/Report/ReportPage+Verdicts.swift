extension ReportPage {
  var hasVerdicts: Bool { !report.verdicts.isEmpty || report.reasonForNoVerdict != nil }

  /// Runs that were played in turn, with the verdicts of `fmbench compare`; or why there are none.
  func writeVerdicts(to page: inout MarkupWriter) {
    guard hasVerdicts else { return }
    section("verdicts", "Verdicts", to: &page) { page in
      if report.verdicts.isEmpty, let reason = report.reasonForNoVerdict {
        page.element("p", ["class": "about"], text: "No verdict. " + reason)
      }
      for comparison in report.verdicts { Self.write(comparison, to: &page) }
    }
  }

  private static func write(_ comparison: RunComparison, to page: inout MarkupWriter) {
    let text = RunComparisonText(comparison)
    page.element("ul", ["class": "runs"]) { page in
      for line in text.header { page.element("li", text: line) }
    }
    ratios(comparison).write(to: &page)
    if !text.rows.isEmpty {
      ReportTableWriter(
        caption: "The metrics that are judged, B against A",
        headings: RunComparisonText.headings.enumerated().map { index, heading in
          let isText = index < RunComparisonText.wordColumns || heading == "verdict"
          return ReportTableWriter.Heading(text: heading, isNumber: !isText)
        },
        rows: text.rows.prefix(mostCells).map { row in
          row.map { ReportTableWriter.Field(text: $0) }
        }
      ).write(to: &page)
    }
    page.element("ul", ["class": "notes"]) { page in
      for note in text.notes.prefix(40) { page.element("li", text: note) }
    }
  }

  /// The ratios with their intervals, beside the line of no change.
  private static func ratios(_ comparison: RunComparison) -> RowChart {
    RowChart(
      title: "B over A", unit: "ratio with its 95 % interval; the broken line is no change",
      rows: comparison.rows.filter(\.isPrimary).prefix(mostCells).map { row in
        var marks: [RowChart.Mark] = [.reference(1)]
        if let low = row.effect.low, let high = row.effect.high {
          marks.append(.interval(low, high))
        }
        marks += [.median(row.effect.ratio), .dots([row.effect.ratio], .disc, series: 0)]
        let ratio = Quantity.number(row.effect.ratio)
        return RowChart.Row(
          label: "\(row.name), \(row.state)", detail: row.metric.rawValue, value: ratio,
          valueDetail: row.verdict ?? "not judged",
          description: "\(row.metric.rawValue), ratio \(ratio), \(row.verdict ?? "not judged")",
          marks: marks)
      })
  }
}
