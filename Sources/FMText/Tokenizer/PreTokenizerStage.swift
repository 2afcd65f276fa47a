/// One of several rules applied in turn: it cuts out its matches, and what is between them stays.
package enum PreTokenizerStage: Sendable, Equatable {
  /// GPT-2's whole rule.
  case gpt2
  /// `[\p{P}\$\+<=>\^~\|]+`, with a grave accent too for Falcon.
  case punctuationRuns(graveAccent: Bool)
  /// `\p{N}+`.
  case numberRuns
  /// `\p{N}`.
  case singleNumbers
  /// `[0-9][0-9][0-9]`.
  case digitTriples
  /// `[\r\n]`.
  case singleLineBreaks
  /// `\s?\p{L}+`.
  case letterRuns
  /// `\s?\p{P}+`.
  case spacedPunctuation
  /// DeepSeek's `[一-龥ࠀ-一가-퟿]+`.
  case eastAsianRuns
  /// `[^\n]+|[\n]+`.
  case lines

  /// Cuts pieces, given and returned as ascending end offsets.
  func cut(_ ends: [Int], base: UnsafePointer<UInt8>) -> [Int] {
    var result: [Int] = []
    result.reserveCapacity(ends.count * 2)
    var start = 0
    for end in ends {
      let scanner = TextScanner(base, end: end)
      var gap = start
      while start < end {
        let (next, isMatch) = match(at: start, in: scanner)
        if isMatch {
          if start > gap { result.append(start) }
          result.append(next)
          gap = next
        }
        start = next
      }
      if end > gap { result.append(end) }
    }
    return result
  }

  /// The end of the match at `start`, or where to look next.
  private func match(at start: Int, in scanner: TextScanner) -> (next: Int, isMatch: Bool) {
    let end =
      switch self {
      case .gpt2: PreTokenizer.gpt2End(from: start, in: scanner)
      case .punctuationRuns(let grave): punctuationRun(from: start, in: scanner, grave: grave)
      case .numberRuns: scanner.run(of: .number, from: start)
      case .singleNumbers: single(.number, at: start, in: scanner)
      case .digitTriples: digitTriple(at: start, in: scanner)
      case .singleLineBreaks: scanner.isLineBreak(start) ? start + 1 : start
      case .letterRuns: spacedRun(of: .letter, from: start, in: scanner)
      case .spacedPunctuation: spacedRun(of: .punctuation, from: start, in: scanner)
      case .eastAsianRuns: eastAsianRun(from: start, in: scanner)
      case .lines: line(from: start, in: scanner)
      }
    if end > start { return (end, true) }
    return (start + scanner.scalar(at: start).length, false)
  }

  private func single(_ wanted: UnicodeClass, at start: Int, in scanner: TextScanner) -> Int {
    let (found, length) = scanner.scalar(at: start)
    return found.isDisjoint(with: wanted) ? start : start + length
  }

  /// `\s?` and a run, or `start` where the run is empty.
  private func spacedRun(
    of wanted: UnicodeClass, from start: Int, in scanner: TextScanner
  ) -> Int {
    let body = single(.space, at: start, in: scanner)
    let end = scanner.run(of: wanted, from: body)
    return end > body ? end : start
  }

  private func punctuationRun(from start: Int, in scanner: TextScanner, grave: Bool) -> Int {
    var offset = start
    while offset < scanner.end {
      let (found, length) = scanner.scalar(at: offset)
      guard found.contains(.punctuation) || isListedSymbol(scanner.base[offset], grave: grave)
      else { break }
      offset += length
    }
    return offset
  }

  private func isListedSymbol(_ byte: UInt8, grave: Bool) -> Bool {
    switch byte {
    case 0x24, 0x2b, 0x3c, 0x3d, 0x3e, 0x5e, 0x7e, 0x7c: true
    case 0x60: grave
    default: false
    }
  }

  private func digitTriple(at start: Int, in scanner: TextScanner) -> Int {
    guard start + 3 <= scanner.end else { return start }
    for offset in start..<start + 3 where !(0x30...0x39).contains(scanner.base[offset]) {
      return start
    }
    return start + 3
  }

  private func eastAsianRun(from start: Int, in scanner: TextScanner) -> Int {
    var offset = start
    while offset < scanner.end {
      let (value, length) = ScalarDecoding.scalar(scanner.base + offset, scanner.end - offset)
      switch value {
      case 0x0800...0x9fa5, 0xac00...0xd7ff: offset += length
      default: return offset
      }
    }
    return offset
  }

  private func line(from start: Int, in scanner: TextScanner) -> Int {
    let isBreak = scanner.base[start] == 0x0a
    var offset = start
    while offset < scanner.end, (scanner.base[offset] == 0x0a) == isBreak { offset += 1 }
    return offset
  }
}
