import FMCore

/// What a vocabulary's tokens do inside a JSON string, from every place a token can begin or enter.
struct StringIndex: Sendable {
  /// The classes by the state of ``StringMachine`` a token begins in.
  let states: [StringClass?]
  /// By node of the vocabulary's trie: the place in `entries` if the node's last byte is a quote and
  /// more follows, else -1.
  let entryPlaces: FlatBuffer<Int32>
  let entries: FlatBuffer<StringEntry>
  let entryTokens: FlatBuffer<CountedToken>
  let entryExits: FlatBuffer<CountedNode>

  /// The bytes it takes.
  let byteCount: Int

  init(
    trie: ByteTrie, order: FlatBuffer<TokenID>, pool: FlatBuffer<UInt8>,
    ranges: FlatBuffer<ByteRange>, maskWords: Int
  ) {
    var scan = StringScan(trie: trie, order: order)
    states = (0..<Int32(StringMachine.stateCount)).map { state in
      if state == StringMachine.open || state == StringMachine.closed { return nil }
      scan.run(from: 0, state: state)
      return StringClass(
        scan, pool: pool, ranges: ranges, maskWords: maskWords,
        hasLevels: state == StringMachine.plain)
    }
    var places = [Int32](repeating: -1, count: trie.nodeCount)
    var entries: [StringEntry] = []
    var tokens: [CountedToken] = []
    var exits: [CountedNode] = []
    // Tokens of very many quotes would take quadratic time; what is left out is walked when met.
    let budget = 8 * trie.nodeCount + 1_000_000
    for node in 0..<Int32(trie.nodeCount)
    where node > 0 && trie.bytes[node] == 0x22 && trie.hasChildren(node) && scan.steps < budget {
      scan.run(from: node, state: StringMachine.plain)
      places[Int(node)] = Int32(entries.count)
      let firstToken = Int32(tokens.count)
      let firstExit = Int32(exits.count)
      tokens += scan.inside.sorted { ($0.count, $0.token) < ($1.count, $1.token) }
      exits += scan.exits
      entries.append(
        StringEntry(
          firstToken: firstToken, tokensEnd: Int32(tokens.count), firstExit: firstExit,
          exitsEnd: Int32(exits.count)))
    }
    entryPlaces = FlatBuffer(places)
    self.entries = FlatBuffer(entries)
    entryTokens = FlatBuffer(tokens)
    entryExits = FlatBuffer(exits)
    byteCount =
      states.reduce(0) { $0 + ($1?.byteCount ?? 0) } + entryPlaces.byteCount
      + self.entries.byteCount + entryTokens.byteCount + entryExits.byteCount
  }
}

/// A token and how many code points of a string begin in it.
struct CountedToken: BitwiseCopyable, Sendable {
  var token: TokenID
  var count: Int32
}

/// A node of a trie and how many code points of a string begin on the way to it.
struct CountedNode: BitwiseCopyable, Sendable {
  var node: Int32
  var count: Int32
}

/// What tokens below a node do that opens a string: stay inside, or close it at other nodes.
struct StringEntry: BitwiseCopyable, Sendable {
  /// Bounds of ``StringIndex/entryTokens``, by rising count.
  var firstToken: Int32
  var tokensEnd: Int32
  /// Bounds of ``StringIndex/entryExits``.
  var firstExit: Int32
  var exitsEnd: Int32
}

/// What tokens do that begin in one state of a string.
struct StringClass: Sendable {
  /// The most code points for which there is a mask of its own.
  static let levelLimit = 64

  /// The tokens that stay inside, by rising count.
  let inside: FlatBuffer<CountedToken>
  /// The most code points that begin in a token that stays inside.
  let longest: Int32
  /// Masks of the tokens inside of at most so many code points, then of all: `levels * maskWords`.
  let masks: FlatBuffer<UInt64>
  /// How many masks count code points; the mask after them is of all.
  let levels: Int32
  /// The tokens that close the string, by what follows the quote.
  let rests: RestTrie

  var byteCount: Int { inside.byteCount + masks.byteCount + rests.byteCount }

  init(
    _ scan: StringScan, pool: FlatBuffer<UInt8>, ranges: FlatBuffer<ByteRange>, maskWords: Int,
    hasLevels: Bool
  ) {
    let inside = scan.inside.sorted { ($0.count, $0.token) < ($1.count, $1.token) }
    let longest = inside.last?.count ?? 0
    let levels = hasLevels ? Int(min(longest, Int32(Self.levelLimit))) : 0
    var masks = [UInt64](repeating: 0, count: (levels + 1) * maskWords)
    var next = 0
    for level in 0...levels {
      let base = level * maskWords
      if level > 0 {
        for word in 0..<maskWords { masks[base + word] = masks[base - maskWords + word] }
      }
      while next < inside.count, level == levels || Int(inside[next].count) <= level {
        let token = Int(inside[next].token)
        masks[base + token >> 6] |= 1 << UInt64(token & 63)
        next += 1
      }
    }
    self.inside = FlatBuffer(inside)
    self.longest = longest
    self.levels = Int32(levels)
    self.masks = FlatBuffer(masks)
    rests = RestTrie(scan.rests(ranges: ranges), pool: pool)
  }
}

/// Tokens by what follows the place where they leave a rule.
struct RestTrie: Sendable {
  let trie: ByteTrie
  /// The tokens of the trie's keys; those of a node by rising count.
  let tokens: FlatBuffer<CountedToken>

  var byteCount: Int { trie.byteCount + tokens.byteCount }

  /// A token and what of it is left.
  struct Rest {
    var bytes: ByteRange
    var token: CountedToken
  }

  init(_ rests: [Rest], pool: FlatBuffer<UInt8>) {
    let pool = UnsafeBufferPointer(start: pool.base, count: pool.count)
    let sorted = rests.sorted { left, right in
      if ByteRange.precedes(left.bytes, right.bytes, in: pool) { return true }
      if ByteRange.precedes(right.bytes, left.bytes, in: pool) { return false }
      return (left.token.count, left.token.token) < (right.token.count, right.token.token)
    }
    trie = ByteTrie(pool: pool, sorted: sorted.map(\.bytes))
    tokens = FlatBuffer(sorted.map(\.token))
  }
}

/// A walk of the vocabulary's trie with one string's state.
struct StringScan {
  private let trie: ByteTrie
  private let order: FlatBuffer<TokenID>
  /// The tokens that end inside the string.
  private(set) var inside: [CountedToken] = []
  /// The nodes that close it.
  private(set) var exits: [CountedNode] = []
  /// The depths of `exits` below the start.
  private var depths: [Int32] = []
  private var stack: [Place] = []
  /// How many nodes were reached by all runs.
  private(set) var steps = 0

  private struct Place {
    var node: Int32
    var state: Int32
    var count: Int32
    var depth: Int32
  }

  init(trie: ByteTrie, order: FlatBuffer<TokenID>) {
    self.trie = trie
    self.order = order
  }

  /// Finds what the tokens below `start` do, in time linear in the nodes it reaches.
  mutating func run(from start: Int32, state: Int32) {
    inside.removeAll(keepingCapacity: true)
    exits.removeAll(keepingCapacity: true)
    depths.removeAll(keepingCapacity: true)
    stack.append(Place(node: start, state: state, count: 0, depth: 0))
    while let place = stack.popLast() {
      for child in trie.firstChild[place.node]..<trie.firstChild[Int(place.node) + 1] {
        let next = Int32(
          StringMachine.transitions[Int(place.state) * 256 + Int(trie.bytes[child])])
        if next < 0 { continue }
        steps += 1
        if next == StringMachine.closed {
          exits.append(CountedNode(node: child, count: place.count))
          depths.append(place.depth + 1)
          continue
        }
        let count = place.count + (place.state == StringMachine.plain ? 1 : 0)
        for key in trie.lower[child]..<trie.ownEnd[child] {
          inside.append(CountedToken(token: order[key], count: count))
        }
        stack.append(Place(node: child, state: next, count: count, depth: place.depth + 1))
      }
    }
  }

  /// The tokens through the exits, and what follows the quote in them.
  func rests(ranges: FlatBuffer<ByteRange>) -> [RestTrie.Rest] {
    var rests: [RestTrie.Rest] = []
    for (exit, depth) in zip(exits, depths) {
      for key in trie.lower[exit.node]..<trie.upper[exit.node] {
        let token = order[key]
        let range = ranges[token]
        rests.append(
          RestTrie.Rest(
            bytes: ByteRange(start: range.start + depth, count: range.count - depth),
            token: CountedToken(token: token, count: exit.count)))
      }
    }
    return rests
  }
}
