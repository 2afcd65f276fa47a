import FMCore
import FMGrammar
import Foundation
import Testing

/// What a matcher promises beside its masks: endings, rolling back, limits, errors.
struct MatcherGuaranteeTests {
  private static let vocabulary = SampleVocabulary.make(seed: 3)
  private static let index = TokenIndex(tokens: vocabulary)

  private func matcher(
    _ grammar: Grammar, whiteSpace: WhiteSpace = .oneLine
  ) throws -> FollowedMatcher {
    FollowedMatcher(try CompiledGrammar(grammar, index: Self.index, whiteSpace: whiteSpace))
  }

  private func matcher(_ make: (inout GrammarBuilder) -> Grammar.Index) throws -> FollowedMatcher {
    var builder = GrammarBuilder()
    let root = make(&builder)
    return try self.matcher(builder.grammar(root))
  }

  private func accepts(_ matcher: FollowedMatcher, _ text: String) -> Bool {
    let matcher = matcher
    let trial = matcher.copy()
    return trial.acceptText(text) && trial.isAccepting
  }

  private func tokens(_ matcher: FollowedMatcher) -> [Int] { matcher.allowedTokens() }

  @Test func `words of random grammars are accepted byte by byte`() {
    var words = 0
    for seed in 1...300 as ClosedRange<UInt64> {
      var sample = RandomGrammar(seed: seed)
      let grammar = sample.make()
      guard let matcher = try? self.matcher(grammar) else { continue }
      let recognizer = NaiveRecognizer(grammar: grammar, whiteSpace: .oneLine)
      var random = SampleRandom(seed: seed)
      let pieces = [
        "\"", "a", "b", "ab", "\"a\": ", "\"b\": ", ", ", "1", "0", "{", "}", "[", "]", "true",
        "\"\"", "\"ab\"", "[]", "{}", "\"abc\": ", "c",
      ]
      for _ in 0..<200 {
        var text: [UInt8] = []
        for _ in 0..<random.below(7) { text += random.pick(pieces) }
        let trial = matcher.copy()
        let isAccepted = trial.acceptBytes(text) && trial.isAccepting
        let isWord = recognizer.accepts(text)
        if isWord { words += 1 }
        #expect(isAccepted == isWord, "seed \(seed): '\(String(decoding: text, as: UTF8.self))'")
      }
    }
    #expect(words > 500)
  }

  @Test func `rolling back equals replaying`() throws {
    for seed in 1...60 as ClosedRange<UInt64> {
      var sample = RandomGrammar(seed: seed)
      guard let fresh = try? self.matcher(sample.make()) else { continue }
      var random = SampleRandom(seed: seed)
      let matcher = fresh.copy()
      var taken: [Int] = []
      for _ in 0..<30 {
        let allowed = tokens(matcher)
        if random.below(3) == 0 || allowed.isEmpty {
          let count = random.below(taken.count + 1)
          matcher.rollBack(tokens: count)
          taken.removeLast(count)
        } else {
          let token = allowed[random.below(allowed.count)]
          let isAccepted = matcher.accept(TokenID(token))
          #expect(isAccepted)
          taken.append(token)
        }
        let replayed = fresh.copy()
        for token in taken { _ = replayed.accept(TokenID(token)) }
        #expect(tokens(replayed) == tokens(matcher), "seed \(seed)")
        #expect(replayed.isAccepting == matcher.isAccepting)
        #expect(replayed.minimumRemainingBytes == matcher.minimumRemainingBytes)
      }
    }
  }

  @Test func `a refused token changes nothing`() throws {
    let matcher = try self.matcher { $0.literal("true") }
    let before = tokens(matcher)
    let isAccepted = matcher.accept(0x66)
    #expect(!isAccepted && tokens(matcher) == before)
    #expect(!matcher.accept(-1) && !matcher.accept(TokenID.max))
    #expect(matcher.acceptBytes([]) && tokens(matcher) == before && !matcher.isAccepting)
  }

  /// The fewest bytes to the end, breadth first over all bytes; nil past `limit`.
  private func searchedMinimum(_ matcher: FollowedMatcher, limit: Int) -> Int? {
    var level = [matcher]
    for depth in 0...limit {
      if level.contains(where: \.isAccepting) { return depth }
      var next: [FollowedMatcher] = []
      for state in level {
        for token in tokens(state) where token < 256 {
          // One letter, digit and quote stands for all that go the same way.
          guard !(UInt8(ascii: "c")...UInt8(ascii: "e")).contains(UInt8(token)), token < 128 else {
            continue
          }
          let following = state.copy()
          if following.accept(TokenID(token)) { next.append(following) }
          if next.count > 600 { return nil }
        }
      }
      level = next
    }
    return nil
  }

  @Test func `the fewest remaining bytes are exact`() throws {
    var compared = 0
    for seed in 1...200 as ClosedRange<UInt64> {
      var sample = RandomGrammar(seed: seed)
      let grammar = sample.make()
      let needsDistinct = grammar.rules.contains { rule in
        switch rule {
        case .array(let array): array.isUnique && array.minimum > 1
        case .object(let object): !object.others.isEmpty && object.minimum > 1
        default: false
        }
      }
      guard !needsDistinct, let matcher = try? self.matcher(grammar) else { continue }
      var random = SampleRandom(seed: seed)
      for _ in 0..<4 {
        if let least = searchedMinimum(matcher, limit: 6) {
          #expect(matcher.minimumRemainingBytes == least, "seed \(seed)")
          #expect(matcher.shortestEnding()?.count == least)
          compared += 1
        }
        let allowed = tokens(matcher)
        guard !allowed.isEmpty else { break }
        _ = matcher.accept(TokenID(allowed[random.below(allowed.count)]))
      }
    }
    #expect(compared > 60)
  }

  @Test func `white space is one space after a colon and a comma, then structure is forced`() throws
  {
    let grammar: (inout GrammarBuilder) -> Grammar.Index = { builder in
      let string = builder.add(.string(StringRule()))
      let integer = builder.add(.automaton(SampleAutomata.integer))
      return builder.add(
        .object(
          ObjectRule(members: [
            GrammarBuilder.member("a", string), GrammarBuilder.member("b", integer),
          ])))
    }
    let matcher = try self.matcher(grammar)
    #expect(matcher.forcedBytes() == Array("{\"a\": \"".utf8))
    #expect(matcher.acceptText("{\"a\": \"x\""))
    #expect(matcher.forcedBytes() == Array(", \"b\": ".utf8))
    #expect(matcher.acceptText(", \"b\": 1"))
    for token in tokens(matcher) {
      #expect(!Self.vocabulary[token].contains { [0x20, 9, 10, 13].contains($0) })
    }
    #expect(matcher.acceptBytes([0x7d]) && matcher.isFinished)

    var builder = GrammarBuilder()
    let root = grammar(&builder)
    let loose = try self.matcher(builder.grammar(root), whiteSpace: .upTo(3))
    #expect(loose.acceptText("{ \n "))
    #expect(loose.forcedBytes().first == 0x22)
  }

  @Test func `tokens that straddle the beginning and the end are allowed exactly where all fits`()
    throws
  {
    let matcher = try self.matcher { builder in
      let string = builder.add(.string(StringRule()))
      let inner = builder.add(.object(ObjectRule(members: [GrammarBuilder.member("a", string)])))
      return builder.add(.object(ObjectRule(members: [GrammarBuilder.member("a", inner)])))
    }
    func token(_ text: String) throws -> TokenID {
      TokenID(try #require(Self.vocabulary.firstIndex(of: Array(text.utf8))))
    }
    for text in ["{\"a\": {\"a", "\": \""] {
      let token = try token(text)
      #expect(tokens(matcher).contains(Int(token)))
      let isAccepted = matcher.accept(token)
      #expect(isAccepted)
    }
    let closing = Int(try token("\"}"))
    let other = Int(try token("\"],"))
    #expect(tokens(matcher).contains(closing) && !tokens(matcher).contains(other))
    let closed = matcher.acceptBytes([0x22])
    let braces = try token("}}")
    #expect(closed && tokens(matcher).contains(Int(braces)))
    let ended = matcher.accept(braces)
    #expect(ended && matcher.isFinished && tokens(matcher).isEmpty)
  }

  @Test func `an enumeration of 500 values and an object of 100 properties stay whole`() throws {
    let values = (0..<500).map { "\"value \($0 * 7919 % 1000)\"" }
    let enumeration = try self.matcher { builder in
      let words = values.map { builder.literal($0) }
      return builder.add(.choice(words))
    }
    #expect(enumeration.configurationCount == 1)
    for value in values { #expect(accepts(enumeration, value)) }
    #expect(!accepts(enumeration, "\"value x\""))

    let object = try self.matcher { builder in
      let integer = builder.add(.automaton(SampleAutomata.integer))
      return builder.add(
        .object(
          ObjectRule(
            members: (0..<100).map {
              GrammarBuilder.member("p\($0)", integer, isRequired: $0 % 10 == 9)
            })))
    }
    let required = stride(from: 9, to: 100, by: 10).map { "\"p\($0)\": 1" }
    #expect(accepts(object, "{" + required.joined(separator: ", ") + "}"))
    #expect(!accepts(object, "{" + required.dropFirst().joined(separator: ", ") + "}"))
    #expect(
      accepts(object, "{" + (0..<100).map { "\"p\($0)\": 1" }.joined(separator: ", ") + "}"))
  }

  @Test func `members are skipped only while the bounds can still be met`() throws {
    let object = try self.matcher { builder in
      let value = builder.literal("1")
      return builder.add(
        .object(
          ObjectRule(
            members: [
              GrammarBuilder.member("a", value, isRequired: false),
              GrammarBuilder.member("b", value, isRequired: false),
              GrammarBuilder.member("c", value, isRequired: false),
            ], minimum: 2, maximum: 2)))
    }
    #expect(accepts(object, "{\"a\": 1, \"b\": 1}") && accepts(object, "{\"b\": 1, \"c\": 1}"))
    #expect(!accepts(object, "{\"a\": 1}"))
    let skipped = object.copy()
    #expect(skipped.acceptText("{\"") && !skipped.acceptBytes([0x63]))
    let full = object.copy()
    #expect(full.acceptText("{\"a\": 1, \"c\": 1"))
    #expect(full.forcedBytes() == [0x7d])
  }

  @Test func `a key comes once, and keys that are taken leave no dead end`() throws {
    for key in [SampleAutomata.plainKey, SampleAutomata.lopsidedKey] {
      let object = try self.matcher { builder in
        let value = builder.literal("1")
        return builder.add(
          .object(
            ObjectRule(
              members: [GrammarBuilder.member("b", value, isRequired: false)],
              others: [ObjectRule.Others(key: key, value: value)],
              reservedKeys: [Array("\"bc\"".utf8)])))
      }
      #expect(accepts(object, "{\"b\": 1, \"bcc\": 1, \"a\": 1}"))
      #expect(!accepts(object, "{\"bcc\": 1, \"bcc\": 1}") && !accepts(object, "{\"bc\": 1}"))
      #expect(!accepts(object, "{\"a\": 1, \"b\": 1}"))
      let matcher = object.copy()
      #expect(matcher.acceptText("{\"a\": 1, \""))
      for token in tokens(matcher) {
        let trial = matcher.copy()
        #expect(trial.accept(TokenID(token)) && trial.shortestEnding() != nil)
      }
      #expect(!tokens(matcher).contains { Self.vocabulary[$0] == Array("a\"".utf8) })
    }
  }

  @Test func `distinct elements run out, and counts to a million cost nothing`() throws {
    let bits = try self.matcher { builder in
      let item = builder.add(.automaton(SampleAutomata.bits))
      return builder.add(.array(ArrayRule(items: item, minimum: 6, isUnique: true)))
    }
    #expect(accepts(bits, "[0, 00, 1, 10, 11, 01]"))
    #expect(!accepts(bits, "[0, 00, 0"))
    let million = try self.matcher { builder in
      let item = builder.literal("1")
      return builder.add(
        .array(ArrayRule(items: item, minimum: 1_000_000, maximum: 1_000_000)))
    }
    let counted = million.copy()
    #expect(counted.minimumRemainingBytes == 3_000_000)
    #expect(counted.acceptText("[1, 1"))
    #expect(counted.minimumRemainingBytes == 3_000_000 - 5)
    #expect(counted.shortestEnding(limit: 100) == nil)
    #expect(throws: GrammarError.self) {
      try self.matcher { builder in
        let item = builder.add(.automaton(SampleAutomata.bits))
        return builder.add(.array(ArrayRule(items: item, minimum: 7, isUnique: true)))
      }
    }
  }

  @Test func `control tokens are allowed where a rule says so and nowhere else`() throws {
    let control = TokenID(try #require(Self.vocabulary.firstIndex(of: [])))
    let matcher = try self.matcher { builder in
      let call = builder.add(.token(control))
      let text = builder.literal("a")
      return builder.add(.sequence([text, call, text]))
    }
    #expect(!tokens(matcher).contains(Int(control)))
    #expect(matcher.acceptBytes([0x61]) && tokens(matcher) == [Int(control)])
    #expect(matcher.forcedBytes().isEmpty)
    #expect(matcher.shortestEnding() == [0x61])
    let isAccepted = matcher.accept(control)
    #expect(isAccepted && matcher.acceptBytes([0x61]) && matcher.isFinished)
  }
}
