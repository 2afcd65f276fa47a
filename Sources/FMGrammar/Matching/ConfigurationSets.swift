/// Sets of configurations, one after the other, and the closure that builds the last of them.
///
/// What lies behind the last set belongs to the one being built: leaves go straight into it, rules to
/// enter and frames to go on with wait in ``pending``.
struct ConfigurationSets: Sendable {
  /// The most configurations of a set; more are dropped, which allows less and never anything wrong.
  static let limit = 256
  /// The most rules entered or ended for one byte.
  static let stepLimit = 16_384

  /// A node to enter, or -1 to go on after a rule that ended.
  struct Pending: BitwiseCopyable, Equatable, Sendable {
    var node: Int32
    var frame: Int32
    /// The tracked word that just ended, or 0.
    var word: Int32
  }

  private(set) var all: [Configuration] = []
  private(set) var pending: [Pending] = []
  /// Where the set being built begins.
  private(set) var base = 0
  /// Whether the set being built has come to the end of the answer.
  var isAccepting = false
  private var seenConfigurations = SeenList()
  private var seenPending = SeenList()

  var count: Int { all.count }

  @inline(__always)
  subscript(index: Int) -> Configuration { all[index] }

  /// Begins a set behind the others.
  @inline(__always)
  mutating func begin() {
    base = all.count
    pending.removeAll(keepingCapacity: true)
    isAccepting = false
  }

  /// Drops everything from `index` on.
  @inline(__always)
  mutating func drop(to index: Int) { all.removeLast(all.count - index) }

  /// Drops everything but the last `count` configurations.
  mutating func keepLast(_ count: Int) {
    let start = all.count - count
    for index in 0..<count { all[index] = all[start + index] }
    all.removeLast(start)
    base = 0
  }

  /// Moves the set just built to `start`, over what was there.
  mutating func replace(from start: Int) {
    let count = all.count - base
    for index in 0..<count { all[start + index] = all[base + index] }
    all.removeLast(base - start)
    base = start
  }

  /// Adds a configuration as it is.
  @inline(__always)
  mutating func append(_ configuration: Configuration) { all.append(configuration) }

  /// Removes the configuration at `index`, whose place the last one takes.
  @inline(__always)
  mutating func remove(at index: Int) {
    all[index] = all[all.count - 1]
    all.removeLast()
  }

  /// Adds a leaf to the set being built, unless it is there or the set is full.
  @inline(__always)
  mutating func add(_ configuration: Configuration) {
    let count = all.count - base
    if count < SeenList.shortLimit {
      for index in base..<all.count where all[index] == configuration { return }
      all.append(configuration)
    } else {
      addToLong(configuration)
    }
  }

  @inline(never)
  private mutating func addToLong(_ configuration: Configuration) {
    let count = all.count - base
    guard count < Self.limit else { return }
    if count == SeenList.shortLimit || !seenConfigurations.hasRoom(for: count) {
      seenConfigurations.reset(atLeast: Self.limit)
      for index in base..<all.count { _ = insert(all[index], at: index) }
    }
    if insert(configuration, at: all.count) { all.append(configuration) }
  }

  private mutating func insert(_ configuration: Configuration, at index: Int) -> Bool {
    let hash = Self.hash(
      configuration.frame, configuration.node, configuration.state &* 31 &+ configuration.extra)
    return seenConfigurations.insert(Int32(index), hash: hash) { [all] in
      all[Int($0)] == configuration
    }
  }

  /// Has a node entered, or a frame gone on with, unless that waits already.
  @inline(__always)
  mutating func wait(_ entry: Pending) {
    let count = pending.count
    if count < SeenList.shortLimit {
      for other in pending where other == entry { return }
      pending.append(entry)
    } else {
      waitLong(entry)
    }
  }

  @inline(never)
  private mutating func waitLong(_ entry: Pending) {
    guard pending.count < Self.stepLimit else { return }
    if pending.count == SeenList.shortLimit || !seenPending.hasRoom(for: pending.count) {
      seenPending.reset(atLeast: pending.count)
      for (index, entry) in pending.enumerated() { _ = insertPending(entry, at: index) }
    }
    if insertPending(entry, at: pending.count) { pending.append(entry) }
  }

  private mutating func insertPending(_ entry: Pending, at index: Int) -> Bool {
    let hash = Self.hash(entry.node, entry.frame, entry.word)
    return seenPending.insert(Int32(index), hash: hash) { [pending] in
      pending[Int($0)] == entry
    }
  }

  private static func hash(_ first: Int32, _ second: Int32, _ third: Int32) -> Int {
    var hash = UInt64(UInt32(bitPattern: first)) << 32 | UInt64(UInt32(bitPattern: second))
    hash = (hash ^ UInt64(UInt32(bitPattern: third)) << 17) &* 0x9e37_79b9_7f4a_7c15
    return Int(truncatingIfNeeded: (hash ^ hash >> 31) >> 3)
  }
}
