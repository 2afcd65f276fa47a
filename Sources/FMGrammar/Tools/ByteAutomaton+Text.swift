package import FMText

extension ByteAutomaton {
  /// All texts that `pattern` does not occur in (Knuth, Morris, Pratt 1977); it has at least one byte.
  package static func avoiding(_ pattern: [UInt8]) -> ByteAutomaton {
    precondition(!pattern.isEmpty, "nothing avoids the empty text")
    let alphabet = ByteAlphabet(pattern)
    var transitions: [State] = []
    // Where the automaton goes after the pattern's longest border.
    var border = 0
    for state in pattern.indices {
      var row = [State](repeating: 0, count: alphabet.count)
      if state > 0 {
        let start = border * alphabet.count
        row = Array(transitions[start..<(start + alphabet.count)])
        border = Int(row[alphabet.classOf(pattern[state])])
      }
      row[alphabet.classOf(pattern[state])] = State(state + 1)
      transitions += row
    }
    let dead = State(pattern.count)
    return ByteAutomaton(
      classes: alphabet.classes, classCount: alphabet.count,
      transitions: transitions.map { $0 == dead ? Self.dead : $0 },
      accepting: Array(repeating: true, count: pattern.count))
  }

  /// All texts that do not begin as a call in a form without an opener does, up to a tool's name.
  package static func avoidingCalls(of names: [String], form: ToolCallForm) -> ByteAutomaton {
    var builder = CallBeginnings(form: form, names: names)
    return builder.automaton()
  }
}

/// The bytes that matter to a pattern, each a class, and one class for all others, 0.
private struct ByteAlphabet {
  private(set) var classes = [UInt8](repeating: 0, count: 256)
  private(set) var count = 1

  init(_ bytes: some Sequence<UInt8>) {
    // At most 255 classes of their own: a byte beyond them never occurs, since no pattern is UTF-8 with all.
    for byte in bytes where classes[Int(byte)] == 0 && count < 256 {
      classes[Int(byte)] = UInt8(count)
      count += 1
    }
  }

  func classOf(_ byte: UInt8) -> Int { Int(classes[Int(byte)]) }
}

/// A tree of the beginnings of calls, with white space where JSON may have it.
private struct CallBeginnings {
  private var next: [[UInt8: Int]] = [[:]]
  /// Whether white space may stand before the next byte.
  private var takesSpace = [true]
  private static let free = 0
  private static let dead = -2
  private static let spaces: [UInt8] = [0x20, 0x09, 0x0A, 0x0D]

  init(form: ToolCallForm, names: [String]) {
    // State 0 is text that is no beginning; the tree's root is made the start at the end.
    next.append([:])
    takesSpace = [false, true]
    var state = 1
    let tokens: [[UInt8]] = [
      Array("{".utf8), Array(JSONText.quoted(form.nameKey).utf8), Array(":".utf8),
    ]
    for token in tokens { state = add(token, from: state, spaceAfter: true) }
    for name in names {
      _ = add(Array(JSONText.quoted(name).utf8), from: state, spaceAfter: false, isEnd: true)
    }
  }

  private mutating func add(
    _ bytes: [UInt8], from start: Int, spaceAfter: Bool, isEnd: Bool = false
  ) -> Int {
    var state = start
    for (index, byte) in bytes.enumerated() {
      let isLast = index == bytes.count - 1
      if isLast, isEnd {
        next[state][byte] = Self.dead
      } else if let known = next[state][byte] {
        if known == Self.dead { return known }
        state = known
      } else {
        next.append([:])
        takesSpace.append(isLast && spaceAfter)
        next[state][byte] = next.count - 1
        state = next.count - 1
      }
    }
    return state
  }

  /// The automaton; the tree's root, which is state 1 here, becomes state 0.
  mutating func automaton() -> ByteAutomaton {
    var bytes = Set(Self.spaces)
    for row in next { bytes.formUnion(row.keys) }
    let alphabet = ByteAlphabet(bytes.sorted())
    func number(_ state: Int) -> ByteAutomaton.State {
      switch state {
      case Self.dead: ByteAutomaton.dead
      case Self.free: 1
      case 1: 0
      default: ByteAutomaton.State(state)
      }
    }
    var transitions: [ByteAutomaton.State] = []
    for state in [1, 0] + Array(2..<next.count) {
      var row = [ByteAutomaton.State](repeating: number(Self.free), count: alphabet.count)
      if takesSpace[state] {
        for space in Self.spaces { row[alphabet.classOf(space)] = number(state) }
      }
      for byte in next[state].keys.sorted() {
        row[alphabet.classOf(byte)] = number(next[state][byte] ?? Self.free)
      }
      transitions += row
    }
    return ByteAutomaton(
      classes: alphabet.classes, classCount: alphabet.count, transitions: transitions,
      accepting: Array(repeating: true, count: next.count))
  }
}
