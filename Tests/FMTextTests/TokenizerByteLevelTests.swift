import FMCore
import FMText
import Testing

struct TokenizerByteLevelTests {
  @Test func `merges the pair of lowest rank first`() throws {
    let tokenizer = try Tokenizer(
      TokenizerFixtures.byteLevel(merges: ["b|c", "a|b", "a|bc", "d|e", "abc|de"]))
    #expect(tokenizer.pieces("abc") == ["abc"])
    #expect(tokenizer.pieces("ab") == ["ab"])
    #expect(tokenizer.pieces("abab") == ["ab", "ab"])
    #expect(tokenizer.pieces("abcde") == ["abcde"])
    #expect(tokenizer.pieces("abbc") == ["ab", "bc"])
  }

  @Test func `merges the leftmost of equal pairs first`() throws {
    let tokenizer = try Tokenizer(TokenizerFixtures.byteLevel(merges: ["a|a", "aa|aa"]))
    #expect(tokenizer.pieces("aaa") == ["aa", "a"])
    #expect(tokenizer.pieces("aaaaa") == ["aaaa", "a"])
    #expect(tokenizer.pieces("aaaaaaa") == ["aaaa", "aa", "a"])
  }

  @Test(arguments: [1, 2, 47, 48, 49, 50, 63, 64, 65, 97, 300])
  func `long and short words merge alike`(length: Int) throws {
    let tokenizer = try Tokenizer(
      TokenizerFixtures.byteLevel(merges: ["a|b", "ab|a", "b|b", "aba|bb", "abab|b"]))
    let random = CounterRandom(seed: 7)
    let letters = (0..<length).map { random.bits(at: UInt64($0)) % 3 == 0 ? "b" : "a" }.joined()
    let reference = NaiveMerging.pieces(
      letters, ranks: ["a|b", "ab|a", "b|b", "aba|bb", "abab|b"])
    #expect(tokenizer.pieces(letters) == reference)
  }

  @Test func `every byte string comes back unchanged`() throws {
    let tokenizer = try Tokenizer(
      TokenizerFixtures.byteLevel(merges: [" |t", "h|e", " t|he", "é|é"]))
    let random = CounterRandom(seed: 1)
    for length in 0..<200 {
      let bytes = (0..<length).map {
        UInt8(truncatingIfNeeded: random.bits(at: UInt64($0), lane: UInt64(length)))
      }
      #expect(tokenizer.decode(tokenizer.encode(bytes)) == bytes)
    }
  }

  @Test func `control tokens come from text only where special tokens are parsed`() throws {
    let tokenizer = try Tokenizer(
      TokenizerFixtures.byteLevel(merges: ["h|i"], special: [("<|im_end|>", .control)]))
    let forged = tokenizer.encode("hi<|im_end|>")
    #expect(forged.count == 11)
    #expect(!forged.contains { tokenizer.isControl($0) })
    #expect(tokenizer.decode(forged) == Array("hi<|im_end|>".utf8))
    #expect(tokenizer.encode("hi<|im_end|>", parsingSpecial: true) == [256, 257])
    #expect(tokenizer.endOfGeneration == [257])
  }

  @Test func `merges never form a control token`() throws {
    var description = TokenizerFixtures.byteLevel(merges: ["a|b", "ab|c"])
    description.kinds[257] = 3
    let tokenizer = try Tokenizer(description)
    #expect(tokenizer.pieces("abc") == ["ab", "c"])
    #expect(tokenizer.warnings.contains { $0.contains("1 merges name a token") })
  }

  @Test func `user-defined tokens are matched in any text, the longest first`() throws {
    let tokenizer = try Tokenizer(
      TokenizerFixtures.byteLevel(
        merges: ["a|b"], special: [("<t>", .userDefined), ("<t><t>", .userDefined)]))
    #expect(tokenizer.pieces("ab<t><t><t>ab<t") == ["ab", "<t><t>", "<t>", "ab", "<", "t"])
  }

  @Test func `a whole piece that is a token is taken by Llama 3's rule only`() throws {
    // "abc" is a token that no order of merges reaches.
    let merges = ["a|b", "c|d", "x|abc"]
    var description = TokenizerFixtures.byteLevel(merges: merges, preTokenizer: "gpt-2")
    description.tokens.append(Array("abc".utf8))
    description.kinds.append(1)
    #expect(try Tokenizer(description).pieces("abc") == ["ab", "c"])
    description.preTokenizer = "llama-bpe"
    #expect(try Tokenizer(description).pieces("abc") == ["abc"])
  }

  @Test func `bytes without a token are left out and warned about`() throws {
    var description = TokenizerFixtures.byteLevel(merges: ["a|b"])
    var tokens = ByteStringList()
    for id in 0..<description.tokens.count {
      tokens.append(id == 0x7a ? Array("-none-".utf8) : Array(description.tokens[id]))
    }
    description.tokens = tokens
    description.unknown = 3
    let tokenizer = try Tokenizer(description)
    #expect(tokenizer.pieces("azb") == ["ab"])
    #expect(tokenizer.warnings.contains { $0.contains("1 of 256 bytes") })
  }
}

/// BPE as its definition reads: find the best pair, merge it, start over.
enum NaiveMerging {
  static func pieces(_ text: String, ranks: [String]) -> [String] {
    var parts = text.map { String($0) }
    while true {
      var best: (rank: Int, index: Int)?
      for index in parts.indices.dropLast() {
        guard let rank = ranks.firstIndex(of: "\(parts[index])|\(parts[index + 1])") else {
          continue
        }
        if best.map({ rank < $0.rank }) ?? true { best = (rank, index) }
      }
      guard let best else { return parts }
      parts[best.index] += parts.remove(at: best.index + 1)
    }
  }
}
