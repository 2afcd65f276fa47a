import FMGrammar
import Foundation
import Testing

@Suite struct JSONStringAutomatonTests {
  private static func accepts(_ automaton: ByteAutomaton?, _ text: String) -> Bool {
    automaton?.accepts(Array(text.utf8)) ?? false
  }

  @Test func `escapes stand for what they mean and lengths count code points`() throws {
    let short = try JSONStringAutomaton.strings(maximumLength: 1)
    for good in [
      #""""#, #""a""#, #""😀""#, #""\ud83d\ude00""#, #""\uD83D\uDE00""#, #""\"""#, #""\\""#,
      #""\/""#, #""/""#, #""\n""#, #""\u00e9""#, #""\u00E9""#, #""é""#, #""\u0000""#, #""\uffff""#,
      #""\uD7fF""#, #""\ue000""#, #""\udBFF\udfFf""#, "\"\u{7f}\"",
    ] {
      #expect(Self.accepts(short, good), "\(good)")
    }
    for bad in [
      "", "\"", "a", #""ab""#, #""😀a""#, #""\ud83d""#, #""\ude00""#, #""\ud83d\ud83d""#,
      #""\ude00\ud83d""#, "\"\t\"", "\"\n\"", "\"\u{1f}\"", #""\x41""#, #""\u12""#, #""\u12g4""#,
      #""\""#, #""""""#, #""a"b"#, #""\ud83d\ude00a""#, #""\'""#, #""\U0041""#,
    ] {
      #expect(!Self.accepts(short, bad), "\(bad)")
    }
    let two = try JSONStringAutomaton.strings(minimumLength: 2, maximumLength: 3)
    for (text, isGood) in [
      ("a", false), ("ab", true), ("a\\n", true), ("😀\\ud83d\\ude00é", true), ("abcd", false),
    ] {
      #expect(Self.accepts(two, "\"\(text)\"") == isGood)
    }
    let long = try JSONStringAutomaton.strings(minimumLength: 3)
    #expect(!Self.accepts(long, "\"ab\""))
    #expect(Self.accepts(long, "\"abcdefgh\""))
    #expect(try JSONStringAutomaton.strings(minimumLength: 3, maximumLength: 2) == nil)
  }

  @Test func `a pattern and a length hold together`() throws {
    let content = try Pattern.automaton("^[\\x20-\\x7E]+$")
    let automaton = try JSONStringAutomaton.strings(of: content, maximumLength: 8)
    #expect(Self.accepts(automaton, #""12345678""#))
    #expect(Self.accepts(automaton, #""\u0041\"\\\/5678""#))
    #expect(!Self.accepts(automaton, #""123456789""#))
    #expect(!Self.accepts(automaton, #""""#))
    #expect(!Self.accepts(automaton, #""é""#))
    #expect(!Self.accepts(automaton, #""\u00e9""#))
  }

  @Test func `values come in their usual spelling`() throws {
    let values = [
      ("http://a/b", #""http://a/b""#), ("C:\\x", #""C:\\x""#), ("say \"hi\"", #""say \"hi\"""#),
      ("tab\t", #""tab\t""#), ("é", "\"é\""), ("", "\"\""), ("\u{1}\u{1f}", #""\u0001\u001f""#),
      ("\u{8}\u{c}\n\r", #""\b\f\n\r""#), ("😀\u{7f}", "\"😀\u{7f}\""),
    ]
    for (value, spelling) in values {
      #expect(String(decoding: JSONStringAutomaton.canonical(value), as: UTF8.self) == spelling)
    }
    let contents = try ByteAutomaton.literals(values.map { Array($0.0.utf8) })
    let spelled = try JSONStringAutomaton.strings(of: contents, spelling: .canonical)
    #expect(try spelled == .literals(values.map { Array($0.1.utf8) }))
    let free = try JSONStringAutomaton.strings(of: contents, spelling: .escapeFree)
    #expect(
      try free == .literals(["http://a/b", "é", "", "😀\u{7f}"].map { Array("\"\($0)\"".utf8) }))
  }

  @Test func `random strings in random spellings are read as what they are`() throws {
    let seed = UInt64.random(in: 0..<1 << 32)
    var random = SmallRandom(seed)
    let alphabet = Array("a\"\\/\u{8}\n\té漢😀\u{1}z".unicodeScalars)
    let content = try Pattern.automaton("^[^z]*a.{0,3}$")
    let automaton = try JSONStringAutomaton.strings(of: content, maximumLength: 6)
    let usual = try JSONStringAutomaton.strings(of: content, spelling: .canonical)
    for _ in 0..<3000 {
      let scalars = (0..<random.below(8)).map { _ in alphabet[random.below(alphabet.count)] }
      let text = String(String.UnicodeScalarView(scalars))
      let spelled = "\"" + scalars.map { Self.spelling($0, &random) }.joined() + "\""
      #expect(
        try JSONDecoder().decode(String.self, from: Data(spelled.utf8)) == text, "seed \(seed)")
      let matches = content.accepts(Array(text.utf8))
      #expect(
        Self.accepts(automaton, spelled) == (matches && scalars.count <= 6),
        "\(spelled), seed \(seed)")
      let canonical = JSONStringAutomaton.canonical(text)
      #expect(usual?.accepts(canonical) == matches)
      if Array(spelled.utf8) != canonical { #expect(!Self.accepts(usual, spelled)) }
    }
  }

  private static func spelling(_ scalar: Unicode.Scalar, _ random: inout SmallRandom) -> String {
    let short: [Unicode.Scalar: String] = [
      "\"": "\\\"", "\\": "\\\\", "/": "\\/", "\u{8}": "\\b", "\n": "\\n", "\t": "\\t",
    ]
    let isRaw = scalar.value >= 0x20 && scalar != "\"" && scalar != "\\"
    if isRaw, random.below(2) == 0 { return String(scalar) }
    if let escape = short[scalar], random.below(2) == 0 { return escape }
    return String(scalar).utf16.map { unit in
      String(format: random.below(2) == 0 ? "\\u%04x" : "\\u%04X", Int(unit))
    }.joined()
  }

  @Test func `texts of so many code points`() throws {
    let lengths = try JSONStringAutomaton.lengths(minimum: 2, maximum: 3)
    for (text, isGood) in [("é", false), ("é😀", true), ("abc", true), ("漢漢漢漢", false), ("", false)]
    {
      #expect(Self.accepts(lengths, text) == isGood)
    }
    #expect(try JSONStringAutomaton.lengths(minimum: 0, maximum: nil) == .text)
    let content = try Pattern.automaton("^a+$")
    let both = try content.intersection(JSONStringAutomaton.lengths(minimum: 2, maximum: 3))
    #expect(both?.words(limit: 9) == ["aa", "aaa"].map { Array($0.utf8) })
  }

  @Test func `lengths beyond the limit are refused at once`() throws {
    let seconds = processorSeconds {
      #expect(throws: GrammarError.self) {
        try JSONStringAutomaton.strings(maximumLength: 1_000_000_000)
      }
      #expect(throws: GrammarError.self) {
        try JSONStringAutomaton.strings(
          of: Pattern.automaton("^(a|bc|d{50})*$"), minimumLength: 100_000)
      }
    }
    #expect(seconds < 2, "\(seconds) s")
  }
}
