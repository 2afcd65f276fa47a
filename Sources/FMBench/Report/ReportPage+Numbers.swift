extension ReportPage {
  /// Which trials do not count, and why.
  func writeValidity(to page: inout MarkupWriter) {
    section("validity", "Trials that do not count", to: &page) { page in
      var rows: [[ReportTableWriter.Field]] = []
      for cell in cells {
        let name = ReportTableWriter.Field(text: names.long(cell), detail: names.detail(cell))
        for reason in cell.invalidReasons.prefix(20) {
          rows.append([
            name, ReportTableWriter.Field(text: reason.reason),
            ReportTableWriter.Field(text: "\(reason.count)", order: Double(reason.count)),
          ])
        }
        if cell.unfinishedTrials > 0 {
          rows.append([
            name, ReportTableWriter.Field(text: "began and did not end"),
            ReportTableWriter.Field(
              text: "\(cell.unfinishedTrials)", order: Double(cell.unfinishedTrials)),
          ])
        }
      }
      guard !rows.isEmpty else {
        page.element("p", ["class": "note"], text: "Every trial that began counts.")
        return
      }
      ReportTableWriter(
        caption: "Invalid trials by cell and reason; they are in no number of this page",
        headings: [
          ReportTableWriter.Heading(text: "cell", isNumber: false),
          ReportTableWriter.Heading(text: "reason", isNumber: false),
          ReportTableWriter.Heading(text: "trials"),
        ],
        rows: rows
      ).write(to: &page)
    }
  }

  /// Every metric of every cell.
  func writeAllNumbers(to page: inout MarkupWriter) {
    section("all", "All numbers", to: &page) { page in
      page.element("details") { page in
        page.element("summary", text: "Every metric of every cell")
        page.element("p", ["class": "script-only filter"]) { page in
          page.element("label") { page in
            page.text("Show rows with ")
            page.empty("input", ["type": "search", "data-filter": "all", "autocomplete": "off"])
          }
        }
        page.element("p", ["class": "note"]) { page in
          page.text(
            "The circles say how much trials vary, by their standard deviation over their mean: "
              + "\(TrialQuality.steady.mark) up to 5 %, \(TrialQuality.fair.mark) up to 10 %, "
              + "\(TrialQuality.noisy.mark) up to 20 %, \(TrialQuality.poor.mark) beyond.")
        }
        ReportTableWriter(
          caption: "Medians over trials with bootstrap intervals, and the spread of the trials",
          headings: [
            ReportTableWriter.Heading(text: "cell", isNumber: false),
            ReportTableWriter.Heading(text: "metric", isNumber: false),
            ReportTableWriter.Heading(text: "unit", isNumber: false),
          ]
            + ["n", "median", "low", "high", "least", "most", "p95", "CV %", "far out"].map {
              ReportTableWriter.Heading(text: $0)
            },
          rows: cells.flatMap(rows)
        ).write(to: &page)
      }
    }
  }

  private func rows(_ cell: ReportedCell) -> [[ReportTableWriter.Field]] {
    Metric.allCases.compactMap { metric in
      guard let estimate = cell.metrics[metric] else { return nil }
      func number(_ value: Double?) -> ReportTableWriter.Field {
        guard let value, value.isFinite else { return ReportTableWriter.Field(text: "–") }
        return ReportTableWriter.Field(text: Quantity.number(value), order: value)
      }
      let values = cell.values(metric)
      var variation = number(Statistics.coefficientOfVariation(values).map { $0 * 100 })
      variation.quality = TrialQuality(values)
      return [
        ReportTableWriter.Field(text: names.long(cell), detail: names.detail(cell)),
        ReportTableWriter.Field(text: metric.rawValue),
        ReportTableWriter.Field(text: metric.unit),
        ReportTableWriter.Field(text: "\(estimate.n)", order: Double(estimate.n)),
        number(estimate.median), number(estimate.low), number(estimate.high),
        number(estimate.minimum), number(estimate.maximum), number(estimate.p95), variation,
        ReportTableWriter.Field(text: "\(estimate.outliers)", order: Double(estimate.outliers)),
      ]
    }
  }

  /// How every number is taken.
  func writeDefinitions(to page: inout MarkupWriter) {
    section("definitions", "How the numbers are taken", to: &page) { page in
      page.element("dl", ["class": "definitions"]) { page in
        for definition in MetricDefinition.all {
          page.element("dt") { page in
            page.element("code", text: definition.name)
            page.text(" ")
            page.element("span", ["class": "unit"], text: definition.unit)
          }
          page.element("dd") { page in
            page.text(definition.summary)
            page.element("code", ["class": "formula"], text: definition.formula)
            if !definition.notes.isEmpty {
              page.element("small", text: definition.notes.joined(separator: " "))
            }
            for line in definition.elsewhere { page.element("small", text: line) }
          }
        }
      }
    }
  }
}
