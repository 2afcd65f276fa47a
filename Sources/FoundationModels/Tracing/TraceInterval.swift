// Extension: marks of the application in the timeline of a trace; Apple's frameworks use signposts.

import FMCore
import FMTrace
import Synchronization

/// A stretch of time that an application marks in the trace of its process: a user's action, for one.
///
/// Where nobody records a trace (`FM_TRACE` is not set), nothing is made and nothing kept. Names are literals
/// and counts are numbers, so that no text of a user can get into a trace this way.
///
/// ```swift
/// let interval = TraceInterval.begin("import notes", counts: ["notes": notes.count])
/// defer { interval.end() }
/// ```
public final class TraceInterval: Sendable {
  private let tracer: (any Tracer)?
  let span: SpanID?
  private let hasEnded = Atomic(false)
  /// What everyone gets where nobody records.
  private static let off = TraceInterval(tracer: nil, span: nil)

  private init(tracer: (any Tracer)?, span: SpanID?) {
    self.tracer = tracer
    self.span = span
  }

  deinit { end() }

  /// Begins an interval, which ends with ``end(counts:)``, or when nobody holds it any more.
  public static func begin(
    _ name: StaticString, counts: KeyValuePairs<StaticString, Int> = [:]
  ) -> TraceInterval {
    guard let tracer = ProcessTracer.current else { return off }
    let span = SpanID.next()
    tracer.begin(
      span, kind: .interval, parent: SpanContext.interval, at: .now,
      attributes: [TraceAttribute("name", .name("\(name)"))] + Self.attributes(counts))
    return TraceInterval(tracer: tracer, span: span)
  }

  /// Ends the interval, with counts that are only known now; later calls do nothing.
  public func end(counts: KeyValuePairs<StaticString, Int> = [:]) {
    guard let tracer, let span,
      hasEnded.compareExchange(expected: false, desired: true, ordering: .relaxed).exchanged
    else { return }
    tracer.end(span, at: .now, attributes: Self.attributes(counts))
  }

  private static func attributes(
    _ counts: KeyValuePairs<StaticString, Int>
  ) -> [TraceAttribute] {
    counts.map { TraceAttribute("\($0.key)", .count($0.value)) }
  }
}

/// Marks the time that `body` takes in the trace of this process.
///
/// Requests that `body` makes, and intervals inside it, are recorded as belonging to it, so that a review
/// knows them for one action of the user. See ``TraceInterval`` for what it costs and what it may say.
public func withTraceInterval<Value, Failure: Error>(
  _ name: StaticString, counts: KeyValuePairs<StaticString, Int> = [:],
  isolation: isolated (any Actor)? = #isolation,
  _ body: () async throws(Failure) -> Value
) async throws(Failure) -> Value {
  let interval = TraceInterval.begin(name, counts: counts)
  defer { interval.end() }
  guard let span = interval.span else { return try await body() }
  // The task-local's own function would forget which errors there can be.
  let result: Result<Value, Failure> = await SpanContext.$interval.withValue(span) {
    do throws(Failure) {
      return .success(try await body())
    } catch {
      return .failure(error)
    }
  }
  return try result.get()
}
