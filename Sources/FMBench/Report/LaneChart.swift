/// Trials over time: a lane a session, every request with its queue, prefill and decoding.
struct LaneChart {
  struct Entry {
    var label: String
    var detail: String
    var timeline: TrialTimeline
  }

  var entries: [Entry]

  private static let height = 34.0

  /// Writes the chart; nothing without entries.
  func write(to page: inout MarkupWriter) {
    guard let wall = entries.map(\.timeline.wall).max() else { return }
    let axis = ChartAxis([wall], from: .zero)
    page.element("figure", ["class": "rows lanes"]) { page in
      page.element("figcaption") { page in
        page.element("b", text: "Median trials over time")
        page.text(" ")
        page.element("span", ["class": "unit"], text: "ms, a lane a session")
      }
      Self.writeLegend(to: &page)
      for entry in entries {
        for (index, lane) in entry.timeline.lanes.enumerated() {
          write(entry, lane, isFirst: index == 0, axis, to: &page)
        }
      }
      RowChart.writeTicks(axis, to: &page)
    }
    page.line()
  }

  private func write(
    _ entry: Entry, _ lane: TrialTimeline.Lane, isFirst: Bool, _ axis: ChartAxis,
    to page: inout MarkupWriter
  ) {
    let calls = lane.spans.count { $0.activity == .tool }
    let words =
      "\(entry.label), session \(lane.name): "
      + Quantity.counted(lane.events.count - calls, "request")
      + (calls > 0 ? ", " + Quantity.counted(calls, "tool call") : "")
    page.element("div", ["class": "row"]) { page in
      page.element("div", ["class": "row-label"]) { page in
        if isFirst { page.element("bdi", text: entry.label) }
        page.element("small", text: lane.name)
      }
      page.element("svg", RowChart.plotAttributes(height: Self.height)) { page in
        page.element("title", text: words)
        page.empty("path", ["class": "grid", "d": PlotPath.grid(axis, height: Self.height)])
        Self.write(lane, axis, to: &page)
      }
      page.element("div", ["class": "row-value"]) { page in
        guard isFirst else { return }
        page.element("span", text: Quantity.milliseconds(entry.timeline.wall))
        page.element("small", text: entry.detail)
      }
    }
  }

  private static func write(
    _ lane: TrialTimeline.Lane, _ axis: ChartAxis, to page: inout MarkupWriter
  ) {
    var thread = PlotPath()
    thread.move(axis.fraction(lane.events.map(\.start).min() ?? 0), height / 2)
    thread.line(axis.fraction(lane.events.map(\.end).max() ?? 0), height / 2)
    page.empty("path", ["class": "thread", "d": thread.text])
    for activity in TrialTimeline.Activity.allCases {
      var path = PlotPath()
      for span in lane.spans where span.activity == activity {
        path.box(
          from: axis.fraction(span.start), to: axis.fraction(span.end),
          top: (height - activity.height) / 2, height: activity.height)
      }
      guard !path.isEmpty else { continue }
      page.empty("path", ["class": activity.style, "d": path.text])
    }
    // Invisible boxes that say what a request was when they are pointed at.
    for event in lane.events {
      let left = axis.fraction(event.start) * PlotPath.width
      let width = max(2, axis.fraction(event.end) * PlotPath.width - left)
      page.element(
        "rect",
        [
          "class": "hit", "x": PlotPath.number(left), "width": PlotPath.number(width),
          "height": PlotPath.number(height),
        ]
      ) { $0.element("title", text: event.text) }
    }
  }

  private static func writeLegend(to page: inout MarkupWriter) {
    page.element("ul", ["class": "legend"]) { page in
      for activity in TrialTimeline.Activity.allCases {
        page.element("li") { page in
          page.element(
            "svg", ["class": "key", "width": "18", "height": "14", "aria-hidden": "true"]
          ) { page in
            var path = PlotPath()
            path.box(
              from: 0.001, to: 0.017, top: (14 - activity.height / 2) / 2,
              height: activity.height / 2)
            page.empty("path", ["class": activity.style, "d": path.text])
          }
          page.text(activity.label)
        }
      }
      page.element("li", text: "a thin line: waiting for another session or a gap")
    }
  }
}

extension TrialTimeline.Activity {
  /// The height of its boxes: told apart without colour.
  fileprivate var height: Double {
    switch self {
    case .prefill: 22
    case .decode: 12
    case .tool: 16
    case .queue, .finish: 6
    }
  }

  fileprivate var style: String {
    switch self {
    case .queue: "lane queue"
    case .prefill: "lane prefill"
    case .decode: "lane decode"
    case .finish: "lane finish"
    case .tool: "lane tool"
    }
  }
}
