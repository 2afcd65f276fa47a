/// The SPIR-V modules compiled from this folder when the package was built.
///
/// They are text in the program itself, so that one file is all there is to copy to another machine.
package enum ShaderLibrary {
  /// The variants' names, in the order of the list.
  package static let names: [String] = index.map(\.name)

  /// The words of a variant's module; nil when no variant has that name.
  ///
  /// Decoded at every call: a pipeline needs it once. Costs a few microseconds a kilobyte.
  package static func spirv(_ name: String) -> [UInt32]? {
    guard let position = positions[name] else { return nil }
    return words(index[position])
  }

  private struct Entry {
    var name: String
    /// Where its words begin, counted in characters of the text.
    var start: Int
    var wordCount: Int
  }

  /// Characters of base 64 that hold `count` words.
  private static func characters(ofWords count: Int) -> Int { (count * 4 + 2) / 3 * 4 }

  /// From lines of `name words`.
  private static let index: [Entry] = {
    var entries: [Entry] = []
    var start = 0
    for line in compiledShaderIndex.description.split(separator: "\n") {
      let parts = line.split(separator: " ")
      guard parts.count == 2, let count = Int(parts[1]) else { continue }
      entries.append(Entry(name: String(parts[0]), start: start, wordCount: count))
      start += characters(ofWords: count)
    }
    precondition(start == compiledShaderText.utf8CodeUnitCount, "index and text differ in length")
    return entries
  }()

  private static let positions: [String: Int] = Dictionary(
    uniqueKeysWithValues: index.enumerated().map { ($1.name, $0) })

  private static func words(_ entry: Entry) -> [UInt32] {
    let text = UnsafeBufferPointer(
      start: compiledShaderText.utf8Start + entry.start, count: characters(ofWords: entry.wordCount)
    )
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 4 * 3)
    for first in stride(from: 0, to: text.count, by: 4) {
      var bits: UInt32 = 0
      for offset in 0..<4 { bits = bits << 6 | UInt32(value(of: text[first + offset])) }
      bytes.append(UInt8(truncatingIfNeeded: bits >> 16))
      bytes.append(UInt8(truncatingIfNeeded: bits >> 8))
      bytes.append(UInt8(truncatingIfNeeded: bits))
    }
    return bytes.withUnsafeBytes { bytes in
      (0..<entry.wordCount).map { bytes.loadUnaligned(fromByteOffset: $0 * 4, as: UInt32.self) }
    }
  }

  /// The six bits of a base-64 character; padding counts as zero.
  private static func value(of character: UInt8) -> UInt8 {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: 0
    }
  }
}
