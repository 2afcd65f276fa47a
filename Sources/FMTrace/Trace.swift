package import FMCore

/// A span from its begin to its end.
package struct TraceSpan: Sendable, Hashable {
  package var id: SpanID
  package var kind: SpanKind
  package var parent: SpanID?
  package var begin: MonotonicInstant
  /// Nil while the span runs, and for good where the program was killed.
  package var end: MonotonicInstant?
  /// Those known at the begin, then those known at the end.
  package var attributes: [TraceAttribute]
  /// Texts that belong to it; empty unless content was asked for.
  package var content: [TraceContent] = []

  /// A span by its parts.
  package init(
    id: SpanID, kind: SpanKind, parent: SpanID?, begin: MonotonicInstant, end: MonotonicInstant?,
    attributes: [TraceAttribute] = [], content: [TraceContent] = []
  ) {
    self.id = id
    self.kind = kind
    self.parent = parent
    self.begin = begin
    self.end = end
    self.attributes = attributes
    self.content = content
  }

  /// The attributes with the last value of each, in the order they came first.
  ///
  /// What is estimated at a span's begin may be told again at its end.
  package var latestAttributes: [TraceAttribute] {
    var result: [TraceAttribute] = []
    for attribute in attributes {
      if let place = result.firstIndex(where: { $0.key == attribute.key }) {
        result[place].value = attribute.value
      } else {
        result.append(attribute)
      }
    }
    return result
  }

  /// The last value of an attribute.
  package func value(_ key: String) -> TraceValue? {
    attributes.last { $0.key == key }?.value
  }

  /// The last value of an attribute that is a count.
  package func count(_ key: String) -> Int? {
    if case .count(let value)? = value(key) { value } else { nil }
  }

  /// The last value of an attribute that is a number.
  package func measure(_ key: String) -> Double? {
    switch value(key) {
    case .measure(let value): value
    case .count(let value): Double(value)
    case .name, nil: nil
    }
  }

  /// The last value of an attribute that is a name.
  package func name(_ key: String) -> String? {
    if case .name(let value)? = value(key) { value } else { nil }
  }
}

/// Something that happened at one instant.
package struct TraceEvent: Sendable, Hashable {
  package var name: String
  package var span: SpanID?
  package var instant: MonotonicInstant
  package var attributes: [TraceAttribute]

  /// An event by its parts.
  package init(
    name: String, span: SpanID?, instant: MonotonicInstant, attributes: [TraceAttribute] = []
  ) {
    self.name = name
    self.span = span
    self.instant = instant
    self.attributes = attributes
  }
}

/// A text of a span: what was asked or answered.
package struct TraceContent: Sendable, Hashable {
  /// What the text is: `prompt`, `answer`, `instructions`, `arguments`, `output`.
  package var key: String
  package var text: String

  /// A text by its parts.
  package init(key: String, text: String) {
    self.key = key
    self.text = text
  }
}

/// Where a trace comes from, and how its clock relates to the wall clock.
package struct TraceHeader: Sendable, Hashable {
  /// The program's name, without its folder.
  package var program: String
  package var processID: Int
  /// An instant of the monotonic clock, and the wall clock at it in nanoseconds since 1970.
  package var start: MonotonicInstant
  package var startUnixNanoseconds: UInt64
  /// Whether texts were recorded.
  package var hasContent: Bool

  /// A header by its parts.
  package init(
    program: String, processID: Int, start: MonotonicInstant, startUnixNanoseconds: UInt64,
    hasContent: Bool = false
  ) {
    self.program = program
    self.processID = processID
    self.start = start
    self.startUnixNanoseconds = startUnixNanoseconds
    self.hasContent = hasContent
  }

  /// The wall clock at `instant`, in nanoseconds since 1970; stays in range for any input.
  package func unixNanoseconds(at instant: MonotonicInstant) -> UInt64 {
    if instant >= start {
      let (sum, overflows) = startUnixNanoseconds.addingReportingOverflow(
        instant.nanoseconds - start.nanoseconds)
      return overflows ? .max : sum
    }
    let before = start.nanoseconds - instant.nanoseconds
    return startUnixNanoseconds > before ? startUnixNanoseconds - before : 0
  }
}

/// All that was recorded of a program: spans and events in the order they came.
package struct Trace: Sendable, Hashable {
  package var header: TraceHeader
  package var spans: [TraceSpan]
  package var events: [TraceEvent]
  /// Spans and events that were not kept since there were too many.
  package var droppedCount: Int
  /// Whether the record ends in the middle: the program was killed.
  package var isCut: Bool

  /// A trace by its parts.
  package init(
    header: TraceHeader, spans: [TraceSpan] = [], events: [TraceEvent] = [], droppedCount: Int = 0,
    isCut: Bool = false
  ) {
    self.header = header
    self.spans = spans
    self.events = events
    self.droppedCount = droppedCount
    self.isCut = isCut
  }

  /// The same without any text.
  package func withoutContent() -> Trace {
    var result = self
    for index in result.spans.indices { result.spans[index].content = [] }
    result.header.hasContent = false
    return result
  }

  /// The same with what `redactor` finds replaced in every text.
  package func redacted(by redactor: TraceRedactor) -> Trace {
    var result = self
    for span in result.spans.indices {
      for item in result.spans[span].content.indices {
        result.spans[span].content[item].text = redactor.redact(
          result.spans[span].content[item].text)
      }
    }
    return result
  }
}
