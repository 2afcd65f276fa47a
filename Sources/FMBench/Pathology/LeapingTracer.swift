import FMCore
import FMTrace
import Synchronization

/// Records with a clock that leaps where a script says that time passes, so that nobody has to wait.
///
/// With a real model it is the system's clock, put off by the leaps. Else it is one of its own, on which a
/// record takes a tick between leaps, so that a trace is the same on every machine; what the session measured
/// itself, the time to the first token, is left out then: it is of another clock.
final class LeapingTracer: Tracer {
  private static let tick: UInt64 = 10_000

  private let recorder: TraceRecorder
  private let isReal: Bool
  /// The time of its own clock, or how far the system's is put off.
  private let nanoseconds: Atomic<UInt64>

  init(recordsContent: Bool, isReal: Bool) {
    recorder = TraceRecorder(recordsContent: recordsContent)
    self.isReal = isReal
    nanoseconds = Atomic(isReal ? 0 : MonotonicInstant.now.nanoseconds)
  }

  var recordsContent: Bool { recorder.recordsContent }

  var trace: Trace { recorder.trace }

  /// Lets time pass.
  func leap(milliseconds: Double) {
    nanoseconds.wrappingAdd(UInt64((milliseconds * 1e6).rounded()), ordering: .relaxed)
  }

  private func time(_ instant: MonotonicInstant) -> MonotonicInstant {
    MonotonicInstant(
      nanoseconds: isReal
        ? instant.nanoseconds &+ nanoseconds.load(ordering: .relaxed)
        : nanoseconds.wrappingAdd(Self.tick, ordering: .relaxed).newValue)
  }

  func begin(
    _ span: SpanID, kind: SpanKind, parent: SpanID?, at instant: MonotonicInstant,
    attributes: [TraceAttribute]
  ) {
    recorder.begin(span, kind: kind, parent: parent, at: time(instant), attributes: attributes)
  }

  func end(_ span: SpanID, at instant: MonotonicInstant, attributes: [TraceAttribute]) {
    let kept = attributes.filter { isReal || $0.key != "time_to_first_token" }
    recorder.end(span, at: time(instant), attributes: kept)
  }

  func event(
    _ name: String, in span: SpanID?, at instant: MonotonicInstant, attributes: [TraceAttribute]
  ) {
    recorder.event(name, in: span, at: time(instant), attributes: attributes)
  }

  func content(_ key: String, _ text: String, in span: SpanID) {
    recorder.content(key, text, in: span)
  }
}
