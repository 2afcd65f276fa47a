/// A rule that cuts text into pieces before bytes are merged; merges never cross a cut.
///
/// Each is a regular expression of its model's makers, followed by a scanner of one pass.
package enum PreTokenizer: Sendable, Equatable {
  /// GPT-2: `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`.
  case gpt2
  /// Every `\p{N}` alone, then GPT-2's rule on what is between them (SmolLM, StarCoder).
  case digitsThenGPT2
  /// Llama 3 and Qwen: contractions in any case, a letter run with one character before it,
  /// up to `digits` numbers, other runs with line breaks after them, spaces.
  /// Qwen 3.5 counts marks as letters.
  case lines(digits: Int, marks: Bool)
  /// Several rules in turn, each cutting what the one before left.
  case staged([PreTokenizerStage])

  /// Where the pieces of a text end, in ascending bytes.
  package func ends(in text: [UInt8]) -> [Int] {
    text.withUnsafeBufferPointer { text in
      guard let base = text.baseAddress, !text.isEmpty else { return [] }
      if case .staged(let stages) = self { return Self.ends(stages, base, text.count) }
      let scanner = TextScanner(base, end: text.count)
      var ends: [Int] = []
      var start = 0
      while start < text.count {
        start = pieceEnd(from: start, in: scanner)
        ends.append(start)
      }
      return ends
    }
  }

  /// Where the pieces end that several rules in turn leave.
  static func ends(
    _ stages: [PreTokenizerStage], _ base: UnsafePointer<UInt8>, _ count: Int
  ) -> [Int] {
    var ends = [count]
    for stage in stages { ends = stage.cut(ends, base: base) }
    return ends
  }

  /// The end of the piece that starts at `start`; for all but `staged`.
  @inline(__always)
  func pieceEnd(from start: Int, in scanner: TextScanner) -> Int {
    switch self {
    case .gpt2: Self.gpt2End(from: start, in: scanner)
    case .digitsThenGPT2: Self.digitsThenGPT2End(from: start, in: scanner)
    case .lines(let digits, let marks):
      Self.linesEnd(
        from: start, in: scanner, digits: digits, letters: marks ? [.letter, .mark] : .letter)
    case .staged: scanner.end
    }
  }

  @inline(__always)
  static func gpt2End(from start: Int, in scanner: TextScanner) -> Int {
    if let end = scanner.contraction(at: start, anyCase: false) { return end }
    let body = scanner.base[start] == 0x20 ? start + 1 : start
    guard body < scanner.end else { return scanner.end }
    let (found, length) = scanner.scalar(at: body)
    if found.contains(.letter) { return scanner.run(of: .letter, from: body + length) }
    if found.contains(.number) { return scanner.run(of: .number, from: body + length) }
    if found.contains(.space) { return scanner.spaces(from: start) }
    return scanner.run(outside: [.letter, .number, .space], from: body + length)
  }

  @inline(__always)
  private static func digitsThenGPT2End(from start: Int, in scanner: TextScanner) -> Int {
    if let end = scanner.contraction(at: start, anyCase: false) { return end }
    let body = scanner.base[start] == 0x20 ? start + 1 : start
    guard body < scanner.end else { return scanner.end }
    let (found, length) = scanner.scalar(at: body)
    if found.contains(.letter) { return scanner.run(of: .letter, from: body + length) }
    if found.contains(.number) { return body > start ? body : body + length }
    if found.contains(.space) { return scanner.spaces(from: start, barrier: .number) }
    return scanner.run(outside: [.letter, .number, .space], from: body + length)
  }

  @inline(__always)
  private static func linesEnd(
    from start: Int, in scanner: TextScanner, digits: Int, letters: UnicodeClass
  ) -> Int {
    if let end = scanner.contraction(at: start, anyCase: true) { return end }
    let (found, length) = scanner.scalar(at: start)
    let next = start + length
    if !found.isDisjoint(with: letters) { return scanner.run(of: letters, from: next) }
    if found.contains(.number) {
      var end = next
      for _ in 1..<digits {
        guard end < scanner.end else { break }
        let (following, size) = scanner.scalar(at: end)
        guard following.contains(.number) else { break }
        end += size
      }
      return end
    }
    if next < scanner.end, !scanner.isLineBreak(start) {
      let (following, size) = scanner.scalar(at: next)
      if !following.isDisjoint(with: letters) {
        return scanner.run(of: letters, from: next + size)
      }
    }
    let excluded = letters.union([.number, .space])
    if let end = otherEnd(from: start, in: scanner, excluded: excluded) { return end }
    return lineSpacesEnd(from: start, in: scanner)
  }

  /// ` ?[^\s\p{L}\p{N}]+[\r\n]*`, or nil.
  @inline(__always)
  private static func otherEnd(
    from start: Int, in scanner: TextScanner, excluded: UnicodeClass
  ) -> Int? {
    let body = scanner.base[start] == 0x20 ? start + 1 : start
    let end = scanner.run(outside: excluded, from: body)
    return end > body ? scanner.lineBreaks(from: end) : nil
  }

  /// `\s*[\r\n]+|\s+(?!\S)|\s+` at a space: through the run's last line break, if it has one.
  private static func lineSpacesEnd(from start: Int, in scanner: TextScanner) -> Int {
    var offset = start
    var afterBreak = start
    var last = start
    while offset < scanner.end {
      let (found, length) = scanner.scalar(at: offset)
      guard found.contains(.space) else { break }
      if scanner.isLineBreak(offset) { afterBreak = offset + 1 }
      last = offset
      offset += length
    }
    if afterBreak > start { return afterBreak }
    return offset == scanner.end || last == start ? offset : last
  }
}
