import FMCore

/// The spans of one request: queue, prefill and decode inside request, for a tracer or for nobody.
struct RequestTrace {
  private let tracer: (any Tracer)?
  private let request: SpanID

  /// Spans for nobody.
  init() {
    tracer = nil
    request = SpanID(value: 0)
  }

  private var current: SpanID?

  /// Begins the request's span and, inside it, that of its time in the queue.
  init(
    tracer: (any Tracer)?, kind: SpanKind, parent: SpanID?, promptTokens: Int,
    at instant: MonotonicInstant
  ) {
    self.tracer = tracer
    guard let tracer else {
      request = SpanID(value: 0)
      return
    }
    request = SpanID.next()
    tracer.begin(
      request, kind: kind, parent: parent, at: instant,
      attributes: [TraceAttribute("prompt_tokens", .count(promptTokens))])
    enter(.queue, at: instant)
  }

  /// Ends the phase that runs and begins another.
  mutating func enter(
    _ kind: SpanKind, at instant: MonotonicInstant,
    ending attributes: @autoclosure () -> [TraceAttribute] = []
  ) {
    guard let tracer else { return }
    endPhase(at: instant, attributes: attributes())
    let span = SpanID.next()
    current = span
    tracer.begin(span, kind: kind, parent: request, at: instant, attributes: [])
  }

  /// Tells of something inside the request.
  func event(_ name: String, at instant: MonotonicInstant) {
    tracer?.event(name, in: request, at: instant, attributes: [])
  }

  /// Ends the phase that runs and the request.
  mutating func end(at instant: MonotonicInstant, attributes: @autoclosure () -> [TraceAttribute]) {
    guard let tracer else { return }
    endPhase(at: instant, attributes: [])
    tracer.end(request, at: instant, attributes: attributes())
  }

  private mutating func endPhase(at instant: MonotonicInstant, attributes: [TraceAttribute]) {
    guard let span = current else { return }
    tracer?.end(span, at: instant, attributes: attributes)
    current = nil
  }
}
