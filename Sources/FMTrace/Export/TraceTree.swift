package import FMCore

/// A trace with its spans put below their parents and in the order of time.
package struct TraceTree: Sendable {
  package let trace: Trace
  /// All spans by their begin; of those that begin together the longer first, then the older.
  package let order: [Int]
  /// The spans that have no parent in the trace, in ``order``.
  package let roots: [Int]
  /// The spans below each span, in ``order``.
  package let children: [[Int]]
  /// The span above each span; nil where there is none, or it was not kept.
  package let parents: [Int?]
  /// The first and the last instant of any span or event.
  package let first: MonotonicInstant
  package let last: MonotonicInstant

  /// Puts a trace in order; n·log n in the spans.
  package init(_ trace: Trace) {
    self.trace = trace
    let spans = trace.spans
    var instants = spans.map(\.begin)
    instants += spans.compactMap(\.end)
    instants += trace.events.map(\.instant)
    first = instants.min() ?? trace.header.start
    let last = instants.max() ?? trace.header.start
    self.last = last
    var indices: [SpanID: Int] = [:]
    for (index, span) in spans.enumerated() { indices[span.id] = index }
    // A parent is older than its children, so nothing can be its own ancestor.
    let parents = spans.map { span in
      span.parent.flatMap { $0 < span.id ? indices[$0] : nil }
    }
    self.parents = parents
    let order = spans.indices.sorted { left, right in
      let (one, other) = (spans[left], spans[right])
      if one.begin != other.begin { return one.begin < other.begin }
      let (end, otherEnd) = (one.end ?? last, other.end ?? last)
      return end == otherEnd ? one.id < other.id : end > otherEnd
    }
    self.order = order
    var children = [[Int]](repeating: [], count: spans.count)
    var roots: [Int] = []
    for index in order {
      if let parent = parents[index] { children[parent].append(index) } else { roots.append(index) }
    }
    self.children = children
    self.roots = roots
  }

  /// The span at `index` of the trace.
  package subscript(index: Int) -> TraceSpan { trace.spans[index] }

  /// The span's end, or the trace's where it still ran then.
  package func end(of index: Int) -> MonotonicInstant { trace.spans[index].end ?? last }

  /// How long the span took, or ran until the trace's end.
  package func seconds(of index: Int) -> Double {
    end(of: index).seconds(since: trace.spans[index].begin)
  }

  /// The nearest span of a kind above `index`, itself included.
  package func nearest(_ kind: SpanKind, above index: Int) -> Int? {
    var current: Int? = index
    while let index = current {
      if trace.spans[index].kind == kind { return index }
      current = parents[index]
    }
    return nil
  }

  /// Whether the span is one call of a model, as sessions count them.
  ///
  /// A request to the engine is one where no session says so itself.
  package func isModelCall(_ index: Int) -> Bool {
    switch trace.spans[index].kind {
    case .inference: true
    case .generation: nearest(.inference, above: index) == nil
    default: false
    }
  }

  /// All spans below `index` that `isWanted` takes, in ``order``.
  package func below(_ index: Int, where isWanted: (Int) -> Bool) -> [Int] {
    var result: [Int] = []
    var pending = [index]
    while let current = pending.popLast() {
      for child in children[current] {
        if isWanted(child) { result.append(child) }
        pending.append(child)
      }
    }
    return result.sorted { left, right in
      let (one, other) = (trace.spans[left], trace.spans[right])
      return one.begin == other.begin ? one.id < other.id : one.begin < other.begin
    }
  }

  /// Every span's place among those of its kind, counted from 1 in ``order``: "session 2".
  package func numbers() -> [Int] {
    var counts: [SpanKind: Int] = [:]
    var result = [Int](repeating: 0, count: trace.spans.count)
    for index in order {
      let kind = trace.spans[index].kind
      counts[kind, default: 0] += 1
      result[index] = counts[kind] ?? 0
    }
    return result
  }
}

extension SpanKind {
  /// What people call it.
  package var label: String {
    switch self {
    case .toolCall: "tool"
    case .load, .session, .request, .inference, .generation, .queue, .prefill, .decode, .prewarm,
      .interval:
      rawValue
    }
  }
}

extension TraceSpan {
  /// What the span is called: its tool's or interval's name, its model, else its kind.
  package var title: String {
    switch kind {
    case .toolCall: name("tool") ?? kind.label
    case .interval: name("name") ?? kind.label
    case .inference, .load, .session: name("model").map { "\(kind.label) \($0)" } ?? kind.label
    case .request, .generation, .queue, .prefill, .decode, .prewarm: kind.label
    }
  }
}
