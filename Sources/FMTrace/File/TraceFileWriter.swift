package import FMCore
import Glibc
import Synchronization

/// A tracer that appends to a trace file while the program runs.
///
/// A record costs a lock and some text in a buffer of bounded size. The buffer is written when it is
/// full, when something that a user would call whole has ended, and twice a second while there are
/// records; so a killed program leaves all but its last moments. Writing fails silently: a program does
/// not stop because its trace can't be written; ``finish()`` tells.
package final class TraceFileWriter: Tracer {
  /// The most bytes of a file; what comes later is counted.
  package static let byteLimit = TraceReader.byteLimit - (1 << 20)
  /// The most bytes of one text.
  package static let textLimit = 64 << 10
  private static let bufferLimit = 64 << 10
  private static let flushNanoseconds: UInt64 = 500_000_000

  private struct State {
    var descriptor: Int32
    var buffer = JSONText()
    var written = 0
    var dropped = 0
    var flushed = MonotonicInstant.now
    var failure: Int32 = 0
    /// Kinds of the spans that run; the ends of some make the buffer be written.
    var running: [SpanID: SpanKind] = [:]
  }

  private let state: Mutex<State>
  private let redactor: TraceRedactor
  private let byteLimit: Int
  package let path: String
  /// Whether texts are kept.
  package let recordsContent: Bool

  /// Makes the file, or empties it, readable by its owner alone.
  ///
  /// - Throws: ``TraceError/inaccessible(path:code:)``.
  package init(
    path: String, recordsContent: Bool = false, redactor: TraceRedactor = .builtIn,
    byteLimit: Int = TraceFileWriter.byteLimit
  ) throws(TraceError) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .inaccessible(path: path, code: errno) }
    self.path = path
    self.recordsContent = recordsContent
    self.redactor = redactor
    self.byteLimit = byteLimit
    var state = State(descriptor: descriptor)
    state.buffer.bytes = TraceLine.header(.ofThisProcess(hasContent: recordsContent))
    Self.flush(&state)
    self.state = Mutex(state)
  }

  deinit { finish() }

  /// Writes what is left and closes the file; later records are dropped.
  ///
  /// - Returns: the error number of the first write that failed, 0 when none did.
  @discardableResult
  package func finish() -> Int32 {
    state.withLock { state in
      guard state.descriptor >= 0 else { return state.failure }
      if state.dropped > 0 { TraceLine.dropped(&state.buffer, state.dropped) }
      Self.flush(&state)
      if state.descriptor >= 0 { close(state.descriptor) }
      state.descriptor = -1
      return state.failure
    }
  }

  /// Appends the begin of a span.
  package func begin(
    _ span: SpanID, kind: SpanKind, parent: SpanID?, at instant: MonotonicInstant,
    attributes: [TraceAttribute]
  ) {
    append { state in
      state.running[span] = kind
      TraceLine.begin(&state.buffer, span, kind: kind, parent: parent, at: instant, attributes)
      return false
    }
  }

  /// Appends the end of a span.
  package func end(_ span: SpanID, at instant: MonotonicInstant, attributes: [TraceAttribute]) {
    append { state in
      // A span whose begin was dropped has no end either.
      guard let kind = state.running.removeValue(forKey: span) else { return false }
      TraceLine.end(&state.buffer, span, at: instant, attributes)
      switch kind {
      case .request, .toolCall, .interval, .load, .session: return true
      case .inference, .generation, .queue, .prefill, .decode, .prewarm: return false
      }
    }
  }

  /// Appends an event.
  package func event(
    _ name: String, in span: SpanID?, at instant: MonotonicInstant, attributes: [TraceAttribute]
  ) {
    append { state in
      TraceLine.event(&state.buffer, name, in: span, at: instant, attributes)
      return false
    }
  }

  /// Appends a text, redacted and cut to ``textLimit``, where content was asked for.
  package func content(_ key: String, _ text: String, in span: SpanID) {
    guard recordsContent else { return }
    var kept = text
    if kept.utf8.count > Self.textLimit {
      kept = String(decoding: kept.utf8.prefix(Self.textLimit), as: UTF8.self) + "…"
    }
    kept = redactor.redact(kept)
    append { state in
      guard state.running[span] != nil else { return false }
      TraceLine.content(&state.buffer, key, kept, in: span)
      return false
    }
  }

  /// Adds lines; `add` says whether they are worth writing at once.
  private func append(_ add: (inout State) -> Bool) {
    state.withLock { state in
      guard state.descriptor >= 0 else { return }
      guard state.written + state.buffer.bytes.count < byteLimit else {
        state.dropped += 1
        return
      }
      let isWhole = add(&state)
      let now = MonotonicInstant.now
      if isWhole || state.buffer.bytes.count >= Self.bufferLimit
        || now.nanoseconds &- state.flushed.nanoseconds >= Self.flushNanoseconds
      {
        Self.flush(&state)
        state.flushed = now
      }
    }
  }

  private static func flush(_ state: inout State) {
    var done = 0
    let bytes = state.buffer.bytes
    while done < bytes.count {
      let written = bytes.withUnsafeBytes {
        write(state.descriptor, $0.baseAddress?.advanced(by: done), $0.count - done)
      }
      if written < 0, errno == EINTR { continue }
      guard written > 0 else {
        // Half a line may be on disk: nothing may follow it.
        state.failure = errno
        close(state.descriptor)
        state.descriptor = -1
        state.buffer.bytes = []
        return
      }
      done += written
    }
    state.written += bytes.count
    state.buffer.bytes.removeAll(keepingCapacity: true)
  }
}
