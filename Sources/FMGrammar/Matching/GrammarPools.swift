/// Dense automata one after the other, equal ones once.
struct AutomatonPool {
  private(set) var tables: [AutomatonLayout] = []
  private(set) var classes: [UInt8] = []
  private(set) var classBytes: [ByteSet] = []
  private(set) var transitions: [Int32] = []
  private(set) var flags: [UInt8] = []
  private(set) var distances: [Int32] = []
  private(set) var automata: [ByteAutomaton] = []
  private var numbers: [ByteAutomaton: Int32] = [:]

  /// The number of an automaton's table.
  mutating func add(_ automaton: ByteAutomaton) -> Int32 {
    if let number = numbers[automaton] { return number }
    let number = Int32(tables.count)
    numbers[automaton] = number
    automata.append(automaton)
    tables.append(
      AutomatonLayout(
        classes: Int32(classes.count), classCount: Int32(automaton.classCount),
        transitions: Int32(transitions.count), states: Int32(flags.count),
        stateCount: Int32(automaton.stateCount), classBytes: Int32(classBytes.count)))
    classes += automaton.classes
    var sets = [ByteSet](repeating: ByteSet(), count: automaton.classCount)
    for byte in 0..<256 { sets[Int(automaton.classes[byte])].insert(UInt8(byte)) }
    classBytes += sets
    transitions += automaton.transitions
    distances += automaton.distances
    for state in 0..<automaton.stateCount {
      let row = state * automaton.classCount
      let goesOn = (0..<automaton.classCount).contains {
        automaton.transitions[row + $0] >= 0 && sets[$0].count > 0
      }
      flags.append(
        (automaton.accepting[state] ? StateFlag.accepting : 0)
          | (goesOn ? StateFlag.continuing : 0))
    }
    return number
  }
}

/// Tries one after the other; an empty place between two ends the children of the one before.
struct TriePool {
  private(set) var first: [Int32] = []
  private(set) var bytes: [UInt8] = []
  private(set) var lower: [Int32] = []
  private(set) var ownEnd: [Int32] = []
  private(set) var upper: [Int32] = []
  private(set) var distances: [Int32] = []
  /// By place in the last trie's sorted keys, which key it is.
  private(set) var sorted: [Int32] = []

  /// Adds the trie of some words and gives its root.
  mutating func add(_ words: [[UInt8]]) -> Int32 {
    var pool: [UInt8] = []
    var ranges: [ByteRange] = []
    for word in words {
      ranges.append(ByteRange(start: Int32(pool.count), count: Int32(word.count)))
      pool += word
    }
    let trie = pool.withUnsafeBufferPointer { pool in
      sorted = words.indices.map { Int32($0) }.sorted { left, right in
        ByteRange.precedes(ranges[Int(left)], ranges[Int(right)], in: pool)
      }
      return ByteTrie(pool: pool, sorted: sorted.map { ranges[Int($0)] })
    }
    let root = Int32(bytes.count)
    for node in 0..<trie.nodeCount {
      first.append(trie.firstChild[node] + root)
      bytes.append(trie.bytes[node])
      lower.append(trie.lower[node])
      ownEnd.append(trie.ownEnd[node])
      upper.append(trie.upper[node])
    }
    first.append(trie.firstChild[trie.nodeCount] + root)
    bytes.append(0)
    lower.append(0)
    ownEnd.append(0)
    upper.append(0)
    var distances = [Int32](repeating: 0, count: trie.nodeCount + 1)
    for node in (0..<Int32(trie.nodeCount)).reversed() where !trie.isKey(node) {
      var least = Int32.max
      for child in trie.firstChild[node]..<trie.firstChild[Int(node) + 1] {
        least = min(least, distances[Int(child)] + 1)
      }
      distances[Int(node)] = least
    }
    self.distances += distances
    return root
  }
}
