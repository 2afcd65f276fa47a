import FMCore

/// Leaves whose tokens are known beforehand: JSON strings by vocabulary, wide automata by state.
extension GrammarMatcher {
  // MARK: Strings

  /// Whether a string of the current set was added along with an earlier one.
  func isLikeEarlier(_ index: Int) -> Bool {
    (0..<index).contains { isLike(sets[$0], sets[index]) }
  }

  /// Whether two configurations are strings that go on with the same tokens but for what comes after.
  private func isLike(_ first: Configuration, _ second: Configuration) -> Bool {
    guard first.state == second.state else { return false }
    let node = tables.nodes[first.node]
    let other = tables.nodes[second.node]
    return node.kind == .string && other.kind == .string
      && bounds(first, node) == bounds(second, other)
  }

  /// Adds the tokens that a string opened before goes on with, and all others of the current set that
  /// are like it.
  mutating func addInString(
    _ configuration: Configuration, _ node: GrammarNode, _ current: Int,
    _ mask: UnsafeMutablePointer<UInt64>
  ) {
    guard let content = grammar.index.strings.states[Int(configuration.state)] else { return }
    let words = grammar.index.maskWords
    let bounds = bounds(configuration, node)
    let isBounded = bounds.maximum < content.longest
    if !isBounded || content.levels > 0 {
      let level = isBounded ? min(bounds.maximum, content.levels - 1) : content.levels
      let source = content.masks.base + Int(level) * words
      for word in 0..<words { mask[word] |= source[word] }
    }
    if isBounded, content.levels == 0 || bounds.maximum >= content.levels {
      for entry in 0..<content.inside.count where content.inside[entry].count <= bounds.maximum {
        set(content.inside[entry].token, mask)
      }
    }
    let lower = sets.count
    sets.begin()
    for index in 0..<current where isLike(sets[index], configuration) {
      sets.wait(.init(node: -1, frame: sets[index].frame, word: 0))
    }
    close()
    walkRests(content.rests, lower, sets.count, bounds, mask)
    sets.drop(to: lower)
  }

  /// What a string's counts leave to a token.
  @inline(__always)
  private func bounds(_ configuration: Configuration, _ node: GrammarNode) -> CountBounds {
    CountBounds(
      minimum: max(0, node.first - configuration.extra),
      maximum: node.count < 0 ? Int32.max : node.count - configuration.extra)
  }

  /// Adds the tokens below a node of the vocabulary's trie whose last byte opened strings, and takes
  /// those out of the set.
  mutating func enterStrings(
    at child: Int32, _ base: Int, _ mask: UnsafeMutablePointer<UInt64>
  ) {
    let strings = grammar.index.strings
    let entry = strings.entries[strings.entryPlaces[child]]
    var index = base
    while index < sets.count {
      let configuration = sets[index]
      let node = tables.nodes[configuration.node]
      guard node.kind == .string, configuration.state == StringMachine.plain else {
        index += 1
        continue
      }
      let bounds = bounds(configuration, node)
      for place in entry.firstToken..<entry.tokensEnd {
        let token = strings.entryTokens[place]
        if token.count > bounds.maximum { break }
        add(token.token, mask)
      }
      let end = sets.count
      sets.begin()
      for place in index..<end where isLike(sets[place], configuration) {
        sets.wait(.init(node: -1, frame: sets[place].frame, word: 0))
      }
      close()
      let upper = sets.count
      for place in entry.firstExit..<entry.exitsEnd {
        let exit = strings.entryExits[place]
        guard bounds.contains(exit.count) else { continue }
        let trie = grammar.index.trie
        for key in trie.lower[exit.node]..<trie.ownEnd[exit.node] {
          add(grammar.index.order[key], mask)
        }
        if trie.hasChildren(exit.node) { walkVocabulary(from: exit.node, end, upper, mask) }
      }
      sets.drop(to: end)
      var place = index
      while place < sets.count {
        if isLike(sets[place], configuration) { sets.remove(at: place) } else { place += 1 }
      }
    }
  }

  // MARK: Automata

  /// The token classes of a leaf's automaton, if it has one that classes say all of.
  private func classes(_ node: GrammarNode) -> AutomatonClasses? {
    if node.kind == .automaton { return grammar.classes[Int(node.first)] }
    guard node.kind == .tracked else { return nil }
    let leaf = tables.tracked[Int(node.first)].leaf
    guard leaf.kind == .automaton, !tables.tracked[Int(node.first)].isFinite else { return nil }
    let classes = grammar.classes[Int(leaf.first)]
    return classes.isPrefixFree ? classes : nil
  }

  /// Adds the tokens an automaton goes on with; false, with nothing added, if it is to be walked.
  mutating func addInAutomaton(
    _ configuration: Configuration, _ node: GrammarNode, _ mask: UnsafeMutablePointer<UInt64>
  ) -> Bool {
    let index = grammar.index
    guard let known = classes(node)?.tokenClass(configuration.state, below: 0, index),
      let rests = known.rests
    else { return false }
    guard node.kind == .tracked else {
      addAll(known, rests, configuration.frame, word: 0, mask)
      return true
    }
    let taken = takenEndings(of: configuration, node).map { place(of: $0, below: 0) }
      .filter { $0 >= 0 }
    if taken.isEmpty {
      addAll(known, rests, configuration.frame, word: unknownWord(), mask)
    } else {
      // Others may allow what this one has to leave out.
      let scratch = UnsafeMutablePointer<UInt64>.allocate(capacity: index.maskWords)
      defer { scratch.deallocate() }
      scratch.initialize(repeating: 0, count: index.maskWords)
      addAll(known, rests, configuration.frame, word: unknownWord(), scratch)
      for node in taken {
        for key in index.trie.lower[node]..<index.trie.upper[node] {
          let token = index.order[key]
          scratch[Int(token >> 6)] &= ~(1 << UInt64(token & 63))
        }
      }
      for word in 0..<index.maskWords { mask[word] |= scratch[word] }
    }
    walk.isUncertain = false
    return true
  }

  private mutating func addAll(
    _ known: TokenClass, _ rests: RestTrie, _ frame: Int32, word: Int32,
    _ mask: UnsafeMutablePointer<UInt64>
  ) {
    for place in 0..<known.mask.count { mask[place] |= known.mask[place] }
    for place in 0..<known.tokens.count { set(known.tokens[place], mask) }
    guard rests.tokens.count > 0 else { return }
    let lower = sets.count
    sets.begin()
    sets.wait(.init(node: -1, frame: frame, word: word))
    close()
    walkRests(rests, lower, sets.count, CountBounds(), mask)
    sets.drop(to: lower)
  }

  /// Adds the tokens below a node of the vocabulary's trie at which wide automata have begun, and
  /// takes those out of the set.
  mutating func enterAutomata(
    at child: Int32, _ base: Int, _ mask: UnsafeMutablePointer<UInt64>
  ) {
    let index = grammar.index
    var place = base
    while place < sets.count {
      let configuration = sets[place]
      let node = tables.nodes[configuration.node]
      place += 1
      guard let known = classes(node)?.tokenClass(configuration.state, below: child, index) else {
        continue
      }
      if node.kind == .tracked {
        let taken = takenEndings(of: configuration, node)
        if taken.contains(where: { self.place(of: $0, below: child) >= 0 }) { continue }
      }
      place -= 1
      sets.remove(at: place)
      for token in 0..<known.tokens.count { add(known.tokens[token], mask) }
      let lower = sets.count
      sets.begin()
      let word = node.kind == .tracked ? unknownWord() : 0
      sets.wait(.init(node: -1, frame: configuration.frame, word: word))
      close()
      let upper = sets.count
      for exit in 0..<known.exits.count {
        let exit = known.exits[exit]
        for key in index.trie.lower[exit]..<index.trie.ownEnd[exit] {
          add(index.order[key], mask)
        }
        if index.trie.hasChildren(exit) { walkVocabulary(from: exit, lower, upper, mask) }
      }
      sets.drop(to: lower)
    }
  }

  /// The node that bytes lead to in the vocabulary's trie, or -1.
  private func place(of bytes: [UInt8], below node: Int32) -> Int32 {
    var node = node
    for byte in bytes where node >= 0 { node = grammar.index.trie.child(of: node, over: byte) }
    return node
  }

  /// A word in place of one that is not known in full.
  private mutating func unknownWord() -> Int32 {
    arena.intern(Frame(parent: 0, node: Frame.wordNode, place: 256, count: -1))
  }
}
