/// Hashes for the vocabulary and merge tables.
///
/// Seeded anew in every process, so that a crafted file can't make a table slow; nothing visible
/// depends on the seed.
enum ByteHash {
  private static let seed = UInt64.random(in: .min ... .max) | 1

  /// The seed, read once a table so that look-ups don't pass through the lazy initializer.
  static var processSeed: UInt64 { seed }

  /// Folds the 128-bit product of two words into one.
  @inline(__always)
  static func fold(_ a: UInt64, _ b: UInt64) -> UInt64 {
    let product = a.multipliedFullWidth(by: b)
    return product.high ^ product.low
  }

  /// Hashes `count` bytes.
  @inline(__always)
  static func bytes(_ pointer: UnsafePointer<UInt8>, _ count: Int, seed: UInt64) -> UInt64 {
    let raw = UnsafeRawPointer(pointer)
    var hash = seed ^ (UInt64(truncatingIfNeeded: count) &* 0x9e37_79b9_7f4a_7c15)
    var offset = 0
    while count - offset > 8 {
      let word = raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      hash = fold(hash ^ word, 0xa076_1d64_78bd_642f)
      offset += 8
    }
    return fold(hash ^ tail(raw + offset, count - offset), 0xe703_7ed1_a0b4_28db ^ seed)
  }

  /// The last 0 to 8 bytes as one word.
  @inline(__always)
  private static func tail(_ raw: UnsafeRawPointer, _ count: Int) -> UInt64 {
    if count >= 4 {
      let low = raw.loadUnaligned(as: UInt32.self)
      let high = raw.loadUnaligned(fromByteOffset: count - 4, as: UInt32.self)
      return UInt64(low) | UInt64(high) << 32
    }
    guard count > 0 else { return 0 }
    let first = UInt64(raw.load(as: UInt8.self))
    let middle = UInt64(raw.load(fromByteOffset: count / 2, as: UInt8.self))
    let last = UInt64(raw.load(fromByteOffset: count - 1, as: UInt8.self))
    return first | middle << 8 | last << 16
  }

  /// Hashes one word.
  @inline(__always)
  static func word(_ word: UInt64, seed: UInt64) -> UInt64 {
    fold(word ^ seed, 0x9e37_79b9_7f4a_7c15)
  }
}
