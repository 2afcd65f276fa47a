// Extension: marks of the application in the timeline of a trace; Apple's frameworks use signposts.

import FMCore
import FMTrace
import Synchronization

/// What calls of one tool an action of the user's is to make, so that a review finds others.
///
/// ```swift
/// try await withTraceInterval(
///   "plan trip", expecting: [ExpectedToolCall("searchNotes", times: 1...2, mostWords: 4)]
/// ) { … }
/// ```
public struct ExpectedToolCall: Sendable {
  let call: ExpectedCall

  /// Calls of a tool: how often it is called, what its arguments are about, and the most words one of them has.
  ///
  /// Names and topics are literals; a topic is compared with arguments by fingerprint and kept nowhere.
  public init(
    _ tool: StaticString, times: ClosedRange<Int> = 1...Int.max, about: StaticString? = nil,
    mostWords: Int? = nil
  ) {
    call = ExpectedCall(
      tool: "\(tool)", calls: times, about: about.map { "\($0)" }, mostWords: mostWords)
  }
}

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
  ///
  /// `expected` are all calls of tools that requests inside ``withTraceInterval(_:counts:expecting:isolation:_:)``
  /// are to make; an empty list stands for none, nil for whatever comes.
  public static func begin(
    _ name: StaticString, counts: KeyValuePairs<StaticString, Int> = [:],
    expecting expected: [ExpectedToolCall]? = nil
  ) -> TraceInterval {
    guard let tracer = ProcessTracer.current else { return off }
    let span = SpanID.next()
    var attributes = [TraceAttribute("name", .name("\(name)"))] + Self.attributes(counts)
    if let expected {
      attributes.append(TraceAttribute(ExpectedCall.countKey, .count(expected.count)))
    }
    tracer.begin(
      span, kind: .interval, parent: SpanContext.interval, at: .now, attributes: attributes)
    for expected in expected ?? [] { expected.call.record(in: span, by: tracer) }
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
/// knows them for one action of the user; `expected` are the calls of tools that the action is to make, an
/// empty list none, nil whatever comes. See ``TraceInterval`` for what it costs and what it may say.
public func withTraceInterval<Value, Failure: Error>(
  _ name: StaticString, counts: KeyValuePairs<StaticString, Int> = [:],
  expecting expected: [ExpectedToolCall]? = nil, isolation: isolated (any Actor)? = #isolation,
  _ body: () async throws(Failure) -> Value
) async throws(Failure) -> Value {
  let interval = TraceInterval.begin(name, counts: counts, expecting: expected)
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
