import Glibc

extension JinjaInterpreter {
  // MARK: Equality and order

  /// Python's `==`.
  func equal(_ left: JinjaValue, _ right: JinjaValue) throws(TemplateError) -> Bool {
    try spend()
    switch (left, right) {
    case (.undefined, .undefined), (.none, .none): return true
    case (.string(let a), .string(let b)):
      try spend(bytes: min(a.count, b.count))
      return a.bytes == b.bytes
    case (.list(let a), .list(let b)), (.tuple(let a), .tuple(let b)):
      guard a.items.count == b.items.count else { return false }
      for (x, y) in zip(a.items, b.items) where try !equal(x, y) { return false }
      return true
    case (.dict(let a), .dict(let b)):
      guard a.count == b.count else { return false }
      for member in a.members {
        guard let other = b.value(of: member.key), try equal(member.value, other) else {
          return false
        }
      }
      return true
    case (.namespace(let a), .namespace(let b)): return a === b
    case (.loop(let a), .loop(let b)): return a === b
    case (.callable(.macro(let a)), .callable(.macro(let b))): return a === b
    default:
      guard let a = PythonNumber(left), let b = PythonNumber(right) else { return false }
      return a.isEqual(to: b)
    }
  }

  /// Python's order; `body` gets a negative number, zero or a positive one.
  func order(
    _ left: JinjaValue, _ right: JinjaValue, _ sign: String, _ body: (Int) -> Bool
  ) throws(TemplateError) -> Bool {
    // No order holds for a NaN.
    if let a = PythonNumber(left), let b = PythonNumber(right), a.isNaN || b.isNaN { return false }
    return body(try order(left, right, sign))
  }

  func order(
    _ left: JinjaValue, _ right: JinjaValue, _ sign: String = "<"
  ) throws(TemplateError) -> Int {
    try spend()
    switch (left, right) {
    case (.string(let a), .string(let b)):
      try spend(bytes: min(a.count, b.count))
      if a.bytes == b.bytes { return 0 }
      return a.bytes.lexicographicallyPrecedes(b.bytes) ? -1 : 1
    case (.list(let a), .list(let b)), (.tuple(let a), .tuple(let b)):
      for (x, y) in zip(a.items, b.items) where try !equal(x, y) { return try order(x, y, sign) }
      return a.items.count - b.items.count
    case (.undefined(let what), _), (_, .undefined(let what)):
      throw missing(what)
    default:
      guard let a = PythonNumber(left), let b = PythonNumber(right) else {
        throw invalid("'\(sign)' can't compare \(left.typeName) and \(right.typeName)")
      }
      return a.order(b)
    }
  }

  /// Python's `item in container`.
  func contains(_ container: JinjaValue, _ item: JinjaValue) throws(TemplateError) -> Bool {
    switch container {
    case .string(let text):
      guard case .string(let part) = item else {
        throw invalid("'in <string>' needs a string on its left, got \(item.typeName)")
      }
      try spend(bytes: text.count + part.count)
      return ByteSearch(part.bytes).first(in: text.bytes, from: 0) != nil
    case .dict(let dict):
      return dict.value(of: item) != nil
    case .undefined:
      return false
    case .iterator(let iterator):
      while let element = iterator.next() {
        if try equal(element, item) { return true }
      }
      return false
    default:
      for element in try elements(of: container) where try equal(element, item) { return true }
      return false
    }
  }

  // MARK: Arithmetic

  func calculate(
    _ first: JinjaExpression, _ operands: [JinjaOperand<JinjaArithmetic>]
  ) throws(TemplateError) -> JinjaValue {
    var value = try evaluate(first)
    for operand in operands {
      value = try calculate(value, operand.operation, evaluate(operand.right))
    }
    return value
  }

  func calculate(
    _ left: JinjaValue, _ operation: JinjaArithmetic, _ right: JinjaValue
  ) throws(TemplateError) -> JinjaValue {
    try spend()
    switch (left, operation, right) {
    case (.undefined(let what), _, _), (_, _, .undefined(let what)):
      throw missing(what)
    case (.string(let a), .add, .string(let b)): return .string(try add(a, b))
    case (.list(let a), .add, .list(let b)) where a.viewName == nil && b.viewName == nil:
      return try list(a.items + b.items)
    case (.tuple(let a), .add, .tuple(let b)): return try tuple(a.items + b.items)
    case (.string(let text), .modulo, _): return .string(try format(text, with: right))
    case (.string, .multiply, .integer), (.list, .multiply, .integer),
      (.tuple, .multiply, .integer), (.string, .multiply, .bool), (.list, .multiply, .bool),
      (.tuple, .multiply, .bool):
      return try repeated(left, PythonNumber(right))
    case (.integer, .multiply, .string), (.integer, .multiply, .list),
      (.integer, .multiply, .tuple), (.bool, .multiply, .string), (.bool, .multiply, .list):
      return try repeated(right, PythonNumber(left))
    default:
      guard let a = PythonNumber(left), let b = PythonNumber(right) else {
        throw invalid(
          "'\(operation.sign)' can't work on \(left.typeName) and \(right.typeName)")
      }
      return try a.calculate(operation, b, by: self)
    }
  }

  private func add(
    _ a: ProvenanceText, _ b: ProvenanceText
  ) throws(TemplateError) -> ProvenanceText {
    // Markup escapes what is added to it, as in Python's markupsafe.
    let isMarkup = a.isMarkup || b.isMarkup
    var result = isMarkup && !a.isMarkup ? try escaped(a) : a
    let right = isMarkup && !b.isMarkup ? try escaped(b) : b
    try reserve(bytes: result.count + right.count)
    result.append(right)
    result.isMarkup = isMarkup
    return result
  }

  private func repeated(
    _ value: JinjaValue, _ number: PythonNumber?
  ) throws(TemplateError) -> JinjaValue {
    guard case .integer(let number)? = number else { throw invalid("can't repeat a value") }
    let count = max(number, 0)
    switch value {
    case .string(let text):
      let (bytes, overflow) = text.count.multipliedReportingOverflow(by: count)
      try reserve(bytes: overflow ? nil : bytes)
      var result = ProvenanceText()
      if !text.isEmpty {
        result.reserveCapacity(bytes)
        for _ in 0..<count { result.append(text) }
      }
      return .string(result)
    case .list(let list), .tuple(let list):
      let (elements, overflow) = list.items.count.multipliedReportingOverflow(by: count)
      try reserve(elements: overflow ? nil : elements)
      let items = list.items.isEmpty ? [] : (0..<count).flatMap { _ in list.items }
      if case .tuple = value { return try tuple(items) }
      return try self.list(items)
    default:
      throw invalid("can't repeat a value of type \(value.typeName)")
    }
  }

  func negate(_ value: JinjaValue) throws(TemplateError) -> JinjaValue {
    switch try number(value) {
    case .integer(let number):
      let (result, overflow) = (0).subtractingReportingOverflow(number)
      if overflow { throw invalid("a number is too large") }
      return .integer(result)
    case .float(let number): return .float(-number)
    default: throw invalid("can't negate a value of type \(value.typeName)")
    }
  }

  /// The value as an integer or float.
  func number(_ value: JinjaValue) throws(TemplateError) -> JinjaValue {
    switch value {
    case .undefined(let what): throw missing(what)
    case .integer, .float: return value
    case .bool(let flag): return .integer(flag ? 1 : 0)
    default: throw invalid("a value of type \(value.typeName) is no number")
    }
  }
}

extension JinjaArithmetic {
  var sign: String {
    switch self {
    case .add: "+"
    case .subtract: "-"
    case .multiply: "*"
    case .divide: "/"
    case .floorDivide: "//"
    case .modulo: "%"
    case .power: "**"
    }
  }
}
