/// Collects the names a template uses, to find those that exist nowhere.
struct JinjaInventory {
  enum Use {
    /// A filter, test or tag that does not exist.
    case missing(String)
    /// A name that a tag or a macro's parameter list sets.
    case assignment(String)
    /// A name that is read.
    case reading(String)
    /// A name that is called.
    case call(String)
    /// A name whose existence is tested (`is defined`, `is callable`).
    case probe(String)
  }

  private var unknown: [String] = []
  private var assigned: Set<String> = ["caller", "loop", "varargs", "kwargs"]
  private var calls: [String] = []
  private var probed: Set<String> = []
  /// For each macro being read: which of the three implicit names its body reads.
  private var macros: [Set<String>] = []

  mutating func note(_ use: Use) {
    switch use {
    case .missing(let what): unknown.append(what)
    case .assignment(let name): assigned.insert(name)
    case .call(let name): calls.append(name)
    case .probe(let name): probed.insert(name)
    case .reading(let name):
      guard name == "caller" || name == "varargs" || name == "kwargs" else { return }
      for index in macros.indices { macros[index].insert(name) }
    }
  }

  mutating func openMacro(parameters: [String]) { macros.append([]) }

  mutating func closeMacro() -> Set<String> { macros.popLast() ?? [] }

  /// Names in source order, each once.
  var missing: [String] {
    var found: [String] = []
    for what in unknown where !found.contains(what) { found.append(what) }
    for name in calls {
      let isKnown =
        JinjaGlobal(rawValue: name) != nil || assigned.contains(name) || probed.contains(name)
      if !isKnown, !found.contains("function '\(name)'") { found.append("function '\(name)'") }
    }
    return found
  }

  var needsDate: Bool {
    let name = JinjaGlobal.strftimeNow.rawValue
    return calls.contains(name) && !probed.contains(name) && !assigned.contains(name)
  }
}
