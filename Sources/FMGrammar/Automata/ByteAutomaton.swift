/// A deterministic automaton over bytes, whose every state can still reach acceptance.
///
/// States are `0 ..< stateCount`, 0 the start; bytes that always go the same way share a class.
/// An automaton of the empty language is never made: what would make one says so instead.
package struct ByteAutomaton: Sendable, Hashable {
  /// A state's number; ``dead`` where no state follows.
  package typealias State = Int32

  /// What ``next(_:_:)`` gives where a byte is not allowed.
  package static let dead: State = -1

  /// The class of each byte: 256 entries below `classCount`.
  package let classes: [UInt8]
  /// How many classes of bytes there are, at least 1.
  package let classCount: Int
  /// The next state by state and class, row-major: `stateCount * classCount` entries.
  package let transitions: [State]
  /// Whether the bytes so far are a word of the language, by state.
  package let accepting: [Bool]
  /// The fewest bytes that lead from a state to an accepting one.
  package let distances: [Int32]

  /// The number of states, at least 1.
  package var stateCount: Int { accepting.count }

  /// Takes tables that already keep the type's promises: trimmed, state 0 the start.
  ///
  /// Takes time linear in the tables for the distances.
  package init(classes: [UInt8], classCount: Int, transitions: [State], accepting: [Bool]) {
    precondition(classes.count == 256 && transitions.count == accepting.count * classCount)
    self.classes = classes
    self.classCount = classCount
    self.transitions = transitions
    self.accepting = accepting
    distances = Self.distances(classCount, transitions, accepting)
  }

  /// The state after `byte`, or ``dead``.
  @inline(__always)
  package func next(_ state: State, _ byte: UInt8) -> State {
    transitions[Int(state) * classCount + Int(classes[Int(byte)])]
  }

  /// Whether a whole text is a word of the language.
  package func accepts(_ bytes: some Sequence<UInt8>) -> Bool {
    var state: State = 0
    for byte in bytes {
      state = next(state, byte)
      if state == Self.dead { return false }
    }
    return accepting[Int(state)]
  }

  /// Breadth first from the accepting states, against the arrows.
  private static func distances(
    _ classCount: Int, _ transitions: [State], _ accepting: [Bool]
  ) -> [Int32] {
    let sources = ArrowSources(
      transitions: transitions, classCount: classCount, count: accepting.count)
    var distances = [Int32](repeating: -1, count: accepting.count)
    var queue: [State] = []
    for state in accepting.indices where accepting[state] {
      distances[state] = 0
      queue.append(State(state))
    }
    var head = 0
    while head < queue.count {
      let state = Int(queue[head])
      head += 1
      for source in sources[State(state)] where distances[Int(source)] < 0 {
        distances[Int(source)] = distances[state] + 1
        queue.append(source)
      }
    }
    precondition(distances.allSatisfy { $0 >= 0 }, "a state that cannot reach acceptance")
    return distances
  }
}
