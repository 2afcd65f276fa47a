/// The languages of texts and names a schema speaks of, each kept once.
///
/// They are automata over UTF-8; how JSON spells their words comes last.
struct SchemaLanguages {
  /// A language's number.
  typealias Index = Int

  private(set) var automata: [ByteAutomaton] = []
  private var indices: [ByteAutomaton: Index] = [:]
  private var patterns: [[UInt8]: Index] = [:]
  private var intersections: [[Index]: Index?] = [:]
  private var differences: [[Index]: Index?] = [:]
  private var lengths: [[Int]: Index] = [:]

  /// States of the automata that strings and numbers were given so far.
  var emittedStates = 0
  /// How often an automaton of strings was tried for.
  var emissions = 0
  var emittedNumbers: [NumberSet: ByteAutomaton?] = [:]
  /// How many automata were worked out.
  private var operations = 0

  /// What the next automaton may cost: less with every one, so that all of them end in time.
  mutating func nextLimits() throws(GrammarError) -> AutomatonLimits {
    operations += 1
    guard operations <= 1_000 else { throw .limitExceeded(.steps, limit: 1_000) }
    return AutomatonLimits(steps: max(60_000, 4_000_000 / operations))
  }

  private mutating func intern(_ automaton: ByteAutomaton) -> Index {
    if let known = indices[automaton] { return known }
    automata.append(automaton)
    indices[automaton] = automata.count - 1
    return automata.count - 1
  }

  private mutating func intern(_ automaton: ByteAutomaton?) -> Index? {
    guard let automaton else { return nil }
    let index: Index = intern(automaton)
    return index
  }

  subscript(index: Index) -> ByteAutomaton { automata[index] }

  /// Texts in which the pattern matches somewhere.
  mutating func pattern(_ source: [UInt8]) throws(GrammarError) -> Index {
    if let known = patterns[source] { return known }
    let text = String(decoding: source, as: UTF8.self)
    let index: Index = intern(try Pattern.automaton(text, limits: try nextLimits()))
    patterns[source] = index
    return index
  }

  mutating func literals(_ words: [[UInt8]]) throws(GrammarError) -> Index {
    intern(try ByteAutomaton.literals(words))
  }

  /// Texts of so many code points.
  private mutating func lengths(_ minimum: Int, _ maximum: Int?) throws(GrammarError) -> Index {
    if let known = lengths[[minimum, maximum ?? -1]] { return known }
    let index: Index = intern(
      try JSONStringAutomaton.lengths(
        minimum: minimum, maximum: maximum, limits: try nextLimits()))
    lengths[[minimum, maximum ?? -1]] = index
    return index
  }

  /// The language of some strings' texts; nil if there are none.
  mutating func texts(_ set: StringSet) throws(GrammarError) -> Index? {
    var result: Index
    switch set.language {
    case .literals(let words): return try literals(words)
    case .automaton(let index): result = index
    case .any: return try lengths(set.minimum, set.maximum)
    }
    if set.minimum == 0, set.maximum == nil { return result }
    guard let both = try intersection(result, try lengths(set.minimum, set.maximum)) else {
      return nil
    }
    result = both
    return result
  }

  mutating func intersection(_ left: Index, _ right: Index) throws(GrammarError) -> Index? {
    if left == right { return left }
    let key = [min(left, right), max(left, right)]
    if let known = intersections[key] { return known }
    let result: Index? = intern(
      try automata[left].intersection(automata[right], limits: try nextLimits()))
    intersections[key] = .some(result)
    return result
  }

  private mutating func difference(_ left: Index, _ right: Index) throws(GrammarError) -> Index? {
    if left == right { return nil }
    if let known = differences[[left, right]] { return known }
    let result: Index? = intern(
      try automata[left].difference(automata[right], limits: try nextLimits()))
    differences[[left, right]] = .some(result)
    return result
  }

  func accepts(_ index: Index, _ text: [UInt8]) -> Bool { automata[index].accepts(text) }

  /// Whether a language has no text of so many code points.
  mutating func isEmpty(
    _ index: Index, minimum: Int, maximum: Int?
  ) throws(GrammarError) -> Bool {
    if minimum == 0, maximum == nil { return false }
    // Long bounds make large automata; whether a text is there is then found when the rule is made.
    if max(minimum, maximum ?? 0) > 1_000 { return false }
    return try intersection(index, try lengths(minimum, maximum)) == nil
  }

  // MARK: Names

  func accepts(_ names: NameSet, _ name: [UInt8]) -> Bool {
    switch names {
    case .any: true
    case .automaton(let index): accepts(index, name)
    }
  }

  mutating func intersection(_ left: NameSet, _ right: NameSet) throws(GrammarError) -> NameSet? {
    switch (left, right) {
    case (.any, let other), (let other, .any): other
    case (.automaton(let one), .automaton(let other)):
      try intersection(one, other).map { .automaton($0) }
    }
  }

  mutating func difference(_ left: NameSet, _ right: NameSet) throws(GrammarError) -> NameSet? {
    switch (left, right) {
    case (_, .any): return nil
    case (.any, .automaton):
      let text: Index = intern(ByteAutomaton.text)
      return try difference(.automaton(text), right)
    case (.automaton(let one), .automaton(let other)):
      return try difference(one, other).map { .automaton($0) }
    }
  }

  mutating func names(_ strings: StringSet) throws(GrammarError) -> NameSet? {
    try texts(strings).map { .automaton($0) }
  }

  mutating func union(_ left: NameSet, _ right: NameSet) throws(GrammarError) -> NameSet {
    guard case .automaton(let one) = left, case .automaton(let other) = right else { return .any }
    let index: Index = intern(try ByteAutomaton.union([automata[one], automata[other]]))
    return .automaton(index)
  }

  mutating func complement(_ names: NameSet) throws(GrammarError) -> NameSet? {
    try difference(.any, names)
  }
}
