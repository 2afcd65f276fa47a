/// Turns a grammar's rules into the tables the matcher reads; no recursion over rules.
struct GrammarCompiler {
  /// The most rules, and the most bytes of literals and keys.
  static let ruleLimit = 1_000_000
  static let byteLimit = 64 << 20
  /// The most white space between two tokens, whatever is asked for.
  static let whiteSpaceLimit = 32

  let grammar: Grammar
  let whiteSpace: WhiteSpace
  var nodes: [GrammarNode] = []
  var minimum: [Int] = []
  var lists: [Int32] = []
  var listBytes: [Int] = []
  var pool: [UInt8] = []
  var automata = AutomatonPool()
  var tries = TriePool()
  var tracked: [TrackedLeaf] = []
  var arrays: [ArrayTable] = []
  var objects: [ObjectTable] = []
  var punctuation = Punctuation()
  /// Rules some word of which has a byte or a control token.
  var hasLeaf: [Bool] = []
  /// How many more alternatives of nested choices may be copied into the choices around them.
  var flattening = 0
  /// The nodes of elements that are told apart, by rule.
  var trackedElements: [Int32: Int32] = [:]

  init(_ grammar: Grammar, whiteSpace: WhiteSpace) {
    self.grammar = grammar
    self.whiteSpace = whiteSpace
  }

  /// Compiles it all.
  mutating func compile() throws(GrammarError) -> GrammarTables {
    try checkSize()
    measurePunctuation()
    var elements = DistinctElements(grammar.rules)
    let rules = try elements.narrowed()
    minimum = MinimumBytes(rules, punctuation).values
    guard minimum[Int(grammar.root)] != MinimumBytes.none else {
      throw .empty(path: "", reason: "no value that satisfies it ever comes to an end")
    }
    hasLeaf = LeafReach.reachesLeaf(rules, minimum)
    flattening = 4 * rules.count + 4096
    nodes = Array(repeating: GrammarNode(kind: .empty), count: rules.count)
    addPunctuation()
    for (rule, content) in rules.enumerated() where minimum[rule] != MinimumBytes.none {
      guard hasLeaf[rule] else { continue }
      nodes[rule] = try node(content, rules)
    }
    return tables()
  }

  private func checkSize() throws(GrammarError) {
    guard grammar.rules.count <= Self.ruleLimit else {
      throw .limitExceeded(.rules, limit: Self.ruleLimit)
    }
    var bytes = 0
    for rule in grammar.rules {
      switch rule {
      case .literal(let literal): bytes += literal.count
      case .object(let object):
        bytes += object.members.reduce(0) { $0 + $1.key.count + 8 }
        bytes += object.reservedKeys.reduce(0) { $0 + $1.count + 8 }
      default: break
      }
    }
    guard bytes <= Self.byteLimit else {
      throw .limitExceeded(.sourceBytes, limit: Self.byteLimit)
    }
  }

  private func tables() -> GrammarTables {
    GrammarTables(
      nodes: FlatBuffer(nodes), lists: FlatBuffer(lists), listBytes: FlatBuffer(listBytes),
      pool: FlatBuffer(pool), automata: FlatBuffer(automata.tables),
      classes: FlatBuffer(automata.classes), classBytes: FlatBuffer(automata.classBytes),
      transitions: FlatBuffer(automata.transitions), stateFlags: FlatBuffer(automata.flags),
      distances: FlatBuffer(automata.distances), trieFirst: FlatBuffer(tries.first),
      trieBytes: FlatBuffer(tries.bytes), trieLower: FlatBuffer(tries.lower),
      trieOwnEnd: FlatBuffer(tries.ownEnd), trieUpper: FlatBuffer(tries.upper),
      trieDistances: FlatBuffer(tries.distances), tracked: tracked, arrays: arrays,
      objects: objects, punctuation: punctuation, minimumBytes: FlatBuffer(minimum),
      root: grammar.root)
  }

  /// Adds a node beside those of the rules.
  mutating func add(_ node: GrammarNode, minimumBytes: Int) -> Int32 {
    nodes.append(node)
    minimum.append(minimumBytes)
    return Int32(nodes.count - 1)
  }

  mutating func literal(_ bytes: [UInt8]) -> GrammarNode {
    pool.append(contentsOf: bytes)
    return GrammarNode(
      kind: .literal, first: Int32(pool.count - bytes.count), count: Int32(bytes.count))
  }

  private mutating func node(_ rule: Rule, _ rules: [Rule]) throws(GrammarError) -> GrammarNode {
    switch rule {
    case .empty: return GrammarNode(kind: .empty)
    case .literal(let bytes): return literal(bytes)
    case .automaton(let automaton):
      return GrammarNode(kind: .automaton, first: automata.add(automaton))
    case .string(let string):
      let bounded = string.maximum.map { Int32(clamping: $0) } ?? -1
      return GrammarNode(
        kind: .string, first: Int32(clamping: max(0, string.minimum)), count: bounded)
    case .token(let token): return GrammarNode(kind: .token, first: token)
    case .sequence(let parts):
      return list(.sequence, parts.filter { hasLeaf[Int($0)] })
    case .choice(let alternatives): return choice(alternatives, rules)
    case .array(let array): return try self.array(array)
    case .object(let object): return try self.object(object)
    }
  }

  /// A sequence or choice of nodes.
  mutating func list(_ kind: GrammarNode.Kind, _ parts: [Int32]) -> GrammarNode {
    let first = lists.count
    lists += parts
    var total = 0
    var bytes: [Int] = []
    for part in parts.reversed() {
      total = MinimumBytes.sum(total, minimum[Int(part)])
      bytes.append(total)
    }
    listBytes += bytes.reversed()
    return GrammarNode(kind: kind, first: Int32(first), count: Int32(parts.count))
  }

  /// A choice without what never ends, its literals merged into a trie.
  private mutating func choice(_ alternatives: [Grammar.Index], _ rules: [Rule]) -> GrammarNode {
    var kept: [Int32] = []
    var literals: [[UInt8]] = []
    var seen: Set<Grammar.Index> = []
    var pending: [Grammar.Index] = alternatives.reversed()
    while let rule = pending.popLast() {
      guard minimum[Int(rule)] != MinimumBytes.none, seen.insert(rule).inserted else { continue }
      switch rules[Int(rule)] {
      case .choice(let nested) where nested.count <= flattening:
        flattening -= nested.count
        pending += nested.reversed()
      case .literal(let bytes) where !bytes.isEmpty:
        literals.append(bytes)
        if literals.count == 1 { kept.append(rule) }
      default: kept.append(rule)
      }
    }
    if literals.count > 1, let place = kept.firstIndex(where: { isLiteral(rules[Int($0)]) }) {
      let root = tries.add(literals)
      let bytes = literals.lazy.map(\.count).min() ?? 0
      kept[place] = add(GrammarNode(kind: .literals, first: root), minimumBytes: bytes)
    }
    return list(.choice, kept)
  }

  private func isLiteral(_ rule: Rule) -> Bool {
    if case .literal = rule { true } else { false }
  }
}

/// Which rules can ever be matched byte by byte or by a control token.
enum LeafReach {
  /// By rule, in time linear in the grammar.
  static func reachesLeaf(_ rules: [Rule], _ minimum: [Int]) -> [Bool] {
    var reaches = [Bool](repeating: false, count: rules.count)
    var users: [[Int32]] = Array(repeating: [], count: rules.count)
    var found: [Int] = []
    for (rule, content) in rules.enumerated() where minimum[rule] != MinimumBytes.none {
      switch content {
      case .empty: continue
      case .literal(let bytes): if bytes.isEmpty { continue }
      case .sequence(let parts), .choice(let parts):
        for part in parts { users[Int(part)].append(Int32(rule)) }
        continue
      default: break
      }
      reaches[rule] = true
      found.append(rule)
    }
    while let rule = found.popLast() {
      guard minimum[rule] != MinimumBytes.none else { continue }
      for user in users[rule] where !reaches[Int(user)] {
        reaches[Int(user)] = true
        found.append(Int(user))
      }
    }
    return reaches
  }
}
