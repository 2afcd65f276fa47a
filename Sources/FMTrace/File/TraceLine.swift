import FMCore

/// The lines of a trace file: one JSON object a line, the first the header.
///
/// `{"fm_trace":1,…}` header; `b` begins a span (its id; `k` kind, `p` parent, `t` nanoseconds, `a`
/// attributes), `e` ends one, `i` names an event in span `s`, `c` is a text of span `c`, `dropped` counts
/// what was not written. Counts are whole numbers, measures have a point or an exponent.
enum TraceLine {
  /// The version this program writes.
  static let version = 1

  static func header(_ header: TraceHeader) -> [UInt8] {
    var line = JSONText()
    line.raw("{\"fm_trace\":")
    line.number(version)
    line.raw(",\"program\":")
    line.string(header.program)
    line.raw(",\"pid\":")
    line.number(header.processID)
    line.raw(",\"t\":")
    line.number(header.start.nanoseconds)
    line.raw(",\"unix_ns\":")
    line.number(header.startUnixNanoseconds)
    line.raw(",\"content\":")
    line.raw(header.hasContent ? "true" : "false")
    line.raw("}\n")
    return line.bytes
  }

  static func begin(
    _ line: inout JSONText, _ span: SpanID, kind: SpanKind, parent: SpanID?,
    at instant: MonotonicInstant, _ attributes: [TraceAttribute]
  ) {
    line.raw("{\"b\":")
    line.number(span.value)
    line.raw(",\"k\":\"")
    line.raw(kind.rawValue)
    line.raw("\"")
    if let parent {
      line.raw(",\"p\":")
      line.number(parent.value)
    }
    finish(&line, instant, attributes)
  }

  static func end(
    _ line: inout JSONText, _ span: SpanID, at instant: MonotonicInstant,
    _ attributes: [TraceAttribute]
  ) {
    line.raw("{\"e\":")
    line.number(span.value)
    finish(&line, instant, attributes)
  }

  static func event(
    _ line: inout JSONText, _ name: String, in span: SpanID?, at instant: MonotonicInstant,
    _ attributes: [TraceAttribute]
  ) {
    line.raw("{\"i\":")
    line.string(name)
    if let span {
      line.raw(",\"s\":")
      line.number(span.value)
    }
    finish(&line, instant, attributes)
  }

  static func content(_ line: inout JSONText, _ key: String, _ text: String, in span: SpanID) {
    line.raw("{\"c\":")
    line.number(span.value)
    line.raw(",\"key\":")
    line.string(key)
    line.raw(",\"text\":")
    line.string(text)
    line.raw("}\n")
  }

  static func dropped(_ line: inout JSONText, _ count: Int) {
    line.raw("{\"dropped\":")
    line.number(count)
    line.raw("}\n")
  }

  private static func finish(
    _ line: inout JSONText, _ instant: MonotonicInstant, _ attributes: [TraceAttribute]
  ) {
    line.raw(",\"t\":")
    line.number(instant.nanoseconds)
    if !attributes.isEmpty {
      line.raw(",\"a\":")
      line.attributes(attributes)
    }
    line.raw("}\n")
  }
}

extension Trace {
  /// The whole trace as the lines of a trace file.
  package var lines: [UInt8] {
    var text = JSONText()
    text.bytes = TraceLine.header(header)
    for span in spans {
      TraceLine.begin(
        &text, span.id, kind: span.kind, parent: span.parent, at: span.begin, span.attributes)
      for item in span.content {
        TraceLine.content(&text, item.key, item.text, in: span.id)
      }
      if let end = span.end { TraceLine.end(&text, span.id, at: end, []) }
    }
    for event in events {
      TraceLine.event(&text, event.name, in: event.span, at: event.instant, event.attributes)
    }
    if droppedCount > 0 { TraceLine.dropped(&text, droppedCount) }
    return text.bytes
  }
}
