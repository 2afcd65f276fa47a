/// What a program's manual page says beside its commands.
package struct Manual: Sendable {
  /// A name or a number, and what it is: one row of a list.
  package struct Entry: Sendable, Hashable {
    package let term: String
    package let text: String

    /// Describes `term` in a sentence or two.
    package init(_ term: String, _ text: String) {
      self.term = term
      self.text = text
    }
  }

  /// Exit codes of every command; a command's own are in its discussion.
  package let exitCodes: [Entry]
  /// Variables of the environment that it reads.
  package let variables: [Entry]
  /// Files and folders that it reads or writes.
  package let files: [Entry]
  /// Pages and files to read next.
  package let seeAlso: [String]

  /// Lists of a page, in the order they are printed.
  package init(
    exitCodes: [Entry] = Self.commonExitCodes, variables: [Entry], files: [Entry],
    seeAlso: [String] = []
  ) {
    self.exitCodes = exitCodes
    self.variables = variables
    self.files = files
    self.seeAlso = seeAlso
  }

  /// The codes that ``ExitCode`` has names for.
  package static let commonExitCodes = [
    Entry("\(ExitCode.success.status)", "The command did what was asked."),
    Entry("\(ExitCode.failure.status)", "It could not be carried out, or a check failed."),
    Entry("\(ExitCode.usage.status)", "The command line was not understood."),
    Entry("\(ExitCode.interrupted.status)", "It was interrupted."),
  ]

  /// Variables that both programs read.
  package static let commonVariables = [
    Entry("FM_MODELS", "The folder of the models."),
    Entry(
      "XDG_DATA_HOME",
      "Where FM_MODELS is not set: models are in foundation-models/models below it."),
    Entry(
      "FM_TRACE",
      "A file for a trace of what the program does; its ending chooses the form: .jsonl, .json "
        + "(Chrome, Perfetto), .otlp.json (OpenTelemetry), .html or .txt."),
    Entry("FM_TRACE_CONTENT", "1 puts prompts and answers into the trace, redacted."),
    Entry(
      "FM_TRACE_REDACT", "Regular expressions, one a line; what they find there is replaced, too."),
    Entry(
      "FM_CACHE",
      "A folder for what drivers compiled and self-tests found; else foundation-models below "
        + "$XDG_CACHE_HOME or ~/.cache."),
    Entry("FM_SELF_TEST", "0 leaves out the test of a GPU before its first use."),
    Entry("NO_COLOR", "Errors and warnings have no colour."),
  ]

  /// Files that both programs use.
  package static let commonFiles = [
    Entry(
      "~/.local/share/foundation-models/models",
      "The models, where neither FM_MODELS nor XDG_DATA_HOME is set."),
    Entry("~/.cache/foundation-models", "What FM_CACHE would move."),
  ]
}
