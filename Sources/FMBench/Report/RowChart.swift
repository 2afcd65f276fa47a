/// A chart of labelled rows on one axis: trials as dots, intervals, pairs of devices, bars.
///
/// Labels and values are HTML beside the drawing, so that they stay readable on a narrow screen.
struct RowChart {
  /// What is drawn in a row.
  enum Mark {
    /// A dot a value.
    case dots([Double], PlotGlyph, series: Int)
    /// A bootstrap interval.
    case interval(Double, Double)
    case median(Double)
    /// A value that others are held against.
    case reference(Double)
    /// A line between two values.
    case link(Double, Double)
    /// A bar from 0.
    case bar(Double, series: Int)
  }

  struct Row {
    var label: String
    var detail = ""
    var value: String
    var valueDetail = ""
    /// The row in words, for those who do not see it.
    var description: String
    var marks: [Mark]
  }

  var title: String
  var unit: String
  var start = ChartAxis.Start.least
  var rows: [Row]

  private static let height = 34.0

  /// Writes the chart; nothing when no row has a finite value.
  func write(to page: inout MarkupWriter) {
    let values = rows.flatMap { $0.marks.flatMap(\.values) }.filter(\.isFinite)
    guard !values.isEmpty else { return }
    let axis = ChartAxis(values, from: start)
    page.element("figure", ["class": "rows"]) { page in
      page.element("figcaption") { page in
        page.element("b", text: title)
        page.text(" ")
        page.element(
          "span", ["class": "unit"], text: unit + (axis.isLogarithmic ? ", logarithmic" : ""))
      }
      for row in rows { write(row, axis, to: &page) }
      Self.writeTicks(axis, to: &page)
    }
    page.line()
  }

  private func write(_ row: Row, _ axis: ChartAxis, to page: inout MarkupWriter) {
    page.element("div", ["class": "row"]) { page in
      page.element("div", ["class": "row-label"]) { page in
        page.element("bdi", text: row.label)
        if !row.detail.isEmpty { page.element("small", text: row.detail) }
      }
      page.element("svg", Self.plotAttributes(height: Self.height)) { page in
        page.element("title", text: "\(title), \(row.label): \(row.description)")
        page.empty(
          "path", ["class": "grid", "d": PlotPath.grid(axis, height: Self.height)])
        for mark in row.marks { mark.write(axis, height: Self.height, to: &page) }
      }
      page.element("div", ["class": "row-value"]) { page in
        page.element("span", text: row.value)
        if !row.valueDetail.isEmpty { page.element("small", text: row.valueDetail) }
      }
    }
  }

  /// The attributes of a drawing that is stretched to the width of its place.
  static func plotAttributes(height: Double) -> MarkupWriter.Attributes {
    [
      "class": "plot", "role": "img", "height": PlotPath.number(height),
      "viewBox": "0 0 1000 " + PlotPath.number(height), "preserveAspectRatio": "none",
    ]
  }

  /// The row below the others that says what the places mean.
  static func writeTicks(_ axis: ChartAxis, to page: inout MarkupWriter) {
    page.element("div", ["class": "row ticks"]) { page in
      page.element("div", ["class": "row-label"]) { _ in }
      page.element("svg", ["class": "axis", "height": "18", "aria-hidden": "true"]) { page in
        for tick in axis.ticks {
          page.element(
            "text", ["x": tick.percent, "y": "13", "text-anchor": tick.anchor], text: tick.label)
        }
      }
      page.element("div", ["class": "row-value"]) { _ in }
    }
  }
}

extension RowChart.Mark {
  /// What the axis must show.
  var values: [Double] {
    switch self {
    case .dots(let values, _, _): values
    case .interval(let low, let high), .link(let low, let high): [low, high]
    case .median(let value), .reference(let value), .bar(let value, _): [value]
    }
  }

  fileprivate func write(_ axis: ChartAxis, height: Double, to page: inout MarkupWriter) {
    var path = PlotPath()
    let middle = height / 2
    switch self {
    case .dots(let values, let glyph, let series):
      for (index, value) in values.enumerated() where value.isFinite {
        // Spread by order, so that equal values are seen to be several.
        let lift = values.count > 1 ? Double((index * 5) % 7 - 3) * 2 : 0
        path.mark(axis.fraction(value), middle + lift, glyph)
      }
      page.empty("path", ["class": "mark \(glyph.name) s\(series % 6)", "d": path.text])
    case .interval(let low, let high):
      path.move(axis.fraction(low), middle)
      path.line(axis.fraction(high), middle)
      page.empty("path", ["class": "interval", "d": path.text])
    case .reference(let value):
      path.move(axis.fraction(value), 0)
      path.line(axis.fraction(value), height)
      page.empty("path", ["class": "reference", "d": path.text])
    case .median(let value):
      path.move(axis.fraction(value), 3)
      path.line(axis.fraction(value), height - 3)
      page.empty("path", ["class": "median", "d": path.text])
    case .link(let first, let second):
      path.move(axis.fraction(first), middle)
      path.line(axis.fraction(second), middle)
      page.empty("path", ["class": "link", "d": path.text])
    case .bar(let value, let series):
      let ends = [axis.fraction(0), axis.fraction(value)].sorted()
      path.box(from: ends[0], to: ends[1], top: 9, height: height - 18)
      page.empty("path", ["class": "bar f\(series % 6)", "d": path.text])
    }
  }
}
