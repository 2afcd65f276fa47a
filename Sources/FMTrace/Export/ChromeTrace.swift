import FMCore

/// Trace events as Chrome reads them and Perfetto opens them.
///
/// Complete events (`X`) are laid out in lanes, a thread id each, where they nest; what an application
/// marked are pairs of asynchronous events (`b`, `e`) with an id of their own; other events are instants
/// (`i`); a counter (`C`) shows how many tokens each session's context has. Times are microseconds from
/// the first record, and rise.
struct ChromeTrace {
  private let tree: TraceTree
  private let layout: LaneLayout

  init(_ tree: TraceTree) {
    self.tree = tree
    layout = LaneLayout(tree)
  }

  /// One event to be written, with what it is sorted by.
  private struct Entry {
    var time: UInt64
    /// Ends before begins, and outer events before inner ones.
    var rank: Int
    var text: JSONText
  }

  var bytes: [UInt8] {
    var entries: [Entry] = []
    for (number, lane) in layout.lanes.enumerated() {
      for index in lane.spans { entries.append(complete(index, thread: number + 1)) }
    }
    for index in layout.intervals { entries += pair(index) }
    let threads = threadsBySpan()
    for event in tree.trace.events { entries.append(instant(event, threads)) }
    entries += counters()
    // Stable, since entries of one time and rank are in the order of the tree.
    let sorted = entries.enumerated().sorted { left, right in
      let (one, other) = (left.element, right.element)
      if one.time != other.time { return one.time < other.time }
      return one.rank == other.rank ? left.offset < right.offset : one.rank < other.rank
    }
    var output = JSONText()
    output.raw("{\"displayTimeUnit\":\"ms\",\"otherData\":{\"program\":")
    output.string(tree.trace.header.program)
    output.raw(",\"start_unix_ns\":\"")
    output.number(tree.trace.header.unixNanoseconds(at: tree.first))
    output.raw("\",\"dropped\":")
    output.number(tree.trace.droppedCount)
    output.raw(",\"cut\":")
    output.raw(tree.trace.isCut ? "true" : "false")
    output.raw("},\"traceEvents\":[\n")
    names(&output)
    for (_, entry) in sorted {
      output.raw(",\n")
      output.bytes += entry.text.bytes
    }
    output.raw("\n]}\n")
    return output.bytes
  }

  // MARK: Names

  private func names(_ output: inout JSONText) {
    name(&output, "process_name", thread: 0, tree.trace.header.program)
    output.raw(",\n")
    name(&output, "thread_name", thread: 0, "app")
    let numbers = tree.numbers()
    for (number, lane) in layout.lanes.enumerated() {
      var label = lane.session.map { "session \(numbers[$0])" } ?? "without a session"
      if lane.number > 0 { label += " (\(lane.number + 1))" }
      output.raw(",\n")
      name(&output, "thread_name", thread: number + 1, label)
    }
  }

  private func name(
    _ output: inout JSONText, _ kind: StaticString, thread: Int, _ label: String
  ) {
    output.raw("{\"ph\":\"M\",\"name\":\"")
    output.raw(kind)
    output.raw("\"")
    place(&output, thread: thread)
    output.raw(",\"args\":{\"name\":")
    output.string(label)
    output.raw("}}")
  }

  private func place(_ output: inout JSONText, thread: Int) {
    output.raw(",\"pid\":")
    output.number(tree.trace.header.processID)
    output.raw(",\"tid\":")
    output.number(thread)
  }

  private func threadsBySpan() -> [SpanID: Int] {
    var result: [SpanID: Int] = [:]
    for (number, lane) in layout.lanes.enumerated() {
      for index in lane.spans { result[tree[index].id] = number + 1 }
    }
    return result
  }

  // MARK: Events

  /// Nanoseconds from the first record.
  private func time(_ instant: MonotonicInstant) -> UInt64 {
    instant.nanoseconds - tree.first.nanoseconds
  }

  /// Appends a member that is a time in microseconds.
  private func append(_ key: StaticString, _ nanoseconds: UInt64, to output: inout JSONText) {
    output.raw(",\"")
    output.raw(key)
    output.raw("\":")
    output.number(nanoseconds / 1000)
    let rest = nanoseconds % 1000
    output.raw(rest < 10 ? ".00" : rest < 100 ? ".0" : ".")
    output.number(rest)
  }

  private func start(
    _ phase: StaticString, name: String, category: StaticString, at time: UInt64, thread: Int
  ) -> JSONText {
    var output = JSONText()
    output.raw("{\"ph\":\"")
    output.raw(phase)
    output.raw("\",\"name\":")
    output.string(name)
    output.raw(",\"cat\":\"")
    output.raw(category)
    output.raw("\"")
    append("ts", time, to: &output)
    place(&output, thread: thread)
    return output
  }

  private func arguments(_ index: Int, to output: inout JSONText) {
    let span = tree[index]
    var attributes = [TraceAttribute("span", .count(Int(clamping: span.id.value)))]
    attributes += span.latestAttributes.filter { $0.key != "span" && $0.key != "open" }
    if span.end == nil { attributes.append(TraceAttribute("open", .count(1))) }
    for item in span.content where span.value(item.key) == nil {
      attributes.append(TraceAttribute(item.key, .name(item.text)))
    }
    output.raw(",\"args\":")
    output.attributes(attributes)
    output.raw("}")
  }

  private func complete(_ index: Int, thread: Int) -> Entry {
    let span = tree[index]
    let begin = time(span.begin)
    var output = start("X", name: span.title, category: "fm", at: begin, thread: thread)
    append("dur", time(tree.end(of: index)) - begin, to: &output)
    arguments(index, to: &output)
    return Entry(time: begin, rank: 1, text: output)
  }

  private func pair(_ index: Int) -> [Entry] {
    let span = tree[index]
    let times = (time(span.begin), time(tree.end(of: index)))
    var begin = start("b", name: span.title, category: "interval", at: times.0, thread: 0)
    var end = start("e", name: span.title, category: "interval", at: times.1, thread: 0)
    let id = "\"0x" + String(span.id.value, radix: 16) + "\""
    for output in [0, 1] {
      var text = output == 0 ? begin : end
      text.raw(",\"id\":")
      text.raw(id)
      if output == 0 { begin = text } else { end = text }
    }
    arguments(index, to: &begin)
    end.raw("}")
    return [
      Entry(time: times.0, rank: 1, text: begin),
      // The end of an empty interval must follow its begin.
      Entry(time: times.1, rank: times.0 == times.1 ? 2 : 0, text: end),
    ]
  }

  private func instant(_ event: TraceEvent, _ threads: [SpanID: Int]) -> Entry {
    let thread = event.span.flatMap { threads[$0] } ?? 0
    var output = start(
      "i", name: event.name, category: "fm", at: time(event.instant), thread: thread)
    output.raw(",\"s\":\"t\",\"args\":")
    output.attributes(event.attributes)
    output.raw("}")
    return Entry(time: time(event.instant), rank: 3, text: output)
  }

  private func counters() -> [Entry] {
    let numbers = tree.numbers()
    return tree.order.compactMap { index in
      guard tree.isModelCall(index), let session = tree.nearest(.session, above: index),
        let prompt = tree[index].count("prompt_tokens")
      else { return nil }
      let tokens = prompt.addingReportingOverflow(tree[index].count("output_tokens") ?? 0)
      let time = time(tree.end(of: index))
      var output = start(
        "C", name: "context of session \(numbers[session])", category: "fm", at: time, thread: 0)
      output.raw(",\"args\":{\"tokens\":")
      output.number(tokens.overflow ? Int.max : tokens.partialValue)
      output.raw("}}")
      return Entry(time: time, rank: 3, text: output)
    }
  }
}
