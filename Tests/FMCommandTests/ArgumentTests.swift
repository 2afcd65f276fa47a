import FMCommand
import Testing

@Suite struct ArgumentTests {
  private static let command = Command(
    name: "try", summary: "Tries.",
    positionals: [Positional("FILE", help: "A file."), Positional("MORE", .any, help: "More.")],
    options: [
      .flag("json", help: "JSON."), .flag("verbose", letter: "v", help: "More words."),
      .flag("all", letter: "a", help: "All."),
      .value("context", "N", letter: "c", help: "Length."),
      .value("stop", "TEXT", repeats: true, help: "Stop."),
      .value("temperature", "T", help: "Heat."),
    ],
    examples: ["fm try a.gguf"]
  ) { _ in .success }

  private static func parse(_ words: String...) throws(UsageError) -> Arguments {
    try command.parse(words)
  }

  @Test func `takes options in every spelling`() throws {
    let long = try Self.parse("--context", "12", "--json", "file")
    #expect(long.string("context") == "12")
    #expect(long.flag("json"))
    #expect(!long.flag("verbose"))
    #expect(long.positionals == ["file"])
    #expect(try Self.parse("file", "--context=12").string("context") == "12")
    #expect(try Self.parse("file", "--context=").string("context") == "")
    #expect(try Self.parse("file", "--context=a=b").string("context") == "a=b")
    #expect(try Self.parse("file", "-c", "12").string("context") == "12")
    #expect(try Self.parse("file", "-c12").string("context") == "12")
    let letters = try Self.parse("file", "-vac", "3")
    #expect(letters.flag("verbose") && letters.flag("all"))
    #expect(letters.string("context") == "3")
  }

  @Test func `takes everything after two dashes literally`() throws {
    let arguments = try Self.parse("--json", "--", "--context", "-v")
    #expect(arguments.positionals == ["--context", "-v"])
    #expect(try Self.parse("-").positionals == ["-"])
  }

  @Test func `takes negative numbers and a lone dash as values`() throws {
    #expect(try Self.parse("f", "--context", "-1").string("context") == "-1")
    #expect(try Self.parse("f", "--context", "-").string("context") == "-")
    #expect(throws: UsageError.missingValue(option: "--context", value: "N")) {
      try Self.parse("f", "--context", "--json")
    }
  }

  @Test func `keeps repeated values in order`() throws {
    #expect(try Self.parse("f", "--stop", "a", "--stop=b").strings("stop") == ["a", "b"])
    #expect(throws: UsageError.repeatedOption("--context")) {
      try Self.parse("f", "--context", "1", "--context", "2")
    }
  }

  @Test func `refuses what is not declared, with a suggestion`() throws {
    #expect(throws: UsageError.unknownOption("--contxt", suggestion: "--context")) {
      try Self.parse("f", "--contxt", "1")
    }
    #expect(throws: UsageError.unknownOption("--zzz", suggestion: nil)) {
      try Self.parse("f", "--zzz")
    }
    #expect(throws: UsageError.unknownOption("-z", suggestion: nil)) { try Self.parse("f", "-z") }
    #expect(throws: UsageError.missingArgument("FILE")) { try Self.parse("--json") }
    #expect(throws: UsageError.unexpectedValue(option: "--json")) {
      try Self.parse("f", "--json=1")
    }
    let single = Command(
      name: "one", summary: "", positionals: [Positional("FILE", help: "")]
    ) { _ in .success }
    #expect(throws: UsageError.unexpectedArgument("b")) { try single.parse(["a", "b"]) }
  }

  @Test func `checks numbers against their range`() throws {
    let arguments = try Self.parse("f", "--context", "12", "--temperature", "0.5")
    #expect(try arguments.integer("context", in: 1...20) == 12)
    #expect(try arguments.double("temperature", in: 0...2) == 0.5)
    #expect(try arguments.integer("absent") == nil)
    #expect(
      throws: UsageError.invalidValue(
        option: "--context", found: "12", expected: "a whole number from 1 to 10")
    ) { try arguments.integer("context", in: 1...10) }
    for text in ["", "x", "1.5", "99999999999999999999", "0x10"] {
      #expect(throws: UsageError.self) {
        try Self.parse("f", "--context=\(text)").integer("context")
      }
    }
    #expect(throws: UsageError.self) {
      try Self.parse("f", "--temperature", "nan").double("temperature", in: 0...2)
    }
    #expect(try Self.parse("f", "--context=18446744073709551615").unsigned("context") == .max)
    #expect(throws: UsageError.self) {
      try Self.parse("f", "--context=b").choice("context", of: ["a"])
    }
  }

  @Test func `says what is wrong and what was meant`() {
    #expect(
      UsageError.unknownOption("--contxt", suggestion: "--context").description
        == "no option '--contxt'\nhint: did you mean '--context'?")
  }
}
