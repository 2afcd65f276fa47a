import FMCore
import FMTrace
import Synchronization

/// Records with a clock of its own, which leaps where a script says that time passes.
///
/// Between leaps a record takes a tick, so a trace is the same on every machine and nobody has to wait. What
/// the session measured itself, the time to the first token, is left out: it is of another clock.
final class LeapingTracer: Tracer {
  private static let tick: UInt64 = 10_000

  private let recorder: TraceRecorder
  private let nanoseconds = Atomic<UInt64>(MonotonicInstant.now.nanoseconds)

  init(recordsContent: Bool) { recorder = TraceRecorder(recordsContent: recordsContent) }

  var recordsContent: Bool { recorder.recordsContent }

  var trace: Trace { recorder.trace }

  /// Lets time pass.
  func leap(milliseconds: Double) {
    nanoseconds.wrappingAdd(UInt64((milliseconds * 1e6).rounded()), ordering: .relaxed)
  }

  private var now: MonotonicInstant {
    MonotonicInstant(
      nanoseconds: nanoseconds.wrappingAdd(Self.tick, ordering: .relaxed).newValue)
  }

  func begin(
    _ span: SpanID, kind: SpanKind, parent: SpanID?, at instant: MonotonicInstant,
    attributes: [TraceAttribute]
  ) {
    recorder.begin(span, kind: kind, parent: parent, at: now, attributes: attributes)
  }

  func end(_ span: SpanID, at instant: MonotonicInstant, attributes: [TraceAttribute]) {
    recorder.end(
      span, at: now, attributes: attributes.filter { $0.key != "time_to_first_token" })
  }

  func event(
    _ name: String, in span: SpanID?, at instant: MonotonicInstant, attributes: [TraceAttribute]
  ) {
    recorder.event(name, in: span, at: now, attributes: attributes)
  }

  func content(_ key: String, _ text: String, in span: SpanID) {
    recorder.content(key, text, in: span)
  }
}
