import FMGrammar
import Glibc
import Testing

@Suite struct PatternTests {
  private static func accepts(_ pattern: String, _ text: String) throws -> Bool {
    try Pattern.automaton(pattern).accepts(Array(text.utf8))
  }

  /// Patterns with texts that have a match and texts that have none.
  private static let table: [(pattern: String, yes: [String], no: [String])] = [
    ("", ["", "a", "é\n😀"], []),
    ("a", ["a", "xay", "\na"], ["", "A", "b"]),
    ("^a$", ["a"], ["a\n", "\na", "aa", ""]),
    ("^(a|bc)*$", ["", "abca", "bcbc"], ["b", "cb", "ab"]),
    ("^\\d{3}-\\d{4}$", ["555-1234"], ["555-12345", "5555-123", "٣٣٣-1234"]),
    ("^[\\w.-]+@[\\w-]+$", ["a.b-c@d-e", "_@_"], ["@a", "a@", "é@a", "a@b.c"]),
    ("^v\\d+(\\.\\d+)*$", ["v1", "v10.2.3"], ["v", "v1.", "1", "v1..2"]),
    ("\\bfoo\\b", ["foo", "a foo b", "(foo)", "éfooé"], ["foob", "afoo", "_foo", "fo o"]),
    ("^\\Bfoo", [], ["foo", "afoo"]),
    ("a\\Bb", ["ab"], ["a b"]),
    ("\\S", ["a", " é "], ["", " \u{a0}\u{feff}\n"]),
    ("^\\S$", ["a", "é", "😀"], ["\u{85}", "\u{1c}", "\u{feff}", "\u{180e}", " "]),
    ("^[^\\s,]$", ["a", "é"], ["\u{85}", "\u{feff}", ","]),
    ("^[^\\S]$", [" ", "\u{3000}"], ["\u{85}", "\u{feff}", "a"]),
    ("^\\W$", ["-", "😀"], ["é", "ж", "٣", "a", "_"]),
    ("^[^\\W]$", ["a", "_", "7"], ["é", "-"]),
    ("^\\D$", ["a", "é"], ["3", "٣"]),
    ("^\\s$", [" ", "\u{3000}", "\u{2028}", "\u{0b}"], ["\u{200b}", "\u{85}", "a"]),
    ("^.$", ["a", "é", "😀", "\t", "\u{85}"], ["\n", "\r", "\u{2028}", "ab"]),
    ("^[^a-c]$", ["d", "\n", "é", "😀"], ["a", "c", "", "dd"]),
    ("^[]-]$", [], ["]", "-", "]-]"]),
    ("^[\\]-]$", ["]", "-"], ["\\"]),
    ("^[a-]$", ["a", "-"], ["b"]),
    ("^[\\w-.]$", ["a", "-", "."], [",", "/"]),
    ("^[^]$", ["a", "\n"], ["", "ab"]),
    ("^[à-ü]+$", ["éà"], ["e", "ý"]),
    ("^[😀-😂]$", ["😁"], ["😃", "😀😀"]),
    ("^\\u{1F600}\\u00e9\\x41\\cA\\0\\t$", ["😀éA\u{1}\0\t"], ["😀"]),
    ("^\\ud83d\\ude00$", ["😀"], ["\u{fffd}"]),
    ("^[\\ud83d\\ude00-\\ud83d\\ude02]$", ["😁"], ["😃"]),
    ("^\\/\\.\\-\\_\\@\\ \\#$", ["/.-_@ #"], ["/x-_@ #"]),
    ("^{a}]$", ["{a}]"], ["a"]),
    ("^x{2}$", ["xx"], ["x", "xxx", "x{2}"]),
    ("^x{2,}?y$", ["xxy", "xxxxy"], ["xy"]),
    ("^x{0,2}$", ["", "x", "xx"], ["xxx"]),
    ("^x{,a}$", ["x{,a}"], ["x"]),
    ("^(?:ab|(?<name>cd)|(ef))$", ["ab", "cd", "ef"], ["abcd", ""]),
    ("a|^b$|c$", ["xax", "b", "xc"], ["xb", "bx", "cx"]),
    ("(^|,)x($|,)", ["x", "a,x,b", ",x"], ["ax", "xb", "a,xb"]),
    ("^(?:a?)*b$", ["b", "aab"], ["a", "ac"]),
    ("(^a)*b", ["b", "ab", "xb"], ["a"]),
    ("x$y", [], ["x", "xy", "x\ny"]),
    ("^(?i)straße k$", ["STRAßE K", "straße \u{212a}"], ["strasse k"]),
    ("^(?i:a)b$", ["Ab", "ab"], ["aB"]),
    ("(?m)^b$", ["a\nb\nc", "b"], ["ab", "bc"]),
    ("^(?s).$", ["\n"], ["ab"]),
    ("^(?=.*[A-Z])(?=.*\\d).{8,}$", ["Password1", "1234567A"], ["password1", "Passwor1\n", "A1"]),
    ("^(?!\\.)(?!.*\\.\\.)[a-z.]+$", ["a.b", "a."], [".a", "a..b", ""]),
    ("^(?=.*[A-Z])(?=.*\\d).{8,}$", ["Password1", "1234567A"], ["password1", "Passwor1\n"]),
    ("^((?!-)[a-z-]+)$", ["a-b", "a-"], ["-a", ""]),
    ("^(?:(?i)(?=ab)..)c", ["ABcx", "abc"], ["ABC", "xabc"]),
    ("^(?=a|b)(?!ab)\\w*$", ["a", "ba"], ["ab", "c", "abc", ""]),
    ("^(?!.*\\W)", ["a_1", ""], ["é", "ж", "a-"]),
    ("^(?!.*[^\\w])", ["a_1", ""], ["é", "a-"]),
    ("^(?=\\W)", ["-"], ["é", "a"]),
    ("^(?=$)", [""], ["a"]),
    ("^(?=b)a", [], ["a", "ba"]),
    ("^\\p{L}+$", ["aéß漢"], ["1", "a1", ""]),
    ("^\\p{Lu}\\P{Lu}$", ["Aa", "É1"], ["aA", "AA"]),
    ("^[\\p{N}_]+$", ["1٣_Ⅷ"], ["a"]),
    ("^\\p{Script=Greek}+$", ["αβγ"], ["abc"]),
    ("^\\p{sc=Hira}\\p{gc=Nd}\\p{White_Space}$", ["あ1 "], ["ア1 "]),
  ]

  @Test func `a table of patterns matches what it should and nothing else`() throws {
    for row in Self.table {
      // Where nothing should match, the language may be empty.
      let automaton: ByteAutomaton?
      do { automaton = try Pattern.automaton(row.pattern) } catch {
        guard case .empty = error, row.yes.isEmpty else { throw error }
        automaton = nil
      }
      for text in row.yes {
        #expect(automaton?.accepts(Array(text.utf8)) == true, "\(row.pattern) on \(text)")
      }
      for text in row.no {
        #expect(automaton?.accepts(Array(text.utf8)) != true, "\(row.pattern) on \(text)")
      }
    }
  }

  @Test func `a whole match has nothing before or behind it`() throws {
    let automaton = try Pattern.automaton("ab|c", mode: .wholeMatch)
    #expect(automaton.words(limit: 5) == [Array("ab".utf8), Array("c".utf8)])
  }

  @Test func `ill-formed UTF-8 is never accepted`() throws {
    let any = try Pattern.automaton("^[^]*$")
    #expect(any == .text)
    let bad: [[UInt8]] = [
      [0xff], [0x80], [0xc0, 0x80], [0xc1, 0xbf], [0xe0, 0x9f, 0xbf], [0xed, 0xa0, 0x80], [0xc3],
      [0xf0, 0x8f, 0xbf, 0xbf], [0xf4, 0x90, 0x80, 0x80], [0xf5, 0x80, 0x80, 0x80],
    ]
    for bytes in bad { #expect(!any.accepts(bytes), "\(bytes)") }
    for scalar in [0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xe000, 0xffff, 0x1_0000, 0x10_ffff] {
      let text = try String(#require(Unicode.Scalar(scalar)))
      #expect(any.accepts(Array(text.utf8)))
    }
  }

  @Test(arguments: [
    ("a(?=b)", "look-ahead"), ("a(?!b)", "look-ahead"), ("(?=a)b", "look-ahead"),
    ("^(?=a(?!b))", "look-ahead"), ("^(?=a)b|c", "look-ahead"), ("^((?=a)|b)", "look-ahead"),
    ("^((?=a))?b", "look-ahead"), ("(^)?(?=a)b", "look-ahead"), ("(?m)^(?=a)b", "look-ahead"),
    ("(^|a)(?=b)", "look-ahead"), ("^a(?=b)", "look-ahead"), ("^$(?=b)", "look-ahead"),
    ("^" + String(repeating: "(?=a)", count: 17), "look-ahead"), ("(?<=a)b", "look-behind"),
    ("(?<!a)b", "look-behind"), ("(a)\\1", "back reference"), ("(?<n>a)\\k<n>", "back reference"),
    ("(?>a)b", "atomic"), ("a++", "possessive"), ("\\p{Nonsense}", "Nonsense"),
  ])
  func `what no automaton can do is refused by name`(pattern: String, name: String) {
    do {
      _ = try Pattern.automaton(pattern)
      Issue.record("\(pattern) was taken")
    } catch {
      guard case .unsupported(_, "pattern", let reason) = error else {
        Issue.record("\(pattern): \(error)")
        return
      }
      #expect(reason.contains(name))
    }
  }

  @Test(arguments: [
    "(", ")", "a)", "(a", "[a", "[z-a]", "*", "a**", "a{2}{3}", "+a", "{2}", "^*", "\\", "\\q",
    "\\x4", "\\u12", "\\u{110000}", "\\u{}", "a{3,2}", "a{,3}", "(?<a", "(?z)", "\\01", "[\\1]",
    "\\p", "\\pL", "\\p{L", "\\c1", "(?", "(?i", "(?)",
  ])
  func `what is no pattern is refused`(pattern: String) {
    do {
      _ = try Pattern.automaton(pattern)
      Issue.record("\(pattern) was taken")
    } catch {
      guard case .invalidPattern(pattern, let offset, _) = error else {
        Issue.record("\(pattern): \(error)")
        return
      }
      #expect((0...pattern.utf8.count).contains(offset))
    }
  }

  @Test func `groups may be nested up to the limit`() throws {
    func nested(_ count: Int) -> String {
      String(repeating: "(?:x|(", count: count / 2) + "a"
        + String(repeating: ")*)+?", count: count / 2)
    }
    let deep = try Pattern.automaton(nested(250), mode: .wholeMatch)
    #expect(try deep == Pattern.automaton("[ax]*", mode: .wholeMatch))
    #expect(throws: GrammarError.limitExceeded(.depth, limit: 250)) {
      try Pattern.automaton(nested(252))
    }
  }

  @Test func `hostile patterns end in a typed error within a second`() {
    let patterns = [
      String(repeating: "(", count: 10_000) + String(repeating: ")", count: 10_000),
      ["Lu", "Nd", "Cn", "P", "Letter", "Alpha", "Emoji", "IDS", "XIDC", "Math", "Dash", "Cased"]
        .map { "\\p{\($0)}|\\P{\($0)}+" }.joined(separator: "x"),
      String(repeating: "[", count: 60_000), String(repeating: "(?:", count: 60_000),
      "a{1,100000}", "(a{1000}){1000}", "((((a{99}){99}){99}){99}){99}",
      "(x+x+)+y{19999}", "[ab]*a[ab]{30}", "(a|b|ab)*c(a|b){40}\\b.{20}",
      "^(\\p{L}{0,500}\\p{N}){0,500}$", String(repeating: "a?", count: 40_000),
      String(repeating: "(a|b)*c", count: 14_000), "(\\b|\\B|a|b|[^a]){0,20000}",
      String(repeating: "x", count: 200_000), "\\p{L}{20000}",
      (0..<5000).map { "[\\u{\(String($0 * 37 + 256, radix: 16))}-\\u{ffff}]" }.joined(
        separator: "|"),
    ]
    for pattern in patterns {
      let seconds = processorSeconds {
        do {
          _ = try Pattern.automaton(pattern)
        } catch {
          switch error {
          case GrammarError.limitExceeded, GrammarError.invalidPattern: break
          default: Issue.record("\(pattern.prefix(40)): \(error)")
          }
        }
      }
      #expect(seconds < 1, "\(pattern.prefix(40)) took \(seconds) s")
    }
  }

  @Test func `properties are those of the standard library for every kind of scalar`() throws {
    let properties: [(name: String, contains: (Unicode.Scalar.Properties) -> Bool)] = [
      ("Lu", { $0.generalCategory == .uppercaseLetter }),
      ("Nd", { $0.generalCategory == .decimalNumber }),
      ("Cn", { $0.generalCategory == .unassigned }),
      ("Co", { $0.generalCategory == .privateUse }),
      ("Alphabetic", { $0.isAlphabetic }), ("Emoji", { $0.isEmoji }),
      ("Noncharacter_Code_Point", { $0.isNoncharacterCodePoint }),
    ]
    for property in properties {
      let automaton = try Pattern.automaton("^\\p{\(property.name)}$")
      var values = Array(0..<UInt32(0x3000)) + stride(from: 0x3000, to: 0x11_0000, by: 61)
      for plane in UInt32(0)...16 {
        values += [0, 0xfffd, 0xfffe, 0xffff].map { plane << 16 + $0 }
      }
      let wrong = values.compactMap(Unicode.Scalar.init).filter {
        automaton.accepts(Array(String($0).utf8)) != property.contains($0.properties)
      }
      #expect(wrong.isEmpty, "\(property.name): \(wrong.prefix(5))")
    }
  }

  @Test func `random patterns agree with a matcher that tries every place`() throws {
    let seed = UInt64.random(in: 0..<1 << 32)
    var random = SmallRandom(seed)
    let alphabet = Array("ab é😀_\n".unicodeScalars)
    for _ in 0..<500 {
      let tree = SimplePattern.random(&random, depth: 3)
      var automaton: ByteAutomaton?
      do { automaton = try Pattern.automaton(tree.source) } catch {
        guard case .empty = error else { throw error }
      }
      for _ in 0..<60 {
        let text = (0..<random.below(7)).map { _ in alphabet[random.below(alphabet.count)] }
        let bytes = Array(String(String.UnicodeScalarView(text)).utf8)
        #expect(
          automaton?.accepts(bytes) ?? false == tree.isFound(in: text),
          "\(tree.source) on \(text), seed \(seed)")
      }
    }
  }
}

/// Random numbers that a seed decides.
struct SmallRandom: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var value = state
    value = (value ^ value >> 30) &* 0xbf58_476d_1ce4_e5b9
    value = (value ^ value >> 27) &* 0x94d0_49bb_1331_11eb
    return value ^ value >> 31
  }

  /// A number from 0 to below `bound`.
  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
}

/// Seconds of processor time that a piece of work takes of its thread, however busy the machine is.
func processorSeconds(_ work: () throws -> Void) rethrows -> Double {
  func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }
  let start = now()
  try work()
  return now() - start
}
