import FMCore

/// Tells equal and similar texts apart from others without keeping them.
///
/// Hashes are salted with a number that is drawn once a process and written nowhere, so that texts can
/// be compared within one trace and not guessed from it.
package struct ContentFingerprint: Sendable {
  /// The number of permutations of a sketch; the standard error of a similarity is at most 0.045.
  private static let sketchWidth = 128
  /// Bytes of a text that a sketch looks at.
  private static let sketchLimit = 16_384

  private let salt: UInt64

  /// Fingerprints that can be compared with those of the same salt.
  package init(salt: UInt64) { self.salt = salt }

  /// Those of this process.
  package static let process = ContentFingerprint(salt: UInt64.random(in: .min ... .max))

  /// The hash of a text, as 16 hexadecimal digits.
  package func hash(_ text: String) -> String {
    var bytes = withUnsafeBytes(of: salt.littleEndian) { Array($0) }
    bytes += Array(text.utf8)
    return String(SHA256.hexDigest(bytes).prefix(16))
  }

  /// A sketch of the words in `text`, as hexadecimal digits; nil where there are none.
  ///
  /// The minimum over all trigrams of letters and digits under 128 permutations (MinHash), a byte each:
  /// about as many bytes of two sketches agree as the trigrams of their texts have in common. Case,
  /// punctuation and blanks do not count.
  package func sketch(_ text: String) -> String? {
    let bytes = Self.normalized(text)
    guard bytes.count >= 3 else { return nil }
    var minima = [UInt64](repeating: .max, count: Self.sketchWidth)
    for index in 0...(bytes.count - 3) {
      let trigram =
        UInt64(bytes[index]) << 16 | UInt64(bytes[index + 1]) << 8 | UInt64(bytes[index + 2])
      var state = Self.mixed(trigram ^ salt)
      for row in 0..<Self.sketchWidth {
        state &+= 0x9E37_79B9_7F4A_7C15
        minima[row] = min(minima[row], Self.mixed(state))
      }
    }
    var result = ""
    for minimum in minima {
      let byte = UInt8(truncatingIfNeeded: minimum)
      result += byte < 16 ? "0" + String(byte, radix: 16) : String(byte, radix: 16)
    }
    return result
  }

  /// About how much two sketched texts have in common, in 0...1; nil where they are no sketches.
  package static func similarity(_ one: String, _ other: String) -> Double? {
    let left = Array(one.utf8)
    let right = Array(other.utf8)
    guard left.count == 2 * sketchWidth, right.count == left.count else { return nil }
    var equal = 0
    for index in stride(from: 0, to: left.count, by: 2)
    where left[index] == right[index] && left[index + 1] == right[index + 1] { equal += 1 }
    return Double(equal) / Double(sketchWidth)
  }

  /// About which part of the shorter text's trigrams the longer one has, in 0...1.
  ///
  /// Of the similarity of two sketches and the texts' numbers of trigrams: J/(1+J) of their sum is common.
  package static func containment(similarity: Double, trigrams one: Int, _ other: Int) -> Double {
    guard one > 0, other > 0, similarity >= 0 else { return 0 }
    let common = similarity / (1 + similarity) * (Double(one) + Double(other))
    return min(1, common / Double(min(one, other)))
  }

  /// How many different trigrams of letters and digits a text has, as its sketch sees it.
  package static func trigramCount(_ text: String) -> Int {
    let bytes = normalized(text)
    guard bytes.count >= 3 else { return 0 }
    var seen: Set<UInt32> = []
    for index in 0...(bytes.count - 3) {
      seen.insert(
        UInt32(bytes[index]) << 16 | UInt32(bytes[index + 1]) << 8 | UInt32(bytes[index + 2]))
    }
    return seen.count
  }

  /// Lower-case words with one blank before, between and after them.
  private static func normalized(_ text: String) -> [UInt8] {
    var result: [UInt8] = [0x20]
    for byte in text.lowercased().utf8.prefix(sketchLimit) {
      let isWord = byte >= 0x80 || (byte >= 0x30 && byte <= 0x39) || (byte >= 0x61 && byte <= 0x7A)
      if isWord {
        result.append(byte)
      } else if result.last != 0x20 {
        result.append(0x20)
      }
    }
    if result.last != 0x20 { result.append(0x20) }
    return result
  }

  /// The finalizer of SplitMix64: every input bit changes about half of the output's.
  private static func mixed(_ value: UInt64) -> UInt64 {
    var z = value
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
