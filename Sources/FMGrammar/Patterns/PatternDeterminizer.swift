/// Turns a pattern's program into an automaton over scalars, and that into one over UTF-8.
///
/// A state is the set of nodes that may be next, and, where one of them is an assertion, what kind of
/// scalar came last. An assertion is settled once the next scalar is known, so it is exact anywhere.
struct PatternDeterminizer {
  /// What stands on one side of a place.
  private enum Side: UInt8 {
    case edge, word, lineEnd, other
  }

  private struct Key: Hashable {
    var nodes: [Int32]
    var before: UInt8
  }

  private let program: PatternProgram
  private let isSearch: Bool
  private let meter: WorkMeter
  /// Runs of scalars in order with their class, and for each class its side and the sets it is in.
  private var segments: [(low: UInt32, high: UInt32, group: Int)] = []
  private var sides: [Side] = []
  private var members: [[Bool]] = []
  private var marks: [Int32]
  private var mark: Int32 = 0

  private var keys: [Key] = []
  private var numbers: [Key: Int32] = [:]
  private var accepting: [Bool] = []

  init(_ program: PatternProgram, isSearch: Bool, _ meter: WorkMeter) throws(GrammarError) {
    self.program = program
    self.isSearch = isSearch
    self.meter = meter
    marks = [Int32](repeating: 0, count: program.nodes.count)
    try partition()
  }

  /// Classes of scalars that no set of the program and no assertion tells apart.
  private mutating func partition() throws(GrammarError) {
    let hasAssertions = program.nodes.contains {
      if case .assertion = $0 { true } else { false }
    }
    let sets = program.sets + (hasAssertions ? [.words, .lineEnds] : [])
    var bounds: Set<UInt32> = [0, 0xe000]
    for set in sets {
      try meter.spend(set.runs.count)
      for run in set.runs { bounds.formUnion([run.low, run.high + 1]) }
    }
    let lows = bounds.filter { $0 <= 0x10_ffff }.sorted()
    try meter.spend(lows.count * (sets.count / 4 + 1))
    var groups: [[Bool]: Int] = [:]
    for (index, low) in lows.enumerated() {
      var high = index + 1 < lows.count ? lows[index + 1] - 1 : 0x10_ffff
      if low >= 0xd800, low < 0xe000 { continue }
      if low < 0xd800 { high = min(high, 0xd7ff) }
      let membership = sets.map { $0.contains(low) }
      let group = groups[membership] ?? groups.count
      if group == groups.count {
        groups[membership] = group
        members.append(membership)
        let isWord = hasAssertions && membership[sets.count - 2]
        let isLineEnd = hasAssertions && membership[sets.count - 1]
        sides.append(isWord ? .word : isLineEnd ? .lineEnd : .other)
      }
      segments.append((low, high, group))
    }
  }

  /// The minimal automaton over UTF-8; nil for the empty language.
  consuming func automaton() throws(GrammarError) -> ByteAutomaton? {
    var rows: [Int32] = []
    _ = number(of: try key(entering: [program.start], after: .edge))
    var head = 0
    while head < keys.count {
      try meter.check(states: keys.count)
      rows += try row(of: keys[head])
      head += 1
    }
    // One node more than there are states each: rows are spelled one at a time, as many runs are alike.
    var spelling = ScalarSpelling(states: keys.count, meter)
    let groups = members.count
    for state in keys.indices {
      var edges: [ScalarEdge] = []
      try meter.spend(segments.count)
      for segment in segments {
        let target = rows[state * groups + segment.group]
        guard target >= 0 else { continue }
        ScalarAutomaton.append(
          ScalarEdge(low: segment.low, high: segment.high, target: target), to: &edges)
      }
      spelling.setEdges(try spelling.spellUTF8(edges), of: state)
    }
    let accepting = accepting
    return try spelling.automaton(
      start: 0, isAccepting: { $0 < accepting.count && accepting[$0] })
  }

  private mutating func number(of key: Key) -> Int32 {
    if let number = numbers[key] { return number }
    let number = Int32(keys.count)
    numbers[key] = number
    keys.append(key)
    return number
  }

  /// The states after each class of scalars; notes whether the state itself accepts.
  private mutating func row(of key: Key) throws(GrammarError) -> [Int32] {
    let before = Side(rawValue: key.before) ?? .other
    let hasAssertion = key.nodes.contains(where: isAssertion)
    let last = try settled(key.nodes, before, .edge, hasAssertion)
    accepting.append(last.contains { isMatch($0) })
    var settledNodes: [Side: [Int32]] = [:]
    var row: [Int32] = []
    for group in members.indices {
      let side = sides[group]
      let nodes: [Int32]
      if let known = settledNodes[side] {
        nodes = known
      } else {
        nodes = try settled(key.nodes, before, side, hasAssertion)
        settledNodes[side] = nodes
      }
      try meter.spend(nodes.count + 1)
      var targets: [Int32] = []
      for node in nodes {
        if case .scalar(let set, let next) = program.nodes[Int(node)], members[group][set] {
          targets.append(next)
        }
      }
      row.append(targets.isEmpty ? -1 : number(of: try self.key(entering: targets, after: side)))
    }
    return row
  }

  /// All nodes that count at a place whose sides are known.
  private mutating func settled(
    _ nodes: [Int32], _ before: Side, _ after: Side, _ hasAssertion: Bool
  ) throws(GrammarError) -> [Int32] {
    guard hasAssertion else { return nodes }
    return try closure(of: nodes) { Self.holds($0, before, after) }
  }

  private mutating func key(
    entering nodes: [Int32], after side: Side
  ) throws(GrammarError) -> Key {
    var nodes = try closure(of: nodes) { _ in false }
    // Once there is a match, whatever follows it is one too.
    if isSearch, nodes.contains(where: isMatch) {
      nodes = try closure(of: [program.tail]) { _ in false }
    }
    nodes.sort()
    let counts = nodes.contains(where: isAssertion)
    return Key(nodes: nodes, before: counts ? side.rawValue : Side.other.rawValue)
  }

  /// What is reached without a scalar; an assertion that does not hold is kept but not passed.
  private mutating func closure(
    of nodes: [Int32], holds: (PatternAssertion) -> Bool
  ) throws(GrammarError) -> [Int32] {
    mark += 1
    var open = nodes
    var reached: [Int32] = []
    while let node = open.popLast() {
      guard marks[Int(node)] != mark else { continue }
      marks[Int(node)] = mark
      try meter.spend(1)
      switch program.nodes[Int(node)] {
      case .split(let one, let other): open += [one, other]
      case .assertion(let assertion, let next):
        if holds(assertion) { open.append(next) } else { reached.append(node) }
      case .scalar, .match: reached.append(node)
      }
    }
    return reached
  }

  private static func holds(
    _ assertion: PatternAssertion, _ before: Side, _ after: Side
  ) -> Bool {
    switch assertion {
    case .textStart: before == .edge
    case .textEnd: after == .edge
    case .lineStart: before == .edge || before == .lineEnd
    case .lineEnd: after == .edge || after == .lineEnd
    case .wordBoundary: (before == .word) != (after == .word)
    case .noWordBoundary: (before == .word) == (after == .word)
    }
  }

  private func isAssertion(_ node: Int32) -> Bool {
    if case .assertion = program.nodes[Int(node)] { true } else { false }
  }

  private func isMatch(_ node: Int32) -> Bool {
    if case .match = program.nodes[Int(node)] { true } else { false }
  }
}
