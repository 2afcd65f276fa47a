/// The languages of texts and names a schema speaks of, each kept once.
///
/// They are automata over UTF-8; how JSON spells their words comes last.
struct SchemaLanguages {
  /// A language's number.
  typealias Index = Int

  private(set) var automata: [ByteAutomaton] = []
  private var indices: [ByteAutomaton: Index] = [:]
  private var patterns: [[UInt8]: Index] = [:]
  /// The languages that may hold more by another dialect of patterns, with all that any dialect gives them.
  ///
  /// What is subtracted is taken so, as the opposite of what is surely in a language is not surely outside.
  private var widest: [Index: Index] = [:]
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
    if Self.hasReadings(source) { note(index, widest: try widestPattern(text)) }
    patterns[source] = index
    return index
  }

  /// Whether dialects may disagree about what a pattern matches.
  private static func hasReadings(_ source: [UInt8]) -> Bool {
    let marks = ["\\W", "\\D", "\\S", "[^", "(?!"].map { Array($0.utf8) }
    return source.indices.contains { place in marks.contains { source[place...].starts(with: $0) } }
  }

  /// Texts in which any dialect finds the pattern; all texts where those are too many to tell.
  private mutating func widestPattern(_ text: String) throws(GrammarError) -> Index {
    do throws(GrammarError) {
      return intern(try Pattern.automaton(text, reading: .widest, limits: try nextLimits()))
    } catch {
      guard case .limitExceeded = error else { throw error }
      return intern(ByteAutomaton.text)
    }
  }

  private mutating func note(_ index: Index, widest wide: Index) {
    if index != wide { widest[index] = wide }
  }

  /// All that a language holds by any dialect of patterns.
  func widest(of index: Index) -> Index { widest[index] ?? index }

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
    let wide = (widest(of: left), widest(of: right))
    if let result, wide != (left, right), let both = try intersection(wide.0, wide.1) {
      note(result, widest: both)
    }
    return result
  }

  private mutating func difference(_ left: Index, _ right: Index) throws(GrammarError) -> Index? {
    if left == right { return nil }
    if let known = differences[[left, right]] { return known }
    let result: Index? = intern(
      try automata[left].difference(automata[widest(of: right)], limits: try nextLimits()))
    differences[[left, right]] = .some(result)
    let wide = widest(of: left)
    if let result, wide != left || widest(of: right) != right,
      let rest = try automata[wide].difference(automata[right], limits: try nextLimits())
    {
      note(result, widest: intern(rest))
    }
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

  /// Whether any dialect of patterns has a name among some.
  func mayAccept(_ names: NameSet, _ name: [UInt8]) -> Bool {
    switch names {
    case .any: true
    case .automaton(let index): accepts(widest(of: index), name)
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
    let wide = (widest(of: one), widest(of: other))
    if wide != (one, other) {
      let both = try ByteAutomaton.union([automata[wide.0], automata[wide.1]])
      note(index, widest: intern(both))
    }
    return .automaton(index)
  }

  mutating func complement(_ names: NameSet) throws(GrammarError) -> NameSet? {
    try difference(.any, names)
  }
}
