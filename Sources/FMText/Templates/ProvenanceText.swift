/// A string that knows, byte for byte, whether the template's author or the caller wrote it.
///
/// Bytes are always valid UTF-8. Positions are byte offsets; Python's code-point positions are
/// converted at the edges.
struct ProvenanceText: Sendable {
  /// A stretch of bytes of one origin, ending before byte `end`.
  struct Run: Sendable, Equatable {
    var end: Int
    var isTemplate: Bool
  }

  private enum Origin: Sendable {
    case uniform(Bool)
    case mixed([Run])
  }

  private(set) var bytes: [UInt8]
  private var origin: Origin
  /// Set by the `safe` and `escape` filters: adding to such a string escapes the other side.
  var isMarkup = false

  init() {
    bytes = []
    origin = .uniform(true)
  }

  init(_ bytes: [UInt8], isTemplate: Bool) {
    self.bytes = bytes
    origin = .uniform(isTemplate)
  }

  /// Text of the template's own making: literals, numbers, punctuation.
  init(template text: String) { self.init(Array(text.utf8), isTemplate: true) }

  var isEmpty: Bool { bytes.isEmpty }
  var count: Int { bytes.count }
  var string: String { String(decoding: bytes, as: UTF8.self) }

  static func == (left: ProvenanceText, right: StaticString) -> Bool {
    left.bytes.count == right.utf8CodeUnitCount
      && left.bytes.elementsEqual(
        UnsafeBufferPointer(start: right.utf8Start, count: right.utf8CodeUnitCount))
  }

  // MARK: Runs

  /// Calls `body` for each run inside `range`, in order; sub-ranges are not empty.
  func forEachRun(in range: Range<Int>, _ body: (Range<Int>, Bool) -> Void) {
    guard !range.isEmpty else { return }
    switch origin {
    case .uniform(let isTemplate):
      body(range, isTemplate)
    case .mixed(let runs):
      var index = Self.runIndex(of: range.lowerBound, in: runs)
      var start = range.lowerBound
      while start < range.upperBound, index < runs.count {
        let end = min(runs[index].end, range.upperBound)
        body(start..<end, runs[index].isTemplate)
        start = end
        index += 1
      }
    }
  }

  /// Whether the byte at `position` was written by the template; true for an empty text.
  func isTemplate(at position: Int) -> Bool {
    switch origin {
    case .uniform(let isTemplate): isTemplate
    case .mixed(let runs): runs[Self.runIndex(of: position, in: runs)].isTemplate
    }
  }

  private static func runIndex(of position: Int, in runs: [Run]) -> Int {
    var low = 0
    var high = runs.count - 1
    while low < high {
      let middle = (low + high) / 2
      if runs[middle].end <= position { low = middle + 1 } else { high = middle }
    }
    return low
  }

  // MARK: Building

  /// Notes the origin of `count` bytes that the caller appends next.
  private mutating func extend(by count: Int, isTemplate: Bool) {
    if bytes.isEmpty {
      origin = .uniform(isTemplate)
      return
    }
    switch origin {
    case .uniform(isTemplate):
      break
    case .uniform(let old):
      origin = .mixed([
        Run(end: bytes.count, isTemplate: old),
        Run(end: bytes.count + count, isTemplate: isTemplate),
      ])
    case .mixed(var runs):
      origin = .uniform(isTemplate)  // Releases the array, so that it grows in place.
      if runs[runs.count - 1].isTemplate == isTemplate {
        runs[runs.count - 1].end += count
      } else {
        runs.append(Run(end: bytes.count + count, isTemplate: isTemplate))
      }
      origin = .mixed(runs)
    }
  }

  mutating func append(_ other: ProvenanceText) { append(other, other.bytes.indices) }

  mutating func append(_ other: ProvenanceText, _ range: Range<Int>) {
    guard !range.isEmpty else { return }
    other.forEachRun(in: range) { part, isTemplate in
      extend(by: part.count, isTemplate: isTemplate)
      bytes.append(contentsOf: other.bytes[part])
    }
  }

  mutating func append(_ new: some Collection<UInt8>, isTemplate: Bool) {
    guard !new.isEmpty else { return }
    extend(by: new.count, isTemplate: isTemplate)
    bytes.append(contentsOf: new)
  }

  mutating func append(_ text: StaticString) {
    append(
      UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount), isTemplate: true)
  }

  mutating func append(template text: String) { append(text.utf8, isTemplate: true) }

  mutating func append(_ scalar: Unicode.Scalar, isTemplate: Bool) {
    append(UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter, isTemplate: isTemplate)
  }

  mutating func reserveCapacity(_ count: Int) { bytes.reserveCapacity(count) }

  // MARK: Parts

  func slice(_ range: Range<Int>) -> ProvenanceText {
    var part = ProvenanceText()
    part.append(self, range)
    return part
  }

  /// The same characters, all of them said to come from the template.
  func asTemplate() -> ProvenanceText { ProvenanceText(bytes, isTemplate: true) }

  // MARK: Code points

  /// The number of Unicode scalars.
  var scalarCount: Int { bytes.reduce(into: 0) { $0 += $1 & 0xC0 != 0x80 ? 1 : 0 } }

  /// The byte offset after the scalar that starts at `position`.
  func next(after position: Int) -> Int {
    var index = position + 1
    while index < bytes.count, bytes[index] & 0xC0 == 0x80 { index += 1 }
    return min(index, bytes.count)
  }

  /// The byte offset of the scalar before `position`.
  func previous(before position: Int) -> Int {
    var index = position - 1
    while index > 0, bytes[index] & 0xC0 == 0x80 { index -= 1 }
    return max(index, 0)
  }

  /// The byte offset of code point number `index`, or the end.
  func offset(ofScalar index: Int) -> Int {
    var seen = 0
    for (position, byte) in bytes.enumerated() where byte & 0xC0 != 0x80 {
      if seen == index { return position }
      seen += 1
    }
    return bytes.count
  }

  /// The scalar whose first byte is at `position`.
  func scalar(at position: Int) -> Unicode.Scalar {
    let first = UInt32(bytes[position])
    func tail(_ distance: Int) -> UInt32 { UInt32(bytes[position + distance] & 0x3F) }
    let value: UInt32
    if first < 0x80 {
      value = first
    } else if first < 0xE0 {
      value = (first & 0x1F) << 6 | tail(1)
    } else if first < 0xF0 {
      value = (first & 0x0F) << 12 | tail(1) << 6 | tail(2)
    } else {
      value = (first & 0x07) << 18 | tail(1) << 12 | tail(2) << 6 | tail(3)
    }
    return Unicode.Scalar(value) ?? "\u{FFFD}"
  }

  /// Calls `body` with each scalar, its byte range and its origin.
  func forEachScalar(_ body: (Unicode.Scalar, Range<Int>, Bool) -> Void) {
    forEachRun(in: bytes.indices) { range, isTemplate in
      var position = range.lowerBound
      while position < range.upperBound {
        let end = next(after: position)
        body(scalar(at: position), position..<end, isTemplate)
        position = end
      }
    }
  }
}

extension UTF8 {
  /// The bytes of U+FFFD.
  fileprivate static var encodedReplacementCharacter: EncodedScalar {
    encode("\u{FFFD}") ?? EncodedScalar()
  }
}
