extension ReportPage {
  var hasDepth: Bool { cells.contains { $0.metrics[.ttftSlope] != nil } }

  var hasCache: Bool { cells.contains { $0.metrics[.hit] != nil } }

  /// What every thousand tokens of context cost.
  func writeContext(to page: inout MarkupWriter) {
    guard hasDepth else { return }
    section("context", "Cost of context", to: &page) { page in
      page.element(
        "p", ["class": "about"],
        text: "How much longer a request takes for every 1,000 tokens its prompt is longer: the "
          + "Theil-Sen slope inside a trial of eight requests or more, then the median over trials "
          + "with its 95 % interval. The wait is compared between requests that compute about as many "
          + "tokens.")
      page.element("div", ["class": "charts"]) { page in
        for metric in [Metric.ttftSlope, .tpotSlope] { slopes(metric).write(to: &page) }
      }
    }
  }

  private func slopes(_ metric: Metric) -> RowChart {
    RowChart(
      title: Self.title(metric), unit: "ms", start: .zero,
      rows: cells.compactMap { cell in
        guard let estimate = cell.metrics[metric] else { return nil }
        var marks: [RowChart.Mark] = [.bar(estimate.median, series: 0)]
        var detail = ""
        if let low = estimate.low, let high = estimate.high {
          marks.append(.interval(low, high))
          detail = Quantity.range(low, high)
        }
        return RowChart.Row(
          label: names.long(cell), detail: names.detail(cell),
          value: Quantity.number(estimate.median), valueDetail: detail,
          description: "\(Quantity.number(estimate.median)) ms for 1,000 tokens, "
            + Quantity.counted(estimate.n, "trial"),
          marks: marks)
      })
  }

  /// What the prefix cache gave, what it could have given, and why it did not.
  func writeCache(to page: inout MarkupWriter) {
    guard hasCache else { return }
    section("cache", "Prefix cache", to: &page) { page in
      page.element(
        "p", ["class": "about"],
        text: "The bar is the share of prompt tokens that came from the cache; the upright line is "
          + "the share that would have, had nothing been evicted.")
      RowChart(
        title: "Prompt tokens from the cache", unit: "% of all prompt tokens", start: .zero,
        rows: cells.compactMap(cacheRow)
      ).write(to: &page)
      writeMisses(to: &page)
    }
  }

  private func cacheRow(_ cell: ReportedCell) -> RowChart.Row? {
    guard let hit = cell.metrics[.hit]?.median else { return nil }
    var marks: [RowChart.Mark] = [.bar(hit * 100, series: 0)]
    var detail = ""
    if let ideal = cell.metrics[.idealHit]?.median {
      marks.append(.median(ideal * 100))
      detail = "of \(Quantity.percent(ideal))"
    }
    return RowChart.Row(
      label: names.long(cell), detail: names.detail(cell), value: Quantity.percent(hit),
      valueDetail: detail, description: "\(Quantity.percent(hit)) \(detail)", marks: marks)
  }

  private func writeMisses(to page: inout MarkupWriter) {
    let rows = cells.flatMap { cell in
      cell.misses.prefix(20).map { miss in
        [
          ReportTableWriter.Field(text: names.long(cell), detail: names.detail(cell)),
          ReportTableWriter.Field(text: miss.reason),
          ReportTableWriter.Field(
            text: Quantity.count(miss.requests), order: Double(miss.requests)),
          ReportTableWriter.Field(text: Quantity.number(miss.tokens), order: miss.tokens),
        ]
      }
    }
    guard !rows.isEmpty else {
      page.element(
        "p", ["class": "note"],
        text: "No request had to compute again what a live session had computed before.")
      return
    }
    ReportTableWriter(
      caption: "Why the cache gave less than it could have: all requests of all valid trials",
      headings: [
        ReportTableWriter.Heading(text: "cell", isNumber: false),
        ReportTableWriter.Heading(text: "reason", isNumber: false),
        ReportTableWriter.Heading(text: "requests"),
        ReportTableWriter.Heading(text: "tokens computed again"),
      ],
      rows: rows
    ).write(to: &page)
  }
}
