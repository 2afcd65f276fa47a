/// A manual page in the man macros of troff: one page a program, a section a command.
///
/// What declarations say is escaped, so that no line of it becomes a request.
struct ManualPage {
  let program: Program

  var text: String {
    var page = TroffWriter()
    let name = program.name
    page.request("TH", [name.uppercased(), "1", "", "\(name) \(FMCommand.version)", ""])
    page.request("SH", ["NAME"])
    // The form that `apropos` reads.
    page.line(page.escaped(name) + " \\- " + page.escaped(program.summary))
    page.request("SH", ["SYNOPSIS"])
    for line in ["\(name) COMMAND …", "\(name) help COMMAND", "\(name) --version"] {
      page.text(line)
      page.request("br")
    }
    page.request("SH", ["COMMANDS"])
    for command in program.commands { write(command, to: &page) }
    let manual = program.manual
    section("EXIT STATUS", manual?.exitCodes ?? [], to: &page)
    section("ENVIRONMENT", manual?.variables ?? [], to: &page)
    section("FILES", manual?.files ?? [], to: &page)
    examples(to: &page)
    if let seeAlso = manual?.seeAlso, !seeAlso.isEmpty {
      page.request("SH", ["SEE ALSO"])
      page.text(seeAlso.joined(separator: ", "))
    }
    return page.output
  }

  private func write(_ command: Command, to page: inout TroffWriter) {
    page.request("SS", [Help.usage(of: command, program)])
    page.text(command.summary)
    for paragraph in Self.paragraphs(command.discussion) {
      page.request("PP")
      if Self.isLaidOut(paragraph) {
        page.verbatim(paragraph)
      } else {
        paragraph.forEach { page.text($0) }
      }
    }
    for positional in command.positionals {
      page.entry("\\fI\(page.escaped(positional.name))\\fR", positional.help)
    }
    for option in command.options {
      let letter = option.letter.map { "\\fB\(page.escaped("-\($0)"))\\fR, " } ?? ""
      let value = option.value.map { " \\fI\(page.escaped($0))\\fR" } ?? ""
      page.entry(letter + "\\fB\(page.escaped("--\(option.name)"))\\fR" + value, option.help)
    }
    page.entry("\\fB\\-h\\fR, \\fB\\-\\-help\\fR", "Print the command's help.")
    guard !command.examples.isEmpty else { return }
    page.request("PP")
    page.text(command.examples.count == 1 ? "Example:" : "Examples:")
    page.request("PP")
    page.verbatim(command.examples.map { "  " + $0 })
  }

  private func section(
    _ title: String, _ entries: [Manual.Entry], to page: inout TroffWriter
  ) {
    guard !entries.isEmpty else { return }
    page.request("SH", [title])
    for entry in entries { page.entry("\\fB\(page.escaped(entry.term))\\fR", entry.text) }
  }

  /// The first example of every command, as an overview.
  private func examples(to page: inout TroffWriter) {
    let lines = program.commands.compactMap(\.examples.first)
    guard !lines.isEmpty else { return }
    page.request("SH", ["EXAMPLES"])
    page.verbatim(lines)
  }

  private static func paragraphs(_ text: String) -> [[String]] {
    var paragraphs: [[String]] = [[]]
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.isEmpty {
        paragraphs.append([])
      } else {
        paragraphs[paragraphs.count - 1].append(String(line))
      }
    }
    return paragraphs.filter { !$0.isEmpty }
  }

  /// Whether columns or indentation would be lost by filling lines.
  private static func isLaidOut(_ paragraph: [String]) -> Bool {
    paragraph.contains { $0.hasPrefix(" ") || $0.contains("  ") }
  }
}

/// Lines of troff.
struct TroffWriter {
  private(set) var output = ""

  /// A macro with its arguments, each in quotes.
  mutating func request(_ name: String, _ arguments: [String] = []) {
    output += ".\(name)" + arguments.map { " \"\(escaped($0))\"" }.joined() + "\n"
  }

  /// Text that is filled.
  mutating func text(_ text: String) { line(escaped(text)) }

  /// Troff as it is, on a line that cannot be a request.
  mutating func line(_ troff: String) { output += "\\&" + troff + "\n" }

  /// Lines that are kept as they are.
  mutating func verbatim(_ lines: [String]) {
    request("nf")
    for line in lines { text(line) }
    request("fi")
  }

  /// A term, given as troff, and its text, indented.
  mutating func entry(_ term: String, _ text: String) {
    request("TP")
    line(term)
    self.text(text)
  }

  /// Every character as itself: ASCII alone comes out.
  func escaped(_ text: String) -> String {
    var result = ""
    for scalar in Printable.text(text, limit: .max).unicodeScalars {
      switch scalar {
      case "\\": result += "\\(rs"
      case "-": result += "\\-"
      case "'": result += "\\(aq"
      case "\"": result += "\\(dq"
      case "`": result += "\\(ga"
      case "^": result += "\\(ha"
      case "~": result += "\\(ti"
      case _ where scalar.isASCII: result.unicodeScalars.append(scalar)
      default:
        let digits = String(scalar.value, radix: 16, uppercase: true)
        result += "\\[u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits + "]"
      }
    }
    return result
  }
}
