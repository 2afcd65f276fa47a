/// In how many ways the text of a JSON string may be spelled.
package enum JSONSpelling: Sendable, Hashable {
  /// Every legal way: any character as itself or as an escape, in upper or lower case.
  case any
  /// Without escapes, so only texts that need none.
  case escapeFree
  /// The one usual way: escapes only where they have to be, in their short form where there is one.
  case canonical
}

/// JSON strings, quotes included, whose texts an automaton accepts.
package enum JSONStringAutomaton {
  /// The spellings of the texts of `content` that have a length in bounds; nil if there are none.
  ///
  /// A length counts code points: a pair of surrogate escapes is one. Lone surrogates, raw control
  /// characters and ill-formed UTF-8 are never accepted.
  ///
  /// - Parameters:
  ///   - content: Texts in UTF-8; what it has beside well-formed ones is left out.
  ///   - minimumLength: In code points, from 0 on.
  ///   - maximumLength: In code points; no bound when nil.
  package static func strings(
    of content: ByteAutomaton = .text, spelling: JSONSpelling = .any, minimumLength: Int = 0,
    maximumLength: Int? = nil, limits: AutomatonLimits = .standard
  ) throws(GrammarError) -> ByteAutomaton? {
    if let maximumLength, maximumLength < max(minimumLength, 0) { return nil }
    let meter = WorkMeter(limits)
    var texts = try ScalarAutomaton(decoding: content, meter)
    if minimumLength > 0 || maximumLength != nil {
      texts = try texts.limited(minimum: max(minimumLength, 0), maximum: maximumLength, meter)
    }
    // Two more nodes: the opening quote's, and the one after the closing quote.
    let first = Int32(texts.edges.count)
    let end = first + 1
    var nodes = ScalarSpelling(states: texts.edges.count + 2, meter)
    for (state, edges) in texts.edges.enumerated() {
      var bytes = try nodes.spellUTF8(edges.flatMap(rawParts))
      if spelling != .escapeFree {
        let escapes = try escapeEdges(edges, spelling, &nodes)
        if !escapes.isEmpty {
          bytes.append(ByteEdge(low: 0x5c, high: 0x5c, target: try nodes.node(escapes)))
        }
      }
      if texts.accepting[state] { bytes.append(ByteEdge(low: 0x22, high: 0x22, target: end)) }
      nodes.setEdges(bytes, of: state)
    }
    nodes.setEdges([ByteEdge(low: 0x22, high: 0x22, target: 0)], of: Int(first))
    return try nodes.automaton(start: first, isAccepting: { $0 == Int(end) })
  }

  /// Texts of so many code points, in UTF-8, to be intersected with other automata.
  package static func lengths(
    minimum: Int, maximum: Int?, limits: AutomatonLimits = .standard
  ) throws(GrammarError) -> ByteAutomaton {
    precondition(minimum >= 0 && maximum ?? minimum >= minimum)
    let meter = WorkMeter(limits)
    var texts = ScalarAutomaton()
    texts.edges = [[ScalarEdge(low: 0, high: 0x10_ffff, target: 0)]]
    texts.accepting = [true]
    texts = try texts.limited(minimum: minimum, maximum: maximum, meter)
    var nodes = ScalarSpelling(states: texts.edges.count, meter)
    for (state, edges) in texts.edges.enumerated() {
      nodes.setEdges(try nodes.spellUTF8(edges), of: state)
    }
    let accepting = texts.accepting
    let automaton = try nodes.automaton(
      start: 0, isAccepting: { $0 < accepting.count && accepting[$0] })
    guard let automaton else { throw .empty(path: "", reason: "no length is in bounds") }
    return automaton
  }

  /// A text as a JSON string in its usual spelling, quotes included: `/` and what is not ASCII as they are.
  package static func canonical(_ text: String) -> [UInt8] {
    var bytes: [UInt8] = [0x22]
    for byte in text.utf8 {
      if let short = shortEscape(UInt32(byte), .canonical) {
        bytes += [0x5c, short]
      } else if byte < 0x20 {
        bytes += [0x5c, 0x75, 0x30, 0x30, 0x30 + byte >> 4]
        let digit = byte & 15
        bytes.append(digit < 10 ? 0x30 + digit : 0x57 + digit)
      } else {
        bytes.append(byte)
      }
    }
    return bytes + [0x22]
  }

  /// What may stand in a string as it is.
  private static func rawParts(_ edge: ScalarEdge) -> [ScalarEdge] {
    [(0x20, 0x21), (0x23, 0x5b), (0x5d, 0x10_ffff)].compactMap { (low: UInt32, high: UInt32) in
      let part = ScalarEdge(
        low: max(edge.low, low), high: min(edge.high, high), target: edge.target)
      return part.low <= part.high ? part : nil
    }
  }

  /// The byte after the backslash of a scalar's short escape.
  private static func shortEscape(_ scalar: UInt32, _ spelling: JSONSpelling) -> UInt8? {
    switch scalar {
    case 0x22, 0x5c: UInt8(scalar)
    case 0x2f: spelling == .any ? 0x2f : nil
    case 0x08: 0x62
    case 0x0c: 0x66
    case 0x0a: 0x6e
    case 0x0d: 0x72
    case 0x09: 0x74
    default: nil
    }
  }

  /// What may follow a backslash.
  private static func escapeEdges(
    _ edges: [ScalarEdge], _ spelling: JSONSpelling, _ nodes: inout ScalarSpelling
  ) throws(GrammarError) -> [ByteEdge] {
    var result: [ByteEdge] = []
    for scalar in [0x22, 0x5c, 0x2f, 0x08, 0x0c, 0x0a, 0x0d, 0x09] as [UInt32] {
      if let byte = shortEscape(scalar, spelling),
        let target = ScalarAutomaton.target(of: scalar, in: edges)
      {
        result.append(ByteEdge(low: byte, high: byte, target: target))
      }
    }
    let coded =
      spelling == .any
      ? try allHexadecimal(edges, &nodes) : try mandatoryHexadecimal(edges, &nodes)
    if !coded.isEmpty {
      result.append(ByteEdge(low: 0x75, high: 0x75, target: try nodes.node(coded)))
    }
    return result
  }

  /// What may follow `\u`, where every scalar may be spelled so.
  private static func allHexadecimal(
    _ edges: [ScalarEdge], _ nodes: inout ScalarSpelling
  ) throws(GrammarError) -> [ByteEdge] {
    let code = SpellingCode.hexadecimal
    var result = try nodes.spell(code, base: 0, ScalarSpelling.clipped(edges, 0, 0xcfff))
    result += try nodes.spell(code, base: 0, ScalarSpelling.clipped(edges, 0xe000, 0xffff))
    // After a first D there is a scalar below the surrogates, or a pair of them.
    var afterD = try nodes.spell(
      code, level: 1, base: 0xd000, ScalarSpelling.clipped(edges, 0xd000, 0xd7ff))
    let above = ScalarSpelling.clipped(edges, 0x1_0000, 0x10_ffff).map {
      ScalarEdge(low: $0.low - 0x1_0000, high: $0.high - 0x1_0000, target: $0.target)
    }
    afterD += try nodes.spell(.surrogates, base: 0, above[...])
    if !afterD.isEmpty {
      let node = try nodes.node(afterD)
      result += [0x44, 0x64].map { ByteEdge(low: $0, high: $0, target: node) }
    }
    return result
  }

  /// What may follow `\u`, where only control characters without a short escape are spelled so.
  private static func mandatoryHexadecimal(
    _ edges: [ScalarEdge], _ nodes: inout ScalarSpelling
  ) throws(GrammarError) -> [ByteEdge] {
    let controls = ScalarSpelling.clipped(edges, 0, 0x1f).flatMap { edge in
      (edge.low...edge.high).compactMap { scalar in
        shortEscape(scalar, .canonical) == nil
          ? ScalarEdge(low: scalar, high: scalar, target: edge.target) : nil
      }
    }
    return try nodes.spell(.lowercaseHexadecimal, base: 0, controls[...])
  }
}
