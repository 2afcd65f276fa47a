/// One way of reading what was written so far: a leaf that is being matched, and what comes after it.
struct Configuration: BitwiseCopyable, Equatable, Sendable {
  /// What follows the leaf, in the arena; 0 for the end of the answer.
  var frame: Int32
  /// The leaf.
  var node: Int32
  /// Where in the leaf: bytes of a literal, an automaton's state, a node of a trie.
  var state: Int32
  /// Code points of a string, bytes of a member's key, the word of a tracked leaf so far.
  var extra: Int32 = 0
}

/// What goes on when a rule inside another ends; equal frames are one.
struct Frame: BitwiseCopyable, Equatable, Sendable {
  /// What goes on when this rule ends in turn.
  var parent: Int32
  /// The sequence, array or object.
  var node: Int32
  /// Where in it: a place of a sequence, or a phase with a place of an array or object.
  var place: Int32
  /// Members or elements so far.
  var count: Int32 = 0
  /// The words that are taken in it, as a list in the arena.
  var used: Int32 = 0

  /// Marks a word's bytes: `parent` is the word before, `place` the byte, `count` the length.
  static let wordNode: Int32 = -2
  /// Marks a list of words: `parent` is the rest of the list, `place` the word.
  static let listNode: Int32 = -3
}

/// The phases of arrays and objects: the low bits of a frame's place.
enum Phase {
  static let opened: Int32 = 0
  static let comma: Int32 = 1
  static let key: Int32 = 2
  static let colon: Int32 = 3
  static let value: Int32 = 4
  static let otherKey: Int32 = 5
  static let otherColon: Int32 = 6
  static let bits: Int32 = 3

  @inline(__always)
  static func place(_ phase: Int32, _ index: Int32) -> Int32 { index << bits | phase }

  @inline(__always)
  static func phase(_ place: Int32) -> Int32 { place & 7 }

  @inline(__always)
  static func index(_ place: Int32) -> Int32 { place >> bits }
}

/// Frames and words, each kept once and numbered in the order they came.
///
/// What came last can be dropped again, so looking ahead leaves nothing behind.
struct StackArena: Sendable {
  private(set) var frames: [Frame] = [Frame(parent: -1, node: -1, place: 0)]
  /// The fewest bytes from a frame to the end of the answer, -1 where not known.
  var remaining: [Int] = [0]
  /// Open addressing by linear probing; 0 is vacant.
  private var slots = [Int32](repeating: 0, count: 64)

  var count: Int { frames.count }

  @inline(__always)
  subscript(index: Int32) -> Frame { frames[Int(index)] }

  /// The number of a frame, new or known.
  mutating func intern(_ frame: Frame) -> Int32 {
    let mask = slots.count - 1
    var slot = Self.hash(frame) & mask
    while slots[slot] != 0 {
      if frames[Int(slots[slot])] == frame { return slots[slot] }
      slot = (slot + 1) & mask
    }
    let number = Int32(frames.count)
    slots[slot] = number
    frames.append(frame)
    remaining.append(-1)
    if frames.count * 2 > slots.count { grow() }
    return number
  }

  /// Drops all but the first `count` frames.
  mutating func drop(to count: Int) {
    let mask = slots.count - 1
    while frames.count > count, let frame = frames.last {
      // What came last ends its run of probes, so its slot can simply be vacated.
      var slot = Self.hash(frame) & mask
      while Int(slots[slot]) != frames.count - 1 { slot = (slot + 1) & mask }
      slots[slot] = 0
      frames.removeLast()
      remaining.removeLast()
    }
  }

  private mutating func grow() {
    let mask = slots.count * 2 - 1
    slots = Array(repeating: 0, count: mask + 1)
    for number in 1..<frames.count {
      var slot = Self.hash(frames[number]) & mask
      while slots[slot] != 0 { slot = (slot + 1) & mask }
      slots[slot] = Int32(number)
    }
  }

  @inline(__always)
  private static func hash(_ frame: Frame) -> Int {
    var hash = UInt64(UInt32(bitPattern: frame.parent)) &* 0x9e37_79b9_7f4a_7c15
    hash ^= UInt64(UInt32(bitPattern: frame.node)) << 32 | UInt64(UInt32(bitPattern: frame.place))
    hash = (hash ^ hash >> 29) &* 0xbf58_476d_1ce4_e5b9
    hash ^= UInt64(UInt32(bitPattern: frame.count)) << 32 | UInt64(UInt32(bitPattern: frame.used))
    hash = (hash ^ hash >> 32) &* 0x94d0_49bb_1331_11eb
    return Int(truncatingIfNeeded: hash >> 33)
  }

  /// The bytes of a word.
  func bytes(ofWord word: Int32) -> [UInt8] {
    var bytes: [UInt8] = []
    var place = word
    while place != 0 {
      bytes.append(UInt8(truncatingIfNeeded: self[place].place))
      place = self[place].parent
    }
    return bytes.reversed()
  }

  /// Whether a word begins with another, or is it.
  func word(_ word: Int32, beginsWith prefix: Int32) -> Bool {
    let length = prefix == 0 ? 0 : self[prefix].count
    var place = word
    while place != 0, self[place].count > length { place = self[place].parent }
    return place == prefix
  }
}

/// Tells what was seen before in a short list: by looking through it, by hashing once it grows.
struct SeenList: Sendable {
  /// Lists up to this long are looked through.
  static let shortLimit = 16

  private var slots: [Int32] = []
  private var stamps: [UInt32] = []
  private var stamp: UInt32 = 0

  /// Forgets all, and makes room for a list of `count` members at least.
  mutating func reset(atLeast count: Int) {
    var size = max(64, slots.count)
    while size < count * 4 { size *= 2 }
    if size != slots.count {
      slots = Array(repeating: 0, count: size)
      stamps = Array(repeating: 0, count: size)
      stamp = 0
    }
    stamp &+= 1
    if stamp == 0 {
      stamps = Array(repeating: 0, count: size)
      stamp = 1
    }
  }

  /// Whether there is room for `count` members.
  func hasRoom(for count: Int) -> Bool { count * 2 <= slots.count }

  /// Calls `matches` with members of equal hash until one matches; adds `member` if none does.
  @inline(__always)
  mutating func insert(_ member: Int32, hash: Int, _ matches: (Int32) -> Bool) -> Bool {
    let mask = slots.count - 1
    var slot = hash & mask
    while stamps[slot] == stamp {
      if matches(slots[slot]) { return false }
      slot = (slot + 1) & mask
    }
    stamps[slot] = stamp
    slots[slot] = member
    return true
  }
}
