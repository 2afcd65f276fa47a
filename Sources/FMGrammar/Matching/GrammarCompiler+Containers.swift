extension GrammarCompiler {
  /// The largest count of elements, members or code points that is told from the next.
  private static let countLimit = 1 << 30

  /// Sets how many bytes commas and colons take, before rules are measured.
  mutating func measurePunctuation() {
    guard case .oneLine = whiteSpace else { return }
    punctuation.commaBytes = 2
    punctuation.colonBytes = 2
  }

  /// Adds the nodes of what arrays and objects are punctuated with.
  mutating func addPunctuation() {
    var gap = 0
    if case .upTo(let limit) = whiteSpace { gap = max(0, min(limit, Self.whiteSpaceLimit)) }
    let isOneLine = whiteSpace == .oneLine
    punctuation.openArray = mark("[", before: 0, after: gap)
    punctuation.closeEmptyArray = mark("]", before: 0, after: 0)
    punctuation.closeArray = mark("]", before: gap, after: 0)
    punctuation.openObject = mark("{", before: 0, after: gap)
    punctuation.closeEmptyObject = mark("}", before: 0, after: 0)
    punctuation.closeObject = mark("}", before: gap, after: 0)
    punctuation.comma = mark(isOneLine ? ", " : ",", before: gap, after: gap)
    punctuation.colon = mark(isOneLine ? ": " : ":", before: gap, after: gap)
    if gap == 0 { punctuation.keySuffix = isOneLine ? [0x3a, 0x20] : [0x3a] }
  }

  /// A literal, or one byte with up to so much white space on each side.
  private mutating func mark(_ text: StaticString, before: Int, after: Int) -> Int32 {
    let bytes = text.withUTF8Buffer { Array($0) }
    guard before + after > 0 else { return add(literal(bytes), minimumBytes: bytes.count) }
    var classes = [UInt8](repeating: 0, count: 256)
    for byte in [0x20, 0x09, 0x0a, 0x0d] { classes[byte] = 1 }
    classes[Int(bytes[0])] = 2
    let count = before + after + 2
    var transitions = [ByteAutomaton.State](repeating: ByteAutomaton.dead, count: count * 3)
    for state in 0..<count where state != before && state != count - 1 {
      transitions[state * 3 + 1] = ByteAutomaton.State(state + 1)
    }
    for state in 0...before { transitions[state * 3 + 2] = ByteAutomaton.State(before + 1) }
    let automaton = ByteAutomaton(
      classes: classes, classCount: 3, transitions: transitions,
      accepting: (0..<count).map { $0 > before })
    return add(
      GrammarNode(kind: .automaton, first: automata.add(automaton)), minimumBytes: 1)
  }

  /// An array without elements that never end.
  mutating func array(_ rule: ArrayRule) throws(GrammarError) -> GrammarNode {
    let minimum = max(0, rule.minimum)
    guard minimum <= Self.countLimit else {
      throw .limitExceeded(.repetitions, limit: Self.countLimit)
    }
    var maximum = rule.maximum ?? Int.max
    if maximum > Self.countLimit { maximum = Int.max }
    let end = rule.prefix.firstIndex { self.minimum[Int($0)] == MinimumBytes.none }
    let prefix = Array(rule.prefix[..<(end ?? rule.prefix.count)])
    var items = rule.items ?? -1
    if end != nil || items >= 0 && self.minimum[Int(items)] == MinimumBytes.none { items = -1 }
    if items < 0 { maximum = min(maximum, prefix.count) }
    var table = ArrayTable(
      prefix: prefix, items: items, minimum: minimum, maximum: maximum,
      isUnique: rule.isUnique,
      saturation: maximum == Int.max ? max(minimum, prefix.count) : Int.max)
    for element in prefix {
      let before = table.prefixBytes[table.prefixBytes.count - 1]
      table.prefixBytes.append(MinimumBytes.sum(before, self.minimum[Int(element)]))
    }
    if items >= 0 { table.itemBytes = self.minimum[Int(items)] }
    if rule.isUnique {
      for place in prefix.indices { table.prefix[place] = trackedElement(prefix[place]) }
      if items >= 0 { table.items = trackedElement(items) }
    }
    arrays.append(table)
    return GrammarNode(kind: .array, first: Int32(arrays.count - 1))
  }

  /// An element whose words are told apart: a tracked leaf, or a choice of them.
  private mutating func trackedElement(_ rule: Int32) -> Int32 {
    if let node = trackedElements[rule] { return node }
    var literals: [[UInt8]] = []
    var spelled: Set<[UInt8]> = []
    var leaves: [ByteAutomaton] = []
    var seen: Set<Grammar.Index> = []
    var pending = [rule]
    while let rule = pending.popLast() {
      guard seen.insert(rule).inserted else { continue }
      switch grammar.rules[Int(rule)] {
      case .literal(let bytes): if spelled.insert(bytes).inserted { literals.append(bytes) }
      case .automaton(let automaton): if !leaves.contains(automaton) { leaves.append(automaton) }
      case .choice(let alternatives): pending += alternatives.reversed()
      default: break
      }
    }
    literals.removeAll { word in leaves.contains { $0.accepts(word) } }
    var parts = leaves.map { trackedNode($0, reserved: []) }
    if !literals.isEmpty { parts.append(trackedNode(literals)) }
    let node: Int32
    if parts.count == 1 {
      node = parts[0]
    } else {
      let choice = list(.choice, parts)
      node = add(choice, minimumBytes: minimum[Int(rule)])
    }
    trackedElements[rule] = node
    return node
  }

  private mutating func trackedNode(_ words: [[UInt8]]) -> Int32 {
    let root = tries.add(words)
    var counts: [Int32] = []
    for node in Int(root)..<tries.first.count {
      counts.append(tries.upper[node] - tries.lower[node])
    }
    tracked.append(
      TrackedLeaf(
        leaf: GrammarNode(kind: .literals, first: root), words: FlatBuffer(counts), reserved: [],
        isFinite: true))
    return add(
      GrammarNode(kind: .tracked, first: Int32(tracked.count - 1)),
      minimumBytes: words.lazy.map(\.count).min() ?? 0)
  }

  private mutating func trackedNode(_ automaton: ByteAutomaton, reserved: [[UInt8]]) -> Int32 {
    let number = automata.add(automaton)
    let table = automata.tables[Int(number)]
    let words = WordCounts.counts(automaton)
    let isFinite = words.indices.contains { state in
      words[state] < WordCounts.unbounded
        && automata.flags[Int(table.states) + state] & StateFlag.continuing != 0
    }
    tracked.append(
      TrackedLeaf(
        leaf: GrammarNode(kind: .automaton, first: number), words: FlatBuffer(words),
        reserved: reserved, isFinite: isFinite))
    return add(
      GrammarNode(kind: .tracked, first: Int32(tracked.count - 1)),
      minimumBytes: Int(automaton.distances[0]))
  }

  /// An object without members that never end.
  mutating func object(_ rule: ObjectRule) throws(GrammarError) -> GrammarNode {
    guard rule.minimum <= Self.countLimit else {
      throw .limitExceeded(.repetitions, limit: Self.countLimit)
    }
    let members = rule.members.filter { minimum[Int($0.value)] != MinimumBytes.none }
    let others = rule.others.filter { minimum[Int($0.value)] != MinimumBytes.none }
    var maximum = rule.maximum ?? Int.max
    if others.isEmpty { maximum = min(maximum, members.count) }
    if maximum > Self.countLimit { maximum = Int.max }
    var table = ObjectTable(
      values: members.map(\.value), isRequired: members.map(\.isRequired), requiredAfter: [],
      nextRequired: [], minimum: max(0, rule.minimum), maximum: maximum)
    try addKeys(members, to: &table)
    measure(members, &table)
    if !others.isEmpty { try addOthers(others, rule, to: &table) }
    objects.append(table)
    return GrammarNode(kind: .object, first: Int32(objects.count - 1))
  }

  private mutating func addKeys(
    _ members: [ObjectRule.Member], to table: inout ObjectTable
  ) throws(GrammarError) {
    guard !members.isEmpty else { return }
    guard Set(members.map(\.key)).count == members.count else {
      throw .unsupported(
        path: "", keyword: "properties", reason: "two members have the same name")
    }
    let keys = members.map { $0.key + punctuation.keySuffix }
    table.keyRoot = tries.add(keys)
    table.members = tries.sorted
    table.rank = Array(repeating: 0, count: members.count)
    for (rank, member) in tries.sorted.enumerated() { table.rank[Int(member)] = Int32(rank) }
    table.keyLengths = keys.map { Int32($0.count) }
    table.keyNode = add(
      GrammarNode(kind: .memberKey, first: Int32(objects.count)), minimumBytes: 0)
  }

  private func measure(_ members: [ObjectRule.Member], _ table: inout ObjectTable) {
    let count = members.count
    table.requiredAfter = Array(repeating: 0, count: count + 1)
    table.nextRequired = Array(repeating: Int32(count), count: count + 1)
    table.requiredBytes = Array(repeating: 0, count: count + 1)
    table.memberBytes = members.map {
      let mark = $0.key.count + punctuation.commaBytes + punctuation.colonBytes
      return MinimumBytes.sum(mark, minimum[Int($0.value)])
    }
    for place in members.indices.reversed() {
      let isRequired = members[place].isRequired
      table.requiredAfter[place] = table.requiredAfter[place + 1] + (isRequired ? 1 : 0)
      table.nextRequired[place] = isRequired ? Int32(place) : table.nextRequired[place + 1]
      table.requiredBytes[place] = MinimumBytes.sum(
        table.requiredBytes[place + 1], isRequired ? table.memberBytes[place] : 0)
    }
  }

  private mutating func addOthers(
    _ others: [ObjectRule.Others], _ rule: ObjectRule, to table: inout ObjectTable
  ) throws(GrammarError) {
    let names = Set(rule.members.map(\.key) + rule.reservedKeys)
    let reserved = names.sorted { $0.lexicographicallyPrecedes($1) }
    table.otherBytes = Int.max
    for other in others {
      let key = trackedNode(other.key, reserved: reserved)
      guard tracked[tracked.count - 1].words[0] == WordCounts.unbounded else {
        throw .unsupported(
          path: "", keyword: "patternProperties", reason: "only so many names match a pattern")
      }
      table.otherKeys.append(key)
      table.otherValues.append(other.value)
      let mark =
        Int(other.key.distances[0]) + punctuation.commaBytes + punctuation.colonBytes
      table.otherBytes = min(
        table.otherBytes, MinimumBytes.sum(mark, minimum[Int(other.value)]))
    }
  }
}
