/// Evaluated arguments of a call.
struct JinjaCall {
  struct Keyword {
    var name: String
    var value: JinjaValue
  }

  var positional: [JinjaValue] = []
  var keywords: [Keyword] = []
  /// What a call block hands over.
  var caller: JinjaClosure?

  init(_ positional: [JinjaValue] = []) { self.positional = positional }

  /// Arguments matched to the parameters of a built-in function.
  struct Bound {
    private let values: [JinjaValue?]
    private let names: [String]

    fileprivate init(values: [JinjaValue?], names: [String]) {
      self.values = values
      self.names = names
    }

    /// The argument for the parameter at `index`, nil when it was not given.
    subscript(index: Int) -> JinjaValue? { values[index] }
  }

  /// Matches arguments to `names`; the first `required` must be there.
  func bound(
    to names: [String], required: Int = 0, of function: String, by interpreter: JinjaInterpreter
  ) throws(TemplateError) -> Bound {
    guard positional.count <= names.count else {
      throw interpreter.invalid(
        "\(function) takes at most \(names.count) arguments, got \(positional.count)")
    }
    var values = [JinjaValue?](repeating: nil, count: names.count)
    for (index, value) in positional.enumerated() { values[index] = value }
    for keyword in keywords {
      guard let index = names.firstIndex(of: keyword.name) else {
        throw interpreter.invalid("\(function) has no argument '\(keyword.name)'")
      }
      guard values[index] == nil else {
        throw interpreter.invalid("\(function) got argument '\(keyword.name)' twice")
      }
      values[index] = keyword.value
    }
    for index in 0..<required where values[index] == nil {
      throw interpreter.invalid("\(function) needs argument '\(names[index])'")
    }
    return Bound(values: values, names: names)
  }
}

extension JinjaInterpreter {
  /// Evaluates arguments as written at a call.
  func evaluate(_ arguments: JinjaArguments) throws(TemplateError) -> JinjaCall {
    var call = JinjaCall()
    call.positional.reserveCapacity(arguments.positional.count)
    for argument in arguments.positional { call.positional.append(try evaluate(argument)) }
    for keyword in arguments.keywords {
      call.keywords.append(
        JinjaCall.Keyword(name: keyword.name, value: try evaluate(keyword.value)))
    }
    if let list = arguments.unpackedList {
      call.positional.append(contentsOf: try elements(of: evaluate(list)))
    }
    if let expression = arguments.unpackedDict {
      guard case .dict(let dict) = try evaluate(expression) else {
        throw invalid("what follows '**' must be a dict")
      }
      for member in dict.members {
        guard case .string(let name) = member.key else {
          throw invalid("keywords must be strings")
        }
        call.keywords.append(JinjaCall.Keyword(name: name.string, value: member.value))
      }
    }
    return call
  }

  func call(
    _ function: JinjaValue, _ arguments: JinjaCall
  ) throws(TemplateError) -> JinjaValue {
    try spend()
    switch function {
    case .undefined(let what): throw missing(what)
    case .loop(let state): return try recurse(state, arguments)
    case .callable(let callable):
      switch callable {
      case .global(let global): return try callGlobal(global, arguments)
      case .macro(let closure): return try run(closure, arguments)
      case .method(let method):
        return try callMethod(method.name, of: method.receiver, arguments)
      case .joiner(let joiner):
        defer { joiner.wasCalled = true }
        return joiner.wasCalled ? joiner.separator : .string(ProvenanceText())
      case .cyclerNext(let cycler): return cycler.next()
      case .cyclerReset(let cycler):
        cycler.position = 0
        return .none
      case .cycler: throw invalid("a cycler can't be called; call its 'next'")
      case .loopCycle(let state):
        guard !arguments.positional.isEmpty else { throw invalid("no items to cycle through") }
        return arguments.positional[state.index % arguments.positional.count]
      case .loopChanged(let state): return .bool(try hasChanged(state, arguments.positional))
      }
    default:
      throw invalid("a value of type \(function.typeName) can't be called")
    }
  }

  private func hasChanged(
    _ state: JinjaLoopState, _ values: [JinjaValue]
  ) throws(TemplateError) -> Bool {
    if let last = state.lastChanged, last.count == values.count {
      var isEqual = true
      for (left, right) in zip(last, values) where isEqual { isEqual = try equal(left, right) }
      if isEqual { return false }
    }
    state.lastChanged = values
    return true
  }

  private func recurse(
    _ state: JinjaLoopState, _ arguments: JinjaCall
  ) throws(TemplateError) -> JinjaValue {
    guard let (loop, outer) = state.recursion else {
      throw invalid("this loop is not recursive; write 'recursive' after its sequence")
    }
    let bound = try arguments.bound(to: ["iterable"], required: 1, of: "loop", by: self)
    let sequence = bound[0] ?? .none
    return .string(
      try capturing { () throws(TemplateError) in
        try run(loop, over: sequence, in: outer, depth: state.depth + 1)
      })
  }

  // MARK: Macros

  private func run(
    _ closure: JinjaClosure, _ arguments: JinjaCall
  ) throws(TemplateError) -> JinjaValue {
    let macro = closure.macro
    let inner = JinjaScope(parent: closure.scope)
    let parameters = macro.parameters
    if arguments.positional.count > parameters.count, !macro.readsExtraPositional {
      throw invalid(
        "macro '\(macro.name)' takes \(parameters.count) arguments, got "
          + "\(arguments.positional.count)")
    }
    for (parameter, value) in zip(parameters, arguments.positional) {
      inner.names[parameter.name] = value
    }
    try bindKeywords(of: macro, arguments, in: inner)
    if macro.readsExtraPositional {
      inner.names["varargs"] = try tuple(Array(arguments.positional.dropFirst(parameters.count)))
    }
    if macro.readsCaller, inner.names["caller"] == nil {
      inner.names["caller"] =
        arguments.caller.map { .callable(.macro($0)) } ?? .undefined("No caller defined")
    } else if arguments.caller != nil, !macro.readsCaller {
      throw invalid("macro '\(macro.name)' does not use the block of a call block")
    }
    let outerLine = line
    let text = try capturing { () throws(TemplateError) in
      try within(inner) { () throws(TemplateError) in
        try bindDefaults(of: macro, in: inner)
        _ = try execute(macro.body)
      }
    }
    line = outerLine
    return .string(text)
  }

  private func bindKeywords(
    of macro: JinjaMacro, _ arguments: JinjaCall, in inner: JinjaScope
  ) throws(TemplateError) {
    var extra = JinjaDictBuilder()
    for keyword in arguments.keywords {
      if let index = macro.parameters.firstIndex(where: { $0.name == keyword.name }) {
        guard index >= arguments.positional.count else {
          throw invalid("macro '\(macro.name)' got argument '\(keyword.name)' twice")
        }
        inner.names[keyword.name] = keyword.value
      } else if keyword.name == "caller", macro.readsCaller {
        inner.names["caller"] = keyword.value
      } else if macro.readsExtraKeywords {
        _ = extra.set(.text(keyword.name), to: keyword.value)
      } else {
        throw invalid("macro '\(macro.name)' has no argument '\(keyword.name)'")
      }
    }
    if macro.readsExtraKeywords { inner.names["kwargs"] = try dict(extra) }
  }

  private func bindDefaults(
    of macro: JinjaMacro, in inner: JinjaScope
  ) throws(TemplateError) {
    for parameter in macro.parameters where inner.names[parameter.name] == nil {
      if let value = parameter.defaultValue {
        inner.names[parameter.name] = try evaluate(value)
      } else {
        inner.names[parameter.name] = .undefined("parameter '\(parameter.name)' was not provided")
      }
    }
  }
}

extension JinjaCycler {
  /// The current value, moving on to the next.
  func next() -> JinjaValue {
    defer { position = (position + 1) % items.count }
    return items[position]
  }
}
