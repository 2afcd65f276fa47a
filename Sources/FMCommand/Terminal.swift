import Glibc
import Synchronization

/// Standard output and standard error, and what is known about them.
package enum Terminal {
  /// Whether standard input comes from a terminal.
  package static var inputIsTerminal: Bool { isatty(STDIN_FILENO) == 1 }

  /// Whether standard output goes to a terminal.
  package static var outputIsTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

  /// Whether standard error goes to a terminal.
  package static var errorIsTerminal: Bool { isatty(STDERR_FILENO) == 1 }

  /// Whether standard error may be coloured: a terminal, no `NO_COLOR`, and not a dumb one.
  package static var errorHasColor: Bool {
    errorIsTerminal && variable("NO_COLOR") == nil && variable("TERM") != "dumb"
  }

  /// Columns of the terminal on standard error; 80 where there is none or it does not say.
  package static var width: Int {
    var size = winsize()
    guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  /// The error number of the first failed write to standard output; 0 when there was none.
  private static let outputFailure = Atomic<Int32>(0)

  /// Why not all of the results could be written, a full disk for one; nil when all were.
  ///
  /// A reader that went away is no failure: it has what it wanted.
  package static var outputError: OutputError? {
    let code = outputFailure.load(ordering: .relaxed)
    return code == 0 ? nil : OutputError(code: code)
  }

  /// Gives standard descriptors that were closed a place of their own.
  ///
  /// Otherwise the next file opened would become standard output, and results would be written into it.
  /// They are opened the wrong way round, so that using them still fails as it would have.
  package static func occupyStandardDescriptors() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
      _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }

  /// Makes what is printed from now on go to a file, which is emptied or made.
  package static func redirectOutput(to path: String) throws(OutputError) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw OutputError(code: errno, path: path) }
    defer { close(descriptor) }
    guard dup2(descriptor, STDOUT_FILENO) >= 0 else { throw OutputError(code: errno, path: path) }
  }

  /// Writes `text`, as it is, to standard output.
  package static func print(_ text: String) { write(text, to: STDOUT_FILENO) }

  /// Writes `bytes` to standard output.
  package static func print(bytes: some Sequence<UInt8>) {
    write(Array(bytes), to: STDOUT_FILENO)
  }

  /// Writes a line to standard error.
  package static func note(_ text: String) {
    write(text.hasSuffix("\n") ? text : text + "\n", to: STDERR_FILENO)
  }

  /// Writes `text`, as it is, to standard error.
  package static func printToError(_ text: String) { write(text, to: STDERR_FILENO) }

  /// Writes `error: …` to standard error, and the error's own second line `hint: …` where it has one.
  package static func printError(_ error: any Error) {
    note(errorText(error, color: errorHasColor))
  }

  /// Writes `warning: …` to standard error.
  package static func warn(_ text: String) {
    note((errorHasColor ? "\u{1B}[33mwarning:\u{1B}[0m " : "warning: ") + Printable.message(text))
  }

  /// The lines that ``printError(_:)`` writes; what the message quotes cannot steer a terminal.
  package static func errorText(_ error: any Error, color: Bool) -> String {
    (color ? "\u{1B}[31merror:\u{1B}[0m " : "error: ")
      + Printable.message(String(describing: error))
  }

  private static func variable(_ name: String) -> String? {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return String(cString: value)
  }

  private static func write(_ text: String, to descriptor: Int32) {
    write(Array(text.utf8), to: descriptor)
  }

  /// Writes everything, or as much as can be written.
  private static func write(_ bytes: [UInt8], to descriptor: Int32) {
    var done = 0
    while done < bytes.count {
      let written = bytes.withUnsafeBytes {
        Glibc.write(descriptor, $0.baseAddress?.advanced(by: done), $0.count - done)
      }
      if written < 0, errno == EINTR { continue }
      guard written > 0 else {
        if descriptor == STDOUT_FILENO, errno != EPIPE {
          outputFailure.store(errno, ordering: .relaxed)
        }
        return
      }
      done += written
    }
  }
}

/// Results could not be written to standard output, or a file could not be opened for them.
package struct OutputError: Error, Equatable, CustomStringConvertible {
  /// The system's error number.
  package var code: Int32
  /// The file; nil for standard output.
  package var path: String?

  package var description: String {
    "cannot write \(path ?? "the output"): \(String(cString: strerror(code)))"
  }
}
