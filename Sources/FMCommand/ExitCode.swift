/// How a command ended, as the shell sees it.
package struct ExitCode: Sendable, Hashable {
  package let status: Int32

  /// Any status from 0 to 255.
  package init(_ status: Int32) { self.status = status }

  /// The command did what was asked.
  package static let success = ExitCode(0)
  /// The command was understood and could not be carried out, or a check failed.
  package static let failure = ExitCode(1)
  /// The command line was not understood (`EX_USAGE` of sysexits.h).
  package static let usage = ExitCode(64)
  /// The user interrupted it (128 + SIGINT).
  package static let interrupted = ExitCode(130)
}
