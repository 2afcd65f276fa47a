import FMCore

/// The tokens of a model: what each stands for, and which token stands for given bytes.
///
/// Two flat buffers and an open-addressing table; no object a token.
struct Vocabulary: Sendable {
  /// The longest spelling accepted, far above any real token.
  static let spellingLimit = 65_535

  /// The bytes each token stands for; control tokens keep their spelling.
  let pieces: ByteStringList
  /// What each token is for.
  let kinds: [TokenKind]
  /// The length of the longest token that merging may form, in bytes.
  let longestMergeable: Int
  /// The token of each single byte, or -1.
  let byteTokens: [TokenID]
  /// How many mergeable tokens stand for bytes that a lower id stands for already.
  let duplicates: Int

  /// Upper half of the hash and the id, packed; `vacant` where there is none.
  private let table: [UInt64]
  private let seed: UInt64
  private static let vacant = UInt64.max

  /// The number of tokens.
  var count: Int { kinds.count }

  /// Reads a description's tokens.
  init(_ description: TokenizerDescription, spelling: TokenSpelling) throws(TokenizerError) {
    let tokens = description.tokens
    kinds = try Self.checkedKinds(description)
    var pieces = ByteStringList()
    pieces.reserve(strings: tokens.count, bytes: tokens.bytes.count)
    var namedBytes = [TokenID](repeating: -1, count: 256)
    var isFormed = kinds.map(\.isMergeable)
    var scratch: [UInt8] = []
    for id in 0..<tokens.count {
      let range = tokens.range(id)
      guard range.count <= Self.spellingLimit else {
        throw .tokenTooLong(id: id, bytes: range.count, limit: Self.spellingLimit)
      }
      let kind = kinds[id]
      tokens.bytes.withUnsafeBufferPointer { bytes in
        let spelled = UnsafeBufferPointer(rebasing: bytes[range])
        if kind == .byte, let byte = TokenSpelling.namedByte(spelled) {
          pieces.append([byte])
          if namedBytes[Int(byte)] < 0 { namedBytes[Int(byte)] = TokenID(id) }
        } else if kind.isMergeable {
          // Merging forms only what is spelled by the vocabulary's own rule.
          isFormed[id] = spelling.decode(spelled, into: &scratch)
          let isLiteral = kind == .userDefined && spelling == .byteAlphabet
          if isLiteral { pieces.append(spelled) } else { pieces.append(scratch) }
          if isLiteral, !scratch.elementsEqual(spelled) { isFormed[id] = false }
        } else {
          pieces.append(spelled)
        }
      }
    }
    self.pieces = pieces
    seed = ByteHash.processSeed
    (table, longestMergeable, duplicates) = Self.index(pieces, isFormed, seed: seed)
    byteTokens = namedBytes
  }

  private static func checkedKinds(
    _ description: TokenizerDescription
  ) throws(TokenizerError) -> [TokenKind] {
    let count = description.tokens.count
    guard count > 0 else { throw .emptyVocabulary }
    guard count < Int(Int32.max) else { throw .tooManyTokens(count: count) }
    guard description.kinds.isEmpty || description.kinds.count == count else {
      throw .countMismatch(list: "token types", expected: count, found: description.kinds.count)
    }
    if description.kinds.isEmpty { return [TokenKind](repeating: .normal, count: count) }
    return description.kinds.map { raw in
      UInt8(exactly: raw).flatMap(TokenKind.init(rawValue:)) ?? .undefined
    }
  }

  private static func index(
    _ pieces: ByteStringList, _ isFormed: [Bool], seed: UInt64
  ) -> (table: [UInt64], longest: Int, duplicates: Int) {
    var capacity = 16
    while capacity < pieces.count * 2 { capacity *= 2 }
    var table = [UInt64](repeating: vacant, count: capacity)
    var longest = 0
    var duplicates = 0
    pieces.bytes.withUnsafeBufferPointer { bytes in
      guard let base = bytes.baseAddress else { return }
      table.withUnsafeMutableBufferPointer { table in
        for id in 0..<pieces.count where isFormed[id] {
          let range = pieces.range(id)
          guard !range.isEmpty else { continue }
          longest = max(longest, range.count)
          let hash = ByteHash.bytes(base + range.lowerBound, range.count, seed: seed)
          var slot = Int(truncatingIfNeeded: hash) & (capacity - 1)
          var isNew = true
          while table[slot] != vacant {
            let other = pieces.range(Int(table[slot] & 0xffff_ffff))
            if table[slot] >> 32 == hash >> 32, other.count == range.count,
              bytes[other].elementsEqual(bytes[range])
            {
              isNew = false
              break
            }
            slot = (slot + 1) & (capacity - 1)
          }
          if isNew { table[slot] = (hash >> 32) << 32 | UInt64(id) } else { duplicates += 1 }
        }
      }
    }
    return (table, longest, duplicates)
  }

  /// The mergeable token that stands for exactly these bytes.
  func id(of bytes: UnsafeBufferPointer<UInt8>) -> TokenID? {
    guard let base = bytes.baseAddress else { return nil }
    return withLookup { lookup in
      let id = lookup.id(base, bytes.count)
      return id < 0 ? nil : id
    }
  }

  /// Calls `body` with the table opened for many look-ups.
  func withLookup<Result>(_ body: (VocabularyLookup) -> Result) -> Result {
    table.withUnsafeBufferPointer { table in
      pieces.bytes.withUnsafeBufferPointer { bytes in
        pieces.ends.withUnsafeBufferPointer { ends in
          body(
            VocabularyLookup(
              table: table, bytes: bytes, ends: ends, mask: table.count - 1, seed: seed,
              longest: longestMergeable))
        }
      }
    }
  }
}

/// A vocabulary's table opened by ``Vocabulary/withLookup(_:)``; valid only inside the call.
struct VocabularyLookup {
  fileprivate let table: UnsafeBufferPointer<UInt64>
  fileprivate let bytes: UnsafeBufferPointer<UInt8>
  fileprivate let ends: UnsafeBufferPointer<UInt32>
  fileprivate let mask: Int
  fileprivate let seed: UInt64
  fileprivate let longest: Int

  /// The mergeable token that stands for `count` bytes at `pointer`, or -1.
  @inline(__always)
  func id(_ pointer: UnsafePointer<UInt8>, _ count: Int) -> TokenID {
    guard count > 0, count <= longest else { return -1 }
    let hash = ByteHash.bytes(pointer, count, seed: seed)
    var slot = Int(truncatingIfNeeded: hash) & mask
    while true {
      let entry = table[slot]
      if entry == .max { return -1 }
      if entry >> 32 == hash >> 32 {
        let id = Int(entry & 0xffff_ffff)
        if isPiece(id, pointer, count) { return TokenID(truncatingIfNeeded: id) }
      }
      slot = (slot + 1) & mask
    }
  }

  @inline(__always)
  private func isPiece(_ id: Int, _ pointer: UnsafePointer<UInt8>, _ count: Int) -> Bool {
    let start = id == 0 ? 0 : Int(ends[id - 1])
    guard Int(ends[id]) - start == count else { return false }
    for offset in 0..<count where bytes[start + offset] != pointer[offset] { return false }
    return true
  }
}
