extension GrammarMatcher {
  // MARK: Arrays

  mutating func goOn(inArray number: Int32, _ frame: Frame, _ word: Int32) {
    let marks = tables.punctuation
    switch Phase.phase(frame.place) {
    case Phase.opened:
      if tables.arrays[Int(number)].minimum == 0 { add(marks.closeEmptyArray, frame.parent) }
      enterElement(number, frame)
    case Phase.comma: enterElement(number, frame)
    default:
      var frame = frame
      if word != 0 { frame.used = listing(word, frame.used) }
      let count = Int(frame.count)
      if count >= tables.arrays[Int(number)].minimum { add(marks.closeArray, frame.parent) }
      if hasElement(number, count) {
        frame.place = Phase.comma
        add(marks.comma, arena.intern(frame))
      }
    }
  }

  private func hasElement(_ number: Int32, _ place: Int) -> Bool {
    place < tables.arrays[Int(number)].maximum && tables.arrays[Int(number)].element(place) >= 0
  }

  private mutating func enterElement(_ number: Int32, _ frame: Frame) {
    let place = Int(frame.count)
    guard hasElement(number, place) else { return }
    var after = frame
    after.place = Phase.value
    after.count = Int32(min(place + 1, tables.arrays[Int(number)].saturation))
    let element = tables.arrays[Int(number)].element(place)
    sets.wait(.init(node: element, frame: arena.intern(after), word: 0))
  }

  // MARK: Objects

  mutating func goOn(inObject number: Int32, _ frame: Frame, _ word: Int32) {
    let index = Phase.index(frame.place)
    var after = frame
    switch Phase.phase(frame.place) {
    case Phase.opened:
      if mayEnd(number, 0, 0) { add(tables.punctuation.closeEmptyObject, frame.parent) }
      enterKeys(number, frame)
    case Phase.comma: enterKeys(number, frame)
    case Phase.colon: enterValue(number, index, frame)
    case Phase.otherKey:
      after.used = listing(word, frame.used)
      after.count = nextCount(number, frame.count)
      after.place = Phase.place(Phase.otherColon, index)
      add(tables.punctuation.colon, arena.intern(after))
    case Phase.otherColon:
      after.place = Phase.place(Phase.value, Int32(tables.objects[Int(number)].values.count))
      let value = tables.objects[Int(number)].otherValues[Int(index)]
      sets.wait(.init(node: value, frame: arena.intern(after), word: 0))
    default:
      if mayEnd(number, index, frame.count) { add(tables.punctuation.closeObject, frame.parent) }
      if !keyRange(number, index, frame.count).isEmpty || mayBeOther(number, index, frame.count) {
        after.place = Phase.place(Phase.comma, index)
        add(tables.punctuation.comma, arena.intern(after))
      }
    }
  }

  /// Whether an object may end after `count` members, of which the named ones are before `index`.
  private func mayEnd(_ number: Int32, _ index: Int32, _ count: Int32) -> Bool {
    tables.objects[Int(number)].requiredAfter[Int(index)] == 0
      && Int(count) >= tables.objects[Int(number)].minimum
  }

  /// Whether a member of another name may come next.
  func mayBeOther(_ number: Int32, _ index: Int32, _ count: Int32) -> Bool {
    tables.objects[Int(number)].hasOthers
      && tables.objects[Int(number)].requiredAfter[Int(index)] == 0
      && Int(count) < tables.objects[Int(number)].maximum
  }

  /// The named members that may come next, so that the object can still be completed.
  ///
  /// They stand together: from the next to the next required one, less those that would leave too few
  /// members, or too many.
  func keyRange(_ number: Int32, _ index: Int32, _ count: Int32) -> Range<Int32> {
    let members = tables.objects[Int(number)].values.count
    let required = tables.objects[Int(number)].requiredAfter[Int(index)]
    let next = tables.objects[Int(number)].nextRequired[Int(index)]
    var upper = min(Int(next), members - 1)
    if !tables.objects[Int(number)].hasOthers {
      upper = min(upper, members + Int(count) - tables.objects[Int(number)].minimum)
    }
    let isFull = Int(count) + 1 + Int(required) > tables.objects[Int(number)].maximum
    let lower = isFull ? next : index
    return upper < Int(lower) ? lower..<lower : lower..<Int32(upper + 1)
  }

  /// Whether one of some members' keys is below a node of the keys' trie.
  func isMember(below node: Int32, _ number: Int32, _ range: Range<Int32>) -> Bool {
    let ranks = tables.trieLower[node]..<tables.trieUpper[node]
    if range.count < ranks.count {
      return range.contains { ranks.contains(tables.objects[Int(number)].rank[Int($0)]) }
    }
    return ranks.contains { range.contains(tables.objects[Int(number)].members[Int($0)]) }
  }

  private mutating func enterKeys(_ number: Int32, _ frame: Frame) {
    let index = Phase.index(frame.place)
    var after = frame
    if !keyRange(number, index, frame.count).isEmpty {
      after.place = Phase.place(Phase.key, index)
      add(
        tables.objects[Int(number)].keyNode, arena.intern(after),
        state: tables.objects[Int(number)].keyRoot)
    }
    guard mayBeOther(number, index, frame.count) else { return }
    for other in tables.objects[Int(number)].otherKeys.indices {
      after.place = Phase.place(Phase.otherKey, Int32(other))
      sets.wait(
        .init(
          node: tables.objects[Int(number)].otherKeys[other], frame: arena.intern(after), word: 0))
    }
  }

  /// Goes on after a named member's key.
  mutating func endKey(_ member: Int32, _ frame: Frame) {
    let number = tables.nodes[frame.node].first
    var after = frame
    after.count = nextCount(number, frame.count)
    if tables.punctuation.keySuffix.isEmpty {
      after.place = Phase.place(Phase.colon, member)
      add(tables.punctuation.colon, arena.intern(after))
    } else {
      enterValue(number, member, after)
    }
  }

  private mutating func enterValue(_ number: Int32, _ member: Int32, _ frame: Frame) {
    var after = frame
    after.place = Phase.place(Phase.value, member + 1)
    let value = tables.objects[Int(number)].values[Int(member)]
    sets.wait(.init(node: value, frame: arena.intern(after), word: 0))
  }

  /// One more than a count, as far as that makes a difference.
  private func nextCount(_ number: Int32, _ count: Int32) -> Int32 {
    let isOpen = tables.objects[Int(number)].maximum == Int.max
    return isOpen ? min(count + 1, Int32(tables.objects[Int(number)].minimum)) : count + 1
  }

  // MARK: Words that are taken

  private mutating func listing(_ word: Int32, _ list: Int32) -> Int32 {
    arena.intern(Frame(parent: list, node: Frame.listNode, place: word))
  }

  /// Whether the word of a tracked leaf is reserved or was used before.
  mutating func isTaken(_ configuration: Configuration, _ node: GrammarNode) -> Bool {
    var list = arena[configuration.frame].used
    while list != 0 {
      if arena[arena[list].place].count < 0 { walk.isUncertain = true }
      if arena[list].place == configuration.extra { return true }
      list = arena[list].parent
    }
    let reserved = tables.tracked[Int(node.first)].reserved
    if reserved.isEmpty { return false }
    let word = arena.bytes(ofWord: configuration.extra)
    return takenRange(reserved, word).contains { reserved[$0] == word }
  }

  /// Whether some longer word than that of a tracked leaf so far is free.
  mutating func hasFreeWord(beyond configuration: Configuration, _ node: GrammarNode) -> Bool {
    let tracked = tables.tracked[Int(node.first)]
    let words = tracked.words[configuration.state - start(of: tracked.leaf)]
    if words >= WordCounts.unbounded { return true }
    var list = arena[configuration.frame].used
    while list != 0 {
      if arena[arena[list].place].count < 0 { walk.isUncertain = true }
      list = arena[list].parent
    }
    let isWord = flags(configuration.state, in: tracked.leaf) & StateFlag.accepting != 0
    let longer = Int(words) - (isWord ? 1 : 0)
    return longer > 0 && longer > takenEndings(of: configuration, node).count
  }

  /// What taken words of the leaf's language have after the word so far, at least one byte each.
  func takenEndings(of configuration: Configuration, _ node: GrammarNode) -> [[UInt8]] {
    let tracked = tables.tracked[Int(node.first)]
    var endings: [[UInt8]] = []
    let length = configuration.extra == 0 ? 0 : Int(arena[configuration.extra].count)
    var list = arena[configuration.frame].used
    while list != 0 {
      let word = arena[list].place
      if word != configuration.extra, arena.word(word, beginsWith: configuration.extra) {
        endings.append(Array(arena.bytes(ofWord: word)[length...]))
      }
      list = arena[list].parent
    }
    if !tracked.reserved.isEmpty {
      let word = arena.bytes(ofWord: configuration.extra)
      for place in takenRange(tracked.reserved, word) where tracked.reserved[place].count > length {
        endings.append(Array(tracked.reserved[place][length...]))
      }
    }
    return endings.filter { ending in
      var state = configuration.state
      for byte in ending where state >= 0 { state = next(state, in: tracked.leaf, over: byte) }
      return state >= 0 && flags(state, in: tracked.leaf) & StateFlag.accepting != 0
    }
  }

  /// The places of sorted words that begin with a prefix.
  private func takenRange(_ sorted: [[UInt8]], _ prefix: [UInt8]) -> Range<Int> {
    func first(_ isBelow: ([UInt8]) -> Bool) -> Int {
      var low = 0
      var high = sorted.count
      while low < high {
        let middle = (low + high) / 2
        if isBelow(sorted[middle]) { low = middle + 1 } else { high = middle }
      }
      return low
    }
    let lower = first { $0.lexicographicallyPrecedes(prefix) }
    let upper = first { $0.lexicographicallyPrecedes(prefix) || $0.starts(with: prefix) }
    return lower..<upper
  }
}
