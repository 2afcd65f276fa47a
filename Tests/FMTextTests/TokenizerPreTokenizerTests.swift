import FMCore
import FMText
import Foundation
import Testing

struct TokenizerPreTokenizerTests {
  private func pieces(_ text: String, _ name: String) throws -> [String] {
    let rule = try #require(PreTokenizer.named(name)).rule
    let bytes = Array(text.utf8)
    var start = 0
    return rule.ends(in: bytes).map { end in
      defer { start = end }
      return String(decoding: bytes[start..<end], as: UTF8.self)
    }
  }

  @Test func `GPT-2's rule keeps one space with the word after it`() throws {
    #expect(try pieces("Hello  world", "gpt-2") == ["Hello", " ", " world"])
    #expect(try pieces("it's 12345 !!", "gpt-2") == ["it", "'s", " 12345", " !!"])
    #expect(try pieces("IT'S", "gpt-2") == ["IT", "'", "S"])
    #expect(try pieces("a \n\n b  ", "gpt-2") == ["a", " \n\n", " b", "  "])
    #expect(try pieces("", "gpt-2") == [])
  }

  @Test func `SmolLM's rule takes every digit alone and no space with it`() throws {
    #expect(try pieces("a  12 b", "smollm") == ["a", "  ", "1", "2", " b"])
    #expect(try pieces(" 1", "smollm") == [" ", "1"])
    #expect(try pieces("x½٣Ⅷ", "smollm") == ["x", "½", "٣", "Ⅷ"])
  }

  @Test func `Llama 3's rule groups three digits and any contraction`() throws {
    #expect(try pieces("1234567", "llama-bpe") == ["123", "456", "7"])
    #expect(try pieces("IT'S we'Ve a'ſ", "llama-bpe") == ["IT", "'S", " we", "'Ve", " a", "'ſ"])
    #expect(try pieces("(abc) \t\n  x", "llama-bpe") == ["(abc", ")", " \t\n", " ", " x"])
    #expect(try pieces("!!\r\n\r\nx", "llama-bpe") == ["!!\r\n\r\n", "x"])
  }

  @Test func `Qwen's rules take single digits, and the newer one marks with letters`() throws {
    #expect(try pieces("12", "qwen2") == ["1", "2"])
    #expect(try pieces("किसा", "qwen2") == ["क", "िस", "ा"])
    #expect(try pieces("किसा", "qwen35") == ["किसा"])
  }

  @Test func `a name that is not known has no rule`() {
    #expect(PreTokenizer.named("no-such-rule") == nil)
  }

  /// The published expressions, run by ICU; white space is kept to what both agree on.
  private static let expressions: [(name: String, pattern: String)] = [
    ("gpt-2", #"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"#),
    (
      "llama-bpe",
      #"(?:'[sSſ]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])|[^\r\n\p{L}\p{N}]?\p{L}+|"#
        + #"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"#
    ),
    (
      "qwen2",
      #"(?:'[sSſ]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])|[^\r\n\p{L}\p{N}]?\p{L}+|"#
        + #"\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"#
    ),
    (
      "qwen35",
      #"(?:'[sSſ]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])|"#
        + #"[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|"#
        + #"\s*[\r\n]+|\s+(?!\S)|\s+"#
    ),
  ]

  @Test(arguments: 0..<expressions.count)
  func `scanners cut as the regular expressions do`(index: Int) throws {
    let (name, pattern) = Self.expressions[index]
    let expression = try NSRegularExpression(pattern: pattern)
    let random = CounterRandom(seed: 11)
    let atoms = [
      " ", " ", "\n", "\r", "\t", "\u{3000}", "a", "B", "é", "汉", "ก", "\u{301}", "ि", "1", "23",
      "½", "'", "s", "LL", "ve", "ſ", ".", "!", "$", "—", "😀", "\u{200d}", "\u{fffd}",
    ]
    for trial in 0..<1500 {
      let length = Int(random.bits(at: UInt64(trial)) % 14)
      let text = (0..<length).map {
        atoms[Int(random.bits(at: UInt64($0), lane: UInt64(trial + 1)) % UInt64(atoms.count))]
      }.joined()
      let whole = NSRange(location: 0, length: text.utf16.count)
      let expected = expression.matches(in: text, range: whole).map {
        (text as NSString).substring(with: $0.range)
      }
      #expect(try pieces(text, name) == expected, "\(text.debugDescription)")
    }
  }

  @Test func `the general rule cuts punctuation, then words, then digits by three`() throws {
    #expect(try pieces("a+b 12345!", "default") == ["a", "+", "b", " ", "123", "45", "!"])
  }
}
