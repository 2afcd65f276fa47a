/// A deterministic automaton while it is built: it may have useless states and equal ones.
struct AutomatonTable {
  typealias State = ByteAutomaton.State

  var classes: [UInt8]
  var classCount: Int
  var transitions: [State]
  var accepting: [Bool]
  var start: State

  var stateCount: Int { accepting.count }

  /// The states that can be reached from `start`, found by calling `next` with a byte of each class.
  ///
  /// - Parameters:
  ///   - next: The state after a byte; nil if no word goes on that way.
  static func exploring<Key: Hashable>(
    from start: Key, alphabet: ByteClasses, meter: WorkMeter,
    next: (Key, UInt8) throws(GrammarError) -> Key?, isAccepting: (Key) -> Bool
  ) throws(GrammarError) -> AutomatonTable {
    var table = AutomatonTable(
      classes: alphabet.classes, classCount: alphabet.count, transitions: [], accepting: [],
      start: 0)
    var numbers: [Key: State] = [start: 0]
    var keys = [start]
    var head = 0
    while head < keys.count {
      let key = keys[head]
      head += 1
      try meter.check(states: keys.count, classes: alphabet.count)
      try meter.spend(alphabet.count)
      table.accepting.append(isAccepting(key))
      for byte in alphabet.representatives {
        guard let target = try next(key, byte) else {
          table.transitions.append(ByteAutomaton.dead)
          continue
        }
        let number = numbers[target] ?? State(keys.count)
        if number == keys.count {
          numbers[target] = number
          keys.append(target)
        }
        table.transitions.append(number)
      }
    }
    return table
  }

  /// The minimal automaton of the same language, its states in the order a search from the start
  /// finds them; nil for the empty language.
  ///
  /// Two automata of one language come out equal.
  func minimized(_ meter: WorkMeter) throws(GrammarError) -> ByteAutomaton? {
    guard var table = trimmed() else { return nil }
    table = table.withMergedClasses()
    try meter.spend(table.transitions.count)
    table = table.withMergedStates()
    return try table.withMergedClasses().ordered(meter)
  }

  /// The same states in the order of a search from the start; throws if there are too many.
  func ordered(_ meter: WorkMeter) throws(GrammarError) -> ByteAutomaton {
    if stateCount > meter.limits.states {
      throw .limitExceeded(.states, limit: meter.limits.states)
    }
    var numbers = [State](repeating: -1, count: stateCount)
    var order = [start]
    numbers[Int(start)] = 0
    var head = 0
    while head < order.count {
      let row = Int(order[head]) * classCount
      head += 1
      for target in transitions[row..<row + classCount] where target >= 0 {
        guard numbers[Int(target)] < 0 else { continue }
        numbers[Int(target)] = State(order.count)
        order.append(target)
      }
    }
    var moved: [State] = []
    moved.reserveCapacity(order.count * classCount)
    for state in order {
      for target in transitions[Int(state) * classCount..<(Int(state) + 1) * classCount] {
        moved.append(target < 0 ? target : numbers[Int(target)])
      }
    }
    return ByteAutomaton(
      classes: classes, classCount: classCount, transitions: moved,
      accepting: order.map { accepting[Int($0)] })
  }

  /// Without the states that cannot be reached or cannot reach acceptance; nil if none is left.
  func trimmed() -> AutomatonTable? {
    let reached = reachable()
    let live = coreachable(among: reached)
    guard live[Int(start)] else { return nil }
    var numbers = [State](repeating: -1, count: stateCount)
    var kept: [State] = []
    for state in 0..<stateCount where live[state] {
      numbers[state] = State(kept.count)
      kept.append(State(state))
    }
    var table = AutomatonTable(
      classes: classes, classCount: classCount, transitions: [], accepting: [],
      start: numbers[Int(start)])
    table.transitions.reserveCapacity(kept.count * classCount)
    for state in kept {
      table.accepting.append(accepting[Int(state)])
      for target in transitions[Int(state) * classCount..<(Int(state) + 1) * classCount] {
        table.transitions.append(target < 0 ? target : numbers[Int(target)])
      }
    }
    return table
  }

  private func reachable() -> [Bool] {
    var reached = [Bool](repeating: false, count: stateCount)
    reached[Int(start)] = true
    var open = [start]
    while let state = open.popLast() {
      let row = Int(state) * classCount
      for target in transitions[row..<row + classCount] where target >= 0 {
        guard !reached[Int(target)] else { continue }
        reached[Int(target)] = true
        open.append(target)
      }
    }
    return reached
  }

  private func coreachable(among reached: [Bool]) -> [Bool] {
    let sources = ArrowSources(transitions: transitions, classCount: classCount, count: stateCount)
    var live = [Bool](repeating: false, count: stateCount)
    var open: [State] = []
    for state in 0..<stateCount where accepting[state] && reached[state] {
      live[state] = true
      open.append(State(state))
    }
    while let state = open.popLast() {
      for source in sources[state] where !live[Int(source)] && reached[Int(source)] {
        live[Int(source)] = true
        open.append(source)
      }
    }
    return live
  }
}

/// Where the arrows into each state come from; a state is named once for each arrow.
struct ArrowSources {
  private var starts: [Int32]
  private var sources: [ByteAutomaton.State]

  init(transitions: [ByteAutomaton.State], classCount: Int, count: Int) {
    starts = [Int32](repeating: 0, count: count + 1)
    for target in transitions where target >= 0 { starts[Int(target) + 1] += 1 }
    for state in 0..<count { starts[state + 1] += starts[state] }
    sources = [ByteAutomaton.State](repeating: 0, count: Int(starts[count]))
    var next = starts
    for (index, target) in transitions.enumerated() where target >= 0 {
      sources[Int(next[Int(target)])] = ByteAutomaton.State(index / classCount)
      next[Int(target)] += 1
    }
  }

  subscript(state: ByteAutomaton.State) -> ArraySlice<ByteAutomaton.State> {
    sources[Int(starts[Int(state)])..<Int(starts[Int(state) + 1])]
  }
}
