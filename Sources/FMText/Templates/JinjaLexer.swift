/// Splits a template into tokens, with `trim_blocks` and `lstrip_blocks` on, as Hugging Face does.
///
/// Newlines are normalized to `\n` and one newline at the end is dropped before anything else.
struct JinjaLexer {
  private let source: [UInt8]
  private var position = 0
  private var line = 1
  private var tokens: [JinjaToken] = []
  /// Whether the last tag swallowed text up to the end of a line, or nothing was read yet.
  private var isAtLineStart = true

  private init(source: [UInt8]) { self.source = source }

  static func tokens(of source: String) throws(TemplateError) -> [JinjaToken] {
    var lexer = JinjaLexer(source: normalizingNewlines(Array(source.utf8), dropsLast: true))
    try lexer.run()
    return lexer.tokens
  }

  private static func normalizingNewlines(_ bytes: [UInt8], dropsLast: Bool) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    for (index, byte) in bytes.enumerated() {
      if byte == 0x0A, index > 0, bytes[index - 1] == 0x0D { continue }
      result.append(byte == 0x0D ? 0x0A : byte)
    }
    if dropsLast, result.last == 0x0A { result.removeLast() }
    return result
  }

  private func byte(_ distance: Int = 0) -> UInt8? {
    position + distance < source.count ? source[position + distance] : nil
  }

  private func starts(with text: StaticString, at index: Int) -> Bool {
    guard index + text.utf8CodeUnitCount <= source.count else { return false }
    for offset in 0..<text.utf8CodeUnitCount where source[index + offset] != text.utf8Start[offset]
    {
      return false
    }
    return true
  }

  private mutating func append(_ kind: JinjaToken.Kind) {
    tokens.append(JinjaToken(kind: kind, line: line))
  }

  /// Moves to `end`, counting lines.
  private mutating func advance(to end: Int) {
    for byte in source[position..<end] where byte == 0x0A { line += 1 }
    position = end
  }

  private func fail(_ reason: String) -> TemplateError { .syntax(line: line, reason: reason) }

  // MARK: Text between tags

  private mutating func run() throws(TemplateError) {
    while position < source.count {
      let start = position
      var open = position
      while open < source.count, !isOpening(open) { open += 1 }
      guard open < source.count else {
        appendText(start..<open)
        advance(to: open)
        break
      }
      let kind = source[open + 1]
      let sign = open + 2 < source.count ? source[open + 2] : 0
      let isSigned = sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+")
      appendText(start..<stripped(start..<open, sign: sign, isVariable: kind == UInt8(ascii: "{")))
      advance(to: open)
      let body = open + (isSigned ? 3 : 2)
      switch kind {
      case UInt8(ascii: "#"): try skipComment(from: body)
      case UInt8(ascii: "{"): try readVariable(from: body)
      default:
        if let afterRaw = rawTagEnd(from: body) {
          try readRaw(from: afterRaw)
        } else {
          try readBlock(from: body)
        }
      }
    }
    append(.end)
  }

  private func isOpening(_ index: Int) -> Bool {
    guard source[index] == UInt8(ascii: "{"), index + 1 < source.count else { return false }
    let next = source[index + 1]
    return next == UInt8(ascii: "{") || next == UInt8(ascii: "%") || next == UInt8(ascii: "#")
  }

  private mutating func appendText(_ range: Range<Int>) {
    if !range.isEmpty { append(.text(Array(source[range]))) }
  }

  /// Where the text before a tag ends once the tag's sign and `lstrip_blocks` are applied.
  private func stripped(_ range: Range<Int>, sign: UInt8, isVariable: Bool) -> Int {
    if sign == UInt8(ascii: "-") {
      return PythonSpace.trimmingEnd(of: source, in: range)
    }
    guard sign != UInt8(ascii: "+"), !isVariable else { return range.upperBound }
    var lineStart = range.upperBound
    while lineStart > range.lowerBound, source[lineStart - 1] != 0x0A { lineStart -= 1 }
    guard lineStart > range.lowerBound || isAtLineStart else { return range.upperBound }
    let end = PythonSpace.trimmingEnd(of: source, in: lineStart..<range.upperBound)
    return end == lineStart ? lineStart : range.upperBound
  }

  // MARK: Tags

  /// Closes a tag at `close` (the position of `%}`, `#}` or `}}`, or of the sign before it).
  private mutating func finishTag(at close: Int, trimsNewline: Bool) {
    var end = close
    let sign = source[close]
    let isMinus = sign == UInt8(ascii: "-")
    let isPlus = sign == UInt8(ascii: "+")
    end += isMinus || isPlus ? 3 : 2
    if isMinus {
      end = PythonSpace.skipping(in: source, from: end)
    } else if trimsNewline, !isPlus, end < source.count, source[end] == 0x0A {
      end += 1
    }
    isAtLineStart = source[end - 1] == 0x0A
    advance(to: end)
  }

  private mutating func skipComment(from body: Int) throws(TemplateError) {
    var index = body
    while index < source.count, !starts(with: "#}", at: index) { index += 1 }
    guard index < source.count else { throw fail("a comment is not closed") }
    let isSigned =
      index > body
      && (source[index - 1] == UInt8(ascii: "-") || source[index - 1] == UInt8(ascii: "+"))
    finishTag(at: isSigned ? index - 1 : index, trimsNewline: true)
  }

  /// The position after `raw %}` when the tag that starts at `body` is a raw tag.
  private func rawTagEnd(from body: Int) -> Int? {
    var index = PythonSpace.skipping(in: source, from: body)
    guard starts(with: "raw", at: index) else { return nil }
    index = PythonSpace.skipping(in: source, from: index + 3)
    if starts(with: "-%}", at: index) { return PythonSpace.skipping(in: source, from: index + 3) }
    return starts(with: "%}", at: index) ? index + 2 : nil
  }

  private mutating func readRaw(from body: Int) throws(TemplateError) {
    advance(to: body)
    isAtLineStart = source[body - 1] == 0x0A
    var index = body
    while index < source.count {
      defer { index += 1 }
      guard starts(with: "{%", at: index) else { continue }
      let sign = index + 2 < source.count ? source[index + 2] : 0
      let isSigned = sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+")
      var close = PythonSpace.skipping(in: source, from: index + (isSigned ? 3 : 2))
      guard starts(with: "endraw", at: close) else { continue }
      close = PythonSpace.skipping(in: source, from: close + 6)
      guard
        starts(with: "%}", at: close) || starts(with: "-%}", at: close)
          || starts(with: "+%}", at: close)
      else { continue }
      appendText(body..<stripped(body..<index, sign: sign, isVariable: false))
      advance(to: index)
      finishTag(at: close, trimsNewline: true)
      return
    }
    throw fail("a raw block is not closed")
  }

  private mutating func readVariable(from body: Int) throws(TemplateError) {
    append(.variableBegin)
    advance(to: body)
    let close = try readExpression(closing: UInt8(ascii: "}"))
    append(.variableEnd)
    finishTag(at: close, trimsNewline: false)
  }

  private mutating func readBlock(from body: Int) throws(TemplateError) {
    append(.blockBegin)
    advance(to: body)
    let close = try readExpression(closing: UInt8(ascii: "%"))
    append(.blockEnd)
    finishTag(at: close, trimsNewline: true)
  }

  // MARK: Expressions

  /// Reads tokens up to the closing `}}` or `%}` and returns where it, or its sign, starts.
  private mutating func readExpression(closing: UInt8) throws(TemplateError) -> Int {
    var brackets: [JinjaMark] = []
    while let byte = byte() {
      if brackets.isEmpty, isClosing(closing, at: position) { return position }
      if let end = PythonSpace.end(in: source, at: position) {
        advance(to: end)
      } else if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") {
        try readString(quote: byte)
      } else if Self.isDigit(byte) {
        try readNumber()
      } else if byte == UInt8(ascii: "_") || byte >= 0x80 || Self.isLetter(byte) {
        try readName()
      } else {
        try readMark(&brackets)
      }
    }
    throw fail("a tag is not closed")
  }

  private func isClosing(_ closing: UInt8, at index: Int) -> Bool {
    var index = index
    let isMinus = source[index] == UInt8(ascii: "-")
    let isPlus = source[index] == UInt8(ascii: "+") && closing == UInt8(ascii: "%")
    if isMinus || isPlus { index += 1 }
    return index + 1 < source.count && source[index] == closing
      && source[index + 1] == UInt8(ascii: "}")
  }

  private mutating func readMark(_ brackets: inout [JinjaMark]) throws(TemplateError) {
    guard let mark = JinjaMark(first: source[position], second: byte(1)) else {
      throw fail("unexpected character '\(Unicode.Scalar(source[position]))'")
    }
    switch mark {
    case .leftBrace, .leftBracket, .leftParenthesis:
      brackets.append(mark)
    case .rightBrace, .rightBracket, .rightParenthesis:
      let expected: JinjaMark =
        switch mark {
        case .rightBrace: .leftBrace
        case .rightBracket: .leftBracket
        default: .leftParenthesis
        }
      guard brackets.popLast() == expected else { throw fail("unexpected '\(mark.rawValue)'") }
    default:
      break
    }
    append(.mark(mark))
    position += mark.rawValue.utf8.count
  }

  private mutating func readName() throws(TemplateError) {
    var end = position
    while end < source.count,
      source[end] >= 0x80 || source[end] == UInt8(ascii: "_") || Self.isLetter(source[end])
        || Self.isDigit(source[end])
    {
      // A space beyond ASCII ends a name.
      if source[end] >= 0x80, PythonSpace.end(in: source, at: end) != nil { break }
      end += 1
    }
    let name = String(decoding: source[position..<end], as: UTF8.self)
    for scalar in name.unicodeScalars
    where !scalar.isASCII && !scalar.properties.isXIDContinue {
      throw fail("unexpected character '\(scalar)'")
    }
    append(.name(name))
    position = end
  }

  static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }
  static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }

  private mutating func readNumber() throws(TemplateError) {
    var literal = JinjaNumberLiteral(source: source, position: position)
    // A digit after a dot is an index: `a.0.1` holds no float.
    let followsDot = position > 0 && source[position - 1] == UInt8(ascii: ".")
    guard let kind = literal.read(allowsFloat: !followsDot) else {
      throw fail("a number is too large")
    }
    append(kind)
    position = literal.position
  }

  private mutating func readString(quote: UInt8) throws(TemplateError) {
    var end = position + 1
    while end < source.count, source[end] != quote {
      end += source[end] == UInt8(ascii: "\\") ? 2 : 1
    }
    guard end < source.count else { throw fail("a string is not closed") }
    let value = try JinjaStringLiteral.decode(source[(position + 1)..<end], line: line)
    append(.string(value))
    advance(to: end + 1)
  }
}
