extension GrammarMatcher {
  /// Builds the set that one byte leads to from configurations `lower ..< upper`.
  @inline(__always)
  mutating func step(from lower: Int, to upper: Int, over byte: UInt8) {
    sets.begin()
    for index in lower..<upper { advance(sets[index], over: byte) }
    close()
  }

  /// Enters rules and goes on after them until only leaves are left to match.
  @inline(__always)
  mutating func close() {
    var next = 0
    while next < sets.pending.count {
      let entry = sets.pending[next]
      next += 1
      if entry.node >= 0 {
        enter(entry.node, entry.frame)
      } else {
        goOn(entry.frame, entry.word)
      }
    }
  }

  /// Adds what one byte makes of one configuration to the set being built.
  mutating func advance(_ configuration: Configuration, over byte: UInt8) {
    let node = tables.nodes[configuration.node]
    var next = configuration
    switch node.kind {
    case .literal:
      guard tables.pool[node.first + configuration.state] == byte else { return }
      next.state += 1
      if next.state == node.count { finish(configuration.frame) } else { sets.add(next) }
    case .automaton, .literals:
      next.state = self.next(configuration.state, in: node, over: byte)
      if next.state < 0 { return }
      let flags = self.flags(next.state, in: node)
      if flags & StateFlag.continuing != 0 { sets.add(next) }
      if flags & StateFlag.accepting != 0 { finish(configuration.frame) }
    case .string:
      guard let state = nextInString(&next, node, byte) else { return }
      if state == StringMachine.closed { finish(configuration.frame) } else { sets.add(next) }
    case .memberKey: advanceKey(configuration, node, byte)
    case .tracked: advanceTracked(configuration, node, byte)
    case .token, .empty, .sequence, .choice, .array, .object: break
    }
  }

  @inline(__always)
  private mutating func finish(_ frame: Int32) {
    sets.wait(.init(node: -1, frame: frame, word: 0))
  }

  /// The next state of an automaton or trie of literals, -1 where there is none.
  @inline(__always)
  func next(_ state: Int32, in node: GrammarNode, over byte: UInt8) -> Int32 {
    guard node.kind == .automaton else { return trieChild(state, byte) }
    let table = tables.automata[node.first]
    let number = Int32(tables.classes[Int(table.classes) + Int(byte)])
    return tables.transitions[table.transitions + state * table.classCount + number]
  }

  /// What a state of an automaton or trie of literals may do.
  @inline(__always)
  func flags(_ state: Int32, in node: GrammarNode) -> UInt8 {
    if node.kind == .automaton {
      return tables.stateFlags[tables.automata[node.first].states + state]
    }
    return (tables.trieOwnEnd[state] > tables.trieLower[state] ? StateFlag.accepting : 0)
      | (tables.trieFirst[Int(state) + 1] > tables.trieFirst[state] ? StateFlag.continuing : 0)
  }

  /// The state a leaf begins in.
  @inline(__always)
  func start(of node: GrammarNode) -> Int32 { node.kind == .literals ? node.first : 0 }

  @inline(__always)
  func trieChild(_ node: Int32, _ byte: UInt8) -> Int32 {
    var low = tables.trieFirst[node]
    var high = tables.trieFirst[Int(node) + 1]
    while low < high {
      let middle = (low + high) >> 1
      let found = tables.trieBytes[middle]
      if found == byte { return middle }
      if found < byte { low = middle + 1 } else { high = middle }
    }
    return -1
  }

  /// Moves a configuration inside a string; nil where the byte isn't allowed.
  @inline(__always)
  private func nextInString(
    _ configuration: inout Configuration, _ node: GrammarNode, _ byte: UInt8
  ) -> Int32? {
    let state = Int32(StringMachine.transitions[Int(configuration.state) * 256 + Int(byte)])
    if state < 0 { return nil }
    if configuration.state == StringMachine.plain {
      if state == StringMachine.closed { return configuration.extra >= node.first ? state : nil }
      if node.count >= 0 {
        guard configuration.extra < node.count else { return nil }
        configuration.extra += 1
      } else if configuration.extra < node.first {
        configuration.extra += 1
      }
    }
    configuration.state = state
    return state
  }

  private mutating func advanceKey(
    _ configuration: Configuration, _ node: GrammarNode, _ byte: UInt8
  ) {
    let child = trieChild(configuration.state, byte)
    if child < 0 { return }
    let frame = arena[configuration.frame]
    let range = keyRange(node.first, Phase.index(frame.place), frame.count)
    guard isMember(below: child, node.first, range) else { return }
    if tables.trieFirst[Int(child) + 1] > tables.trieFirst[child] {
      var next = configuration
      next.state = child
      next.extra += 1
      sets.add(next)
    }
    for place in tables.trieLower[child]..<tables.trieOwnEnd[child] {
      let member = tables.objects[Int(node.first)].members[Int(place)]
      guard range.contains(member) else { continue }
      endKey(member, frame)
    }
  }

  private mutating func advanceTracked(
    _ configuration: Configuration, _ node: GrammarNode, _ byte: UInt8
  ) {
    let leaf = tables.tracked[Int(node.first)].leaf
    var next = configuration
    next.state = self.next(configuration.state, in: leaf, over: byte)
    if next.state < 0 { return }
    let length = configuration.extra == 0 ? 0 : arena[configuration.extra].count
    next.extra = arena.intern(
      Frame(
        parent: configuration.extra, node: Frame.wordNode, place: Int32(byte), count: length + 1))
    let flags = self.flags(next.state, in: leaf)
    if flags & StateFlag.continuing != 0, hasFreeWord(beyond: next, node) { sets.add(next) }
    if flags & StateFlag.accepting != 0, !isTaken(next, node) {
      sets.wait(.init(node: -1, frame: next.frame, word: next.extra))
    }
  }

  /// Adds the leaves a rule begins with, or has what is in it entered.
  private mutating func enter(_ number: Int32, _ frame: Int32) {
    let node = tables.nodes[number]
    switch node.kind {
    case .empty: finish(frame)
    case .literal, .string, .token: add(number, frame)
    case .automaton, .literals:
      let state = start(of: node)
      let flags = self.flags(state, in: node)
      if flags & StateFlag.continuing != 0 { add(number, frame, state: state) }
      if flags & StateFlag.accepting != 0 { finish(frame) }
    case .sequence:
      if node.count == 0 { finish(frame) } else { enterPart(0, number, node, frame) }
    case .choice:
      for place in node.first..<node.first + node.count {
        sets.wait(.init(node: tables.lists[place], frame: frame, word: 0))
      }
    case .array: open(tables.punctuation.openArray, number, frame)
    case .object: open(tables.punctuation.openObject, number, frame)
    case .tracked:
      let leaf = tables.tracked[Int(node.first)].leaf
      let first = Configuration(frame: frame, node: number, state: start(of: leaf))
      if hasFreeWord(beyond: first, node) { sets.add(first) }
    case .memberKey: break
    }
  }

  @inline(__always)
  mutating func add(_ node: Int32, _ frame: Int32, state: Int32 = 0) {
    sets.add(Configuration(frame: frame, node: node, state: state))
  }

  private mutating func open(_ mark: Int32, _ number: Int32, _ frame: Int32) {
    add(mark, arena.intern(Frame(parent: frame, node: number, place: Phase.opened)))
  }

  /// Enters a part of a sequence; the last one leaves no frame, so that lists by recursion stay flat.
  private mutating func enterPart(
    _ place: Int32, _ number: Int32, _ node: GrammarNode, _ frame: Int32
  ) {
    let part = tables.lists[node.first + place]
    let isLast = place + 1 == node.count
    let after =
      isLast ? frame : arena.intern(Frame(parent: frame, node: number, place: place + 1))
    sets.wait(.init(node: part, frame: after, word: 0))
  }

  /// Goes on after a rule that ended; `word` is what it was, if it was tracked.
  private mutating func goOn(_ number: Int32, _ word: Int32) {
    if number == 0 {
      sets.isAccepting = true
      return
    }
    let frame = arena[number]
    let node = tables.nodes[frame.node]
    switch node.kind {
    case .sequence: enterPart(frame.place, frame.node, node, frame.parent)
    case .array: goOn(inArray: node.first, frame, word)
    case .object: goOn(inObject: node.first, frame, word)
    default: break
    }
  }
}
