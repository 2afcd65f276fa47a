/// A scatter of requests over the length of their prompt, with a line through the medians.
struct DepthChart {
  struct Series {
    var label: String
    /// Prompt tokens and the value, one a request.
    var points: [(depth: Double, value: Double)]
  }

  var title: String
  var unit: String
  var series: [Series]

  private static let height = 240.0
  /// Room for the marks at the ends.
  private static let margin = 12.0
  /// Depths of a line beyond these are put together.
  private static let mostKnots = 60

  /// Writes the chart; nothing when there is no point.
  func write(to page: inout MarkupWriter) {
    let points = series.flatMap(\.points)
    guard !points.isEmpty else { return }
    let across = ChartAxis(linear: points.map(\.depth))
    let values = points.map(\.value)
    let up = ChartAxis(values, from: .zeroOrRatios)
    page.element("figure", ["class": "depth"]) { page in
      page.element("figcaption") { page in
        page.element("b", text: title)
        page.text(" ")
        page.element(
          "span", ["class": "unit"],
          text: unit + (up.isLogarithmic ? ", logarithmic" : "") + ", over tokens of the prompt")
      }
      page.element(
        "svg",
        [
          "class": "scatter", "role": "img", "height": PlotPath.number(Self.height + 20),
          "data-x": "\(across.low) \(across.high)",
          "data-y": "\(up.low) \(up.high) \(up.isLogarithmic ? 1 : 0)",
          "data-unit": unit,
        ]
      ) { page in
        page.element("title", text: title + ": " + series.map(\.label).joined(separator: "; "))
        page.element("desc", text: description)
        draw(across, up, to: &page)
        Self.writeLabels(across, up, to: &page)
      }
      writeLegend(to: &page)
    }
    page.line()
  }

  private static func height(_ value: Double, _ axis: ChartAxis) -> Double {
    margin + (1 - axis.fraction(value)) * (height - margin)
  }

  private func draw(_ across: ChartAxis, _ up: ChartAxis, to page: inout MarkupWriter) {
    page.element(
      "svg",
      [
        "class": "plot", "width": "100%", "height": PlotPath.number(Self.height),
        "viewBox": "0 0 1000 " + PlotPath.number(Self.height), "preserveAspectRatio": "none",
      ]
    ) { page in
      var grid = PlotPath()
      for tick in up.ticks {
        let y = Self.margin + (1 - tick.fraction) * (Self.height - Self.margin)
        grid.move(0, y)
        grid.line(1, y)
      }
      page.empty("path", ["class": "grid", "d": grid.text])
      for (index, series) in series.enumerated() {
        let glyph = PlotGlyph(series: index)
        var marks = PlotPath()
        for point in series.points {
          marks.mark(across.fraction(point.depth), Self.height(point.value, up), glyph)
        }
        // Thousands of marks hide each other unless they are faint.
        let dense = series.points.count > 300 ? " dense" : ""
        page.empty(
          "path", ["class": "mark \(glyph.name) s\(index % 6)\(dense)", "d": marks.text])
        var line = PlotPath()
        for knot in Self.knots(series.points) {
          let (x, y) = (across.fraction(knot.depth), Self.height(knot.value, up))
          if line.isEmpty { line.move(x, y) } else { line.line(x, y) }
        }
        page.empty("path", ["class": "trend s\(index % 6) d\(index % 6)", "d": line.text])
      }
    }
  }

  private static func writeLabels(
    _ across: ChartAxis, _ up: ChartAxis, to page: inout MarkupWriter
  ) {
    for tick in up.ticks {
      let y = margin + (1 - tick.fraction) * (height - margin)
      page.element(
        "text", ["class": "y", "x": "2", "y": PlotPath.number(y - 3)], text: tick.label)
    }
    for tick in across.ticks {
      page.element(
        "text",
        ["x": tick.percent, "y": PlotPath.number(height + 14), "text-anchor": tick.anchor],
        text: tick.label)
    }
  }

  private func writeLegend(to page: inout MarkupWriter) {
    guard series.count > 1 else { return }
    page.element("ul", ["class": "legend"]) { page in
      for (index, series) in series.enumerated() {
        page.element("li") { page in
          PlotGlyph(series: index).writeKey(series: index, to: &page)
          page.element("bdi", text: series.label)
        }
      }
    }
  }

  /// The medians of the values at each depth, or of neighbouring depths where there are many.
  static func knots(
    _ points: [(depth: Double, value: Double)]
  ) -> [(depth: Double, value: Double)] {
    let sorted = points.sorted { ($0.depth, $0.value) < ($1.depth, $1.value) }
    var groups: [[(depth: Double, value: Double)]] = []
    for point in sorted {
      if let last = groups.last?.last, last.depth == point.depth {
        groups[groups.count - 1].append(point)
      } else {
        groups.append([point])
      }
    }
    if groups.count > mostKnots {
      let size = (groups.count + mostKnots - 1) / mostKnots
      groups = stride(from: 0, to: groups.count, by: size).map {
        Array(groups[$0..<min($0 + size, groups.count)].joined())
      }
    }
    return groups.compactMap { group in
      guard let depth = Statistics.median(group.map(\.depth)),
        let value = Statistics.median(group.map(\.value))
      else { return nil }
      return (depth, value)
    }
  }

  /// The ends of each line in words.
  private var description: String {
    series.map { series in
      let knots = Self.knots(series.points)
      guard let first = knots.first, let last = knots.last else { return "" }
      return "\(series.label): \(Quantity.number(first.value)) \(unit) at "
        + "\(Quantity.number(first.depth)) tokens, \(Quantity.number(last.value)) \(unit) at "
        + "\(Quantity.number(last.depth)) tokens, \(series.points.count) requests"
    }.joined(separator: "; ")
  }
}

extension PlotGlyph {
  /// The mark as it stands in a legend.
  func writeKey(series: Int, to page: inout MarkupWriter) {
    page.element(
      "svg", ["class": "key", "width": "16", "height": "12", "aria-hidden": "true"]
    ) { page in
      page.empty("path", ["class": "mark \(name) s\(series % 6)", "d": "M8 6" + path])
    }
  }
}
