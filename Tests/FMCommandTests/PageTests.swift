import FMCommand
import Foundation
import Testing

/// Completion scripts and manual pages of a program made up for them, read by the programs they are for.
@Suite struct PageTests {
  /// What a shell, troff or a terminal could take for a command.
  private static let hostile = [
    "$(touch /nowhere/x)", "`id`", "it's \"quoted\"", "a:b[c]d(e)", "back\\slash", ".SH X", "'ft",
    "\u{1B}[31m", "a;b|c&d>e", "*?{a,b}", "ends\nhere", "%s", "~root", "#x", "…",
  ]

  private static func command(_ name: String, _ words: [String]) -> Command {
    Command(
      name: name, summary: words.joined(separator: " "),
      discussion: words.joined(separator: "\n") + "\n\n  laid  out\n"
        + words.joined(separator: "\n"),
      positionals: [
        Positional("WHAT", .optional, completion: Completion(words), help: words.joined())
      ],
      options: [
        .value(
          "kind", "KIND", letter: "k", completion: Completion(words), help: words.joined()),
        .value(
          "states", "A,B", repeats: true, completion: Completion(["cold", "warm"]),
          help: words.joined()),
        .value("file", "FILE", letter: "f", help: words.joined()),
        .value("folder", "DIR", help: "A folder."),
        .flag("json", letter: "j", help: words.joined()),
      ],
      examples: words
    ) { _ in .success }
  }

  private static func program(_ words: [String]) -> Program {
    Program(
      name: "demo", summary: words.joined(separator: " "),
      commands: [command("run", words), command("rest", ["plain"])],
      manual: Manual(
        variables: words.map { Manual.Entry($0, $0) }, files: [Manual.Entry("~/.demo", "A file.")],
        seeAlso: ["other(1)"]))
  }

  /// The path of a program; nil where it is not installed.
  private static func tool(_ name: String) -> String? {
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
      .map { "\($0)/\(name)" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  /// What a program prints, both streams, and its exit code.
  private func run(
    _ tool: String, _ arguments: [String], input: String = ""
  ) throws -> (output: String, status: Int32) {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let files = ["in", "out"].map { folder.appending(path: $0) }
    try Data(input.utf8).write(to: files[0])
    try Data().write(to: files[1])
    let process = Process()
    process.executableURL = URL(filePath: tool)
    process.arguments = arguments
    process.currentDirectoryURL = folder
    process.standardInput = try FileHandle(forReadingFrom: files[0])
    let output = try FileHandle(forWritingTo: files[1])
    process.standardOutput = output
    process.standardError = output
    try process.run()
    process.waitUntilExit()
    return (
      String(decoding: try Data(contentsOf: files[1]), as: UTF8.self), process.terminationStatus
    )
  }

  /// What bash offers for a command line whose last word is being typed, a candidate a line.
  private func offered(
    _ words: [String], by program: Program, in bash: String
  ) throws -> [String] {
    let script =
      program.completions(for: .bash) + """
        COMP_WORDS=("${@}")
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        touch notes.txt; mkdir folder
        _demo
        printf '%s\\n' "${COMPREPLY[@]}"
        """
    let result = try run(bash, ["--norc", "-c", script, "bash"] + words)
    #expect(result.status == 0)
    return result.output.split(separator: "\n").map(String.init)
  }

  @Test func `a program with a manual has pages, and one without has none`() {
    #expect(Self.program([]).commands.map(\.name) == ["run", "rest", "completions", "man"])
    #expect(Program(name: "a", summary: "b", commands: []).commands.isEmpty)
  }

  @Test func `prints pages, and refuses shells it does not know`() async {
    let program = Self.program(["plain"])
    #expect(await program.run(["completions", "powershell"]) == .usage)
    #expect(await program.run(["completions"]) == .usage)
    #expect(await program.run(["man", "more"]) == .usage)
  }

  @Test(.enabled(if: tool("bash") != nil, "needs bash"))
  func `bash completes commands, options and values`() throws {
    let bash = try #require(Self.tool("bash"))
    let program = Self.program(["f16", "q8_0"])
    func offer(_ words: String...) throws -> [String] {
      try offered(words, by: program, in: bash)
    }
    #expect(try offer("demo", "r") == ["run", "rest"])
    #expect(
      try offer("demo", "")
        == ["run", "rest", "completions", "man", "help", "--help", "--version"])
    #expect(try offer("demo", "help", "ru") == ["run"])
    #expect(try offer("demo", "run", "--k") == ["--kind"])
    #expect(
      try offer("demo", "run", "-")
        == ["-k", "--kind", "--states", "-f", "--file", "--folder", "-j", "--json", "-h", "--help"])
    #expect(try offer("demo", "run", "--kind", "") == ["f16", "q8_0"])
    #expect(try offer("demo", "run", "-k", "q") == ["q8_0"])
    #expect(try offer("demo", "run", "--kind", "=") == ["f16", "q8_0"])
    #expect(try offer("demo", "run", "--kind", "=", "f") == ["f16"])
    #expect(try offer("demo", "run", "--states", "c") == ["cold"])
    #expect(try offer("demo", "run", "--states", "cold,w") == ["cold,warm"])
    #expect(try offer("demo", "run", "--file", "n") == ["notes.txt"])
    #expect(try offer("demo", "run", "--folder", "") == ["folder"])
    #expect(try offer("demo", "run", "q") == ["q8_0"])
    #expect(try offer("demo", "rest", "") == ["plain"])
    #expect(try offer("demo", "completions", "") == ["bash", "zsh", "fish"])
    #expect(try offer("demo", "unknown", "--").isEmpty)
  }

  @Test(.enabled(if: tool("bash") != nil, "needs bash"))
  func `hostile words are offered as they are and never run`() throws {
    let bash = try #require(Self.tool("bash"))
    let program = Self.program(Self.hostile)
    let script = program.completions(for: .bash)
    #expect(try run(bash, ["-n"], input: script).output == "")
    let offers = try offered(["demo", "run", "--kind", ""], by: program, in: bash)
    #expect(offers.count == Self.hostile.count)
    // What is put on the command line gives the word again when the line is run.
    let words = try run(
      bash, ["--norc", "-c", "printf '%s\\n' " + offers.joined(separator: " ")])
    #expect(
      words.output.split(separator: "\n").map(String.init)
        == Self.hostile.map { Printable.text($0) })
  }

  @Test(
    .enabled(if: tool("zsh") != nil, "needs zsh"), arguments: [["f16", "q8_0"], hostile])
  func `zsh reads its script`(words: [String]) throws {
    let zsh = try #require(Self.tool("zsh"))
    let script = Self.program(words).completions(for: .zsh)
    #expect(try run(zsh, ["-n"], input: script).output == "")
    let load = "autoload -Uz compinit; compinit -u -D; source /dev/stdin; print ${_comps[demo]}"
    let result = try run(zsh, ["-f", "-c", load], input: script)
    #expect(result.output == "_demo\n")
  }

  @Test(
    .enabled(if: tool("fish") != nil, "needs fish"), arguments: [["f16", "q8_0"], hostile])
  func `fish completes commands, options and values`(words: [String]) throws {
    let fish = try #require(Self.tool("fish"))
    let script = Self.program(words).completions(for: .fish)
    #expect(try run(fish, ["--no-execute"], input: script).output == "")
    func offer(_ line: String) throws -> [String] {
      let ask = script + "\ncomplete -C " + "'\(line)'\n"
      return try run(fish, ["--no-config"], input: ask).output.split(separator: "\n")
        .map { String($0.prefix { $0 != "\t" }) }
    }
    #expect(try offer("demo r") == ["rest", "run"])
    #expect(try offer("demo run --js") == ["--json"])
    let kinds = try offer("demo run --kind ")
    // Words that begin with a dot are offered when a dot is typed.
    #expect(kinds.count == words.count { !$0.hasPrefix(".") })
    if words.count == 2 { #expect(kinds == words) }
  }

  @Test func `every shell's script and the manual name every command and option`() {
    let program = Self.program(["plain"])
    for text in Shell.allCases.map(program.completions) + [program.manualPage] {
      for command in program.commands {
        #expect(text.contains(command.name))
        for option in command.options {
          let name = option.name.replacing("-", with: "\\-")
          #expect(text.contains(option.name) || text.contains(name), "\(option.name)")
        }
      }
    }
  }

  @Test(.enabled(if: tool("groff") != nil, "needs groff"), arguments: [["plain"], hostile])
  func `troff reads the manual without a warning, and shows each word`(words: [String]) throws {
    let groff = try #require(Self.tool("groff"))
    let page = Self.program(words).manualPage
    #expect(page.utf8.allSatisfy { $0 < 0x80 })
    let options = ["-man", "-Tutf8", "-ww", "-rLL=2000n", "-P-cbou"]
    #expect(try run(groff, ["-z"] + options, input: page).output == "")
    let shown = try run(groff, options, input: page).output
    for word in words { #expect(shown.contains(Printable.text(word)), "\(word)") }
    for part in [
      "--kind", "-k", "EXIT STATUS", "ENVIRONMENT", "FILES", "SEE ALSO", "completions", "130",
    ] { #expect(shown.contains(part), "\(part)") }
  }
}
