import FMCore

/// The ranked pairs of a BPE vocabulary: (left, right) → rank and result.
struct MergeTable: Sendable {
  /// One slot: the pair's ids packed, its rank, the id of the token it makes.
  struct Entry: BitwiseCopyable {
    var pair: UInt64
    var rank: UInt32
    var result: TokenID
  }

  /// How many merges name a token the vocabulary lacks, and are never made.
  let skipped: Int
  private let entries: [Entry]
  private let seed: UInt64
  private static let vacant = UInt64.max

  /// Reads merges in order of rank; of equal pairs the first counts.
  init(_ merges: ByteStringList, vocabulary: Vocabulary, spelling: TokenSpelling) {
    seed = ByteHash.processSeed
    var capacity = 16
    while capacity < merges.count * 2 { capacity *= 2 }
    var entries = [Entry](
      repeating: Entry(pair: Self.vacant, rank: 0, result: -1), count: capacity)
    var skipped = 0
    let seed = seed
    vocabulary.withLookup { lookup in
      var parser = MergeParser(spelling: spelling)
      merges.bytes.withUnsafeBufferPointer { bytes in
        for rank in 0..<merges.count {
          let text = UnsafeBufferPointer(rebasing: bytes[merges.range(rank)])
          guard let ids = parser.ids(text, lookup) else {
            skipped += 1
            continue
          }
          Self.insert(
            Entry(pair: ids.pair, rank: UInt32(rank), result: ids.result), into: &entries,
            seed: seed)
        }
      }
    }
    self.entries = entries
    self.skipped = skipped
  }

  private static func insert(_ entry: Entry, into entries: inout [Entry], seed: UInt64) {
    let mask = entries.count - 1
    var slot = Int(truncatingIfNeeded: ByteHash.word(entry.pair, seed: seed)) & mask
    while entries[slot].pair != vacant {
      if entries[slot].pair == entry.pair { return }
      slot = (slot + 1) & mask
    }
    entries[slot] = entry
  }

  /// Calls `body` with the table opened for many look-ups.
  func withLookup<Result>(_ body: (MergeLookup) -> Result) -> Result {
    entries.withUnsafeBufferPointer { entries in
      body(MergeLookup(entries: entries, mask: entries.count - 1, seed: seed))
    }
  }
}

/// A merge table opened by ``MergeTable/withLookup(_:)``; valid only inside the call.
struct MergeLookup {
  fileprivate let entries: UnsafeBufferPointer<MergeTable.Entry>
  fileprivate let mask: Int
  fileprivate let seed: UInt64

  /// The merge of two tokens, or rank `.max`.
  @inline(__always)
  func merge(_ left: TokenID, _ right: TokenID) -> (rank: UInt32, result: TokenID) {
    let pair = UInt64(UInt32(bitPattern: left)) << 32 | UInt64(UInt32(bitPattern: right))
    var slot = Int(truncatingIfNeeded: ByteHash.word(pair, seed: seed)) & mask
    while true {
      let entry = entries[slot]
      if entry.pair == pair { return (entry.rank, entry.result) }
      if entry.pair == .max { return (.max, -1) }
      slot = (slot + 1) & mask
    }
  }
}

/// Splits and decodes the text of merges with buffers that are used again.
private struct MergeParser {
  let spelling: TokenSpelling
  private var left: [UInt8] = []
  private var right: [UInt8] = []

  init(spelling: TokenSpelling) { self.spelling = spelling }

  /// The packed pair and the result of a merge, or nil where a token is missing.
  mutating func ids(
    _ text: UnsafeBufferPointer<UInt8>, _ lookup: VocabularyLookup
  ) -> (pair: UInt64, result: TokenID)? {
    // From 1: a token may itself start with a space.
    guard text.count >= 3, let space = text[1...].firstIndex(of: 0x20) else { return nil }
    guard spelling.decode(UnsafeBufferPointer(rebasing: text[..<space]), into: &left),
      spelling.decode(UnsafeBufferPointer(rebasing: text[(space + 1)...]), into: &right)
    else { return nil }
    let leftID = id(left, lookup)
    let rightID = id(right, lookup)
    left.append(contentsOf: right)
    let result = id(left, lookup)
    guard leftID >= 0, rightID >= 0, result >= 0 else { return nil }
    return (UInt64(leftID) << 32 | UInt64(rightID), result)
  }

  private func id(_ bytes: [UInt8], _ lookup: VocabularyLookup) -> TokenID {
    bytes.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return -1 }
      return lookup.id(base, buffer.count)
    }
  }
}
