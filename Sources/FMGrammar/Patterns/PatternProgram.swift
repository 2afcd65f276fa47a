/// A nondeterministic automaton over scalars with assertions: Thompson's construction of a pattern.
struct PatternProgram {
  enum Node {
    /// A scalar of set number `set`, then `next`.
    case scalar(set: Int, next: Int32)
    case split(Int32, Int32)
    case assertion(PatternAssertion, next: Int32)
    case match
  }

  private(set) var nodes: [Node] = [.match]
  private(set) var sets: [ScalarSet] = []
  private(set) var start: Int32 = 0
  /// Where any text is read behind a match; the match itself where nothing may follow.
  private(set) var tail: Int32 = 0
  private var numbers: [ScalarSet: Int] = [:]

  /// Builds the nodes of a tree from its end to its beginning.
  ///
  /// - Parameters:
  ///   - isSearch: Whether any text may stand before and behind a match.
  init(_ tree: PatternNode, isSearch: Bool, _ limits: AutomatonLimits) throws(GrammarError) {
    let (size, overflows) = Self.size(of: tree)
    let limit = limits.unfinishedStates
    if overflows || size > limit { throw .limitExceeded(.states, limit: limits.states) }
    let any = PatternNode.repetition(.scalar(.all), minimum: 0, maximum: nil)
    if isSearch {
      tail = add(any, before: 0)
      start = add(any, before: add(tree, before: tail))
    } else {
      start = add(tree, before: 0)
    }
  }

  /// Nodes a tree needs, and whether they are beyond counting.
  private static func size(of tree: PatternNode) -> (Int, Bool) {
    switch tree {
    case .scalar, .assertion: return (1, false)
    case .sequence(let parts), .choice(let parts):
      var sum = parts.count
      for part in parts {
        let (size, overflows) = size(of: part)
        if overflows || size > Int.max / 4 { return (0, true) }
        sum += size
        if sum > Int.max / 4 { return (0, true) }
      }
      return (sum, false)
    case .repetition(let part, let minimum, let maximum):
      let (size, overflows) = size(of: part)
      let copies = maximum ?? max(minimum, 1)
      let (product, isTooLarge) = (size + 2).multipliedReportingOverflow(by: max(copies, 1))
      return (product, overflows || isTooLarge || product > Int.max / 4)
    }
  }

  private mutating func add(_ node: Node) -> Int32 {
    nodes.append(node)
    return Int32(nodes.count - 1)
  }

  private mutating func add(_ tree: PatternNode, before next: Int32) -> Int32 {
    switch tree {
    case .scalar(let set):
      let number = numbers[set] ?? sets.count
      if number == sets.count {
        numbers[set] = number
        sets.append(set)
      }
      return add(.scalar(set: number, next: next))
    case .assertion(let assertion):
      return add(.assertion(assertion, next: next))
    case .sequence(let parts):
      var next = next
      for part in parts.reversed() { next = add(part, before: next) }
      return next
    case .choice(let options):
      var first: Int32?
      for option in options.reversed() {
        let one = add(option, before: next)
        first = first.map { add(.split(one, $0)) } ?? one
      }
      return first ?? next
    case .repetition(let part, let minimum, let maximum):
      return repeated(part, minimum, maximum, before: next)
    }
  }

  private mutating func repeated(
    _ part: PatternNode, _ minimum: Int, _ maximum: Int?, before end: Int32
  ) -> Int32 {
    var next = end
    var mandatory = minimum
    if let maximum {
      for _ in minimum..<maximum {
        let one = add(part, before: next)
        next = add(.split(one, end))
      }
    } else {
      let loop = add(.split(end, end))
      let body = add(part, before: loop)
      nodes[Int(loop)] = .split(body, end)
      // The loop itself is the last of those there have to be, so that `+` needs no second copy.
      next = minimum > 0 ? body : loop
      mandatory = max(0, minimum - 1)
    }
    for _ in 0..<mandatory { next = add(part, before: next) }
    return next
  }
}
