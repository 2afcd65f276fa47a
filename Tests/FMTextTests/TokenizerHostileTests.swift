import FMCore
import FMText
import Foundation
import Testing

struct TokenizerHostileTests {
  private func error(_ description: TokenizerDescription) -> TokenizerError? {
    do throws(TokenizerError) {
      _ = try Tokenizer(description)
      return nil
    } catch {
      return error
    }
  }

  @Test func `refuses an empty vocabulary`() {
    for model in [TokenizerDescription.Model.byteLevelBPE, .sentencePiece, .characterBPE] {
      #expect(
        error(TokenizerDescription(model: model, tokens: ByteStringList())) == .emptyVocabulary)
    }
  }

  @Test func `refuses lists of the wrong length`() {
    var description = TokenizerFixtures.sentencePiece(pieces: ["a"])
    description.scores.removeLast()
    #expect(error(description) == .countMismatch(list: "scores", expected: 260, found: 259))
    description.scores = []
    #expect(error(description) == .missingScores)
    description.kinds.append(1)
    #expect(error(description) == .countMismatch(list: "token types", expected: 260, found: 261))
  }

  @Test func `refuses BPE without merges and tokens past any real length`() {
    var description = TokenizerFixtures.byteLevel(merges: [])
    #expect(error(description) == .missingMerges)
    description = TokenizerFixtures.byteLevel(merges: ["a|b"])
    description.tokens.append([UInt8](repeating: 0x61, count: 70_000))
    description.kinds.append(1)
    #expect(error(description) == .tokenTooLong(id: 257, bytes: 70_000, limit: 65_535))
  }

  @Test func `warns of ids out of range and ignores them`() throws {
    var description = TokenizerFixtures.sentencePiece(pieces: ["a"])
    description.beginning = 1_000_000
    description.end = -5
    description.unknown = Int.max
    description.endsOfTurn = [260]
    let tokenizer = try Tokenizer(description)
    #expect(tokenizer.beginning == nil)
    #expect(!tokenizer.addsBeginning)
    #expect(tokenizer.endOfGeneration == [2])
    #expect(tokenizer.warnings.count == 4)
    for id in [-1, 260, TokenID.max, TokenID.min] {
      #expect(tokenizer.bytes(of: id).isEmpty)
      #expect(tokenizer.decode([id]).isEmpty)
    }
  }

  @Test func `duplicate, empty and unknown tokens are tolerated`() throws {
    var description = TokenizerFixtures.sentencePiece(
      pieces: ["a", "a", "", "b", "ab"], special: [("", .userDefined), ("", .control)])
    description.addsSpacePrefix = false
    description.kinds[261] = 99
    description.scores[263] = .nan
    let tokenizer = try Tokenizer(description)
    #expect(tokenizer.encode("a") == [259])
    #expect(tokenizer.encode("ab", parsingSpecial: true) == [263])
    #expect(tokenizer.warnings.contains { $0.contains("1 tokens stand for the same bytes") })
  }

  @Test func `merges that make no sense are left out`() throws {
    var description = TokenizerFixtures.byteLevel(merges: ["a|b"])
    for text in ["", " ", "a", "a ", " a", "zz yy", "a b c", "\u{2581} a"] {
      description.merges.append(Array(text.utf8))
    }
    let tokenizer = try Tokenizer(description)
    #expect(tokenizer.encode("ab") == [256])
    #expect(tokenizer.warnings.contains { $0.contains("8 merges") })
  }

  @Test func `a merge that makes its own left half ends`() throws {
    // "a" + "" can't be written, but two merges may name each other's result.
    var description = TokenizerFixtures.byteLevel(merges: ["a|b", "b|a", "ab|ab", "ba|ba"])
    for _ in 0..<3 { description.merges.append(Array("a b".utf8)) }
    let tokenizer = try Tokenizer(description)
    let text = String(repeating: "ab", count: 5000)
    #expect(tokenizer.decode(tokenizer.encode(text)) == Array(text.utf8))
  }

  @Test func `random descriptions never trap`() {
    let random = CounterRandom(seed: 5)
    for trial in UInt64(0)..<300 {
      var position: UInt64 = 0
      func next(_ bound: UInt64) -> Int {
        position += 1
        return Int(random.bits(at: position, lane: trial) % bound)
      }
      func bytes() -> [UInt8] { (0..<next(6)).map { _ in UInt8(next(256)) } }
      var tokens = ByteStringList()
      let count = next(40)
      for _ in 0..<count { tokens.append(bytes()) }
      let model = [TokenizerDescription.Model.byteLevelBPE, .sentencePiece, .characterBPE][next(3)]
      var description = TokenizerDescription(
        model: model, tokens: tokens, preTokenizer: ["gpt-2", "llama-bpe", "", "default"][next(4)])
      description.kinds = (0..<count).map { _ in Int32(next(9)) - 1 }
      description.scores = (0..<count).map { _ in Float(bitPattern: UInt32(next(1 << 32))) }
      for _ in 0..<next(30) { description.merges.append(bytes() + [0x20] + bytes()) }
      description.unknown = next(50) - 5
      guard let tokenizer = try? Tokenizer(description) else { continue }
      let text = (0..<next(300)).map { _ in UInt8(next(256)) }
      let ids = tokenizer.encode(text, parsingSpecial: trial % 2 == 0)
      _ = tokenizer.decode(ids, includingSpecial: true)
      #expect(ids.allSatisfy { $0 >= 0 && Int($0) < count })
    }
  }
}

/// Long runs must take linear time and little stack: one request must not stop a server.
struct TokenizerLongRunTests {
  /// Calls `body` on a thread with a stack of 512 KiB and returns its CPU time in seconds.
  private func onSmallStack(_ body: @escaping @Sendable () -> Void) async -> Double {
    await withCheckedContinuation { continuation in
      let thread = Thread {
        let start = Self.threadSeconds()
        body()
        continuation.resume(returning: Self.threadSeconds() - start)
      }
      thread.stackSize = 512 << 10
      thread.start()
    }
  }

  private static func threadSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  private static let runs = ["a", ".", " ", "汉", "1", "\n", "ab", "\u{301}", "'", "\r\n"]
  private static let rules = ["gpt-2", "llama-bpe", "qwen2", "deepseek-coder", "default"]

  /// Every run with one rule, and the runs that a rule might scan twice with the others.
  private static let cases =
    runs.map { ($0, "smollm") } + rules.flatMap { rule in [" ", "\n", "'"].map { ($0, rule) } }

  @Test(arguments: 0..<cases.count)
  func `300,000 equal characters encode in under two seconds`(index: Int) async throws {
    let (unit, preTokenizer) = Self.cases[index]
    var merges: [String] = []
    var half = unit
    for _ in 0..<7 {
      merges.append("\(half)|\(half)")
      half += half
    }
    if unit.utf8.count > 1 { merges = ["a|b"] + (unit == "ab" ? merges : []) }
    let tokenizer = try Tokenizer(
      TokenizerFixtures.byteLevel(merges: merges, preTokenizer: preTokenizer))
    let text = String(repeating: unit, count: 300_000)
    let seconds = await onSmallStack {
      #expect(tokenizer.decode(tokenizer.encode(text)) == Array(text.utf8))
    }
    #expect(seconds < 2)
  }

  @Test(arguments: runs)
  func `300,000 equal characters encode in under two seconds by score`(unit: String) async throws {
    var pieces: [String] = []
    var half = unit.replacing(" ", with: "\u{2581}")
    for _ in 0..<7 {
      pieces.append(half)
      half += half
    }
    var description = TokenizerFixtures.sentencePiece(pieces: pieces)
    description.addsSpacePrefix = false
    let tokenizer = try Tokenizer(description)
    let text = String(repeating: unit, count: 300_000)
    let seconds = await onSmallStack {
      #expect(tokenizer.decode(tokenizer.encode(text)) == Array(text.utf8))
    }
    #expect(seconds < 2)
  }
}
