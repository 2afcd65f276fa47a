import FMCore
import FMGrammar
import Testing

/// The matcher against trials of every token and against a recognizer that shares nothing with it.
struct GrammarMatcherTests {
  private static let vocabulary = SampleVocabulary.make(seed: 7)
  private static let index = TokenIndex(tokens: vocabulary)

  private func isSet(_ mask: [UInt64], _ token: Int) -> Bool {
    mask[token / 64] >> UInt64(token % 64) & 1 != 0
  }

  /// Walks by random tokens of the masks, each compared with trials of all tokens, then ends shortest.
  private func walk(
    _ compiled: CompiledGrammar, steps: Int, _ random: inout SampleRandom, _ seed: UInt64
  ) -> [UInt8] {
    var matcher = GrammarMatcher(compiled)
    var text: [UInt8] = []
    var mask: [UInt64] = []
    for _ in 0..<steps {
      matcher.fillMask(&mask)
      var allowed: [Int] = []
      for token in Self.vocabulary.indices {
        var trial = matcher.copy()
        let isAllowed = !Self.vocabulary[token].isEmpty && trial.acceptBytes(Self.vocabulary[token])
        if isAllowed != isSet(mask, token) {
          let spelled = String(decoding: Self.vocabulary[token], as: UTF8.self)
          let before = String(decoding: text, as: UTF8.self)
          Issue.record("seed \(seed): after '\(before)' '\(spelled)' is allowed: \(isAllowed)")
          return text
        }
        if isAllowed { allowed.append(token) }
      }
      #expect(!allowed.isEmpty || matcher.isAccepting, "seed \(seed): a dead end")
      #expect(matcher.isFinished == (allowed.isEmpty && matcher.isAccepting))
      guard !allowed.isEmpty else { break }
      let token = allowed[random.below(allowed.count)]
      let isAccepted = matcher.accept(TokenID(token))
      #expect(isAccepted)
      text += Self.vocabulary[token]
    }
    let least = matcher.minimumRemainingBytes
    guard let ending = matcher.shortestEnding() else {
      Issue.record("seed \(seed): no ending after '\(String(decoding: text, as: UTF8.self))'")
      return text
    }
    #expect(ending.count >= least)
    let isAccepted = matcher.acceptBytes(ending)
    #expect(isAccepted && matcher.isAccepting)
    return text + ending
  }

  @Test(arguments: [WhiteSpace.oneLine, .none, .upTo(2)])
  func `masks equal trials of all tokens, and every walk can be completed`(
    _ whiteSpace: WhiteSpace
  ) {
    var compiledCount = 0
    for seed in 1...150 as ClosedRange<UInt64> {
      var sample = RandomGrammar(seed: seed)
      let grammar = sample.make()
      let compiled: CompiledGrammar
      do {
        compiled = try CompiledGrammar(grammar, index: Self.index, whiteSpace: whiteSpace)
      } catch {
        continue
      }
      compiledCount += 1
      let recognizer = NaiveRecognizer(grammar: grammar, whiteSpace: whiteSpace)
      var random = SampleRandom(seed: seed)
      for _ in 0..<2 {
        let text = walk(compiled, steps: 8, &random, seed)
        #expect(
          recognizer.accepts(text),
          "seed \(seed): '\(String(decoding: text, as: UTF8.self))' in \(grammar)")
      }
    }
    #expect(compiledCount > 75)
  }
}
