import FMCore
import FMGrammar

/// Builds grammars by hand.
struct GrammarBuilder {
  var rules: [Rule] = []

  mutating func add(_ rule: Rule) -> Grammar.Index {
    rules.append(rule)
    return Grammar.Index(rules.count - 1)
  }

  mutating func literal(_ text: String) -> Grammar.Index { add(.literal(Array(text.utf8))) }

  func grammar(_ root: Grammar.Index) -> Grammar { Grammar(rules: rules, root: root) }

  static func member(
    _ name: String, _ value: Grammar.Index, isRequired: Bool = true
  ) -> ObjectRule.Member {
    ObjectRule.Member(key: Array("\"\(name)\"".utf8), value: value, isRequired: isRequired)
  }
}

/// Automata built by hand.
enum SampleAutomata {
  /// JSON integers.
  static let integer = make(4) { state, byte in
    switch (state, byte) {
    case (0, 0x2d): 1
    case (0, 0x30), (1, 0x30): 2
    case (0, 0x31...0x39), (1, 0x31...0x39), (3, 0x30...0x39): 3
    default: -1
    }
  } accepting: {
    $0 >= 2
  }

  /// A quoted word of lower-case letters, at least one.
  static let word = make(4) { state, byte in
    switch (state, byte) {
    case (0, 0x22): 1
    case (1, 0x61...0x7a), (2, 0x61...0x7a): 2
    case (2, 0x22): 3
    default: -1
    }
  } accepting: {
    $0 == 3
  }

  /// Any quoted printable ASCII without escapes.
  static let plainKey = make(3) { state, byte in
    switch (state, byte) {
    case (0, 0x22): 1
    case (1, 0x22): 2
    case (1, 0x5c): -1
    case (1, 0x20...0x7e): 1
    default: -1
    }
  } accepting: {
    $0 == 2
  }

  /// Letters in quotes: one `a`, or a `b` and any number of `c`, so that the first has one ending.
  static let lopsidedKey = make(5) { state, byte in
    switch (state, byte) {
    case (0, 0x22): 1
    case (1, 0x61): 2
    case (1, 0x62), (3, 0x63): 3
    case (2, 0x22), (3, 0x22): 4
    default: -1
    }
  } accepting: {
    $0 == 4
  }

  /// Repeats of `ab`, the empty word too.
  static let pairs = make(2) { state, byte in
    switch (state, byte) {
    case (0, 0x61): 1
    case (1, 0x62): 0
    default: -1
    }
  } accepting: {
    $0 == 0
  }

  /// Bits, `[01]` once or twice.
  static let bits = make(3) { state, byte in
    (0x30...0x31).contains(byte) && state < 2 ? state + 1 : -1
  } accepting: {
    $0 > 0
  }

  static func make(
    _ states: Int32, _ next: (Int32, UInt8) -> Int32, accepting: (Int32) -> Bool
  ) -> ByteAutomaton {
    var columns: [[Int32]] = []
    var classes: [UInt8] = []
    for byte in UInt8.min...UInt8.max {
      let column = (0..<states).map { next($0, byte) }
      let known = columns.firstIndex(of: column)
      if known == nil { columns.append(column) }
      classes.append(UInt8(known ?? columns.count - 1))
    }
    return ByteAutomaton(
      classes: classes, classCount: columns.count,
      transitions: (0..<Int(states)).flatMap { state in columns.map { $0[state] } },
      accepting: (0..<states).map(accepting))
  }
}

/// Random grammars, small ones, some of them recursive.
struct RandomGrammar {
  var random: SampleRandom
  private var builder = GrammarBuilder()
  private let count: Int

  init(seed: UInt64) {
    random = SampleRandom(seed: seed)
    count = 4 + random.below(8)
  }

  mutating func make() -> Grammar {
    for _ in 0..<count {
      let rule = rule()
      _ = builder.add(rule)
    }
    return builder.grammar(Grammar.Index(count - 1))
  }

  private mutating func below() -> Grammar.Index {
    builder.rules.isEmpty ? 0 : Grammar.Index(random.below(builder.rules.count))
  }

  /// Behind a bracket any rule may follow, also a later one.
  private mutating func any() -> Grammar.Index {
    random.below(4) == 0 ? Grammar.Index(random.below(count)) : below()
  }

  private mutating func rule() -> Rule {
    let kind = builder.rules.count < 3 ? random.below(7) : random.below(14)
    switch kind {
    case 0: return .empty
    case 1, 2: return .literal(random.pick(["a", "\"", "true", "ab", "\"ab\"", "1"]))
    case 3:
      let automata = [
        SampleAutomata.integer, SampleAutomata.word, SampleAutomata.pairs, SampleAutomata.bits,
      ]
      return .automaton(automata[random.below(automata.count)])
    case 4, 5, 6:
      let minimum = random.below(3)
      return .string(
        StringRule(
          minimum: minimum, maximum: random.below(2) == 0 ? nil : minimum + random.below(3)))
    case 7, 8: return .sequence((0..<random.below(4)).map { _ in below() })
    case 9, 10: return .choice((0..<1 + random.below(4)).map { _ in below() })
    case 11: return .array(array())
    default: return .object(object())
    }
  }

  private mutating func array() -> ArrayRule {
    let minimum = random.below(3)
    var rule = ArrayRule(
      prefix: (0..<random.below(3)).map { _ in any() }, items: random.below(3) > 0 ? any() : nil,
      minimum: minimum, maximum: random.below(2) == 0 ? nil : minimum + random.below(4))
    if random.below(3) == 0 {
      rule.prefix = []
      let kinds: [Rule] = [
        .automaton(SampleAutomata.bits), .automaton(SampleAutomata.integer),
        .literal(Array("\"a\"".utf8)),
      ]
      rule.items = builder.add(kinds[random.below(3)])
      if random.below(2) == 0, let first = rule.items {
        let second = builder.literal(["true", "0", "\"ab\""][random.below(3)])
        rule.items = builder.add(.choice([first, second]))
      }
      rule.isUnique = true
    }
    return rule
  }

  private mutating func object() -> ObjectRule {
    let names = ["a", "b", "ab", "abc", "true"]
    let shift = random.below(5)
    let members = (0..<random.below(4)).map { place in
      GrammarBuilder.member(
        names[(shift + place) % 5], any(), isRequired: random.below(3) == 0)
    }
    var rule = ObjectRule(members: members, minimum: random.below(3))
    if random.below(3) == 0 {
      let key = random.below(2) == 0 ? SampleAutomata.word : SampleAutomata.lopsidedKey
      rule.others = [ObjectRule.Others(key: key, value: any())]
      rule.reservedKeys = random.below(2) == 0 ? [] : [Array("\"a\"".utf8)]
    }
    if random.below(2) == 0 { rule.maximum = rule.minimum + random.below(3) }
    return rule
  }
}

/// Random numbers that are the same each time.
struct SampleRandom: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed &* 0x9e37_79b9_7f4a_7c15 | 1 }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var value = state
    value = (value ^ value >> 30) &* 0xbf58_476d_1ce4_e5b9
    value = (value ^ value >> 27) &* 0x94d0_49bb_1331_11eb
    return value ^ value >> 31
  }

  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

  mutating func pick(_ texts: [String]) -> [UInt8] { Array(texts[below(texts.count)].utf8) }
}

/// Small vocabularies whose tokens straddle everything.
enum SampleVocabulary {
  /// All 256 bytes, then pieces of JSON, then random pieces; some twice, some that are no text.
  static func make(seed: UInt64, extra: Int = 120) -> [[UInt8]] {
    var random = SampleRandom(seed: seed)
    var tokens: [[UInt8]] = (0..<256).map { [UInt8($0)] }
    tokens += [
      "{\"", "\"}", "\"],", "}}", ",\n", "\": ", "\": \"", "\", \"", "[1", "\": 1, \"", "[[", "]]",
      "\"a", "\"a\"", "\"a\": ", "a\"", "ab\"", "ab\": ", "\"ab", "[\"", "\"]", "\", \"a", "1, ",
      "0, 1", "{\"a\": ", "{\"a\": {\"a", "\\\"", "\\u", "\\u00", "é", "😀", "\\ud83d\\ude00", "a\\",
      "true", "tru", "}, {\"", "[]", "{}", "]}", "\": [", "\": {\"", "{\"", "\"a\"", "aé\"",
    ].map { Array($0.utf8) }
    tokens += [[], [0xc3], [0xa9, 0x22], [0x9f, 0x98, 0x80], [0x61, 0xf0, 0x9f]]
    let pieces = [
      "\"", "a", "b", "\": ", ", ", "1", "0", "{", "}", "[", "]", "\\", "c", "true", "é",
    ]
    for _ in 0..<extra {
      var token: [UInt8] = []
      for _ in 0..<1 + random.below(4) { token += random.pick(pieces) }
      tokens.append(token)
    }
    return tokens
  }
}
