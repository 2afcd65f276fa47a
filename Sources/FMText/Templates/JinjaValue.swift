/// A value while a template runs, with Python's types.
///
/// Lists and dicts are never changed once made (Hugging Face's sandbox forbids it too); only
/// namespaces are.
enum JinjaValue {
  /// A name, attribute or item that does not exist; the text says which.
  case undefined(String)
  case none
  case bool(Bool)
  case integer(Int)
  case float(Double)
  case string(ProvenanceText)
  case list(JinjaList)
  case tuple(JinjaList)
  case dict(JinjaDict)
  case iterator(JinjaIterator)
  case namespace(JinjaNamespace)
  case loop(JinjaLoopState)
  case callable(JinjaCallable)

  /// Levels of lists and dicts; bounded, so that no walk over a value runs out of stack.
  static let depthLimit = 96

  var depth: Int {
    switch self {
    case .list(let list), .tuple(let list): list.depth
    case .dict(let dict): dict.depth
    case .iterator(let iterator): iterator.list.depth
    default: 0
    }
  }

  /// What Python calls the type, for error messages.
  var typeName: String {
    switch self {
    case .undefined: "Undefined"
    case .none: "NoneType"
    case .bool: "bool"
    case .integer: "int"
    case .float: "float"
    case .string: "str"
    case .list(let list): list.viewName ?? "list"
    case .tuple: "tuple"
    case .dict: "dict"
    case .iterator: "generator"
    case .namespace: "Namespace"
    case .loop: "LoopContext"
    case .callable: "function"
    }
  }

  /// Python's truth value.
  var isTrue: Bool {
    switch self {
    case .undefined, .none: false
    case .bool(let value): value
    case .integer(let value): value != 0
    case .float(let value): value != 0
    case .string(let text): !text.isEmpty
    case .list(let list), .tuple(let list): !list.items.isEmpty
    case .dict(let dict): dict.count > 0
    case .iterator, .namespace, .loop, .callable: true
    }
  }

  var isUndefined: Bool {
    if case .undefined = self { true } else { false }
  }

  var isNone: Bool {
    if case .none = self { true } else { false }
  }

  static func text(_ text: String) -> JinjaValue { .string(ProvenanceText(template: text)) }
}

/// The elements of a list or tuple.
final class JinjaList {
  let items: [JinjaValue]
  let depth: Int
  /// Names of the elements, where they have any (what `groupby` makes).
  let names: [String]
  /// What Python calls a dict's `keys()`, `values()` or `items()`; nil for a real list.
  let viewName: String?

  init(_ items: [JinjaValue], names: [String] = [], viewName: String? = nil) {
    self.items = items
    self.names = names
    self.viewName = viewName
    depth = 1 + items.reduce(0) { max($0, $1.depth) }
  }
}

/// What filters such as `map` and `select` make: elements that can be gone through once.
///
/// As in Python it is true even when nothing is left, and has no length.
final class JinjaIterator {
  let list: JinjaList
  private var position = 0

  init(_ items: [JinjaValue]) { list = JinjaList(items) }

  func next() -> JinjaValue? {
    guard position < list.items.count else { return nil }
    position += 1
    return list.items[position - 1]
  }

  func rest() -> [JinjaValue] {
    defer { position = list.items.count }
    return position == 0 ? list.items : Array(list.items[position...])
  }
}

/// The members of a dict, in insertion order.
final class JinjaDict {
  struct Member {
    var key: JinjaValue
    var value: JinjaValue
  }

  let members: [Member]
  let depth: Int
  /// Made at the first look-up in a dict of more than a few members.
  private lazy var positions: [JinjaKey: Int] = makePositions()

  var count: Int { members.count }

  /// Keys must be different from each other; see `JinjaDictBuilder`.
  init(distinct members: [Member]) {
    self.members = members
    depth = 1 + members.reduce(0) { max($0, $1.value.depth, $1.key.depth) }
  }

  private func makePositions() -> [JinjaKey: Int] {
    var positions: [JinjaKey: Int] = [:]
    for (index, member) in members.enumerated() {
      if let key = JinjaKey(member.key) { positions[key] = index }
    }
    return positions
  }

  /// The value of `key`, or nil when it is missing or can't be a key.
  func value(of key: JinjaValue) -> JinjaValue? {
    if case .string(let text) = key { return value(of: text.bytes) }
    guard let key = JinjaKey(key) else { return nil }
    return positions[key].map { members[$0].value }
  }

  func value(of key: [UInt8]) -> JinjaValue? {
    if members.count > 8 { return positions[.text(key)].map { members[$0].value } }
    for member in members {
      if case .string(let text) = member.key, text.bytes == key { return member.value }
    }
    return nil
  }
}

/// A dict key under Python's equality: `1`, `1.0` and `true` are one key.
enum JinjaKey: Hashable {
  case none
  case text([UInt8])
  case integer(Int)
  case float(Double)
  case tuple([JinjaKey])

  /// Returns nil for what Python calls unhashable.
  init?(_ value: JinjaValue) {
    switch value {
    case .none: self = .none
    case .bool(let flag): self = .integer(flag ? 1 : 0)
    case .integer(let number): self = .integer(number)
    case .float(let number):
      if let whole = Int(exactly: number) { self = .integer(whole) } else { self = .float(number) }
    case .string(let text): self = .text(text.bytes)
    case .tuple(let list):
      var keys: [JinjaKey] = []
      for item in list.items {
        guard let key = JinjaKey(item) else { return nil }
        keys.append(key)
      }
      self = .tuple(keys)
    default: return nil
    }
  }
}

/// Collects members; a repeated key keeps its place and takes the new value, as in Python.
struct JinjaDictBuilder {
  private(set) var members: [JinjaDict.Member] = []
  private var positions: [JinjaKey: Int] = [:]

  /// Returns false when `key` can't be a key.
  mutating func set(_ key: JinjaValue, to value: JinjaValue) -> Bool {
    guard let name = JinjaKey(key) else { return false }
    if let position = positions[name] {
      members[position].value = value
    } else {
      positions[name] = members.count
      members.append(JinjaDict.Member(key: key, value: value))
    }
    return true
  }
}

/// What `namespace(…)` makes: the one thing a template can change.
final class JinjaNamespace {
  private(set) var members: [String: JinjaValue] = [:]
  /// Names in the order they were first set.
  private(set) var names: [String] = []

  func set(_ name: String, to value: JinjaValue) {
    if members.updateValue(value, forKey: name) == nil { names.append(name) }
  }

  /// Drops every member, so that namespaces that refer to each other are freed.
  func clear() {
    members = [:]
    names = []
  }
}

/// The state behind the variable `loop`.
final class JinjaLoopState {
  let items: [JinjaValue]
  let depth: Int
  var index = 0
  var lastChanged: [JinjaValue]?
  /// Set in a recursive loop: what `loop(…)` runs again, and where.
  let recursion: (loop: JinjaLoop, scope: JinjaScope)?

  init(items: [JinjaValue], depth: Int, recursion: (loop: JinjaLoop, scope: JinjaScope)?) {
    self.items = items
    self.depth = depth
    self.recursion = recursion
  }
}

/// What can be called.
enum JinjaCallable {
  case global(JinjaGlobal)
  case macro(JinjaClosure)
  case method(JinjaMethod)
  case joiner(JinjaJoiner)
  case cycler(JinjaCycler)
  case cyclerNext(JinjaCycler)
  case cyclerReset(JinjaCycler)
  case loopCycle(JinjaLoopState)
  case loopChanged(JinjaLoopState)
}

/// A macro with the scope it was defined in.
final class JinjaClosure {
  let macro: JinjaMacro
  let scope: JinjaScope

  init(macro: JinjaMacro, scope: JinjaScope) {
    self.macro = macro
    self.scope = scope
  }
}

/// A method taken from a value but not called yet.
final class JinjaMethod {
  let receiver: JinjaValue
  let name: String

  init(receiver: JinjaValue, name: String) {
    self.receiver = receiver
    self.name = name
  }
}

/// Returns nothing at the first call and the separator at later ones.
final class JinjaJoiner {
  let separator: JinjaValue
  var wasCalled = false

  init(separator: JinjaValue) { self.separator = separator }
}

/// Goes round a list of values.
final class JinjaCycler {
  let items: [JinjaValue]
  var position = 0

  init(items: [JinjaValue]) { self.items = items }
}

/// The variables of a block; a name that is not here is looked up in `parent`.
final class JinjaScope {
  let parent: JinjaScope?
  var names: [String: JinjaValue] = [:]
  /// Whether a macro may refer to this scope after its block has ended.
  var isCaptured = false

  init(parent: JinjaScope?) { self.parent = parent }

  func value(of name: String) -> JinjaValue? {
    var scope: JinjaScope? = self
    while let here = scope {
      if let value = here.names[name] { return value }
      scope = here.parent
    }
    return nil
  }
}
