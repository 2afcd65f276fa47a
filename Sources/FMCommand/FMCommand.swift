/// What `fm` and `fmbench` share: argument parsing, help, terminals, tables, progress and JSON.
///
/// Results go to standard output and everything else to standard error. Errors are printed as
/// `error: …`, with `hint: …` on the next line where there is something to do about it: the text of an
/// error is its `description`, whose second line may start with `hint: `. Exit codes: 0 success,
/// 1 failure, 64 a command line that was not understood, 130 interrupted.
///
/// A program is a table of ``Command`` values handed to ``Program/run(_:)``; a command declares its
/// options and positional arguments, and gets them parsed as ``Arguments``.
package enum FMCommand {
  /// The version that `--version` prints.
  package static let version = "0.1.0"
}
