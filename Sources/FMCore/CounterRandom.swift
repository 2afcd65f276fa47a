/// Random numbers as a function of a seed and a position, so that no shared stream is consumed.
///
/// The mixing function is the finalizer of SplitMix64 (Steele, Lea, Flood 2014) applied twice.
package struct CounterRandom: Sendable, Hashable {
  package var seed: UInt64

  package init(seed: UInt64) { self.seed = seed }

  /// The 64 random bits at `position` of stream `lane`.
  package func bits(at position: UInt64, lane: UInt64 = 0) -> UInt64 {
    let first = Self.mix(seed &+ 0x9E37_79B9_7F4A_7C15 &* (lane &+ 1))
    return Self.mix(first ^ (position &* 0xD134_2543_DE82_EF95 &+ 0x9E37_79B9_7F4A_7C15))
  }

  /// A number in [0, 1) with 53 random bits.
  package func uniform(at position: UInt64, lane: UInt64 = 0) -> Double {
    Double(bits(at: position, lane: lane) >> 11) * 0x1p-53
  }

  private static func mix(_ value: UInt64) -> UInt64 {
    var z = value
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
