extension JinjaInterpreter {
  func test(
    _ value: JinjaValue, _ test: JinjaTest, _ call: JinjaCall
  ) throws(TemplateError) -> Bool {
    try spend()
    if let comparison = test.comparison {
      let bound = try call.bound(to: ["other"], required: 1, of: test.rawValue, by: self)
      return try holds(value, comparison, bound[0] ?? .none)
    }
    switch test {
    case .divisibleby, .sameas:
      let bound = try call.bound(to: ["other"], required: 1, of: test.rawValue, by: self)
      return try self.test(value, test, bound[0] ?? .none)
    default:
      _ = try call.bound(to: [], of: test.rawValue, by: self)
      return try self.test(value, test)
    }
  }

  private func test(
    _ value: JinjaValue, _ test: JinjaTest, _ other: JinjaValue
  ) throws(TemplateError) -> Bool {
    if test == .sameas { return try isSame(value, other) }
    return try equal(calculate(value, .modulo, other), .integer(0))
  }

  private func isSame(_ left: JinjaValue, _ right: JinjaValue) throws(TemplateError) -> Bool {
    switch (left, right) {
    case (.bool(let a), .bool(let b)): a == b
    case (.none, .none): true
    case (.list(let a), .list(let b)), (.tuple(let a), .tuple(let b)): a === b
    case (.dict(let a), .dict(let b)): a === b
    case (.integer, .integer), (.float, .float), (.string, .string), (.namespace, .namespace):
      try equal(left, right)
    default: false
    }
  }

  private func test(_ value: JinjaValue, _ test: JinjaTest) throws(TemplateError) -> Bool {
    switch test {
    case .defined: return !value.isUndefined
    case .undefined: return value.isUndefined
    case .none: return value.isNone
    case .boolean: if case .bool = value { return true } else { return false }
    case .isTrue: if case .bool(true) = value { return true } else { return false }
    case .isFalse: if case .bool(false) = value { return true } else { return false }
    case .integer: if case .integer = value { return true } else { return false }
    case .float: if case .float = value { return true } else { return false }
    case .number: return PythonNumber(value) != nil
    case .string: if case .string = value { return true } else { return false }
    case .mapping: if case .dict = value { return true } else { return false }
    case .callable:
      if case .callable = value { return true }
      return false
    case .sequence: return isSequence(value)
    case .iterable:
      switch value {
      case .loop, .list, .iterator: return true
      default: break
      }
      return isSequence(value)
    case .odd, .even:
      let rest = try calculate(value, .modulo, .integer(2))
      return try equal(rest, .integer(test == .odd ? 1 : 0))
    case .lower: return PythonCase.isLower(try text(of: value))
    case .upper: return PythonCase.isUpper(try text(of: value))
    case .escaped:
      if case .string(let text) = value { return text.isMarkup }
      return false
    case .filter, .test:
      guard JinjaKey(value) != nil || value.isUndefined else {
        throw invalid("test '\(test.rawValue)' needs a name")
      }
      guard case .string(let name) = value else { return false }
      return test == .filter
        ? JinjaFilter(rawValue: name.string) != nil : JinjaTest(rawValue: name.string) != nil
    default: throw invalid("test '\(test.rawValue)' needs an argument")
    }
  }

  /// Whether the value has a length and items; Jinja says so of an undefined value too.
  private func isSequence(_ value: JinjaValue) -> Bool {
    switch value {
    case .list(let list): list.viewName == nil
    case .string, .tuple, .dict, .undefined: true
    default: false
    }
  }
}

extension JinjaTest {
  var comparison: JinjaComparison? {
    switch self {
    case .eq, .equalto, .equals: .equal
    case .ne, .notEquals: .notEqual
    case .lt, .lessthan, .less: .less
    case .le, .lessOrEqual: .lessOrEqual
    case .gt, .greaterthan, .greater: .greater
    case .ge, .greaterOrEqual: .greaterOrEqual
    case .in: .contained
    default: nil
    }
  }
}
