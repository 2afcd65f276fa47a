extension JinjaInterpreter {
  func callGlobal(
    _ global: JinjaGlobal, _ call: JinjaCall
  ) throws(TemplateError) -> JinjaValue {
    switch global {
    case .range: return try range(call)
    case .namespace:
      let namespace = try makeNamespace()
      for member in try members(of: call, for: "namespace") {
        guard case .string(let name) = member.key else {
          throw invalid("names in a namespace must be strings")
        }
        guard !name.string.hasPrefix("_") else {
          throw invalid("a namespace can't hold '\(name.string)'")
        }
        namespace.set(name.string, to: member.value)
      }
      return .namespace(namespace)
    case .dict:
      var builder = JinjaDictBuilder()
      for member in try members(of: call, for: "dict") {
        guard builder.set(member.key, to: member.value) else {
          throw invalid("a value of type \(member.key.typeName) can't be a dict's key")
        }
      }
      return try dict(builder)
    case .joiner:
      let bound = try call.bound(to: ["sep"], of: "joiner", by: self)
      return .callable(.joiner(JinjaJoiner(separator: bound[0] ?? .text(", "))))
    case .cycler:
      guard !call.positional.isEmpty else { throw invalid("cycler needs at least one item") }
      return .callable(.cycler(JinjaCycler(items: call.positional)))
    case .raiseException:
      let bound = try call.bound(to: ["message"], required: 1, of: "raise_exception", by: self)
      throw .raised(try text(of: bound[0] ?? .none).string)
    case .strftimeNow:
      let bound = try call.bound(to: ["format"], required: 1, of: "strftime_now", by: self)
      guard let date, case .string(let format)? = bound[0] else {
        throw invalid("strftime_now needs a format string")
      }
      let text = try date.formatted(format.string, by: self)
      return .string(ProvenanceText(template: text))
    }
  }

  /// A dict or a list of pairs, then keywords, as Python's `dict` takes them.
  private func members(
    of call: JinjaCall, for function: String
  ) throws(TemplateError) -> [JinjaDict.Member] {
    guard call.positional.count <= 1 else {
      throw invalid("\(function) takes at most one argument without a name")
    }
    var members: [JinjaDict.Member] = []
    if let source = call.positional.first {
      if case .dict(let dict) = source {
        members = dict.members
      } else {
        for pair in try elements(of: source) {
          let parts = try elements(of: pair)
          guard parts.count == 2 else { throw invalid("\(function) needs pairs") }
          members.append(JinjaDict.Member(key: parts[0], value: parts[1]))
        }
      }
    }
    for keyword in call.keywords {
      members.append(JinjaDict.Member(key: .text(keyword.name), value: keyword.value))
    }
    return members
  }

  private func range(_ call: JinjaCall) throws(TemplateError) -> JinjaValue {
    guard call.keywords.isEmpty, (1...3).contains(call.positional.count) else {
      throw invalid("range takes one to three integers")
    }
    var numbers: [Int] = []
    for value in call.positional {
      guard case .integer(let number)? = PythonNumber(value) else {
        throw invalid("range takes integers, got \(value.typeName)")
      }
      numbers.append(number)
    }
    let start = numbers.count > 1 ? numbers[0] : 0
    let stop = numbers.count > 1 ? numbers[1] : numbers[0]
    let step = numbers.count > 2 ? numbers[2] : 1
    guard step != 0 else { throw invalid("range's step can't be zero") }
    let (distance, overflow) = stop.subtractingReportingOverflow(start)
    let isEmpty = step > 0 ? stop <= start : stop >= start
    guard !isEmpty else { return try list([]) }
    try reserve(elements: overflow ? nil : 0)
    let count = (distance.magnitude - 1) / step.magnitude + 1
    try reserve(elements: Int(exactly: count))
    var items: [JinjaValue] = []
    items.reserveCapacity(Int(count))
    for index in 0..<Int(count) {
      items.append(.integer(index == 0 ? start : start + index * step))
    }
    return try list(items)
  }
}
