import FMCore
import FMText
import Testing

struct TokenizerSentencePieceTests {
  private let pieces = ["▁t", "▁a", "he", "▁the", "▁", "t", "h", "e", "a", "é", "▁▁", "▁▁▁▁"]

  @Test func `merges by score and puts a space before text`() throws {
    let tokenizer = try Tokenizer(TokenizerFixtures.sentencePiece(pieces: pieces))
    #expect(tokenizer.pieces("the") == [" the"])
    #expect(tokenizer.pieces("a the") == [" a", " the"])
    #expect(tokenizer.addsBeginning)
    #expect(tokenizer.beginning == 1)
    #expect(tokenizer.endOfGeneration == [2])
  }

  @Test func `puts no space before text where the file says so`() throws {
    var description = TokenizerFixtures.sentencePiece(pieces: pieces)
    description.addsSpacePrefix = false
    let tokenizer = try Tokenizer(description)
    #expect(tokenizer.pieces("the") == ["t", "he"])
    #expect(tokenizer.encode("") == [])
  }

  @Test func `falls back to bytes`() throws {
    var description = TokenizerFixtures.sentencePiece(pieces: pieces)
    description.addsSpacePrefix = false
    let tokenizer = try Tokenizer(description)
    let han: [TokenID] = [233, 191, 165]
    #expect(tokenizer.encode("漢") == han)
    let illFormed: [TokenID] = [258, 267]
    #expect(tokenizer.encode([0xff, 0x61] as [UInt8]) == illFormed)
    #expect(tokenizer.decode(tokenizer.encode("漢é😀")) == Array("漢é😀".utf8))
  }

  @Test func `gives the unknown token only where bytes are missing`() throws {
    let tokenizer = try Tokenizer(
      TokenizerFixtures.sentencePiece(pieces: pieces, hasBytes: false))
    #expect(tokenizer.encode("a漢") == [4, 0])
    #expect(tokenizer.warnings.contains { $0.contains("256 of 256 bytes") })
  }

  @Test(arguments: [
    " x", "  x", "\n x", "   ", "x", "", " ", "a  b", "x ", "▁x".replacing("▁", with: " "),
  ])
  func `round trips leading spaces, whole and streamed`(text: String) throws {
    for adds in [true, false] {
      var description = TokenizerFixtures.sentencePiece(pieces: pieces)
      description.addsSpacePrefix = adds
      let tokenizer = try Tokenizer(description)
      let ids = tokenizer.encode(text)
      #expect(String(decoding: tokenizer.decode(ids), as: UTF8.self) == text)
      let whole = tokenizer.decode([1] + ids + [2])
      #expect(String(decoding: whole, as: UTF8.self) == text)
      var stream = StreamingDetokenizer(tokenizer)
      let streamed = ([1] + ids).map { stream.append($0) }.joined() + stream.finish()
      #expect(streamed == text)
    }
  }

  @Test func `a continuation keeps its leading space`() throws {
    let tokenizer = try Tokenizer(TokenizerFixtures.sentencePiece(pieces: pieces))
    let ids = tokenizer.encode("the a")
    let rest = tokenizer.decode(Array(ids.dropFirst()), isContinuation: true)
    #expect(String(decoding: rest, as: UTF8.self) == " a")
  }

  @Test func `never shows a marker`() throws {
    let tokenizer = try Tokenizer(TokenizerFixtures.sentencePiece(pieces: pieces))
    for id in 0..<TokenID(tokenizer.vocabularySize) {
      let text = String(decoding: tokenizer.decode([id]), as: UTF8.self)
      #expect(!text.contains("▁") && !text.contains("<0x"))
    }
  }

  @Test func `merges never form or cross a control token`() throws {
    var description = TokenizerFixtures.sentencePiece(
      pieces: ["<", "s", ">", "<s", "/"], special: [("<end_of_turn>", .control)])
    description.addsSpacePrefix = false
    let tokenizer = try Tokenizer(description)
    #expect(!tokenizer.encode("<s>").contains(1))
    #expect(tokenizer.encode("s<s>s", parsingSpecial: true) == [260, 1, 260])
    #expect(tokenizer.endOfGeneration == [2, 264])
  }

  @Test func `user-defined tokens stand apart from merges`() throws {
    var description = TokenizerFixtures.sentencePiece(
      pieces: ["▁b", "a▁", "a", "b", "▁"], special: [("▁▁", .userDefined), ("\n\n", .userDefined)])
    description.addsSpacePrefix = false
    let tokenizer = try Tokenizer(description)
    #expect(tokenizer.pieces("a  b") == ["a", "  ", "b"])
    #expect(tokenizer.pieces("a   b") == ["a", "  ", " b"])
    #expect(tokenizer.pieces("\n\n\n") == ["\n\n", "\n"])
  }

  @Test(arguments: [3, 48, 49, 200, 300])
  func `long and short texts merge alike`(length: Int) throws {
    let scored = ["ab", "ba", "aba", "bb", "abab", "c", "a", "b"]
    var description = TokenizerFixtures.sentencePiece(pieces: scored)
    description.addsSpacePrefix = false
    let tokenizer = try Tokenizer(description)
    let random = CounterRandom(seed: 3)
    let text = (0..<length).map {
      ["a", "b", "a", "c"][Int(random.bits(at: UInt64($0)) % 4)]
    }.joined()
    #expect(tokenizer.pieces(text) == NaiveScoring.pieces(text, scored: scored))
  }
}

/// Merging by score as its definition reads.
enum NaiveScoring {
  static func pieces(_ text: String, scored: [String]) -> [String] {
    var parts = text.map { String($0) }
    while true {
      var best: (rank: Int, index: Int)?
      for index in parts.indices.dropLast() {
        guard let rank = scored.firstIndex(of: parts[index] + parts[index + 1]) else { continue }
        if best.map({ rank < $0.rank }) ?? true { best = (rank, index) }
      }
      guard let best else { return parts }
      parts[best.index] += parts.remove(at: best.index + 1)
    }
  }
}
