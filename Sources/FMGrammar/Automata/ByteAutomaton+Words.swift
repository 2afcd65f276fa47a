/// Languages given by their words, and the words of languages.
extension ByteAutomaton {
  /// The language of exactly these words; minimal, in time linear in their bytes but for sorting them.
  ///
  /// It may have as many states as fit a table of 64 MB, whatever `limits` says of states.
  /// Throws `empty` if there are no words.
  package static func literals(
    _ words: [[UInt8]], limits: AutomatonLimits = .standard
  ) throws(GrammarError) -> ByteAutomaton {
    if words.isEmpty { throw .empty(path: "", reason: "a choice of no values") }
    let meter = WorkMeter(limits)
    var dictionary = WordGraph()
    for word in words.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
      try meter.spend(word.count + 1)
      dictionary.insert(word)
    }
    return try dictionary.automaton()
  }

  /// Whether words of the language can be of any length.
  ///
  /// Every state can reach acceptance, so that is so where there is a cycle. Linear in the table.
  package var containsInfinitelyManyWords: Bool {
    var arrivals = [Int](repeating: 0, count: stateCount)
    for target in transitions where target >= 0 { arrivals[Int(target)] += 1 }
    var open = arrivals.indices.filter { arrivals[$0] == 0 }
    var taken = 0
    while let state = open.popLast() {
      taken += 1
      for target in transitions[state * classCount..<(state + 1) * classCount] where target >= 0 {
        arrivals[Int(target)] -= 1
        if arrivals[Int(target)] == 0 { open.append(Int(target)) }
      }
    }
    return taken < stateCount
  }

  /// All words of a finite language in the order of their bytes; nil if there are more than `limit`.
  package func words(limit: Int) -> [[UInt8]]? {
    if limit < 0 || containsInfinitelyManyWords { return nil }
    var words: [[UInt8]] = []
    var prefix: [UInt8] = []
    // The path to the current state with the next byte to try at each.
    var path: [(state: State, byte: Int)] = [(0, 0)]
    if accepting[0] { words.append([]) }
    while let (state, byte) = path.last {
      if words.count > limit { return nil }
      guard byte < 256 else {
        path.removeLast()
        _ = prefix.popLast()
        continue
      }
      path[path.count - 1].byte += 1
      let target = next(state, UInt8(byte))
      guard target >= 0 else { continue }
      prefix.append(UInt8(byte))
      path.append((target, 0))
      if accepting[Int(target)] { words.append(prefix) }
    }
    return words.count > limit ? nil : words
  }
}

/// The minimal acyclic automaton of words that come in order: Daciuk and others' incremental construction.
private struct WordGraph {
  private struct Arrow: Hashable {
    var byte: UInt8
    var target: Int32
  }

  private struct Node: Hashable {
    var arrows: [Arrow] = []
    var isWord = false
  }

  /// Finished nodes, equal ones kept once.
  private var nodes: [Node] = []
  private var known: [Node: Int32] = [:]
  /// The word that came last, and its nodes: the one of each prefix, which are not finished.
  private var word: [UInt8] = []
  private var path = [Node()]

  /// Bytes of entries in a finished table: 64 MB.
  private static let cellLimit = 16_000_000

  mutating func insert(_ next: [UInt8]) {
    var shared = 0
    while shared < min(word.count, next.count), word[shared] == next[shared] { shared += 1 }
    finish(downTo: shared)
    for byte in next[shared...] {
      word.append(byte)
      path.append(Node())
    }
    path[next.count].isWord = true
  }

  /// Finishes the nodes of all prefixes longer than `depth`.
  private mutating func finish(downTo depth: Int) {
    while word.count > depth, let byte = word.popLast(), let node = path.popLast() {
      path[word.count].arrows.append(Arrow(byte: byte, target: number(of: node)))
    }
  }

  private mutating func number(of node: Node) -> Int32 {
    if let number = known[node] { return number }
    let number = Int32(nodes.count)
    known[node] = number
    nodes.append(node)
    return number
  }

  consuming func automaton() throws(GrammarError) -> ByteAutomaton {
    finish(downTo: 0)
    let start = number(of: path[0])
    known.removeAll()
    var used = [Bool](repeating: false, count: 256)
    for node in nodes { for arrow in node.arrows { used[Int(arrow.byte)] = true } }
    let classes = ByteClasses { used[Int($0)] ? Int($0) : -1 }
    guard nodes.count * classes.count <= Self.cellLimit else {
      throw .limitExceeded(.states, limit: Self.cellLimit / classes.count)
    }
    var table = AutomatonTable(
      classes: classes.classes, classCount: classes.count,
      transitions: Array(repeating: ByteAutomaton.dead, count: nodes.count * classes.count),
      accepting: nodes.map(\.isWord), start: start)
    for (state, node) in nodes.enumerated() {
      for arrow in node.arrows {
        let index = Int(classes.classes[Int(arrow.byte)])
        table.transitions[state * classes.count + index] = arrow.target
      }
    }
    nodes.removeAll()
    let unbounded = WorkMeter(AutomatonLimits(states: .max / 16))
    return try table.withMergedClasses().ordered(unbounded)
  }
}
