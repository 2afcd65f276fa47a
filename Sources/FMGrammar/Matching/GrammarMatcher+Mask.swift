import FMCore

/// The stack of a walk over a trie, kept between walks for its memory.
struct MaskWalk: Sendable {
  struct Level: BitwiseCopyable, Sendable {
    /// The children still to be looked at.
    var child: Int32
    var end: Int32
    /// The configurations at the node.
    var lower: Int
    var upper: Int
    /// Where the sets end once the node is done with.
    var floor: Int
    /// The bytes one of them goes on with.
    var legal: ByteSet
  }

  var levels: [Level] = []
  /// Whether a word came twice perhaps, as only part of it is known: tokens are then tried out.
  var isUncertain = false
}

/// How many code points a token may have before it leaves a string.
struct CountBounds: Equatable {
  var minimum: Int32 = 0
  var maximum = Int32.max

  @inline(__always)
  func contains(_ count: Int32) -> Bool { count >= minimum && count <= maximum }
}

extension GrammarMatcher {
  /// Sets the bits of the tokens that may come next, and clears all others.
  ///
  /// Bit `t % 64` of word `t / 64` is token `t`; the mask gets ``TokenIndex/maskWords`` words. Tokens
  /// that end the answer are the caller's to add where ``isAccepting`` is true.
  package mutating func fillMask(_ mask: inout [UInt64]) {
    let words = grammar.index.maskWords
    if mask.count != words {
      mask = Array(repeating: 0, count: words)
    } else {
      mask.withUnsafeMutableBufferPointer { $0.update(repeating: 0) }
    }
    let frames = arena.count
    let current = sets.count
    mask.withUnsafeMutableBufferPointer { mask in
      guard let base = mask.baseAddress else { return }
      addTokens(base)
    }
    sets.drop(to: current)
    arena.drop(to: frames)
  }

  private mutating func addTokens(_ mask: UnsafeMutablePointer<UInt64>) {
    let current = sets.count
    walk.isUncertain = false
    let lower = sets.count
    for index in 0..<current {
      let configuration = sets[index]
      let node = tables.nodes[configuration.node]
      switch node.kind {
      case .token: set(node.first, mask)
      case .string where configuration.state != StringMachine.open:
        if !isLikeEarlier(index) { addInString(configuration, node, current, mask) }
      case .automaton, .tracked:
        if !addInAutomaton(configuration, node, mask) { sets.append(configuration) }
      default: sets.append(configuration)
      }
    }
    walkVocabulary(from: 0, lower, sets.count, mask)
    sets.drop(to: current)
  }

  @inline(__always)
  func set(_ token: TokenID, _ mask: UnsafeMutablePointer<UInt64>) {
    guard token >= 0, Int(token) < grammar.index.vocabularySize else { return }
    mask[Int(token >> 6)] |= 1 << UInt64(token & 63)
  }

  /// Adds a token that is allowed, or tries it out where that isn't certain.
  @inline(__always)
  mutating func add(_ token: TokenID, _ mask: UnsafeMutablePointer<UInt64>) {
    if !walk.isUncertain || isAllowed(token) { set(token, mask) }
  }

  @inline(never)
  private mutating func isAllowed(_ token: TokenID) -> Bool {
    let count = sets.count
    let frames = arena.count
    let isAllowed = walkOver(grammar.index.bytes(of: token))
    sets.drop(to: count)
    arena.drop(to: frames)
    return isAllowed
  }

  // MARK: Walks

  /// Adds the tokens below a node of the vocabulary's trie that configurations `lower ..< upper` go
  /// on with.
  mutating func walkVocabulary(
    from node: Int32, _ lower: Int, _ upper: Int, _ mask: UnsafeMutablePointer<UInt64>
  ) {
    let index = grammar.index
    let bottom = walk.levels.count
    push(index.trie, node, lower, upper, floor: sets.count)
    while walk.levels.count > bottom {
      guard let child = nextChild(index.trie) else { continue }
      let level = walk.levels[walk.levels.count - 1]
      step(from: level.lower, to: level.upper, over: index.trie.bytes[child])
      let base = sets.base
      guard sets.count > base || sets.isAccepting else { continue }
      for key in index.trie.lower[child]..<index.trie.ownEnd[child] {
        add(index.order[key], mask)
      }
      if index.strings.entryPlaces[child] >= 0 { enterStrings(at: child, base, mask) }
      if index.trie.upper[child] - index.trie.lower[child] > 16 {
        enterAutomata(at: child, base, mask)
      }
      if sets.count > base, index.trie.hasChildren(child) {
        push(index.trie, child, base, sets.count, floor: base)
      } else {
        sets.drop(to: base)
      }
    }
  }

  /// Adds the tokens of rests that configurations `lower ..< upper` go on with, the empty one too.
  mutating func walkRests(
    _ rests: RestTrie, _ lower: Int, _ upper: Int, _ bounds: CountBounds,
    _ mask: UnsafeMutablePointer<UInt64>
  ) {
    let bottom = walk.levels.count
    add(rests, at: 0, bounds, mask)
    push(rests.trie, 0, lower, upper, floor: sets.count)
    while walk.levels.count > bottom {
      guard let child = nextChild(rests.trie) else { continue }
      let level = walk.levels[walk.levels.count - 1]
      step(from: level.lower, to: level.upper, over: rests.trie.bytes[child])
      let base = sets.base
      guard sets.count > base || sets.isAccepting else { continue }
      add(rests, at: child, bounds, mask)
      if sets.count > base, rests.trie.hasChildren(child) {
        push(rests.trie, child, base, sets.count, floor: base)
      } else {
        sets.drop(to: base)
      }
    }
  }

  private mutating func add(
    _ rests: RestTrie, at node: Int32, _ bounds: CountBounds,
    _ mask: UnsafeMutablePointer<UInt64>
  ) {
    for key in rests.trie.lower[node]..<rests.trie.ownEnd[node] {
      let entry = rests.tokens[key]
      if bounds.contains(entry.count) { add(entry.token, mask) }
    }
  }

  mutating func push(
    _ trie: ByteTrie, _ node: Int32, _ lower: Int, _ upper: Int, floor: Int
  ) {
    var legal = ByteSet()
    for index in lower..<upper { addLegalBytes(of: sets[index], to: &legal) }
    walk.levels.append(
      MaskWalk.Level(
        child: trie.firstChild[node], end: trie.firstChild[Int(node) + 1], lower: lower,
        upper: upper, floor: floor, legal: legal))
  }

  /// The next child of the last level that is over a legal byte; nil, and the level gone with its
  /// set, if there is none.
  @inline(__always)
  mutating func nextChild(_ trie: ByteTrie) -> Int32? {
    let last = walk.levels.count - 1
    var child = walk.levels[last].child
    while child < walk.levels[last].end {
      if walk.levels[last].legal.contains(trie.bytes[child]) {
        walk.levels[last].child = child + 1
        return child
      }
      child += 1
    }
    sets.drop(to: walk.levels[last].floor)
    walk.levels.removeLast()
    return nil
  }

  /// Adds the bytes a configuration may go on with, some of which may turn out to be none.
  func addLegalBytes(of configuration: Configuration, to legal: inout ByteSet) {
    let node = tables.nodes[configuration.node]
    switch node.kind {
    case .literal: legal.insert(tables.pool[node.first + configuration.state])
    case .automaton: addLegalBytes(ofAutomaton: node.first, configuration.state, &legal)
    case .literals: addLegalBytes(ofTrie: configuration.state, &legal)
    case .string:
      if configuration.state == StringMachine.plain {
        if configuration.extra >= node.first { legal.insert(0x22) }
        if node.count >= 0, configuration.extra >= node.count { return }
        var content = StringMachine.legalBytes[configuration.state]
        if configuration.extra < node.first { content.remove(0x22) }
        legal.formUnion(content)
      } else {
        legal.formUnion(StringMachine.legalBytes[configuration.state])
      }
    case .memberKey:
      let frame = arena[configuration.frame]
      let range = keyRange(node.first, Phase.index(frame.place), frame.count)
      let children =
        tables.trieFirst[configuration.state]..<tables.trieFirst[Int(configuration.state) + 1]
      for child in children where isMember(below: child, node.first, range) {
        legal.insert(tables.trieBytes[child])
      }
    case .tracked:
      let leaf = tables.tracked[Int(node.first)].leaf
      if leaf.kind == .automaton {
        addLegalBytes(ofAutomaton: leaf.first, configuration.state, &legal)
      } else {
        addLegalBytes(ofTrie: configuration.state, &legal)
      }
    default: break
    }
  }

  private func addLegalBytes(ofAutomaton number: Int32, _ state: Int32, _ legal: inout ByteSet) {
    let table = tables.automata[number]
    let row = table.transitions + state * table.classCount
    for place in 0..<table.classCount where tables.transitions[row + place] >= 0 {
      legal.formUnion(tables.classBytes[table.classBytes + place])
    }
  }

  private func addLegalBytes(ofTrie node: Int32, _ legal: inout ByteSet) {
    for child in tables.trieFirst[node]..<tables.trieFirst[Int(node) + 1] {
      legal.insert(tables.trieBytes[child])
    }
  }
}
