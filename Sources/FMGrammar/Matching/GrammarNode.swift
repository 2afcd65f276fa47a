/// One rule as the matcher reads it; a leaf is matched byte by byte, the others are what leafs are in.
struct GrammarNode: BitwiseCopyable, Sendable {
  enum Kind: UInt8 {
    case empty
    /// Bytes of ``GrammarTables/pool``: `first ..< first + count`.
    case literal
    /// A dense automaton, number `first`.
    case automaton
    /// One of several literals: a trie of ``GrammarTables/trieBytes`` whose root is `first`.
    case literals
    /// A JSON string of `first` to `count` code points, `count` -1 for no bound.
    case string
    /// Control token `first`.
    case token
    /// Nodes `first ..< first + count` of ``GrammarTables/lists``, one after the other.
    case sequence
    /// One of nodes `first ..< first + count` of ``GrammarTables/lists``.
    case choice
    /// Array number `first`.
    case array
    /// Object number `first`.
    case object
    /// The keys of the named members of object number `first`.
    case memberKey
    /// A leaf whose words are told apart and may be taken: number `first` of ``GrammarTables/tracked``.
    case tracked
  }

  var kind: Kind
  var first: Int32 = 0
  var count: Int32 = 0
}

/// A dense automaton's place in the tables.
struct AutomatonLayout: BitwiseCopyable, Sendable {
  /// Place of 256 classes in ``GrammarTables/classes``.
  var classes: Int32
  var classCount: Int32
  /// Place of the transitions in ``GrammarTables/transitions``.
  var transitions: Int32
  /// Place of the first state in ``GrammarTables/stateFlags`` and ``GrammarTables/distances``.
  var states: Int32
  var stateCount: Int32
  /// Place of the bytes of each class in ``GrammarTables/classBytes``.
  var classBytes: Int32
}

/// What a state of a leaf may do.
enum StateFlag {
  static let accepting: UInt8 = 1
  /// Some byte goes on.
  static let continuing: UInt8 = 2
}

/// A leaf whose words may be taken already.
struct TrackedLeaf: Sendable {
  /// The automaton or trie it is, as a node.
  var leaf: GrammarNode
  /// How many words lead from each state to acceptance, at most ``WordCounts/unbounded``.
  var words: FlatBuffer<Int32>
  /// Words that are never free, sorted by bytes.
  var reserved: [[UInt8]]
  /// Whether words may be finitely many from a state that is no word's end.
  var isFinite: Bool
}

/// An array as the matcher reads it; its elements are nodes.
struct ArrayTable: Sendable {
  var prefix: [Int32]
  /// The node of the elements after `prefix`, or -1.
  var items: Int32
  var minimum: Int
  var maximum: Int
  var isUnique: Bool
  /// Counts from here on are alike.
  var saturation: Int
  /// The fewest bytes of the first `n` elements of the prefix, by `n`, without commas.
  var prefixBytes: [Int] = [0]
  /// The fewest bytes of an element after the prefix.
  var itemBytes = 0

  /// The node of the element at `place`, or -1.
  @inline(__always)
  func element(_ place: Int) -> Int32 { place < prefix.count ? prefix[place] : items }

  /// The fewest bytes of elements `lower ..< upper`.
  func elementBytes(_ lower: Int, _ upper: Int) -> Int {
    guard upper > lower else { return 0 }
    let first = min(lower, prefix.count)
    let last = min(upper, prefix.count)
    let after = (upper - last) - (lower - first)
    return prefixBytes[last] - prefixBytes[first] + after * itemBytes
  }
}

/// An object as the matcher reads it.
struct ObjectTable: Sendable {
  /// The values of the members that can be, in order.
  var values: [Int32]
  var isRequired: [Bool]
  /// How many required members come at or after a place: one more entry than members.
  var requiredAfter: [Int32]
  /// The first required member at or after a place, or the number of members.
  var nextRequired: [Int32]
  /// The node of the members' keys, and the root of their trie.
  var keyNode: Int32 = -1
  var keyRoot: Int32 = -1
  /// The length of each member's key, with what of the colon is spelled with it.
  var keyLengths: [Int32] = []
  /// The place of each member among the sorted keys, and the reverse.
  var rank: [Int32] = []
  var members: [Int32] = []
  /// The tracked node of each other member's key, and the node of its value.
  var otherKeys: [Int32] = []
  var otherValues: [Int32] = []
  var minimum: Int
  var maximum: Int
  /// The fewest bytes of a comma, each member, key and colon included.
  var memberBytes: [Int] = []
  /// The sum of `memberBytes` over required members at or after a place.
  var requiredBytes: [Int] = []
  /// The fewest bytes of a comma and any other member.
  var otherBytes = 0

  var hasOthers: Bool { !otherKeys.isEmpty }
}

/// The nodes of what arrays and objects are punctuated with.
struct Punctuation: Sendable {
  var openArray: Int32 = 0
  var closeEmptyArray: Int32 = 0
  var closeArray: Int32 = 0
  var openObject: Int32 = 0
  var closeEmptyObject: Int32 = 0
  var closeObject: Int32 = 0
  var comma: Int32 = 0
  var colon: Int32 = 0
  /// The fewest bytes of a comma and of a colon.
  var commaBytes = 1
  var colonBytes = 1
  /// What of the colon is spelled with a named member's key; all of it, or nothing.
  var keySuffix: [UInt8] = []
}

/// A compiled grammar's tables, read by the hot loops.
struct GrammarTables: Sendable {
  let nodes: FlatBuffer<GrammarNode>
  let lists: FlatBuffer<Int32>
  /// The fewest bytes of the elements of a sequence from each place of ``lists`` on.
  let listBytes: FlatBuffer<Int>
  let pool: FlatBuffer<UInt8>
  let automata: FlatBuffer<AutomatonLayout>
  let classes: FlatBuffer<UInt8>
  let classBytes: FlatBuffer<ByteSet>
  let transitions: FlatBuffer<Int32>
  let stateFlags: FlatBuffer<UInt8>
  let distances: FlatBuffer<Int32>
  /// Tries of literals and of keys: the children of node `n` are `trieFirst[n] ..< trieFirst[n + 1]`.
  let trieFirst: FlatBuffer<Int32>
  let trieBytes: FlatBuffer<UInt8>
  let trieLower: FlatBuffer<Int32>
  let trieOwnEnd: FlatBuffer<Int32>
  let trieUpper: FlatBuffer<Int32>
  /// The fewest bytes from a trie's node to a key.
  let trieDistances: FlatBuffer<Int32>
  let tracked: [TrackedLeaf]
  let arrays: [ArrayTable]
  let objects: [ObjectTable]
  let punctuation: Punctuation
  /// The fewest bytes of each node.
  let minimumBytes: FlatBuffer<Int>
  let root: Int32
}
