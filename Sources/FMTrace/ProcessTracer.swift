package import FMCore
import Glibc
import Synchronization

/// The tracer of this process, as its environment asks for one.
///
/// `FM_TRACE=PATH` records; the path's ending chooses the form (``TraceFormat/init(path:)``), and `%p` in it
/// becomes the process id. `FM_TRACE_CONTENT=1` keeps texts too, redacted by the built-in rules and by the
/// regular expressions of `FM_TRACE_REDACT`, one a line. Forms other than `.jsonl` are made when the program
/// ends; until then, and if it is killed, the record is at `PATH.part.jsonl`.
package enum ProcessTracer {
  /// Takes the place of ``shared`` where it is set; for tests, and for programs that record a part of a run.
  @TaskLocal package static var override: (any Tracer)?

  /// The tracer that the environment asks for, made at first use; nil when it asks for none.
  package static let shared: (any Tracer)? = output?.writer

  /// The tracer in force here: ask once and keep it.
  package static var current: (any Tracer)? { override ?? shared }

  private static let output: TraceOutput? = {
    guard let path = variable("FM_TRACE") else { return nil }
    let patterns = (variable("FM_TRACE_REDACT") ?? "").split(separator: "\n").map(String.init)
    do throws(TraceError) {
      let output = try TraceOutput(
        path: path, recordsContent: variable("FM_TRACE_CONTENT") == "1", patterns: patterns)
      atexit { ProcessTracer.finish() }
      return output
    } catch {
      note("FM_TRACE: \(error)")
      return nil
    }
  }()

  /// Ends the record and writes it in its final form; called when the program exits.
  private static func finish() {
    do throws(TraceError) {
      try output?.finish()
    } catch {
      note("FM_TRACE: \(error)")
    }
  }

  private static func variable(_ name: String) -> String? {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return String(cString: value)
  }

  static func note(_ text: String) {
    let line = Array("warning: \(text)\n".utf8)
    _ = line.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }
}

/// A record under way, and the form it gets in the end.
package final class TraceOutput: Sendable {
  package let writer: TraceFileWriter
  private let path: String
  private let format: TraceFormat

  /// Begins a record at `path`, or beside it where its form can only be made at the end.
  ///
  /// Warns on standard error when content is kept, and when the path's ending is not known.
  /// - Throws: ``TraceError``.
  package init(
    path given: String, recordsContent: Bool, patterns: [String] = []
  ) throws(TraceError) {
    path = Self.expanded(given)
    if let known = TraceFormat(path: path) {
      format = known
    } else {
      format = .jsonl
      ProcessTracer.note("FM_TRACE: '\(path)' has no known ending; writing lines of JSON")
    }
    writer = try TraceFileWriter(
      path: format == .jsonl ? path : path + ".part.jsonl", recordsContent: recordsContent,
      redactor: TraceRedactor(patterns: patterns))
    if recordsContent {
      ProcessTracer.note(
        "recording prompts and answers to \(path); redaction finds forms, not meanings: keep it private"
      )
    }
  }

  /// Ends the record and puts it into its final form.
  ///
  /// - Throws: ``TraceError``; what was recorded stays then, as lines of JSON.
  package func finish() throws(TraceError) {
    let code = writer.finish()
    guard code == 0 else { throw .inaccessible(path: writer.path, code: code) }
    guard format != .jsonl else { return }
    let bytes = format.bytes(of: try TraceReader.read(writer.path))
    try Self.write(bytes, to: path)
    unlink(writer.path)
  }

  /// Writes a file that only its owner can read; the old one stays until the new one is whole.
  ///
  /// - Throws: ``TraceError/inaccessible(path:code:)``.
  package static func write(_ bytes: [UInt8], to path: String) throws(TraceError) {
    var status = stat()
    // Devices and pipes are written to, not replaced.
    let isReplaced = stat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFREG
    let temporary = isReplaced ? "\(path).\(getpid()).tmp" : path
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .inaccessible(path: path, code: errno) }
    var done = 0
    var code: Int32 = 0
    while done < bytes.count, code == 0 {
      let written = bytes.withUnsafeBytes {
        Glibc.write(descriptor, $0.baseAddress?.advanced(by: done), $0.count - done)
      }
      if written > 0 { done += written } else if errno != EINTR { code = errno }
    }
    close(descriptor)
    if code == 0, isReplaced, rename(temporary, path) != 0 { code = errno }
    guard code == 0 else {
      if isReplaced { unlink(temporary) }
      throw .inaccessible(path: path, code: code)
    }
  }

  private static func expanded(_ path: String) -> String {
    var result = ""
    var rest = path[...]
    while let place = rest.firstIndex(of: "%") {
      result += rest[..<place]
      rest = rest[place...]
      if rest.hasPrefix("%p") {
        result += "\(getpid())"
        rest = rest.dropFirst(2)
      } else {
        result += "%"
        rest = rest.dropFirst()
      }
    }
    return result + rest
  }
}
