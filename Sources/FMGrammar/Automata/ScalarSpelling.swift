/// A run of bytes and the node that each of them leads to.
struct ByteEdge: Hashable {
  var low: UInt8
  var high: UInt8
  var target: Int32
}

/// One digit of a fixed-length code: what stands before it, and the bytes of its values.
struct CodeDigit: Sendable {
  /// A run of digit values and the byte of the first of them.
  struct Spelling: Sendable {
    var first: UInt32
    var last: UInt32
    var byte: UInt8
  }

  var bits: UInt32
  /// Bytes before the digit, each one of several.
  var prefix: [[UInt8]] = []
  var spellings: [Spelling]
}

/// Spells an automaton over scalars in bytes: each scalar in one or more byte strings, none of which
/// begins another.
struct ScalarSpelling {
  private let meter: WorkMeter
  private var nodes: [[ByteEdge]]
  private var known: [[ByteEdge]: Int32] = [:]
  private var wholes: [Whole: Int32] = [:]

  /// A part of a code all of whose values lead to one node.
  private struct Whole: Hashable {
    var code: Int
    var level: Int
    var target: Int32
  }

  /// Begins with nodes without edges for so many states, which keep their numbers.
  init(states: Int, _ meter: WorkMeter) {
    self.meter = meter
    nodes = Array(repeating: [], count: states)
  }

  /// Gives a state its edges.
  mutating func setEdges(_ edges: [ByteEdge], of state: Int) { nodes[state] = edges }

  /// The node that has these edges; equal nodes are one.
  mutating func node(_ edges: [ByteEdge]) throws(GrammarError) -> Int32 {
    let edges = Self.ordered(edges)
    if let number = known[edges] { return number }
    try meter.spend(edges.count + 1)
    try meter.check(states: nodes.count)
    let number = Int32(nodes.count)
    known[edges] = number
    nodes.append(edges)
    return number
  }

  private static func ordered(_ edges: [ByteEdge]) -> [ByteEdge] {
    var ordered: [ByteEdge] = []
    for edge in edges.sorted(by: { $0.low < $1.low }) {
      if let last = ordered.last, last.target == edge.target, last.high &+ 1 == edge.low {
        ordered[ordered.count - 1].high = edge.high
      } else {
        ordered.append(edge)
      }
    }
    return ordered
  }

  /// The first bytes of a code's part, from `level` on, for what scalars of a block lead to.
  ///
  /// - Parameters:
  ///   - base: The scalar whose digits from `level` on are all zero.
  ///   - edges: Inside the block, in order.
  mutating func spell(
    _ code: SpellingCode, level: Int = 0, base: UInt32, _ edges: ArraySlice<ScalarEdge>
  ) throws(GrammarError) -> [ByteEdge] {
    let width = code.width(below: level)
    var result: [ByteEdge] = []
    var index = edges.startIndex
    var position = base
    while index < edges.endIndex {
      try meter.spend(1)
      let edge = edges[index]
      let low = max(edge.low, position)
      let digit = (low - base) / width
      let start = base + digit * width
      if low == start, edge.high - start >= width - 1 {
        // Whole sub-blocks, as many as the edge covers.
        let count = (edge.high - start + 1) / width
        let child = try whole(code, level: level + 1, edge.target)
        result += code.bytes(level, from: digit, to: digit + count - 1, child)
        position = start + count * width
        if position > edge.high { index += 1 }
        continue
      }
      var part: [ScalarEdge] = []
      let end = start + (width - 1)
      while index < edges.endIndex, edges[index].low <= end {
        var clipped = edges[index]
        clipped.low = max(clipped.low, start)
        clipped.high = min(clipped.high, end)
        part.append(clipped)
        if edges[index].high > end { break }
        index += 1
      }
      let inner = try spell(code, level: level + 1, base: start, part[...])
      let child = try prefixed(code.digits[level + 1].prefix, try node(inner))
      result += code.bytes(level, from: digit, to: digit, child)
      position = end + 1
    }
    return result
  }

  /// The node before the digits from `level` on, all of whose values lead to `target`.
  private mutating func whole(
    _ code: SpellingCode, level: Int, _ target: Int32
  ) throws(GrammarError) -> Int32 {
    guard level < code.digits.count else { return target }
    let key = Whole(code: code.number, level: level, target: target)
    if let node = wholes[key] { return node }
    let below = try whole(code, level: level + 1, target)
    let last = UInt32(1) << code.digits[level].bits - 1
    let inner = try node(code.bytes(level, from: 0, to: last, below))
    let child = try prefixed(code.digits[level].prefix, inner)
    wholes[key] = child
    return child
  }

  private mutating func prefixed(
    _ prefix: [[UInt8]], _ node: Int32
  ) throws(GrammarError) -> Int32 {
    var node = node
    for bytes in prefix.reversed() {
      node = try self.node(bytes.map { ByteEdge(low: $0, high: $0, target: node) })
    }
    return node
  }

  /// The edges of scalars from `low` to `high`, cut off there.
  static func clipped(
    _ edges: [ScalarEdge], _ low: UInt32, _ high: UInt32
  ) -> ArraySlice<ScalarEdge> {
    var result: [ScalarEdge] = []
    for edge in edges where edge.low <= high && edge.high >= low {
      result.append(
        ScalarEdge(low: max(edge.low, low), high: min(edge.high, high), target: edge.target))
    }
    return result[...]
  }

  /// The first bytes of UTF-8.
  mutating func spellUTF8(_ edges: [ScalarEdge]) throws(GrammarError) -> [ByteEdge] {
    var result: [ByteEdge] = []
    for edge in Self.clipped(edges, 0, 0x7f) {
      result.append(
        ByteEdge(low: UInt8(edge.low), high: UInt8(edge.high), target: edge.target))
    }
    result += try spell(.utf8Two, base: 0, Self.clipped(edges, 0x80, 0x7ff))
    result += try spell(.utf8Three, base: 0, Self.clipped(edges, 0x800, 0xd7ff))
    // In two parts, since the values of surrogates in between have no spelling.
    let above = Self.clipped(edges, 0xe000, 0xffff)
    result += try spell(.utf8Three, base: 0, above)
    return result + (try spell(.utf8Four, base: 0, Self.clipped(edges, 0x1_0000, 0x10_ffff)))
  }

  /// The finished automaton; nil for the empty language.
  consuming func automaton(
    start: Int32, isAccepting: (Int) -> Bool
  ) throws(GrammarError) -> ByteAutomaton? {
    var isBoundary = [Bool](repeating: false, count: 257)
    for node in nodes {
      for edge in node {
        isBoundary[Int(edge.low)] = true
        isBoundary[Int(edge.high) + 1] = true
      }
    }
    var segment = 0
    let classes = ByteClasses { byte in
      if isBoundary[Int(byte)] { segment += 1 }
      return segment
    }
    try meter.check(states: nodes.count, classes: classes.count)
    var table = AutomatonTable(
      classes: classes.classes, classCount: classes.count,
      transitions: Array(repeating: ByteAutomaton.dead, count: nodes.count * classes.count),
      accepting: nodes.indices.map(isAccepting), start: start)
    for (state, node) in nodes.enumerated() {
      for edge in node {
        let first = Int(classes.classes[Int(edge.low)])
        for index in first...Int(classes.classes[Int(edge.high)]) {
          table.transitions[state * classes.count + index] = edge.target
        }
      }
    }
    nodes = []
    known = [:]
    return try table.minimized(meter)
  }
}

/// A fixed-length code of scalars.
struct SpellingCode: Sendable {
  let number: Int
  let digits: [CodeDigit]

  /// How many values the digits after `level` have.
  func width(below level: Int) -> UInt32 {
    1 << digits[(level + 1)...].reduce(0) { $0 + $1.bits }
  }

  /// The bytes of a run of a digit's values.
  func bytes(_ level: Int, from first: UInt32, to last: UInt32, _ target: Int32) -> [ByteEdge] {
    var edges: [ByteEdge] = []
    for spelling in digits[level].spellings {
      let low = max(first, spelling.first)
      let high = min(last, spelling.last)
      guard low <= high else { continue }
      edges.append(
        ByteEdge(
          low: spelling.byte + UInt8(low - spelling.first),
          high: spelling.byte + UInt8(high - spelling.first), target: target))
    }
    return edges
  }

  private static func plain(_ bits: UInt32, _ byte: UInt8) -> CodeDigit {
    CodeDigit(bits: bits, spellings: [.init(first: 0, last: 1 << bits - 1, byte: byte)])
  }

  private static func hexadecimal(_ isUpperToo: Bool) -> CodeDigit {
    CodeDigit(
      bits: 4,
      spellings: [.init(first: 0, last: 9, byte: 0x30), .init(first: 10, last: 15, byte: 0x61)]
        + (isUpperToo ? [.init(first: 10, last: 15, byte: 0x41)] : []))
  }

  static let utf8Two = SpellingCode(number: 0, digits: [plain(5, 0xc0), plain(6, 0x80)])
  static let utf8Three = SpellingCode(
    number: 1, digits: [plain(4, 0xe0), plain(6, 0x80), plain(6, 0x80)])
  static let utf8Four = SpellingCode(
    number: 2, digits: [plain(3, 0xf0), plain(6, 0x80), plain(6, 0x80), plain(6, 0x80)])

  /// Four hexadecimal digits in upper or lower case.
  static let hexadecimal = SpellingCode(
    number: 3, digits: Array(repeating: hexadecimal(true), count: 4))
  /// Four hexadecimal digits in lower case.
  static let lowercaseHexadecimal = SpellingCode(
    number: 4, digits: Array(repeating: hexadecimal(false), count: 4))

  /// What follows `\uD` of a pair of surrogate escapes; counts from U+10000.
  static let surrogates = SpellingCode(
    number: 5,
    digits: [
      CodeDigit(
        bits: 2,
        spellings: [
          .init(first: 0, last: 1, byte: 0x38), .init(first: 2, last: 3, byte: 0x61),
          .init(first: 2, last: 3, byte: 0x41),
        ]),
      hexadecimal(true), hexadecimal(true),
      CodeDigit(
        bits: 2, prefix: [[0x5c], [0x75], [0x44, 0x64]],
        spellings: [.init(first: 0, last: 3, byte: 0x63), .init(first: 0, last: 3, byte: 0x43)]),
      hexadecimal(true), hexadecimal(true),
    ])
}
