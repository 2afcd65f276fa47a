/// The general classes of a scalar that the pre-tokenizers' rules tell apart.
struct UnicodeClass: OptionSet {
  let rawValue: UInt8

  static let letter = UnicodeClass(rawValue: 1)
  static let number = UnicodeClass(rawValue: 2)
  static let space = UnicodeClass(rawValue: 4)
  static let mark = UnicodeClass(rawValue: 8)
  static let punctuation = UnicodeClass(rawValue: 16)
  static let symbol = UnicodeClass(rawValue: 32)
  static let uppercase = UnicodeClass(rawValue: 64)
  static let lowercase = UnicodeClass(rawValue: 128)
}

/// The class of every scalar, in two stages: pages of 256 scalars, equal pages kept once.
struct UnicodeClasses: @unchecked Sendable {
  // SAFETY: filled before `shared` is readable and never written or freed afterwards.
  private let pageNumbers: UnsafePointer<UInt16>
  private let pages: UnsafePointer<UInt8>

  /// The table of this process.
  static let shared = UnicodeClasses()

  private init() {
    let (numbers, pages) = Self.expand(UnicodeClassTable.runs)
    self.pageNumbers = Self.immortal(numbers)
    self.pages = Self.immortal(pages)
  }

  /// The class of a scalar; an ill-formed byte (see ``ScalarDecoding``) has none.
  @inline(__always)
  subscript(scalar: UInt32) -> UnicodeClass {
    guard scalar < 0x11_0000 else { return [] }
    let page = Int(pageNumbers[Int(scalar >> 8)])
    return UnicodeClass(rawValue: pages[page << 8 | Int(scalar & 0xff)])
  }

  private static func expand(_ runs: [UInt32]) -> (numbers: [UInt16], pages: [UInt8]) {
    var numbers: [UInt16] = []
    var pages: [UInt8] = []
    var known: [[UInt8]: Int] = [:]
    var run = 0
    for page in 0..<0x1100 {
      var classes: [UInt8] = []
      classes.reserveCapacity(256)
      for scalar in UInt32(page) << 8..<UInt32(page + 1) << 8 {
        while run + 1 < runs.count, runs[run + 1] >> 8 <= scalar { run += 1 }
        classes.append(UInt8(truncatingIfNeeded: runs[run]))
      }
      if known[classes] == nil {
        known[classes] = known.count
        pages.append(contentsOf: classes)
      }
      numbers.append(UInt16(known[classes] ?? 0))
    }
    return (numbers, pages)
  }

  private static func immortal<Value>(_ values: [Value]) -> UnsafePointer<Value> {
    let memory = UnsafeMutablePointer<Value>.allocate(capacity: values.count)
    for (index, value) in values.enumerated() { (memory + index).initialize(to: value) }
    return UnsafePointer(memory)
  }
}
