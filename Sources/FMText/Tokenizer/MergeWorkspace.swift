import FMCore

/// A stretch of text that is one token, or none yet, while a segment is merged.
struct MergeSymbol: BitwiseCopyable {
  /// Where it starts, in bytes from the start of the text being encoded.
  var start: UInt32
  /// Its length in bytes; 0 once it is merged into its left neighbour.
  var length: UInt32
  /// The token it is, or -1 where the vocabulary has none.
  var token: TokenID
}

/// What two neighbours would become: the lowest priority number is merged first.
struct MergeCandidate: BitwiseCopyable {
  var priority: UInt32
  var result: TokenID

  /// No merge.
  static let none = MergeCandidate(priority: .max, result: -1)
}

/// Decides which neighbours merge, and in what order.
protocol MergeRule {
  /// The merge of two neighbours, or `none`.
  func candidate(_ left: MergeSymbol, _ right: MergeSymbol) -> MergeCandidate
}

/// Scratch memory for merging, used again for every segment of a text.
struct MergeWorkspace: ~Copyable {
  /// The segment's symbols, in order; `count` of them.
  private var symbols = GrowableBuffer<MergeSymbol>(capacity: 128)
  /// How many symbols the segment has.
  private(set) var count = 0
  /// For short segments: the candidate of each symbol with the next.
  private var candidates = GrowableBuffer<MergeCandidate>(capacity: Self.shortLimit)
  /// For long segments: the neighbours of each symbol.
  private var links = GrowableBuffer<Link>(capacity: 1)
  private var queue = MergeQueue()

  /// The most symbols merged by scanning; more go through the queue.
  static let shortLimit = 48

  private struct Link: BitwiseCopyable {
    var previous: Int32
    var next: Int32
  }

  /// Forgets the last segment.
  @inline(__always)
  mutating func start() { count = 0 }

  /// Adds a symbol.
  @inline(__always)
  mutating func append(_ symbol: MergeSymbol) {
    symbols.grow(to: count + 1, keeping: count)
    symbols.base[count] = symbol
    count += 1
  }

  /// Makes the segment one symbol that is a token.
  mutating func replaceAll(with token: TokenID) {
    guard count > 0 else { return }
    let last = symbols.base[count - 1]
    symbols.base[0].length = last.start + last.length - symbols.base[0].start
    symbols.base[0].token = token
    count = 1
  }

  /// Symbol `index` of the segment.
  subscript(index: Int) -> MergeSymbol {
    @inline(__always) get { symbols.base[index] }
  }

  /// Merges the segment's symbols as far as the rule goes, in O(n log n) time.
  @inline(__always)
  mutating func merge(_ rule: some MergeRule) {
    guard count > 1 else { return }
    if count <= Self.shortLimit { mergeShort(rule) } else { mergeLong(rule) }
  }

  @inline(__always)
  private mutating func mergeShort(_ rule: some MergeRule) {
    let symbols = symbols.base
    let candidates = candidates.base
    var last = count - 1
    for index in 0..<last { candidates[index] = rule.candidate(symbols[index], symbols[index + 1]) }
    while last > 0 {
      var best = 0
      for index in 1..<last where candidates[index].priority < candidates[best].priority {
        best = index
      }
      let chosen = candidates[best]
      guard chosen.priority != .max else { break }
      symbols[best].length += symbols[best + 1].length
      symbols[best].token = chosen.result
      for index in best + 1..<last {
        symbols[index] = symbols[index + 1]
        candidates[index - 1] = candidates[index]
      }
      last -= 1
      if best > 0 { candidates[best - 1] = rule.candidate(symbols[best - 1], symbols[best]) }
      if best < last { candidates[best] = rule.candidate(symbols[best], symbols[best + 1]) }
    }
    count = last + 1
  }

  private mutating func mergeLong(_ rule: some MergeRule) {
    let count = count
    links.grow(to: count, keeping: 0)
    let symbols = symbols.base
    let links = links.base
    queue.clear(capacity: count)
    for index in 0..<count {
      links[index] = Link(previous: Int32(index - 1), next: Int32(index + 1))
      if index > 0 { enqueue(index - 1, index, rule) }
    }
    while let entry = queue.popFirst() {
      let left = Int(entry.left)
      let right = Int(links[left].next)
      // Stale: a neighbour has merged since. The length only ever grows, so it tells.
      guard symbols[left].length > 0, right < count,
        symbols[left].length + symbols[right].length == entry.length
      else { continue }
      symbols[left].length = entry.length
      symbols[left].token = entry.result
      symbols[right].length = 0
      let next = links[right].next
      links[left].next = next
      if next < count { links[Int(next)].previous = Int32(left) }
      if links[left].previous >= 0 { enqueue(Int(links[left].previous), left, rule) }
      if next < count { enqueue(left, Int(next), rule) }
    }
    compact()
  }

  @inline(__always)
  private mutating func enqueue(_ left: Int, _ right: Int, _ rule: some MergeRule) {
    let candidate = rule.candidate(symbols.base[left], symbols.base[right])
    guard candidate.priority != .max else { return }
    queue.push(
      MergeQueue.Entry(
        priority: candidate.priority, left: UInt32(left),
        length: symbols.base[left].length + symbols.base[right].length, result: candidate.result))
  }

  private mutating func compact() {
    var kept = 0
    for index in 0..<count where symbols.base[index].length > 0 {
      symbols.base[kept] = symbols.base[index]
      kept += 1
    }
    count = kept
  }
}
