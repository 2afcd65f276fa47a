/// What sets of words can be made of others.
///
/// Results are minimal, and equal languages give equal automata. Where the empty language can come out
/// the result is an optional, nil for it. Every function throws `limitExceeded` for states or steps.
extension ByteAutomaton {
  /// Two states that are run side by side.
  private struct Pair: Hashable {
    var first: State
    var second: State
  }

  /// Words of both languages; nil if there are none.
  package func intersection(
    _ other: ByteAutomaton, limits: AutomatonLimits = .standard
  ) throws(GrammarError) -> ByteAutomaton? {
    let meter = WorkMeter(limits)
    let table = try AutomatonTable.exploring(
      from: Pair(first: 0, second: 0), alphabet: ByteClasses(of: [self, other]), meter: meter,
      next: { (pair, byte) throws(GrammarError) -> Pair? in
        let first = next(pair.first, byte)
        let second = other.next(pair.second, byte)
        return first < 0 || second < 0 ? nil : Pair(first: first, second: second)
      },
      isAccepting: { accepting[Int($0.first)] && other.accepting[Int($0.second)] })
    return try table.minimized(meter)
  }

  /// Words of this language that are none of the other; nil if there are none.
  ///
  /// The complement within text is `ByteAutomaton.text.difference(_:)`.
  package func difference(
    _ other: ByteAutomaton, limits: AutomatonLimits = .standard
  ) throws(GrammarError) -> ByteAutomaton? {
    let meter = WorkMeter(limits)
    let table = try AutomatonTable.exploring(
      from: Pair(first: 0, second: 0), alphabet: ByteClasses(of: [self, other]), meter: meter,
      next: { (pair, byte) throws(GrammarError) -> Pair? in
        let first = next(pair.first, byte)
        guard first >= 0 else { return nil }
        let second = pair.second < 0 ? Self.dead : other.next(pair.second, byte)
        return Pair(first: first, second: second)
      },
      isAccepting: {
        accepting[Int($0.first)] && ($0.second < 0 || !other.accepting[Int($0.second)])
      })
    return try table.minimized(meter)
  }

  /// Words of any of the languages, of which there is at least one.
  package static func union(
    _ parts: [ByteAutomaton], limits: AutomatonLimits = .standard
  ) throws(GrammarError) -> ByteAutomaton {
    let meter = WorkMeter(limits)
    // A key lists part, state, part, state...; parts that have died are left out.
    let table = try AutomatonTable.exploring(
      from: parts.indices.flatMap { [Int32($0), 0] }, alphabet: ByteClasses(of: parts),
      meter: meter,
      next: { (key, byte) throws(GrammarError) -> [Int32]? in
        try meter.spend(key.count)
        var moved: [Int32] = []
        for index in stride(from: 0, to: key.count, by: 2) {
          let target = parts[Int(key[index])].next(key[index + 1], byte)
          if target >= 0 { moved += [key[index], target] }
        }
        return moved.isEmpty ? nil : moved
      },
      isAccepting: { key in
        stride(from: 0, to: key.count, by: 2).contains {
          parts[Int(key[$0])].accepting[Int(key[$0 + 1])]
        }
      })
    guard let union = try table.minimized(meter) else {
      throw .empty(path: "", reason: "a union of no languages")
    }
    return union
  }

  /// The minimal automaton of the same language.
  package func minimized(
    limits: AutomatonLimits = .standard
  ) throws(GrammarError) -> ByteAutomaton {
    let table = AutomatonTable(
      classes: classes, classCount: classCount, transitions: transitions, accepting: accepting,
      start: 0)
    return try table.minimized(WorkMeter(limits)) ?? self
  }

  /// Whether no word is of both languages.
  package func isDisjoint(
    with other: ByteAutomaton, limits: AutomatonLimits = .standard
  ) throws(GrammarError) -> Bool {
    try intersection(other, limits: limits) == nil
  }

  /// Whether every word is one of the other language too.
  package func isSubset(
    of other: ByteAutomaton, limits: AutomatonLimits = .standard
  ) throws(GrammarError) -> Bool {
    try difference(other, limits: limits) == nil
  }
}
