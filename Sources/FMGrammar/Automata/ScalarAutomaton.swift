/// A run of scalars and the state that each of them leads to.
struct ScalarEdge: Hashable {
  var low: UInt32
  var high: UInt32
  var target: Int32
}

/// A deterministic automaton over Unicode scalars: what texts mean before anything spells them.
struct ScalarAutomaton {
  /// The edges of each state, in order and disjoint; state 0 is the start.
  var edges: [[ScalarEdge]] = []
  var accepting: [Bool] = []

  /// Adds an edge, as part of the one before where they belong together.
  static func append(_ edge: ScalarEdge, to edges: inout [ScalarEdge]) {
    if let last = edges.last, last.target == edge.target, last.high + 1 == edge.low {
      edges[edges.count - 1].high = edge.high
    } else {
      edges.append(edge)
    }
  }

  /// The state after a scalar; nil where none follows.
  static func target(of scalar: UInt32, in edges: [ScalarEdge]) -> Int32? {
    var (low, high) = (0, edges.count)
    while low < high {
      let middle = (low + high) / 2
      if edges[middle].high < scalar { low = middle + 1 } else { high = middle }
    }
    guard low < edges.count, edges[low].low <= scalar else { return nil }
    return edges[low].target
  }

  /// The same texts if they have from `minimum` to `maximum` scalars.
  func limited(
    minimum: Int, maximum: Int?, _ meter: WorkMeter
  ) throws(GrammarError) -> ScalarAutomaton {
    struct Key: Hashable {
      var state: Int32
      var length: Int
    }
    let most = maximum ?? minimum
    var result = ScalarAutomaton()
    var keys = [Key(state: 0, length: 0)]
    var numbers = [keys[0]: Int32(0)]
    while result.edges.count < keys.count {
      let key = keys[result.edges.count]
      try meter.check(states: keys.count)
      result.accepting.append(accepting[Int(key.state)] && key.length >= minimum)
      var moved: [ScalarEdge] = []
      // A text that is long enough and not bounded is counted no further.
      let length = maximum == nil ? min(key.length + 1, most) : key.length + 1
      let isFull = maximum != nil && key.length == most
      for edge in isFull ? [] : edges[Int(key.state)] {
        try meter.spend(1)
        let target = Key(state: edge.target, length: length)
        let number = numbers[target] ?? Int32(keys.count)
        if number == keys.count {
          numbers[target] = number
          keys.append(target)
        }
        Self.append(ScalarEdge(low: edge.low, high: edge.high, target: number), to: &moved)
      }
      result.edges.append(moved)
    }
    return result
  }
}

/// Reads an automaton over UTF-8 as one over scalars.
extension ScalarAutomaton {
  /// The well-formed texts of an automaton over bytes.
  init(decoding bytes: ByteAutomaton, _ meter: WorkMeter) throws(GrammarError) {
    var decoder = Decoder(bytes: bytes, meter: meter)
    var order: [ByteAutomaton.State] = [0]
    var numbers: [ByteAutomaton.State: Int32] = [0: 0]
    while edges.count < order.count {
      let state = order[edges.count]
      accepting.append(bytes.accepting[Int(state)])
      var found = try decoder.edges(of: state)
      for index in found.indices {
        let target = found[index].target
        let number = numbers[target] ?? Int32(order.count)
        if number == order.count {
          numbers[target] = number
          order.append(target)
        }
        found[index].target = number
      }
      edges.append(found)
    }
  }

  private struct Decoder {
    struct Key: Hashable {
      var state: ByteAutomaton.State
      var length: Int
    }

    let bytes: ByteAutomaton
    let meter: WorkMeter
    private var known: [Key: [ScalarEdge]] = [:]

    init(bytes: ByteAutomaton, meter: WorkMeter) {
      self.bytes = bytes
      self.meter = meter
    }

    /// Edges whose targets are states of the automaton over bytes.
    mutating func edges(of state: ByteAutomaton.State) throws(GrammarError) -> [ScalarEdge] {
      var edges: [ScalarEdge] = []
      for byte in UInt8(0)..<0x80 {
        let target = bytes.next(state, byte)
        guard target >= 0 else { continue }
        let scalar = UInt32(byte)
        append(ScalarEdge(low: scalar, high: scalar, target: target), to: &edges)
      }
      // Clipping to these blocks leaves overlong forms, surrogates and what is beyond Unicode out.
      let leads: [(UInt8, UInt8, UInt32, Int, [ClosedRange<UInt32>])] = [
        (0xc2, 0xdf, 0xc0, 1, [0x80...0x7ff]),
        (0xe0, 0xef, 0xe0, 2, [0x800...0xd7ff, 0xe000...0xffff]),
        (0xf0, 0xf4, 0xf0, 3, [0x1_0000...0x10_ffff]),
      ]
      try meter.spend(64)
      for (first, last, offset, length, blocks) in leads {
        for lead in first...last {
          let target = bytes.next(state, lead)
          guard target >= 0 else { continue }
          let base = (UInt32(lead) - offset) << UInt32(6 * length)
          for edge in try suffixes(Key(state: target, length: length)) {
            try meter.spend(1)
            for block in blocks {
              let low = max(edge.low + base, block.lowerBound)
              let high = min(edge.high + base, block.upperBound)
              if low <= high {
                append(ScalarEdge(low: low, high: high, target: edge.target), to: &edges)
              }
            }
          }
        }
      }
      return edges
    }

    private func append(_ edge: ScalarEdge, to edges: inout [ScalarEdge]) {
      ScalarAutomaton.append(edge, to: &edges)
    }

    /// What so many continuation bytes lead to, by their joint value.
    private mutating func suffixes(_ key: Key) throws(GrammarError) -> [ScalarEdge] {
      if let edges = known[key] { return edges }
      var edges: [ScalarEdge] = []
      try meter.spend(16)
      for byte in UInt8(0x80)..<0xc0 {
        let target = bytes.next(key.state, byte)
        guard target >= 0 else { continue }
        let base = (UInt32(byte) & 0x3f) << UInt32(6 * (key.length - 1))
        if key.length == 1 {
          append(ScalarEdge(low: base, high: base, target: target), to: &edges)
          continue
        }
        for edge in try suffixes(Key(state: target, length: key.length - 1)) {
          try meter.spend(1)
          append(
            ScalarEdge(low: edge.low + base, high: edge.high + base, target: edge.target),
            to: &edges)
        }
      }
      known[key] = edges
      return edges
    }
  }
}
