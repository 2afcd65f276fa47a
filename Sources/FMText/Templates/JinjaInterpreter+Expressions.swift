extension JinjaInterpreter {
  func evaluate(_ expression: JinjaExpression) throws(TemplateError) -> JinjaValue {
    try spend()
    switch expression {
    case .string(let text): return .string(text)
    case .integer(let value): return .integer(value)
    case .float(let value): return .float(value)
    case .bool(let value): return .bool(value)
    case .none: return .none
    case .name(let name): return scope.value(of: name) ?? .undefined("'\(name)' is undefined")
    default:
      try enter()
      let value = try evaluateNested(expression)
      leave()
      return value
    }
  }

  private func evaluateNested(_ expression: JinjaExpression) throws(TemplateError) -> JinjaValue {
    switch expression {
    case .postfix(let base, let postfixes): return try evaluate(base, postfixes)
    case .comparison(let left, let operands): return try compare(left, operands)
    case .and(let terms): return try evaluate(terms, until: false)
    case .or(let terms): return try evaluate(terms, until: true)
    case .not(let value): return .bool(try !evaluate(value).isTrue)
    case .arithmetic(let left, let operands): return try calculate(left, operands)
    case .concatenation(let terms): return try concatenate(terms)
    case .conditional(let conditional): return try choose(conditional)
    case .tuple(let items): return try tuple(evaluate(items))
    case .list(let items): return try list(evaluate(items))
    case .dict(let pairs): return try evaluate(pairs)
    case .negative(let value): return try negate(evaluate(value))
    case .positive(let value): return try number(evaluate(value))
    case .string, .integer, .float, .bool, .none, .name: return try evaluate(expression)
    }
  }

  private func evaluate(_ items: [JinjaExpression]) throws(TemplateError) -> [JinjaValue] {
    var values: [JinjaValue] = []
    values.reserveCapacity(items.count)
    for item in items { values.append(try evaluate(item)) }
    return values
  }

  private func evaluate(_ pairs: [JinjaPair]) throws(TemplateError) -> JinjaValue {
    var builder = JinjaDictBuilder()
    for pair in pairs {
      let key = try evaluate(pair.key)
      guard builder.set(key, to: try evaluate(pair.value)) else {
        throw invalid("a value of type \(key.typeName) can't be a dict's key")
      }
    }
    return try dict(builder)
  }

  /// The first term whose truth is `stop`, else the last one.
  private func evaluate(
    _ terms: [JinjaExpression], until stop: Bool
  ) throws(TemplateError) -> JinjaValue {
    var value = JinjaValue.none
    for term in terms {
      value = try evaluate(term)
      if value.isTrue == stop { return value }
    }
    return value
  }

  private func choose(_ conditional: JinjaConditional) throws(TemplateError) -> JinjaValue {
    if try evaluate(conditional.condition).isTrue { return try evaluate(conditional.value) }
    guard let alternative = conditional.alternative else {
      return .undefined("the conditional expression has no 'else' and its condition is false")
    }
    return try evaluate(alternative)
  }

  private func concatenate(_ terms: [JinjaExpression]) throws(TemplateError) -> JinjaValue {
    var result = ProvenanceText()
    for term in terms {
      let text = try text(of: evaluate(term))
      try reserve(bytes: text.count)
      result.append(text)
    }
    return .string(result)
  }

  private func compare(
    _ first: JinjaExpression, _ operands: [JinjaOperand<JinjaComparison>]
  ) throws(TemplateError) -> JinjaValue {
    var left = try evaluate(first)
    for operand in operands {
      let right = try evaluate(operand.right)
      if try !holds(left, operand.operation, right) { return .bool(false) }
      left = right
    }
    return .bool(true)
  }

  func holds(
    _ left: JinjaValue, _ comparison: JinjaComparison, _ right: JinjaValue
  ) throws(TemplateError) -> Bool {
    switch comparison {
    case .equal: try equal(left, right)
    case .notEqual: try !equal(left, right)
    case .less: try order(left, right, "<") { $0 < 0 }
    case .lessOrEqual: try order(left, right, "<=") { $0 <= 0 }
    case .greater: try order(left, right, ">") { $0 > 0 }
    case .greaterOrEqual: try order(left, right, ">=") { $0 >= 0 }
    case .contained: try contains(right, left)
    case .notContained: try !contains(right, left)
    }
  }

  // MARK: Postfixes

  private func evaluate(
    _ base: JinjaExpression, _ postfixes: [JinjaPostfix]
  ) throws(TemplateError) -> JinjaValue {
    var value = try evaluate(base)
    var index = 0
    while index < postfixes.count {
      // A method that is called at once needs no bound-method value.
      if case .attribute(let name) = postfixes[index], index + 1 < postfixes.count,
        case .call(let arguments) = postfixes[index + 1], value.hasMethod(name)
      {
        try spend()
        value = try callMethod(name, of: value, evaluate(arguments))
        index += 2
      } else {
        value = try apply(postfixes[index], to: value)
        index += 1
      }
    }
    return value
  }

  func apply(_ postfix: JinjaPostfix, to value: JinjaValue) throws(TemplateError) -> JinjaValue {
    try spend()
    switch postfix {
    case .attribute(let name): return try attribute(name, of: value)
    case .item(let key): return try item(evaluate(key), of: value)
    case .slice(let slice): return try self.slice(value, slice)
    case .call(let arguments): return try call(value, evaluate(arguments))
    case .filter(let filter, let arguments):
      return try self.filter(value, filter, evaluate(arguments))
    case .test(let test, let arguments, let negated):
      return .bool(try self.test(value, test, evaluate(arguments)) != negated)
    }
  }

  private func slice(
    _ value: JinjaValue, _ written: JinjaSlice
  ) throws(TemplateError) -> JinjaValue {
    let bounds = [written.start, written.stop, written.step]
    var numbers: [Int?] = []
    for bound in bounds {
      guard let bound else {
        numbers.append(nil)
        continue
      }
      switch try evaluate(bound) {
      case .none: numbers.append(nil)
      case .integer(let number): numbers.append(number)
      case .bool(let flag): numbers.append(flag ? 1 : 0)
      default: throw invalid("slice bounds must be integers")
      }
    }
    switch value {
    case .undefined(let what): throw missing(what)
    case .list(let list) where list.viewName == nil:
      return try self.list(slice(list.items, numbers))
    case .tuple(let list): return try tuple(slice(list.items, numbers))
    case .string(let text): return .string(try self.slice(text, numbers))
    default: throw invalid("a value of type \(value.typeName) can't be sliced")
    }
  }

  private func slice(
    _ items: [JinjaValue], _ bounds: [Int?]
  ) throws(TemplateError) -> [JinjaValue] {
    let range = try PythonSlice(bounds, count: items.count, by: self)
    if range.step == 1 { return Array(items[range.start..<(range.start + range.count)]) }
    return range.positions.map { items[$0] }
  }

  private func slice(
    _ text: ProvenanceText, _ bounds: [Int?]
  ) throws(TemplateError) -> ProvenanceText {
    let range = try PythonSlice(bounds, count: text.scalarCount, by: self)
    try reserve(bytes: text.count)
    if range.step == 1 {
      let start = text.offset(ofScalar: range.start)
      var end = start
      for _ in 0..<range.count { end = text.next(after: end) }
      return text.slice(start..<end)
    }
    var starts: [Int] = []
    text.forEachScalar { _, position, _ in starts.append(position.lowerBound) }
    var result = ProvenanceText()
    for position in range.positions {
      result.append(text, starts[position]..<text.next(after: starts[position]))
    }
    return result
  }
}

/// A slice's bounds, made to fit a sequence as Python does.
struct PythonSlice {
  let start: Int
  let step: Int
  let count: Int

  init(
    _ bounds: [Int?], count length: Int, by interpreter: JinjaInterpreter
  ) throws(TemplateError) {
    let step = bounds[2] ?? 1
    guard step != 0 else { throw interpreter.invalid("a slice's step can't be zero") }
    func fitted(_ bound: Int, low: Int, high: Int) -> Int {
      let value = bound < 0 ? bound + length : bound
      return min(max(value, low), high)
    }
    self.step = step
    if step > 0 {
      start = fitted(bounds[0] ?? 0, low: 0, high: length)
      let stop = fitted(bounds[1] ?? length, low: 0, high: length)
      count = stop > start ? (stop - start - 1) / step + 1 : 0
    } else {
      start = bounds[0].map { fitted($0, low: -1, high: length - 1) } ?? length - 1
      let stop = bounds[1].map { fitted($0, low: -1, high: length - 1) } ?? -1
      // `step` may be the least integer, which has no negative.
      count = start > stop ? Int((start - stop - 1).magnitude / step.magnitude) + 1 : 0
    }
  }

  /// The positions the slice picks, in its order.
  var positions: some Sequence<Int> {
    (0..<count).lazy.map { [start, step] in $0 == 0 ? start : start + $0 * step }
  }
}
