extension JinjaInterpreter {
  // MARK: str() and repr()

  /// Python's `str(value)`.
  func text(of value: JinjaValue) throws(TemplateError) -> ProvenanceText {
    switch value {
    case .undefined: return ProvenanceText()
    case .string(let text): return text
    case .none: return ProvenanceText(template: "None")
    case .bool(let flag): return ProvenanceText(template: flag ? "True" : "False")
    case .integer(let number): return ProvenanceText(template: String(number))
    case .float(let number): return ProvenanceText(template: PythonFormat.string(number))
    default:
      var result = ProvenanceText()
      try appendRepresentation(of: value, to: &result)
      try reserve(bytes: result.count)
      return result
    }
  }

  /// Python's `repr(value)`.
  func appendRepresentation(
    of value: JinjaValue, to result: inout ProvenanceText
  ) throws(TemplateError) {
    try enter()
    try spend()
    switch value {
    case .undefined: result.append("Undefined")
    case .string(let text):
      try spend(bytes: text.count)
      PythonQuoting.append(text, to: &result)
    case .list(let list):
      if let name = list.viewName { result.append(template: name + "(") }
      try appendItems(list.items, "[", "]", to: &result)
      if list.viewName != nil { result.append(")") }
    case .tuple(let list):
      try appendItems(list.items, "(", list.items.count == 1 ? ",)" : ")", to: &result)
    case .dict(let dict): try appendMembers(dict.members, to: &result)
    case .namespace(let namespace):
      let members = namespace.names.map { name in
        JinjaDict.Member(key: .text(name), value: namespace.members[name] ?? .none)
      }
      result.append("<Namespace ")
      try appendMembers(members, to: &result)
      result.append(">")
    case .loop(let state):
      result.append(template: "<LoopContext \(state.index + 1)/\(state.items.count)>")
    case .callable(.macro(let closure)):
      result.append(template: "<Macro '\(closure.macro.name)'>")
    case .callable, .iterator: throw invalid("a \(value.typeName) has no text")
    case .none, .bool, .integer, .float: result.append(try text(of: value))
    }
    // A value holds shared parts, so its text can be far larger than its memory.
    guard result.count <= 4 << 20 else { throw .limitExceeded(.textBytes, limit: 4 << 20) }
    leave()
  }

  private func appendItems(
    _ items: [JinjaValue], _ open: StaticString, _ close: StaticString,
    to result: inout ProvenanceText
  ) throws(TemplateError) {
    result.append(open)
    for (index, item) in items.enumerated() {
      if index > 0 { result.append(", ") }
      try appendRepresentation(of: item, to: &result)
    }
    result.append(close)
  }

  private func appendMembers(
    _ members: [JinjaDict.Member], to result: inout ProvenanceText
  ) throws(TemplateError) {
    result.append("{")
    for (index, member) in members.enumerated() {
      if index > 0 { result.append(", ") }
      try appendRepresentation(of: member.key, to: &result)
      result.append(": ")
      try appendRepresentation(of: member.value, to: &result)
    }
    result.append("}")
  }

  /// `&`, `<`, `>`, `"` and `'` as HTML writes them.
  func escaped(_ text: ProvenanceText) throws(TemplateError) -> ProvenanceText {
    try reserve(bytes: text.count)
    var result = ProvenanceText()
    text.forEachRun(in: text.bytes.indices) { range, isTemplate in
      for byte in text.bytes[range] {
        switch byte {
        case UInt8(ascii: "&"): result.append("&amp;".utf8, isTemplate: isTemplate)
        case UInt8(ascii: "<"): result.append("&lt;".utf8, isTemplate: isTemplate)
        case UInt8(ascii: ">"): result.append("&gt;".utf8, isTemplate: isTemplate)
        case UInt8(ascii: "\""): result.append("&#34;".utf8, isTemplate: isTemplate)
        case UInt8(ascii: "'"): result.append("&#39;".utf8, isTemplate: isTemplate)
        default: result.append(CollectionOfOne(byte), isTemplate: isTemplate)
        }
      }
    }
    try reserve(bytes: result.count)
    return result
  }

  // MARK: Iteration

  /// What `for` goes through: list elements, dict keys, characters; nothing for an undefined value.
  func elements(of value: JinjaValue) throws(TemplateError) -> [JinjaValue] {
    switch value {
    case .undefined: return []
    case .list(let list), .tuple(let list):
      try spend(1 + list.items.count / 8)
      return list.items
    case .iterator(let iterator):
      try spend(1 + iterator.list.items.count / 8)
      return iterator.rest()
    case .dict(let dict):
      try reserve(elements: dict.count)
      return dict.members.map(\.key)
    case .string(let text):
      try reserve(elements: text.scalarCount)
      try reserve(bytes: text.count)
      var characters: [JinjaValue] = []
      text.forEachScalar { _, range, isTemplate in
        characters.append(
          .string(ProvenanceText(Array(text.bytes[range]), isTemplate: isTemplate)))
      }
      return characters
    default:
      throw invalid("a value of type \(value.typeName) can't be iterated")
    }
  }

  /// Python's `len(value)`.
  func length(of value: JinjaValue) throws(TemplateError) -> Int {
    switch value {
    case .undefined: return 0
    case .string(let text):
      try spend(bytes: text.count)
      return text.scalarCount
    case .list(let list), .tuple(let list): return list.items.count
    case .dict(let dict): return dict.count
    case .loop(let state): return state.items.count
    default: throw invalid("a value of type \(value.typeName) has no length")
    }
  }
}

/// Strings as Python's `repr` quotes them.
enum PythonQuoting {
  static func append(_ text: ProvenanceText, to result: inout ProvenanceText) {
    let hasSingle = text.bytes.contains(UInt8(ascii: "'"))
    let usesDouble = hasSingle && !text.bytes.contains(UInt8(ascii: "\""))
    let quote: Unicode.Scalar = usesDouble ? "\"" : "'"
    result.append(quote, isTemplate: true)
    text.forEachScalar { scalar, range, isTemplate in
      switch scalar {
      case "\\": result.append(#"\\"#.utf8, isTemplate: isTemplate)
      case quote: result.append(("\\" + String(quote)).utf8, isTemplate: isTemplate)
      case "\n": result.append(#"\n"#.utf8, isTemplate: isTemplate)
      case "\r": result.append(#"\r"#.utf8, isTemplate: isTemplate)
      case "\t": result.append(#"\t"#.utf8, isTemplate: isTemplate)
      default:
        if isPrintable(scalar) {
          result.append(text.bytes[range], isTemplate: isTemplate)
        } else {
          result.append(escape(scalar).utf8, isTemplate: isTemplate)
        }
      }
    }
    result.append(quote, isTemplate: true)
  }

  private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return scalar.value >= 0x20 && scalar.value != 0x7F }
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
      .paragraphSeparator, .spaceSeparator:
      return false
    default: return true
    }
  }

  private static func escape(_ scalar: Unicode.Scalar) -> String {
    let digits = String(scalar.value, radix: 16)
    func padded(_ count: Int) -> String {
      String(repeating: "0", count: max(0, count - digits.count)) + digits
    }
    if scalar.value < 0x100 { return "\\x" + padded(2) }
    return scalar.value < 0x10000 ? "\\u" + padded(4) : "\\U" + padded(8)
  }
}
