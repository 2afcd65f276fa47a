extension GrammarMatcher {
  /// The fewest bytes that complete the answer, 0 where it may end.
  ///
  /// Exact but for arrays and objects whose minimum needs several more distinct words: each of those
  /// counts as the shortest. Control tokens count nothing.
  package var minimumRemainingBytes: Int {
    mutating get {
      if isAccepting { return 0 }
      var least = MinimumBytes.limit
      for index in 0..<currentCount { least = min(least, cost(sets[index])) }
      return least
    }
  }

  /// The bytes of a shortest completion; nil if it takes more than `limit`.
  ///
  /// Control tokens on the way are left out.
  package mutating func shortestEnding(limit: Int = 65_536) -> [UInt8]? {
    guard minimumRemainingBytes <= limit else { return nil }
    let frames = arena.count
    let current = sets.count
    var isDone = isAccepting
    var bytes: [UInt8] = []
    var lower = 0
    while !isDone {
      guard let best = cheapest(lower, sets.count), bytes.count < limit else { break }
      if tables.nodes[best.node].kind == .token {
        sets.begin()
        sets.wait(.init(node: -1, frame: best.frame, word: 0))
        close()
      } else {
        guard let byte = nextByte(best) else { break }
        bytes.append(byte)
        sets.drop(to: current)
        sets.append(best)
        step(from: current, to: current + 1, over: byte)
      }
      lower = sets.base
      isDone = sets.isAccepting
    }
    sets.drop(to: current)
    arena.drop(to: frames)
    return isDone ? bytes : nil
  }

  /// The configuration of the shortest completion among those with something left to match.
  private mutating func cheapest(_ lower: Int, _ upper: Int) -> Configuration? {
    var best: Configuration?
    var least = Int.max
    for index in lower..<upper {
      let configuration = sets[index]
      let node = tables.nodes[configuration.node]
      // What may end here has its followers beside it.
      guard node.kind == .token || node.kind == .memberKey || leafBytes(configuration) > 0 else {
        continue
      }
      let cost = cost(configuration)
      if cost < least {
        least = cost
        best = configuration
      }
    }
    return best
  }

  /// The fewest bytes from a configuration to the end of the answer.
  private mutating func cost(_ configuration: Configuration) -> Int {
    let node = tables.nodes[configuration.node]
    if node.kind == .memberKey {
      let frame = arena[configuration.frame]
      let after = remaining(frame.parent)
      return MinimumBytes.sum(cheapestMember(configuration, node.first)?.cost ?? 0, after)
    }
    return MinimumBytes.sum(leafBytes(configuration), remaining(configuration.frame))
  }

  /// The fewest bytes from a leaf's state to its end.
  private func leafBytes(_ configuration: Configuration) -> Int {
    let node = tables.nodes[configuration.node]
    switch node.kind {
    case .literal: return Int(node.count - configuration.state)
    case .automaton:
      return Int(tables.distances[tables.automata[node.first].states + configuration.state])
    case .literals: return Int(tables.trieDistances[configuration.state])
    case .string:
      let content = max(0, Int(node.first) - Int(configuration.extra))
      return Int(StringMachine.distances[configuration.state]) + content + 1
    case .tracked: return freeEnding(configuration, node).count
    default: return 0
    }
  }

  /// The next byte of a leaf's shortest completion.
  private func nextByte(_ configuration: Configuration) -> UInt8? {
    let node = tables.nodes[configuration.node]
    switch node.kind {
    case .literal: return tables.pool[node.first + configuration.state]
    case .automaton, .literals: return nearerByte(configuration.state, node)
    case .string:
      if configuration.state == StringMachine.plain {
        return configuration.extra < node.first ? 0x78 : 0x22
      }
      let distance = StringMachine.distances[configuration.state]
      for byte in UInt8.min...UInt8.max {
        let next = StringMachine.transitions[Int(configuration.state) * 256 + Int(byte)]
        guard next >= 0 else { continue }
        if configuration.state == StringMachine.open { return byte }
        if StringMachine.distances[Int(next)] == distance - 1 { return byte }
      }
      return nil
    case .memberKey:
      guard let best = cheapestMember(configuration, node.first) else { return nil }
      let rank = tables.objects[Int(node.first)].rank[Int(best.member)]
      let children =
        tables.trieFirst[configuration.state]..<tables.trieFirst[Int(configuration.state) + 1]
      for child in children
      where tables.trieLower[child] <= rank && rank < tables.trieUpper[child] {
        return tables.trieBytes[child]
      }
      return nil
    case .tracked: return freeEnding(configuration, node).first
    default: return nil
    }
  }

  private func leafDistance(_ state: Int32, _ node: GrammarNode) -> Int32 {
    node.kind == .automaton
      ? tables.distances[tables.automata[node.first].states + state] : tables.trieDistances[state]
  }

  private func nearerByte(_ state: Int32, _ node: GrammarNode) -> UInt8? {
    let distance = leafDistance(state, node)
    for byte in UInt8.min...UInt8.max {
      let next = next(state, in: node, over: byte)
      if next >= 0, leafDistance(next, node) == distance - 1 { return byte }
    }
    return nil
  }

  // MARK: Members

  /// The member whose key the configuration is on the way to that completes the object soonest, and
  /// the bytes to the object's end.
  private func cheapestMember(
    _ configuration: Configuration, _ number: Int32
  ) -> (member: Int32, cost: Int)? {
    let frame = arena[configuration.frame]
    let object = tables.objects[Int(number)]
    let ranks = tables.trieLower[configuration.state]..<tables.trieUpper[configuration.state]
    var best: (member: Int32, cost: Int)?
    for member in keyRange(number, Phase.index(frame.place), frame.count) {
      guard ranks.contains(object.rank[Int(member)]) else { continue }
      var cost = Int(object.keyLengths[Int(member)] - configuration.extra)
      if tables.punctuation.keySuffix.isEmpty { cost += tables.punctuation.colonBytes }
      cost = MinimumBytes.sum(cost, tables.minimumBytes[object.values[Int(member)]])
      cost = MinimumBytes.sum(cost, tail(object, Int(member) + 1, Int(frame.count) + 1))
      if cost < best?.cost ?? Int.max { best = (member, cost) }
    }
    return best
  }

  /// The fewest bytes from the end of a member to the end of its object.
  ///
  /// `index` is the next named member and `count` how many members there were.
  private func tail(
    _ object: ObjectTable, _ index: Int, _ count: Int, isFirst: Bool = false
  ) -> Int {
    var total = object.requiredBytes[index]
    let required = Int(object.requiredAfter[index])
    let more = object.minimum - count - required
    if more > 0 {
      let optional = (index..<object.values.count).lazy.filter { !object.isRequired[$0] }
        .map { object.memberBytes[$0] }
      let rest = MinimumBytes.cheapest(
        more, of: Array(optional),
        orAny: object.hasOthers ? object.otherBytes : MinimumBytes.none)
      total = MinimumBytes.sum(total, rest ?? 0)
    }
    let hasMembers = required > 0 || more > 0
    return MinimumBytes.sum(
      total, 1 - (isFirst && hasMembers ? tables.punctuation.commaBytes : 0))
  }

  /// The fewest bytes from after a comma to the end of an object.
  private func afterComma(_ number: Int32, _ index: Int32, _ count: Int32) -> Int {
    let object = tables.objects[Int(number)]
    var least = MinimumBytes.limit
    func consider(_ member: Int, _ next: Int) {
      let cost = member - tables.punctuation.commaBytes
      least = min(least, MinimumBytes.sum(cost, tail(object, next, Int(count) + 1)))
    }
    for member in keyRange(number, index, count) {
      consider(object.memberBytes[Int(member)], Int(member) + 1)
    }
    if mayBeOther(number, index, count) { consider(object.otherBytes, object.values.count) }
    return least
  }

  // MARK: Frames

  /// The fewest bytes from where a frame goes on to the end of the answer; kept once known.
  private mutating func remaining(_ frame: Int32) -> Int {
    var path: [Int32] = []
    var place = frame
    while arena.remaining[Int(place)] < 0 {
      path.append(place)
      place = arena[place].parent
    }
    var total = arena.remaining[Int(place)]
    for frame in path.reversed() {
      total = MinimumBytes.sum(total, ownBytes(arena[frame]))
      arena.remaining[Int(frame)] = total
    }
    return total
  }

  /// The fewest bytes from where a frame goes on to where its own rule ends.
  private func ownBytes(_ frame: Frame) -> Int {
    let node = tables.nodes[frame.node]
    switch node.kind {
    case .sequence: return tables.listBytes[node.first + frame.place]
    case .array: return arrayBytes(tables.arrays[Int(node.first)], frame)
    case .object: return objectBytes(node.first, frame)
    default: return 0
    }
  }

  private func arrayBytes(_ array: ArrayTable, _ frame: Frame) -> Int {
    let count = Int(frame.count)
    let phase = Phase.phase(frame.place)
    // After a comma there has to be an element; else there may be none.
    let end = max(array.minimum, phase == Phase.comma ? count + 1 : count)
    var commas = end - count
    if commas > 0, phase != Phase.value { commas -= 1 }
    let marks = MinimumBytes.product(commas, tables.punctuation.commaBytes) + 1
    return MinimumBytes.sum(array.elementBytes(count, end), marks)
  }

  private func objectBytes(_ number: Int32, _ frame: Frame) -> Int {
    let object = tables.objects[Int(number)]
    let index = Phase.index(frame.place)
    let count = Int(frame.count)
    switch Phase.phase(frame.place) {
    case Phase.opened: return tail(object, 0, 0, isFirst: true)
    case Phase.comma: return afterComma(number, index, frame.count)
    case Phase.colon:
      let value = tables.minimumBytes[object.values[Int(index)]]
      return MinimumBytes.sum(value, tail(object, Int(index) + 1, count))
    case Phase.otherKey:
      let value = tables.minimumBytes[object.otherValues[Int(index)]]
      let end = MinimumBytes.sum(value, tail(object, object.values.count, count + 1))
      return MinimumBytes.sum(end, tables.punctuation.colonBytes)
    case Phase.otherColon:
      let value = tables.minimumBytes[object.otherValues[Int(index)]]
      return MinimumBytes.sum(value, tail(object, object.values.count, count))
    default: return tail(object, Int(index), count)
    }
  }

  // MARK: Words that are taken

  /// A shortest ending of a tracked leaf's word that makes it one that is not taken.
  private func freeEnding(_ configuration: Configuration, _ node: GrammarNode) -> [UInt8] {
    let leaf = tables.tracked[Int(node.first)].leaf
    let taken = takenEndings(of: configuration, node)
    var state = configuration.state
    var bytes: [UInt8] = []
    while leafDistance(state, leaf) > 0 || bytes.isEmpty {
      // A word that ends here was looked at before; what goes on is another.
      if leafDistance(state, leaf) == 0 { return searchedEnding(configuration, leaf, taken) }
      guard let byte = nearerByte(state, leaf) else { break }
      bytes.append(byte)
      state = next(state, in: leaf, over: byte)
    }
    return taken.contains(bytes) ? searchedEnding(configuration, leaf, taken) : bytes
  }

  /// Looks through the endings by length; those on the way to a taken one are told apart by bytes.
  private func searchedEnding(
    _ configuration: Configuration, _ leaf: GrammarNode, _ taken: [[UInt8]]
  ) -> [UInt8] {
    struct Place: Hashable {
      var state: Int32
      /// What was written, while it leads to a taken word.
      var written: [UInt8]?
    }
    let words = Set(taken)
    var prefixes: Set<[UInt8]> = []
    for word in taken { for length in 0...word.count { prefixes.insert(Array(word[..<length])) } }
    var queue: [(place: Place, bytes: [UInt8])] = [
      (Place(state: configuration.state, written: prefixes.isEmpty ? nil : []), [])
    ]
    var seen: Set<Place> = [queue[0].place]
    var head = 0
    while head < queue.count {
      let (place, bytes) = queue[head]
      head += 1
      for byte in UInt8.min...UInt8.max {
        let state = next(place.state, in: leaf, over: byte)
        if state < 0 { continue }
        let longer = bytes + [byte]
        if flags(state, in: leaf) & StateFlag.accepting != 0, !words.contains(longer) {
          return longer
        }
        let isOnTheWay = place.written != nil && prefixes.contains(longer)
        let next = Place(state: state, written: isOnTheWay ? longer : nil)
        if seen.insert(next).inserted { queue.append((next, longer)) }
      }
    }
    return []
  }
}
