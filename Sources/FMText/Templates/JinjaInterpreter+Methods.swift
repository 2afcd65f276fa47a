extension JinjaInterpreter {
  /// Calls a method of a string, dict or list.
  func callMethod(
    _ name: String, of receiver: JinjaValue, _ call: JinjaCall
  ) throws(TemplateError) -> JinjaValue {
    try spend()
    switch receiver {
    case .string(let text): return try callMethod(name, of: text, call)
    case .dict(let dict): return try callMethod(name, of: dict, call)
    case .list(let list), .tuple(let list): return try callMethod(name, of: list, receiver, call)
    default: throw invalid("a value of type \(receiver.typeName) has no method '\(name)'")
    }
  }

  private func callMethod(
    _ name: String, of dict: JinjaDict, _ call: JinjaCall
  ) throws(TemplateError) -> JinjaValue {
    switch name {
    case "get":
      let bound = try call.bound(to: ["key", "default"], required: 1, of: "get", by: self)
      return dict.value(of: bound[0] ?? .none) ?? bound[1] ?? .none
    case "items": return try view("dict_items", items(of: dict))
    case "keys": return try view("dict_keys", dict.members.map(\.key))
    case "values": return try view("dict_values", dict.members.map(\.value))
    case "copy": return .dict(dict)
    default: throw invalid("a dict has no method '\(name)'")
    }
  }

  func items(of dict: JinjaDict) throws(TemplateError) -> [JinjaValue] {
    var pairs: [JinjaValue] = []
    pairs.reserveCapacity(dict.count)
    for member in dict.members { pairs.append(try tuple([member.key, member.value])) }
    return pairs
  }

  private func callMethod(
    _ name: String, of list: JinjaList, _ receiver: JinjaValue, _ call: JinjaCall
  ) throws(TemplateError) -> JinjaValue {
    guard name != "copy" else { return receiver }
    let bound = try call.bound(to: ["value"], required: 1, of: name, by: self)
    let wanted = bound[0] ?? .none
    var count = 0
    for (index, item) in list.items.enumerated() where try equal(item, wanted) {
      if name == "index" { return .integer(index) }
      count += 1
    }
    guard name == "count" else { throw invalid("the value is not in the list") }
    return .integer(count)
  }

  // MARK: Strings

  private func callMethod(
    _ name: String, of text: ProvenanceText, _ call: JinjaCall
  ) throws(TemplateError) -> JinjaValue {
    try spend(bytes: text.count)
    switch name {
    case "strip", "lstrip", "rstrip":
      let characters = try call.bound(to: ["chars"], of: name, by: self)[0]
      return .string(
        try trimmed(
          text, characters, start: name != "rstrip", end: name != "lstrip", method: name))
    case "split", "rsplit":
      return try split(text, call, fromEnd: name == "rsplit")
    case "splitlines": return try splitLines(text, call)
    case "partition", "rpartition": return try partition(text, call, fromEnd: name == "rpartition")
    case "startswith", "endswith": return .bool(try hasAffix(text, call, atEnd: name == "endswith"))
    case "removeprefix", "removesuffix":
      return try removingAffix(text, call, atEnd: name == "removesuffix")
    case "replace":
      let bound = try call.bound(to: ["old", "new", "count"], required: 2, of: name, by: self)
      return .string(
        try replacing(
          in: text, string(bound[0], name), with: string(bound[1], name),
          limit: integer(bound[2], name)))
    case "join":
      let bound = try call.bound(to: ["iterable"], required: 1, of: name, by: self)
      return .string(try joined(bound[0] ?? .none, by: text, convertsItems: false))
    case "find", "rfind", "index", "rindex", "count": return try locate(text, call, name)
    case "format": return .string(try PythonTemplate.format(text, call, by: self))
    case "ljust", "rjust", "center", "zfill": return try padded(text, call, name)
    case "expandtabs": return try expandingTabs(text, call)
    default:
      _ = try call.bound(to: [], of: name, by: self)
      if let changed = Self.recased(text, name) {
        try reserve(bytes: changed.count)
        return .string(changed)
      }
      return .bool(PythonClass.holds(name, of: text))
    }
  }

  private static func recased(_ text: ProvenanceText, _ name: String) -> ProvenanceText? {
    switch name {
    case "upper": PythonCase.upper(text)
    case "lower": PythonCase.lower(text)
    case "title": PythonCase.titled(text)
    case "capitalize": PythonCase.capitalized(text)
    case "swapcase": PythonCase.swapped(text)
    case "casefold": PythonCase.folded(text)
    default: nil
    }
  }

  // MARK: Arguments

  func string(_ value: JinjaValue?, _ function: String) throws(TemplateError) -> ProvenanceText {
    switch value {
    case .string(let text)?: return text
    case .undefined(let what)?: throw missing(what)
    default: throw invalid("\(function) needs a string, got \((value ?? .none).typeName)")
    }
  }

  /// An integer argument; nil when it was not given or is none.
  func integer(_ value: JinjaValue?, _ function: String) throws(TemplateError) -> Int? {
    switch value {
    case nil, .none?: return nil
    case .integer(let number)?: return number
    case .bool(let flag)?: return flag ? 1 : 0
    case .undefined(let what)?: throw missing(what)
    case .some(let other): throw invalid("\(function) needs an integer, got \(other.typeName)")
    }
  }
}

/// Python's questions about the characters of a string.
enum PythonClass {
  static func holds(_ name: String, of text: ProvenanceText) -> Bool {
    switch name {
    case "islower": return PythonCase.isLower(text)
    case "isupper": return PythonCase.isUpper(text)
    case "istitle": return PythonCase.isTitle(text)
    case "isascii": return !text.bytes.contains { $0 >= 0x80 }
    default:
      var holds = !text.isEmpty
      text.forEachScalar { scalar, _, _ in holds = holds && Self.holds(name, of: scalar) }
      return holds
    }
  }

  private static func holds(_ name: String, of scalar: Unicode.Scalar) -> Bool {
    let properties = scalar.properties
    switch name {
    case "isspace": return PythonSpace.contains(scalar)
    case "isdecimal": return properties.numericType == .decimal
    case "isdigit": return properties.numericType == .decimal || properties.numericType == .digit
    case "isnumeric": return properties.numericType != nil
    case "isalpha": return isLetter(properties)
    default: return isLetter(properties) || properties.numericType != nil
    }
  }

  private static func isLetter(_ properties: Unicode.Scalar.Properties) -> Bool {
    switch properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter: true
    default: false
    }
  }
}
