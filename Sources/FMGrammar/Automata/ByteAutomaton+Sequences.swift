/// Languages one after the other.
extension ByteAutomaton {
  /// A word of each language, in this order; of none at all the empty word.
  package static func concatenation(
    _ parts: [ByteAutomaton], limits: AutomatonLimits = .standard
  ) throws(GrammarError) -> ByteAutomaton {
    try AutomatonChain(
      automata: parts, slots: Array(parts.indices), required: parts.count, loops: false
    ).automaton(limits)
  }

  /// From `minimum` to `maximum` words of this language, one after the other.
  ///
  /// - Parameters:
  ///   - maximum: No bound when nil; at least `minimum`.
  package func repeated(
    minimum: Int, maximum: Int?, limits: AutomatonLimits = .standard
  ) throws(GrammarError) -> ByteAutomaton {
    precondition(minimum >= 0 && maximum ?? minimum >= minimum)
    let count = max(maximum ?? max(minimum, 1), 0)
    if count > limits.repetitions {
      throw .limitExceeded(.repetitions, limit: limits.repetitions)
    }
    return try AutomatonChain(
      automata: [self], slots: Array(repeating: 0, count: count), required: minimum,
      loops: maximum == nil
    ).automaton(limits)
  }
}

/// Automata to be run one after the other, all ways to cut a text between them at once.
private struct AutomatonChain {
  let automata: [ByteAutomaton]
  /// Which automaton reads each part of a text.
  let slots: [Int]
  /// How many slots have to be filled.
  let required: Int
  /// Whether the last slot may be filled any number of times.
  let loops: Bool

  /// The number of the first place of each slot; the last is that of a chain that has ended.
  private var bases: [Int32] {
    var bases: [Int32] = [0]
    for slot in slots {
      bases.append(bases[bases.count - 1] + Int32(automata[slot].stateCount))
    }
    return bases
  }

  /// Places of all slots together: 16 MB of marks.
  private static let placeLimit = 4_000_000

  func automaton(_ limits: AutomatonLimits) throws(GrammarError) -> ByteAutomaton {
    var total = 0
    for slot in slots {
      total += automata[slot].stateCount
      if total > Self.placeLimit { throw .limitExceeded(.states, limit: limits.states) }
    }
    let meter = WorkMeter(limits)
    let bases = bases
    let slotOfPlace = slots.indices.flatMap {
      Array(repeating: Int32($0), count: automata[slots[$0]].stateCount)
    }
    let closure = Closure(chain: self, bases: bases, slotOfPlace: slotOfPlace, meter: meter)
    let end = bases[slots.count]
    let start = try closure.places(entering: slots.isEmpty ? [] : [0])
    let table = try AutomatonTable.exploring(
      from: required == 0 ? start + [end] : start, alphabet: ByteClasses(of: automata),
      meter: meter,
      next: { (key, byte) throws(GrammarError) -> [Int32]? in
        var moved: [Int32] = []
        for place in key where place < end {
          let slot = Int(slotOfPlace[Int(place)])
          let target = automata[slots[slot]].next(place - bases[slot], byte)
          if target >= 0 { moved.append(bases[slot] + target) }
        }
        return moved.isEmpty ? nil : try closure.places(entering: moved)
      },
      isAccepting: { key in
        key.contains { place in
          guard place < end else { return true }
          let slot = Int(slotOfPlace[Int(place)])
          return slot + 1 >= required
            && automata[slots[slot]].accepting[Int(place - bases[slot])]
        }
      })
    guard let automaton = try table.minimized(meter) else {
      throw .empty(path: "", reason: "a sequence that nothing can fill")
    }
    return automaton
  }

  /// Finds the places that can be reached without a byte.
  private final class Closure {
    private let chain: AutomatonChain
    private let bases: [Int32]
    private let slotOfPlace: [Int32]
    private let meter: WorkMeter
    private var marks: [Int32]
    private var mark: Int32 = 0

    init(chain: AutomatonChain, bases: [Int32], slotOfPlace: [Int32], meter: WorkMeter) {
      self.chain = chain
      self.bases = bases
      self.slotOfPlace = slotOfPlace
      self.meter = meter
      marks = [Int32](repeating: 0, count: slotOfPlace.count)
    }

    func places(entering places: [Int32]) throws(GrammarError) -> [Int32] {
      mark += 1
      var open = places
      var reached: [Int32] = []
      while let place = open.popLast() {
        guard marks[Int(place)] != mark else { continue }
        marks[Int(place)] = mark
        try meter.spend(2)
        reached.append(place)
        let slot = Int(slotOfPlace[Int(place)])
        let automaton = chain.automata[chain.slots[slot]]
        guard automaton.accepting[Int(place - bases[slot])] else { continue }
        if slot + 1 < chain.slots.count {
          open.append(bases[slot + 1])
        } else if chain.loops {
          open.append(bases[slot])
        }
      }
      return reached.sorted()
    }
  }
}
