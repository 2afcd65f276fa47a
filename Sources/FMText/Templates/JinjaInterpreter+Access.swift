extension JinjaValue {
  /// Whether `name` names a method that Python's type has and this interpreter knows.
  func hasMethod(_ name: String) -> Bool {
    switch self {
    case .string: PythonMethods.ofStrings.contains(name)
    case .dict: PythonMethods.ofDicts.contains(name)
    case .list(let list), .tuple(let list):
      list.viewName == nil && PythonMethods.ofLists.contains(name)
    default: false
    }
  }

  /// Whether `name` names a method that would change the value; the sandbox refuses those.
  var changingMethods: Set<String> {
    switch self {
    case .dict: ["clear", "pop", "popitem", "setdefault", "update"]
    case .list(let list) where list.viewName == nil:
      ["append", "clear", "extend", "insert", "pop", "remove", "reverse", "sort"]
    default: []
    }
  }
}

/// The methods of Python's types that templates can call.
enum PythonMethods {
  static let ofStrings: Set<String> = [
    "capitalize", "casefold", "center", "count", "endswith", "expandtabs", "find", "format",
    "index", "isalnum", "isalpha", "isascii", "isdecimal", "isdigit", "islower", "isnumeric",
    "isspace", "istitle", "isupper", "join", "ljust", "lower", "lstrip", "partition",
    "removeprefix", "removesuffix", "replace", "rfind", "rindex", "rjust", "rpartition", "rsplit",
    "rstrip", "split", "splitlines", "startswith", "strip", "swapcase", "title", "upper", "zfill",
  ]
  static let ofDicts: Set<String> = ["copy", "get", "items", "keys", "values"]
  static let ofLists: Set<String> = ["copy", "count", "index"]
}

extension JinjaInterpreter {
  /// What `value.name` is.
  func attribute(_ name: String, of value: JinjaValue) throws(TemplateError) -> JinjaValue {
    switch value {
    case .undefined(let what):
      throw missing(what)
    case .namespace(let namespace):
      return namespace.members[name] ?? absent(name, in: value)
    case .loop(let state):
      return try attribute(name, of: state)
    case .callable(.macro(let closure)) where name == "name":
      return .text(closure.macro.name)
    case .callable(.cycler(let cycler)):
      switch name {
      case "current": return cycler.items[cycler.position]
      case "next": return .callable(.cyclerNext(cycler))
      case "reset": return .callable(.cyclerReset(cycler))
      default: return absent(name, in: value)
      }
    default:
      if let method = boundMethod(name, of: value) { return method }
      if case .dict(let dict) = value, let member = dict.value(of: Array(name.utf8)) {
        return member
      }
      if case .tuple(let list) = value, let index = list.names.firstIndex(of: name) {
        return list.items[index]
      }
      return absent(name, in: value)
    }
  }

  /// What `value[key]` is.
  func item(_ key: JinjaValue, of value: JinjaValue) throws(TemplateError) -> JinjaValue {
    switch (value, key) {
    case (.undefined(let what), _):
      throw missing(what)
    case (.dict(let dict), _):
      if let member = dict.value(of: key) { return member }
      if case .string(let name) = key, let method = boundMethod(name.string, of: value) {
        return method
      }
      return .undefined("the dict has no item \(try described(key))")
    case (_, .string(let name)):
      return try attribute(name.string, of: value)
    case (.list(let list), _), (.tuple(let list), _):
      guard list.viewName == nil, let position = position(key, in: list.items.count) else {
        return .undefined("the list has no item \(try described(key))")
      }
      return list.items[position]
    case (.string(let text), _):
      try spend(bytes: text.count)
      guard let position = position(key, in: text.scalarCount) else {
        return .undefined("the string has no item \(try described(key))")
      }
      let start = text.offset(ofScalar: position)
      return .string(text.slice(start..<text.next(after: start)))
    default:
      return .undefined("a value of type \(value.typeName) has no item \(try described(key))")
    }
  }

  private func position(_ key: JinjaValue, in count: Int) -> Int? {
    let index: Int
    switch key {
    case .integer(let number): index = number
    case .bool(let flag): index = flag ? 1 : 0
    default: return nil
    }
    let position = index < 0 ? index + count : index
    return (0..<count).contains(position) ? position : nil
  }

  private func described(_ key: JinjaValue) throws(TemplateError) -> String {
    var text = ProvenanceText()
    try appendRepresentation(of: key, to: &text)
    return String(decoding: text.bytes.prefix(80), as: UTF8.self)
  }

  private func absent(_ name: String, in value: JinjaValue) -> JinjaValue {
    .undefined("a value of type \(value.typeName) has no attribute '\(name)'")
  }

  private func boundMethod(_ name: String, of value: JinjaValue) -> JinjaValue? {
    if value.hasMethod(name) {
      return .callable(.method(JinjaMethod(receiver: value, name: name)))
    }
    if value.changingMethods.contains(name) {
      return .undefined("'\(name)' would change a \(value.typeName), which templates can't do")
    }
    return nil
  }

  private func attribute(
    _ name: String, of loop: JinjaLoopState
  ) throws(TemplateError) -> JinjaValue {
    let count = loop.items.count
    switch name {
    case "index": return .integer(loop.index + 1)
    case "index0": return .integer(loop.index)
    case "revindex": return .integer(count - loop.index)
    case "revindex0": return .integer(count - loop.index - 1)
    case "first": return .bool(loop.index == 0)
    case "last": return .bool(loop.index == count - 1)
    case "length": return .integer(count)
    case "depth": return .integer(loop.depth)
    case "depth0": return .integer(loop.depth - 1)
    case "previtem":
      return loop.index > 0 ? loop.items[loop.index - 1] : .undefined("there is no previous item")
    case "nextitem":
      return loop.index + 1 < count
        ? loop.items[loop.index + 1] : .undefined("there is no next item")
    case "cycle": return .callable(.loopCycle(loop))
    case "changed": return .callable(.loopChanged(loop))
    default: return absent(name, in: .loop(loop))
    }
  }
}
