import FMCore

/// A trace for people: what was found, then the spans as a tree with their times and counts.
package struct TextTrace {
  /// The most spans that are written out.
  private static let spanLimit = 5000

  private let tree: TraceTree
  private let review: TraceReview

  /// A trace and what its review says.
  package init(_ tree: TraceTree, review: TraceReview) {
    self.tree = tree
    self.review = review
  }

  /// The whole text.
  package var text: String {
    var lines = [heading]
    if tree.trace.isCut {
      lines.append("the record ends in the middle: the program was killed, or still runs")
    }
    if tree.trace.droppedCount > 0 {
      lines.append("\(tree.trace.droppedCount) records are missing: there were too many")
    }
    if tree.trace.header.hasContent {
      lines.append("with content: treat this as private data")
    }
    lines.append("")
    lines += reviewLines
    lines.append("")
    lines += review.numbers.lines
    lines.append("")
    lines += treeLines
    return lines.joined(separator: "\n") + "\n"
  }

  /// The answers to the review's questions alone.
  package var reviewLines: [String] {
    var lines: [String] = []
    for answer in review.answers {
      switch answer.outcome {
      case .clear: lines.append("  no   \(answer.question.title)")
      case .unknown(let reason): lines.append("  ?    \(answer.question.title) (\(reason))")
      case .found:
        lines.append("  YES  \(answer.question.title)")
        for finding in answer.findings {
          let spans = finding.spans.prefix(6).map { "#\($0.value)" }.joined(separator: " ")
          let rest = finding.spans.count > 6 ? " …" : ""
          lines.append("       - \(Self.safe(finding.message)) [\(spans)\(rest)]")
        }
        if answer.more > 0 { lines.append("       - and \(answer.more) more") }
        lines.append("       counts when: \(answer.threshold)")
        lines.append("       \(answer.question.advice)")
      }
    }
    return lines
  }

  private var heading: String {
    let spans = tree.trace.spans
    let calls = spans.indices.count { tree.isModelCall($0) }
    let tools = spans.count { $0.kind == .toolCall }
    let sessions = spans.count { $0.kind == .session }
    return "\(Self.safe(tree.trace.header.program)): \(spans.count) spans in "
      + "\(Self.duration(tree.last.seconds(since: tree.first))), \(sessions) sessions, "
      + "\(calls) model calls, \(tools) tool calls"
  }

  private var treeLines: [String] {
    var lines: [String] = []
    var pending = tree.roots.reversed().map { ($0, 0) }
    while let (index, depth) = pending.popLast() {
      guard lines.count < Self.spanLimit else {
        lines.append("… \(tree.trace.spans.count - lines.count) more spans")
        break
      }
      lines.append(line(index, depth: depth))
      for item in tree[index].content {
        lines.append(
          String(repeating: "  ", count: min(depth, 20) + 1) + "\(Self.safe(item.key)): "
            + Self.safe(item.text))
      }
      for child in tree.children[index].reversed() { pending.append((child, depth + 1)) }
    }
    return lines
  }

  private func line(_ index: Int, depth: Int) -> String {
    let span = tree[index]
    var text = String(repeating: "  ", count: min(depth, 20))
    text += "#\(span.id.value) \(span.kind.label)"
    if span.title != span.kind.label, !span.title.hasPrefix(span.kind.label + " ") {
      text += " \(Self.safe(span.title))"
    }
    text += "  +" + Self.duration(span.begin.seconds(since: tree.first))
    text += "  " + (span.end == nil ? "open" : Self.duration(tree.seconds(of: index)))
    // Sketches are for comparing, not for reading.
    let shown = span.latestAttributes.filter { $0.key != "arguments_sketch" && $0.key != "name" }
    for attribute in shown {
      text += "  \(Self.safe(attribute.key))=\(Self.value(attribute.value))"
    }
    return text
  }

  private static func value(_ value: TraceValue) -> String {
    switch value {
    case .count(let count): "\(count)"
    case .measure(let measure): ReviewFacts.fixed(measure)
    case .name(let name): safe(name)
    }
  }

  /// `1.23 s`, `4.56 ms`, `7.89 µs`.
  static func duration(_ seconds: Double) -> String {
    if abs(seconds) >= 1 { return ReviewFacts.fixed(seconds) + " s" }
    if abs(seconds) >= 1e-3 { return ReviewFacts.fixed(seconds * 1e3) + " ms" }
    return ReviewFacts.fixed(seconds * 1e6) + " µs"
  }

  /// Text from a file, on one line and without what steers a terminal.
  private static func safe(_ text: String) -> String {
    var result = ""
    for (index, scalar) in text.unicodeScalars.enumerated() {
      if index == 2000 { return result + "…" }
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator:
        result += scalar == "\n" ? "⏎" : "\u{FFFD}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
