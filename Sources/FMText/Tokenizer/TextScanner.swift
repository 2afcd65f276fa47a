/// Reads runs of classes in text; every function takes and returns byte offsets.
///
/// Ill-formed bytes have no class: they are neither letters, numbers nor spaces.
struct TextScanner {
  /// The text.
  let base: UnsafePointer<UInt8>
  /// Where it ends.
  let end: Int
  private let classes = UnicodeClasses.shared

  /// Scans `text[..<end]`.
  init(_ base: UnsafePointer<UInt8>, end: Int) {
    self.base = base
    self.end = end
  }

  /// The class and length of the scalar at an offset before the end.
  @inline(__always)
  func scalar(at offset: Int) -> (class: UnicodeClass, length: Int) {
    let (value, length) = ScalarDecoding.scalar(base + offset, end - offset)
    return (classes[value], length)
  }

  /// The end of the run of scalars in any of the classes.
  @inline(__always)
  func run(of wanted: UnicodeClass, from start: Int) -> Int {
    var offset = start
    while offset < end {
      let (found, length) = scalar(at: offset)
      if found.isDisjoint(with: wanted) { break }
      offset += length
    }
    return offset
  }

  /// The end of the run of scalars in none of the classes.
  @inline(__always)
  func run(outside unwanted: UnicodeClass, from start: Int) -> Int {
    var offset = start
    while offset < end {
      let (found, length) = scalar(at: offset)
      if !found.isDisjoint(with: unwanted) { break }
      offset += length
    }
    return offset
  }

  /// The end of the run of carriage returns and line feeds.
  @inline(__always)
  func lineBreaks(from start: Int) -> Int {
    var offset = start
    while offset < end, isLineBreak(offset) { offset += 1 }
    return offset
  }

  /// Whether the byte at an offset before the end is a carriage return or line feed.
  @inline(__always)
  func isLineBreak(_ offset: Int) -> Bool { base[offset] == 0x0a || base[offset] == 0x0d }

  /// `'s|'t|'re|'ve|'m|'ll|'d` at an apostrophe, or nil.
  ///
  /// Regardless of case, ſ counts as an s, as in the regular expressions it follows.
  func contraction(at start: Int, anyCase: Bool) -> Int? {
    guard start + 1 < end, base[start] == 0x27 else { return nil }
    let fold: UInt8 = anyCase ? 0x20 : 0
    let first = base[start + 1] | fold
    switch first {
    case 0x73, 0x74, 0x6d, 0x64: return start + 2
    default: break
    }
    guard start + 2 < end else { return nil }
    let second = base[start + 2]
    if anyCase, base[start + 1] == 0xc5, second == 0xbf { return start + 3 }
    switch (first, second | fold) {
    case (0x72, 0x65), (0x76, 0x65), (0x6c, 0x6c): return start + 3
    default: return nil
    }
  }

  /// `\s+(?!\S)|\s+` at a space: the run, less its last scalar where text follows.
  ///
  /// Where a scalar of `barrier` follows, the text counts as ended there.
  @inline(__always)
  func spaces(from start: Int, barrier: UnicodeClass = []) -> Int {
    var offset = start
    var last = start
    while offset < end {
      let (found, length) = scalar(at: offset)
      if !found.contains(.space) {
        let isEnd = !found.isDisjoint(with: barrier)
        return isEnd || last == start ? offset : last
      }
      last = offset
      offset += length
    }
    return end
  }
}
