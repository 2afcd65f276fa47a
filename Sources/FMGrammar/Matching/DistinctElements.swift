/// Works out how many elements an array of distinct elements can have.
struct DistinctElements {
  /// The most pairs of states looked at to tell whether two automata share a word.
  private static let pairLimit = 100_000

  private let rules: [Rule]
  /// What is known of each element's rule that was asked for.
  private var languages: [Grammar.Index: Language] = [:]

  /// The words of an element: literals, and automata that accept none of them.
  private struct Language {
    var literals: Set<[UInt8]> = []
    var automata: [ByteAutomaton] = []
    /// A number of words there are at least, and exactly if no two automata share one.
    var words = 0
  }

  init(_ rules: [Rule]) { self.rules = rules }

  /// The rules with arrays of distinct elements bounded by what there is.
  ///
  /// An array that needs more words than there are becomes a choice of nothing.
  mutating func narrowed() throws(GrammarError) -> [Rule] {
    var narrowed = rules
    for (rule, content) in rules.enumerated() {
      guard case .array(var array) = content, array.isUnique else { continue }
      if array.maximum.map({ $0 <= 1 }) ?? false {
        array.isUnique = false
        narrowed[rule] = .array(array)
        continue
      }
      let bound = try bound(array)
      guard bound < array.maximum ?? Int.max else { continue }
      if bound < array.minimum {
        guard array.prefix.isEmpty else {
          throw .unsupported(
            path: "", keyword: "uniqueItems",
            reason: "elements by place may take each other's values")
        }
        narrowed[rule] = .choice([])
      } else {
        array.maximum = bound
        narrowed[rule] = .array(array)
      }
    }
    return narrowed
  }

  /// The most elements for which each surely has a word that none before it took.
  private mutating func bound(_ array: ArrayRule) throws(GrammarError) -> Int {
    var before: [Language] = []
    for (place, element) in array.prefix.enumerated() {
      let language = try language(element)
      let conflicts = before.count { Self.share($0, language) }
      if language.words <= conflicts { return place }
      before.append(language)
    }
    guard let items = array.items else { return array.prefix.count }
    let language = try language(items)
    let conflicts = before.count { Self.share($0, language) }
    if language.words >= Int(WordCounts.unbounded) { return Int.max }
    return array.prefix.count + max(0, language.words - conflicts)
  }

  private mutating func language(_ element: Grammar.Index) throws(GrammarError) -> Language {
    if let known = languages[element] { return known }
    var language = Language()
    var seen: Set<Grammar.Index> = []
    var pending = [element]
    while let rule = pending.popLast() {
      guard seen.insert(rule).inserted else { continue }
      switch rules[Int(rule)] {
      case .literal(let bytes): language.literals.insert(bytes)
      case .automaton(let automaton):
        if !language.automata.contains(automaton) { language.automata.append(automaton) }
      case .choice(let alternatives): pending += alternatives
      default:
        throw .unsupported(
          path: "", keyword: "uniqueItems",
          reason: "elements must be values of which each is spelled in one way")
      }
    }
    let automata = language.automata
    let literals = language.literals.count { word in !automata.contains { $0.accepts(word) } }
    let counts = automata.map { Int(WordCounts.counts($0)[0]) }
    var areDisjoint = true
    for (place, first) in automata.enumerated() where areDisjoint {
      areDisjoint = !automata[..<place].contains { Self.share($0, first) }
    }
    let words = areDisjoint ? counts.reduce(0, +) : counts.max() ?? 0
    language.words = min(literals + words, Int(WordCounts.unbounded))
    languages[element] = language
    return language
  }

  private static func share(_ first: Language, _ second: Language) -> Bool {
    if !first.literals.isDisjoint(with: second.literals) { return true }
    if first.literals.contains(where: { word in second.automata.contains { $0.accepts(word) } }) {
      return true
    }
    if second.literals.contains(where: { word in first.automata.contains { $0.accepts(word) } }) {
      return true
    }
    return first.automata.contains { one in second.automata.contains { share(one, $0) } }
  }

  /// Whether two automata have a word in common; true if that is too much work to tell.
  private static func share(_ first: ByteAutomaton, _ second: ByteAutomaton) -> Bool {
    struct Pair: Hashable {
      var first: Int32
      var second: Int32
    }
    var seen: Set<Pair> = [Pair(first: 0, second: 0)]
    var pending = Array(seen)
    while let pair = pending.popLast() {
      if first.accepting[Int(pair.first)], second.accepting[Int(pair.second)] { return true }
      if seen.count > pairLimit { return true }
      for byte in UInt8.min...UInt8.max {
        let next = Pair(
          first: first.next(pair.first, byte), second: second.next(pair.second, byte))
        guard next.first >= 0, next.second >= 0, seen.insert(next).inserted else { continue }
        pending.append(next)
      }
    }
    return false
  }
}
