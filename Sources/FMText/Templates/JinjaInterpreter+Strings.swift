/// Python's string methods on text that keeps its provenance.
extension JinjaInterpreter {
  // MARK: Trimming

  func trimmed(
    _ text: ProvenanceText, _ characters: JinjaValue?, start: Bool, end: Bool, method: String
  ) throws(TemplateError) -> ProvenanceText {
    var set: Set<Unicode.Scalar>?
    switch characters {
    case nil, .none?: break
    default: set = Set(try string(characters, method).string.unicodeScalars)
    }
    func isTrimmed(_ scalar: Unicode.Scalar) -> Bool {
      set.map { $0.contains(scalar) } ?? PythonSpace.contains(scalar)
    }
    var low = 0
    var high = text.count
    if start { while low < high, isTrimmed(text.scalar(at: low)) { low = text.next(after: low) } }
    if end {
      while high > low {
        let previous = text.previous(before: high)
        guard isTrimmed(text.scalar(at: previous)) else { break }
        high = previous
      }
    }
    try reserve(bytes: high - low)
    var result = text.slice(low..<high)
    result.isMarkup = text.isMarkup
    return result
  }

  // MARK: Splitting

  func split(
    _ text: ProvenanceText, _ call: JinjaCall, fromEnd: Bool
  ) throws(TemplateError) -> JinjaValue {
    let name = fromEnd ? "rsplit" : "split"
    let bound = try call.bound(to: ["sep", "maxsplit"], of: name, by: self)
    let limit = try integer(bound[1], name) ?? -1
    let count = limit < 0 ? Int.max : limit
    let parts: [Range<Int>]
    if let separator = bound[0], !separator.isNone {
      let separator = try string(separator, name)
      guard !separator.isEmpty else { throw invalid("\(name) needs a separator that is not empty") }
      parts = ranges(of: text, splitAt: separator.bytes, limit: count, fromEnd: fromEnd)
    } else {
      parts = fromEnd ? wordsFromEnd(text, limit: count) : words(text, limit: count)
    }
    return try list(text, parts)
  }

  private func list(
    _ text: ProvenanceText, _ parts: [Range<Int>]
  ) throws(TemplateError) -> JinjaValue {
    try reserve(elements: parts.count)
    try reserve(bytes: text.count)
    return try list(parts.map { .string(text.slice($0)) })
  }

  private func ranges(
    of text: ProvenanceText, splitAt separator: [UInt8], limit: Int, fromEnd: Bool
  ) -> [Range<Int>] {
    let found: [Int]
    if fromEnd {
      // Matches from the right are matches of the reversed strings from the left.
      let reversed = ByteSearch(separator.reversed()).all(in: text.bytes.reversed(), limit: limit)
      found = reversed.map { text.count - $0 - separator.count }.reversed()
    } else {
      found = ByteSearch(separator).all(in: text.bytes, limit: limit)
    }
    var parts: [Range<Int>] = []
    var start = 0
    for position in found {
      parts.append(start..<position)
      start = position + separator.count
    }
    parts.append(start..<text.count)
    return parts
  }

  private func words(_ text: ProvenanceText, limit: Int) -> [Range<Int>] {
    var parts: [Range<Int>] = []
    var start = PythonSpace.skipping(in: text.bytes, from: 0)
    while start < text.count {
      if parts.count == limit {
        // The rest keeps its inner and, as in Python, loses its trailing white space only in rsplit.
        parts.append(start..<text.count)
        return parts
      }
      var end = start
      while end < text.count, PythonSpace.end(in: text.bytes, at: end) == nil {
        end = text.next(after: end)
      }
      parts.append(start..<end)
      start = PythonSpace.skipping(in: text.bytes, from: end)
    }
    return parts
  }

  private func wordsFromEnd(_ text: ProvenanceText, limit: Int) -> [Range<Int>] {
    var parts: [Range<Int>] = []
    var end = PythonSpace.trimmingEnd(of: text.bytes, in: 0..<text.count)
    while end > 0 {
      if parts.count == limit {
        parts.append(0..<end)
        break
      }
      var start = end
      while start > 0 {
        let previous = text.previous(before: start)
        if PythonSpace.contains(text.scalar(at: previous)) { break }
        start = previous
      }
      parts.append(start..<end)
      end = PythonSpace.trimmingEnd(of: text.bytes, in: 0..<start)
    }
    return parts.reversed()
  }

  func splitLines(_ text: ProvenanceText, _ call: JinjaCall) throws(TemplateError) -> JinjaValue {
    let bound = try call.bound(to: ["keepends"], of: "splitlines", by: self)
    let keepsEnds = bound[0]?.isTrue ?? false
    return try list(text, PythonLines.ranges(of: text, keepsEnds: keepsEnds))
  }

  func partition(
    _ text: ProvenanceText, _ call: JinjaCall, fromEnd: Bool
  ) throws(TemplateError) -> JinjaValue {
    let name = fromEnd ? "rpartition" : "partition"
    let bound = try call.bound(to: ["sep"], required: 1, of: name, by: self)
    let separator = try string(bound[0], name)
    guard !separator.isEmpty else { throw invalid("\(name) needs a separator that is not empty") }
    try reserve(bytes: text.count)
    let parts = ranges(of: text, splitAt: separator.bytes, limit: 1, fromEnd: fromEnd)
    guard parts.count == 2 else {
      let empty = JinjaValue.string(ProvenanceText())
      return try tuple(fromEnd ? [empty, empty, .string(text)] : [.string(text), empty, empty])
    }
    return try tuple([
      .string(text.slice(parts[0])), .string(separator), .string(text.slice(parts[1])),
    ])
  }

  // MARK: Affixes

  func hasAffix(
    _ text: ProvenanceText, _ call: JinjaCall, atEnd: Bool
  ) throws(TemplateError) -> Bool {
    let name = atEnd ? "endswith" : "startswith"
    let bound = try call.bound(to: ["affix", "start", "end"], required: 1, of: name, by: self)
    let part = try text.slice(window(of: text, bound[1], bound[2], name))
    if case .tuple(let list)? = bound[0] {
      for item in list.items where has(part, try string(item, name).bytes, atEnd: atEnd) {
        return true
      }
      return false
    }
    return has(part, try string(bound[0], name).bytes, atEnd: atEnd)
  }

  private func has(_ text: ProvenanceText, _ affix: [UInt8], atEnd: Bool) -> Bool {
    guard affix.count <= text.count else { return false }
    return atEnd
      ? text.bytes.suffix(affix.count).elementsEqual(affix)
      : text.bytes.prefix(affix.count).elementsEqual(affix)
  }

  func removingAffix(
    _ text: ProvenanceText, _ call: JinjaCall, atEnd: Bool
  ) throws(TemplateError) -> JinjaValue {
    let name = atEnd ? "removesuffix" : "removeprefix"
    let bound = try call.bound(to: ["affix"], required: 1, of: name, by: self)
    let affix = try string(bound[0], name).bytes
    guard has(text, affix, atEnd: atEnd) else { return .string(text) }
    try reserve(bytes: text.count)
    let range = atEnd ? 0..<(text.count - affix.count) : affix.count..<text.count
    return .string(text.slice(range))
  }

  /// The byte range of optional code-point bounds, clipped as a slice is.
  private func window(
    of text: ProvenanceText, _ start: JinjaValue?, _ end: JinjaValue?, _ function: String
  ) throws(TemplateError) -> Range<Int> {
    let bounds = [try integer(start, function), try integer(end, function), nil]
    guard bounds[0] != nil || bounds[1] != nil else { return 0..<text.count }
    let slice = try PythonSlice(bounds, count: text.scalarCount, by: self)
    return text.offset(ofScalar: slice.start)..<text.offset(ofScalar: slice.start + slice.count)
  }

  // MARK: Finding and replacing

  func locate(
    _ text: ProvenanceText, _ call: JinjaCall, _ name: String
  ) throws(TemplateError) -> JinjaValue {
    let bound = try call.bound(to: ["sub", "start", "end"], required: 1, of: name, by: self)
    let wanted = try string(bound[0], name)
    let window = try window(of: text, bound[1], bound[2], name)
    let part = text.slice(window)
    try spend(bytes: part.count)
    let before = text.slice(0..<window.lowerBound).scalarCount
    if name == "count" {
      if wanted.isEmpty { return .integer(part.scalarCount + 1) }
      return .integer(ByteSearch(wanted.bytes).all(in: part.bytes).count)
    }
    let isLast = name == "rfind" || name == "rindex"
    let position: Int?
    if isLast {
      position = ByteSearch(wanted.bytes.reversed()).first(in: part.bytes.reversed(), from: 0)
        .map { part.count - $0 - wanted.count }
    } else {
      position = ByteSearch(wanted.bytes).first(in: part.bytes, from: 0)
    }
    guard let position else {
      if name == "find" || name == "rfind" { return .integer(-1) }
      throw invalid("\(name) found no such part of the string")
    }
    return .integer(before + part.slice(0..<position).scalarCount)
  }

  func replacing(
    in text: ProvenanceText, _ old: ProvenanceText, with new: ProvenanceText, limit: Int?
  ) throws(TemplateError) -> ProvenanceText {
    let limit = limit.flatMap { $0 < 0 ? nil : $0 } ?? .max
    try spend(bytes: text.count)
    var found: [Int]
    if old.isEmpty {
      // An empty string is found before every character and at the end.
      found = []
      text.forEachScalar { _, range, _ in found.append(range.lowerBound) }
      found = Array((found + [text.count]).prefix(limit))
    } else {
      found = ByteSearch(old.bytes).all(in: text.bytes, limit: limit)
    }
    guard !found.isEmpty else { return text }
    let (added, overflow) = found.count.multipliedReportingOverflow(by: new.count)
    try reserve(bytes: overflow ? nil : added + text.count)
    var result = ProvenanceText()
    var start = 0
    for position in found {
      result.append(text, start..<position)
      result.append(new)
      start = position + old.count
    }
    result.append(text, start..<text.count)
    return result
  }

  func joined(
    _ value: JinjaValue, by separator: ProvenanceText, convertsItems: Bool
  ) throws(TemplateError) -> ProvenanceText {
    var result = ProvenanceText()
    for (index, item) in try elements(of: value).enumerated() {
      let text = convertsItems ? try text(of: item) : try string(item, "join")
      try reserve(bytes: text.count + separator.count)
      if index > 0 { result.append(separator) }
      result.append(text)
    }
    return result
  }

  // MARK: Padding

  func padded(
    _ text: ProvenanceText, _ call: JinjaCall, _ name: String
  ) throws(TemplateError) -> JinjaValue {
    let names = name == "zfill" ? ["width"] : ["width", "fillchar"]
    let bound = try call.bound(to: names, required: 1, of: name, by: self)
    let missing = max(0, (try integer(bound[0], name) ?? 0) - text.scalarCount)
    var fill = ProvenanceText(template: name == "zfill" ? "0" : " ")
    if name != "zfill", let given = bound[1] { fill = try string(given, name) }
    guard fill.scalarCount == 1 else { throw invalid("\(name) fills with one character") }
    switch name {
    case "ljust": return .string(try padded(text, by: fill, 0, missing))
    case "rjust": return .string(try padded(text, by: fill, missing, 0))
    case "center":
      // Python puts the odd character on the left when the width is odd.
      let width = missing + text.scalarCount
      let left = missing / 2 + (missing & width & 1)
      return .string(try padded(text, by: fill, left, missing - left))
    default:
      let isSigned = text.bytes.first == 0x2B || text.bytes.first == 0x2D
      var result = text.slice(0..<(isSigned ? 1 : 0))
      result.append(
        try padded(text.slice((isSigned ? 1 : 0)..<text.count), by: fill, missing, 0))
      return .string(result)
    }
  }

  func padded(
    _ text: ProvenanceText, by fill: ProvenanceText, _ left: Int, _ right: Int
  ) throws(TemplateError) -> ProvenanceText {
    let (bytes, overflow) = (left + right).multipliedReportingOverflow(by: fill.count)
    try reserve(bytes: overflow ? nil : bytes)
    try reserve(bytes: bytes + text.count)
    var result = ProvenanceText()
    for _ in 0..<left { result.append(fill) }
    result.append(text)
    for _ in 0..<right { result.append(fill) }
    return result
  }

  func expandingTabs(
    _ text: ProvenanceText, _ call: JinjaCall
  ) throws(TemplateError) -> JinjaValue {
    let bound = try call.bound(to: ["tabsize"], of: "expandtabs", by: self)
    let size = max(0, try integer(bound[0], "expandtabs") ?? 8)
    let tabs = text.bytes.reduce(into: 0) { $0 += $1 == 0x09 ? 1 : 0 }
    let (bytes, overflow) = tabs.multipliedReportingOverflow(by: size)
    try reserve(bytes: overflow ? nil : bytes)
    try reserve(bytes: bytes + text.count)
    var result = ProvenanceText()
    var column = 0
    text.forEachScalar { scalar, range, isTemplate in
      if scalar == "\t" {
        let width = size == 0 ? 0 : size - column % size
        result.append(repeatElement(0x20, count: width), isTemplate: isTemplate)
        column += width
      } else {
        column = scalar == "\n" || scalar == "\r" ? 0 : column + 1
        result.append(text.bytes[range], isTemplate: isTemplate)
      }
    }
    return .string(result)
  }
}

/// Lines as Python's `str.splitlines` finds them.
enum PythonLines {
  static func ranges(of text: ProvenanceText, keepsEnds: Bool) -> [Range<Int>] {
    var lines: [Range<Int>] = []
    var start = 0
    var position = 0
    while position < text.count {
      let end = text.next(after: position)
      guard isBreak(text.scalar(at: position)) else {
        position = end
        continue
      }
      let isPair = text.bytes[position] == 0x0D && end < text.count && text.bytes[end] == 0x0A
      let next = isPair ? end + 1 : end
      lines.append(start..<(keepsEnds ? next : position))
      start = next
      position = next
    }
    if start < text.count { lines.append(start..<text.count) }
    return lines
  }

  private static func isBreak(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x0A...0x0D, 0x1C...0x1E, 0x85, 0x2028, 0x2029: true
    default: false
    }
  }
}
