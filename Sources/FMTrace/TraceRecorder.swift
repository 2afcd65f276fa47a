package import FMCore
import Synchronization

/// Collects what a ``Tracer`` is told, in order, up to a limit.
///
/// For tests and for exporters that write a run when it is over. A record costs a lock and an array
/// entry, so it is safe from any thread and never waits for input or output.
package final class TraceRecorder: Tracer {
  package typealias Span = TraceSpan
  package typealias Event = TraceEvent

  private struct State {
    var spans: [Span] = []
    var indices: [SpanID: Int] = [:]
    var events: [Event] = []
    var dropped = 0
  }

  private let state = Mutex(State())
  private let header: TraceHeader
  /// The most spans, and the most events, that are kept; later ones are counted and dropped.
  package let limit: Int
  /// Whether texts are kept.
  package let recordsContent: Bool

  /// A recorder without anything in it.
  package init(limit: Int = 100_000, recordsContent: Bool = false) {
    self.limit = limit
    self.recordsContent = recordsContent
    header = .ofThisProcess(hasContent: recordsContent)
  }

  /// The spans in the order they began.
  package var spans: [Span] { state.withLock { $0.spans } }

  /// The events in the order they came.
  package var events: [Event] { state.withLock { $0.events } }

  /// Spans and events that came after the limit.
  package var droppedCount: Int { state.withLock { $0.dropped } }

  /// Everything so far.
  package var trace: Trace {
    state.withLock {
      Trace(header: header, spans: $0.spans, events: $0.events, droppedCount: $0.dropped)
    }
  }

  /// Forgets everything so far; spans that still run are forgotten too.
  package func removeAll() { state.withLock { $0 = State() } }

  /// Adds a span, or counts it as dropped.
  package func begin(
    _ span: SpanID, kind: SpanKind, parent: SpanID?, at instant: MonotonicInstant,
    attributes: [TraceAttribute]
  ) {
    state.withLock { state in
      guard state.spans.count < limit else {
        state.dropped += 1
        return
      }
      state.indices[span] = state.spans.count
      state.spans.append(
        Span(
          id: span, kind: kind, parent: parent, begin: instant, end: nil, attributes: attributes))
    }
  }

  /// Completes a span that is kept.
  package func end(_ span: SpanID, at instant: MonotonicInstant, attributes: [TraceAttribute]) {
    state.withLock { state in
      guard let index = state.indices.removeValue(forKey: span) else { return }
      state.spans[index].end = instant
      state.spans[index].attributes += attributes
    }
  }

  /// Adds an event, or counts it as dropped.
  package func event(
    _ name: String, in span: SpanID?, at instant: MonotonicInstant, attributes: [TraceAttribute]
  ) {
    state.withLock { state in
      guard state.events.count < limit else {
        state.dropped += 1
        return
      }
      state.events.append(
        Event(name: name, span: span, instant: instant, attributes: attributes))
    }
  }

  /// Adds a text to a span that runs, where texts are kept.
  package func content(_ key: String, _ text: String, in span: SpanID) {
    guard recordsContent else { return }
    state.withLock { state in
      guard let index = state.indices[span] else { return }
      state.spans[index].content.append(TraceContent(key: key, text: text))
    }
  }
}
