import FMCore
import Glibc

/// What a span costs: measured, not promised.
package struct TraceOverhead: Sendable {
  /// One way to trace, or not to.
  package struct Row: Sendable {
    /// `off`, `recorder`, `file`.
    package var name: String
    /// Nanoseconds of processor time of one span, its begin and its end, with three attributes.
    package var nanoseconds: Double
    /// Bytes that it leaves in the file; nil where there is none.
    package var bytes: Double?
  }

  package var rows: [Row]
  /// Spans of each round; the best of five rounds counts.
  package var spans: Int

  /// Measures on this machine; a temporary file is written in `folder` and removed.
  ///
  /// - Throws: ``TraceError`` when the file can't be written.
  package static func measure(
    spans: Int = 100_000, folder: String
  ) throws(TraceError) -> TraceOverhead {
    let rounds = 5
    var rows: [Row] = []
    func best(_ make: () throws(TraceError) -> (any Tracer)?) throws(TraceError) -> Double {
      var best = Double.infinity
      for _ in 0..<rounds {
        let tracer = try make()
        let start = processorSeconds()
        emit(spans, to: tracer)
        best = min(best, processorSeconds() - start)
      }
      return best / Double(max(1, spans)) * 1e9
    }
    rows.append(Row(name: "off", nanoseconds: try best { nil }))
    rows.append(
      Row(name: "recorder", nanoseconds: try best { TraceRecorder(limit: max(1, spans)) }))
    let path = "\(folder)/fm-overhead-\(getpid()).jsonl"
    defer { unlink(path) }
    let file = try best { () throws(TraceError) in try TraceFileWriter(path: path) }
    var status = stat()
    let size = stat(path, &status) == 0 ? Double(status.st_size) / Double(max(1, spans)) : nil
    rows.append(Row(name: "file", nanoseconds: file, bytes: size))
    return TraceOverhead(rows: rows, spans: spans)
  }

  /// Processor time of this thread: other programs' work does not count.
  private static func processorSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }

  /// Emits spans as the engine does: nothing but a comparison where there is no tracer.
  @inline(never)
  private static func emit(_ count: Int, to tracer: (any Tracer)?) {
    for number in 0..<count { emitSpan(number, to: tracer) }
  }

  @inline(never)
  private static func emitSpan(_ number: Int, to tracer: (any Tracer)?) {
    guard let tracer else { return }
    let span = SpanID.next()
    tracer.begin(
      span, kind: .prefill, parent: nil, at: .now,
      attributes: [TraceAttribute("prompt_tokens", .count(number))])
    tracer.end(
      span, at: .now,
      attributes: [
        TraceAttribute("cached_tokens", .count(number)),
        TraceAttribute("finish_reason", .name("length")),
      ])
  }
}
