import FMGrammar
import Testing

@Suite struct AutomatonOperationsTests {
  /// All words over `ab` of up to six letters.
  private static let words: [[UInt8]] = {
    var words: [[UInt8]] = [[]]
    var last = words
    for _ in 0..<6 {
      last = last.flatMap { [$0 + [0x61], $0 + [0x62]] }
      words += last
    }
    return words
  }()

  private static func language(_ automaton: ByteAutomaton?) -> Set<[UInt8]> {
    Set(words.filter { automaton?.accepts($0) ?? false })
  }

  private static func whole(_ pattern: String) throws -> ByteAutomaton {
    try Pattern.automaton(pattern, mode: .wholeMatch)
  }

  private static let samples = [
    "a", "b*", "(a|b)*", "(ab)*", "a(a|b)*", "(a|b){2,3}", "(a|ba)*b?", "a?", "(?:aa)+",
  ]

  @Test func `operations on languages are operations on sets of words`() throws {
    for one in Self.samples {
      for other in Self.samples {
        let (first, second) = (try Self.whole(one), try Self.whole(other))
        let (left, right) = (Self.language(first), Self.language(second))
        let both = try first.intersection(second)
        #expect(Self.language(both) == left.intersection(right))
        #expect(Self.language(try first.difference(second)) == left.subtracting(right))
        #expect(Self.language(try .union([first, second])) == left.union(right))
        #expect(try first.isDisjoint(with: second) == (both == nil))
        #expect(try .union([first, second]) == Self.whole("(?:\(one))|(?:\(other))"))
        #expect(try .concatenation([first, second]) == Self.whole("(?:\(one))(?:\(other))"))
        #expect(try first.isSubset(of: .union([second, first])))
      }
    }
  }

  @Test func `repetitions are those of patterns`() throws {
    for one in Self.samples {
      for (minimum, maximum) in [(0, nil), (0, 0), (1, nil), (3, nil), (0, 2), (2, 2), (1, 4)]
        as [(Int, Int?)]
      {
        let pattern = "(?:\(one)){\(minimum),\(maximum.map(String.init) ?? "")}"
        let found = try Self.whole(one).repeated(minimum: minimum, maximum: maximum)
        #expect(try found == Self.whole(pattern), "\(pattern)")
      }
    }
  }

  @Test func `the complement of the complement is the language itself`() throws {
    for one in Self.samples.map({ "^\($0)$" }) + ["é|\\p{Lu}", "\\bfoo\\b"] {
      let automaton = try Pattern.automaton(one)
      let others = try #require(try ByteAutomaton.text.difference(automaton))
      #expect(try others.isDisjoint(with: automaton))
      #expect(try ByteAutomaton.text.difference(others) == automaton)
    }
  }

  @Test func `nothing is left of a language without itself`() throws {
    #expect(try ByteAutomaton.text.difference(.text) == nil)
    #expect(try Self.whole("a").intersection(Self.whole("b")) == nil)
  }

  @Test func `minimizing merges equal states`() throws {
    // Three states that accept `a*`.
    let large = ByteAutomaton(
      classes: (0..<256).map { $0 == 0x61 ? 1 : 0 }, classCount: 2,
      transitions: [-1, 1, -1, 2, -1, 0], accepting: [true, true, true])
    #expect(try large.minimized().stateCount == 1)
    #expect(try large.minimized() == Self.whole("a*"))
  }

  @Test func `words of a finite language come in order and up to the limit`() throws {
    let automaton = try Self.whole("b?(a|ab|é)?")
    #expect(
      automaton.words(limit: 100)
        == ["", "a", "ab", "b", "ba", "bab", "bé", "é"].map { Array($0.utf8) })
    #expect(automaton.words(limit: 8)?.count == 8)
    #expect(automaton.words(limit: 7) == nil)
    #expect(try Self.whole("a*").words(limit: 100) == nil)
    #expect(try Self.whole("a*").containsInfinitelyManyWords)
    #expect(!automaton.containsInfinitelyManyWords)
    #expect(try Self.whole("a{19999}").words(limit: 1)?.first?.count == 19_999)
  }

  @Test func `literals are exactly their words`() throws {
    var random = SmallRandom(7)
    for count in [1, 2, 17, 500, 10_000] {
      let words = (0..<count).map { _ in
        (0..<random.below(20)).map { _ in UInt8(0x61 + random.below(20)) }
      }
      var automaton = ByteAutomaton.text
      let seconds = try processorSeconds { automaton = try ByteAutomaton.literals(words) }
      #expect(seconds < 1, "\(count) words took \(seconds) s")
      let wanted = Set(words).sorted { $0.lexicographicallyPrecedes($1) }
      #expect(automaton.words(limit: count) == wanted)
    }
    #expect(throws: GrammarError.self) { try ByteAutomaton.literals([]) }
    #expect(try ByteAutomaton.literals([[]]).words(limit: 1) == [[]])
    let few = ["abc", "abd", "xbd", "x"].map { Array($0.utf8) }
    #expect(try ByteAutomaton.literals(few) == Self.whole("ab[cd]|xbd|x"))
  }

  @Test func `limits are typed errors`() throws {
    let text = ByteAutomaton.text
    #expect(throws: GrammarError.limitExceeded(.repetitions, limit: 20_000)) {
      try text.repeated(minimum: 0, maximum: 20_001)
    }
    #expect(throws: GrammarError.limitExceeded(.states, limit: 10)) {
      try Pattern.automaton("a{50}", limits: AutomatonLimits(states: 10))
    }
    #expect(throws: GrammarError.limitExceeded(.steps, limit: 100)) {
      try Pattern.automaton("\\p{L}", limits: AutomatonLimits(steps: 100))
    }
    let hard = try Pattern.automaton("^[ab]*a[ab]{9}$")
    let seconds = processorSeconds {
      #expect(throws: GrammarError.self) { try hard.repeated(minimum: 50, maximum: 20_000) }
      #expect(throws: GrammarError.self) { try hard.repeated(minimum: 50, maximum: 3_000) }
    }
    #expect(seconds < 2, "\(seconds) s")
  }
}
