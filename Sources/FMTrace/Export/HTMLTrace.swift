import FMCore

/// A trace as a page: a timeline in lanes, the answers of the review, and the facts of every span.
///
/// The page is complete in itself and may fetch nothing. Text of the trace is escaped, and put into the
/// page by scripts as text alone.
package struct HTMLTrace {
  /// The most bars that are drawn; the longest are kept.
  private static let barLimit = 20_000
  /// Pixels from one level of a lane to the next.
  private static let levelHeight = 20

  private let tree: TraceTree
  private let review: TraceReview
  private let layout: LaneLayout
  private let rows: LaneRows
  private let drawn: Set<Int>

  /// A trace and what its review says.
  package init(_ tree: TraceTree, review: TraceReview) {
    self.tree = tree
    self.review = review
    layout = LaneLayout(tree)
    rows = LaneRows(layout, tree)
    let spans = tree.trace.spans.indices
    if spans.count <= Self.barLimit {
      drawn = Set(spans)
    } else {
      let longest = spans.sorted { left, right in
        let (one, other) = (tree.seconds(of: left), tree.seconds(of: right))
        return one == other ? left < right : one > other
      }
      drawn = Set(longest.prefix(Self.barLimit))
    }
  }

  /// The whole page.
  package var text: String {
    var page = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    page += "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
    page += "style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n"
    page += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    page +=
      "<meta name=\"color-scheme\" content=\"light dark\">\n<link rel=\"icon\" href=\"data:,\">\n"
    page += "<title>Trace of \(Self.escaped(tree.trace.header.program))</title>\n"
    page += "<style>\n\(HTMLTraceParts.style)\n</style>\n</head>\n<body>\n<main>\n"
    page += heading
    page += answers
    page += timeline
    page += "<section id=\"detail\" aria-live=\"polite\" tabindex=\"-1\"><h2>Span</h2>"
    page += "<p>Choose a bar.</p></section>\n</main>\n"
    page += "<script type=\"application/json\" id=\"spans\">\(data)</script>\n"
    page += "<script>\n\(HTMLTraceParts.script)\n</script>\n</body>\n</html>\n"
    return page
  }

  // MARK: Parts

  private var heading: String {
    let header = tree.trace.header
    var notes = [
      "\(tree.trace.spans.count) spans in "
        + TextTrace.duration(tree.last.seconds(since: tree.first))
    ]
    if tree.trace.isCut { notes.append("the record ends in the middle") }
    if tree.trace.droppedCount > 0 {
      notes.append("\(tree.trace.droppedCount) records are missing")
    }
    if drawn.count < tree.trace.spans.count {
      notes.append("the \(drawn.count) longest are drawn")
    }
    let warning =
      header.hasContent
      ? "<p class=\"warning\">With content: treat this page as private data.</p>\n" : ""
    return "<h1>Trace of \(Self.escaped(header.program))</h1>\n"
      + "<p>\(notes.map { Self.escaped($0) }.joined(separator: "; "))</p>\n" + warning
  }

  private var answers: String {
    var html = "<section>\n<h2>Review</h2>\n<ul class=\"review\">\n"
    for answer in review.answers {
      let title = Self.escaped(answer.question.title)
      switch answer.outcome {
      case .clear: html += "<li class=\"clear\"><b>no</b> \(title)</li>\n"
      case .unknown(let reason):
        html += "<li class=\"unknown\"><b>?</b> \(title) (\(Self.escaped(reason)))</li>\n"
      case .found:
        html += "<li class=\"found\"><b>yes</b> \(title)<ul>"
        for finding in answer.findings {
          let links = finding.spans.prefix(8).map {
            "<a href=\"#\" data-span=\"\($0.value)\">#\($0.value)</a>"
          }
          html += "<li>\(Self.escaped(finding.message)) \(links.joined(separator: " "))</li>"
        }
        if answer.more > 0 { html += "<li>and \(answer.more) more</li>" }
        html += "</ul><small>Counts when: \(Self.escaped(answer.threshold)). "
        html += "\(Self.escaped(answer.question.advice))</small></li>\n"
      }
    }
    let numbers = review.numbers.lines.map { Self.escaped($0) + "\n" }.joined()
    html += "</ul>\n<pre class=\"numbers\" tabindex=\"0\" aria-label=\"Numbers\">\n"
    return html + numbers + "</pre>\n</section>\n"
  }

  private var timeline: String {
    var html = "<section>\n<h2>Timeline</h2>\n<p class=\"zoom\">"
    html += "<button id=\"out\" aria-label=\"zoom out\">−</button> "
    html += "<button id=\"in\" aria-label=\"zoom in\">+</button> "
    html += "<button id=\"all\" aria-label=\"show all\">all</button> "
    html += "zoom with these, or with Ctrl and the wheel; arrow keys go from bar to bar</p>\n"
    html += "<div id=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Timeline\">"
    html += "<div id=\"lanes\">\n" + axis
    for (number, row) in rows.intervals.enumerated() {
      html += lane(number == 0 ? "app" : "", row)
    }
    let numbers = tree.numbers()
    for row in rows.lanes { html += lane(label(row, numbers), row) }
    return html + "</div></div>\n</section>\n"
  }

  /// `session 3`, `session 3 (2)` for what overlaps the first of its lanes, `12 sessions`.
  private func label(_ row: LaneRows.Row, _ numbers: [Int]) -> String {
    guard row.lanes.count == 1 else { return "\(row.lanes.count) sessions" }
    let lane = layout.lanes[row.lanes[0]]
    let label = lane.session.map { "session \(numbers[$0])" } ?? "no session"
    return lane.number > 0 ? label + " (\(lane.number + 1))" : label
  }

  private var axis: String {
    var html = "<div class=\"lane axis\"><span class=\"label\"></span>"
    let seconds = tree.last.seconds(since: tree.first)
    for tick in 0...10 {
      html += "<span class=\"tick\" style=\"left:\(tick * 10)%\">"
      html += "\(Self.escaped(TextTrace.duration(seconds * Double(tick) / 10)))</span>"
    }
    return html + "</div>\n"
  }

  private func lane(_ label: String, _ row: LaneRows.Row) -> String {
    let spans = row.spans
    var html = "<div class=\"lane\" style=\"height:\(row.depth * Self.levelHeight + 4)px\">"
    html += "<span class=\"label\">\(Self.escaped(label))</span>"
    let whole = max(tree.last.seconds(since: tree.first), 1e-9)
    for (index, level) in spans where drawn.contains(index) {
      let span = tree[index]
      let left = span.begin.seconds(since: tree.first) / whole * 100
      let width = tree.seconds(of: index) / whole * 100
      let title = Self.escaped(span.title)
      let time = TextTrace.duration(tree.seconds(of: index))
      html += "<button class=\"bar \(span.kind.rawValue)\" data-span=\"\(span.id.value)\" "
      html += "style=\"left:\(Self.decimal(left))%;width:\(Self.decimal(width))%;"
      html += "top:\(level * Self.levelHeight + 2)px\" title=\"\(title) \(time)\">\(title)</button>"
    }
    return html + "</div>\n"
  }

  /// The facts of the spans that are drawn, by id.
  private var data: String {
    var output = JSONText()
    output.raw("{")
    for (number, index) in tree.order.filter({ drawn.contains($0) }).enumerated() {
      let span = tree[index]
      output.raw(number == 0 ? "\n" : ",\n")
      output.raw("\"\(span.id.value)\":{\"title\":")
      output.string(span.title)
      output.raw(",\"kind\":")
      output.string(span.kind.label)
      output.raw(",\"start\":")
      output.string(TextTrace.duration(span.begin.seconds(since: tree.first)))
      output.raw(",\"time\":")
      output.string(span.end == nil ? "open" : TextTrace.duration(tree.seconds(of: index)))
      output.raw(",\"attributes\":")
      output.attributes(span.latestAttributes.filter { $0.key != "arguments_sketch" })
      output.raw(",\"content\":[")
      for (place, item) in span.content.enumerated() {
        if place > 0 { output.raw(",") }
        output.raw("[")
        output.string(item.key)
        output.raw(",")
        output.string(item.text)
        output.raw("]")
      }
      output.raw("]}")
    }
    output.raw("}\n")
    return output.text
  }

  // MARK: Text

  /// At most four decimals and no exponent, as style sheets have numbers.
  private static func decimal(_ value: Double) -> String {
    let units = Int((min(max(value, 0), 100) * 10_000).rounded())
    let rest = String(units % 10_000)
    return "\(units / 10_000)." + String(repeating: "0", count: 4 - rest.count) + rest
  }

  /// The text with what HTML gives a meaning to, and what turns text around, taken out.
  static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      default:
        switch scalar.properties.generalCategory {
        case .control, .format: result += "\u{FFFD}"
        default: result.unicodeScalars.append(scalar)
        }
      }
    }
    return result
  }
}
