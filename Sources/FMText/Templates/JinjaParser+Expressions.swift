extension JinjaParser {
  // MARK: Tuples and targets

  /// Reads expressions separated by commas; a comma makes a tuple.
  mutating func parseTuple(
    allowsConditional: Bool = true, isParenthesized: Bool = false, end: String? = nil
  ) throws(TemplateError) -> JinjaExpression {
    var items: [JinjaExpression] = []
    var isTuple = false
    while !isTupleEnd(end) {
      items.append(try parseExpression(allowsConditional: allowsConditional))
      guard skip(.comma) else { break }
      isTuple = true
    }
    if !isTuple, let only = items.first { return only }
    guard isTuple || isParenthesized else {
      throw fail("expected an expression, found \(current.described)")
    }
    return .tuple(items)
  }

  private func isTupleEnd(_ end: String?) -> Bool {
    switch current {
    case .variableEnd, .blockEnd, .mark(.rightParenthesis): true
    case .name(let name): name == end
    default: false
    }
  }

  mutating func parseTarget(
    allowsAttribute: Bool, end: String?
  ) throws(TemplateError) -> JinjaTarget {
    var items: [JinjaTarget] = []
    var isTuple = false
    while !isTupleEnd(end), current != .mark(.assign) {
      items.append(try parseSingleTarget(allowsAttribute: allowsAttribute))
      guard skip(.comma) else { break }
      isTuple = true
    }
    if !isTuple, let only = items.first { return only }
    guard !items.isEmpty else { throw fail("expected a name to assign to") }
    return .tuple(items)
  }

  private mutating func parseSingleTarget(
    allowsAttribute: Bool
  ) throws(TemplateError) -> JinjaTarget {
    if skip(.leftParenthesis) {
      try enter()
      let target = try parseTarget(allowsAttribute: allowsAttribute, end: nil)
      try expect(.mark(.rightParenthesis))
      leave()
      return target
    }
    let name = try expectName()
    guard !Self.constants.contains(name) else { throw fail("can't assign to '\(name)'") }
    if allowsAttribute, skip(.dot) {
      note(.reading(name))
      return .attribute(of: name, try expectName())
    }
    note(.assignment(name))
    return .name(name)
  }

  static var constants: Set<String> { ["true", "false", "none", "True", "False", "None"] }

  // MARK: Conditionals, logic, comparison

  mutating func parseExpression(
    allowsConditional: Bool = true
  ) throws(TemplateError) -> JinjaExpression {
    try enter()
    var value = try parseOr()
    while allowsConditional, skip(name: "if") {
      let condition = try parseOr()
      let alternative = skip(name: "else") ? try parseExpression() : nil
      value = .conditional(
        JinjaConditional(value: value, condition: condition, alternative: alternative))
      // A chain without `else` nests to the left.
      if alternative == nil, current == .name("if") {
        throw fail("a conditional expression without 'else' can't be followed by another")
      }
    }
    leave()
    return value
  }

  private mutating func parseOr() throws(TemplateError) -> JinjaExpression {
    var terms = [try parseAnd()]
    while skip(name: "or") { terms.append(try parseAnd()) }
    return terms.count == 1 ? terms[0] : .or(terms)
  }

  private mutating func parseAnd() throws(TemplateError) -> JinjaExpression {
    var terms = [try parseNot()]
    while skip(name: "and") { terms.append(try parseNot()) }
    return terms.count == 1 ? terms[0] : .and(terms)
  }

  private mutating func parseNot() throws(TemplateError) -> JinjaExpression {
    var count = 0
    while skip(name: "not") { count += 1 }
    var value = try parseComparison()
    // Two or more negations only turn the value into a boolean.
    if count > 0 { value = .not(value) }
    if count > 1, count % 2 == 0 { value = .not(value) }
    return value
  }

  private mutating func parseComparison() throws(TemplateError) -> JinjaExpression {
    let left = try parseSum()
    var operands: [JinjaOperand<JinjaComparison>] = []
    while let operation = comparison {
      if operation == .notContained { advance() }
      advance()
      operands.append(JinjaOperand(operation: operation, right: try parseSum()))
    }
    return operands.isEmpty ? left : .comparison(left, operands)
  }

  private var comparison: JinjaComparison? {
    switch current {
    case .mark(.equal): .equal
    case .mark(.notEqual): .notEqual
    case .mark(.less): .less
    case .mark(.lessOrEqual): .lessOrEqual
    case .mark(.greater): .greater
    case .mark(.greaterOrEqual): .greaterOrEqual
    case .name("in"): .contained
    case .name("not") where following == .name("in"): .notContained
    default: nil
    }
  }

  // MARK: Arithmetic

  private mutating func parseSum() throws(TemplateError) -> JinjaExpression {
    let left = try parseConcatenation()
    var operands: [JinjaOperand<JinjaArithmetic>] = []
    while true {
      if skip(.add) {
        operands.append(JinjaOperand(operation: .add, right: try parseConcatenation()))
      } else if skip(.subtract) {
        operands.append(JinjaOperand(operation: .subtract, right: try parseConcatenation()))
      } else {
        return operands.isEmpty ? left : .arithmetic(left, operands)
      }
    }
  }

  private mutating func parseConcatenation() throws(TemplateError) -> JinjaExpression {
    var terms = [try parseProduct()]
    while skip(.tilde) { terms.append(try parseProduct()) }
    return terms.count == 1 ? terms[0] : .concatenation(terms)
  }

  private mutating func parseProduct() throws(TemplateError) -> JinjaExpression {
    let left = try parsePower()
    var operands: [JinjaOperand<JinjaArithmetic>] = []
    while let operation = productOperator {
      advance()
      operands.append(JinjaOperand(operation: operation, right: try parsePower()))
    }
    return operands.isEmpty ? left : .arithmetic(left, operands)
  }

  private var productOperator: JinjaArithmetic? {
    switch current {
    case .mark(.multiply): .multiply
    case .mark(.divide): .divide
    case .mark(.floorDivide): .floorDivide
    case .mark(.modulo): .modulo
    default: nil
    }
  }

  private mutating func parsePower() throws(TemplateError) -> JinjaExpression {
    let left = try parseUnary()
    var operands: [JinjaOperand<JinjaArithmetic>] = []
    while skip(.power) {
      operands.append(JinjaOperand(operation: .power, right: try parseUnary()))
    }
    return operands.isEmpty ? left : .arithmetic(left, operands)
  }

  private mutating func parseUnary() throws(TemplateError) -> JinjaExpression {
    var signs: [JinjaMark] = []
    while case .mark(let mark) = current, mark == .add || mark == .subtract {
      guard signs.count < 32 else { throw .limitExceeded(.depth, limit: 32) }
      signs.append(mark)
      advance()
    }
    var value = try parsePrimary()
    if !signs.isEmpty { value = try parsePostfix(of: value, allowsFilters: false) }
    for sign in signs.reversed() {
      value = sign == .add ? .positive(value) : .negative(value)
    }
    return try parsePostfix(of: value, allowsFilters: true)
  }

  // MARK: Primary expressions

  /// The argument of a test written without parentheses.
  mutating func parseTestArgument() throws(TemplateError) -> JinjaExpression {
    try enter()
    let value = try parsePostfix(of: parsePrimary(), allowsFilters: false)
    leave()
    return value
  }

  private mutating func parsePrimary() throws(TemplateError) -> JinjaExpression {
    switch current {
    case .name(let name):
      advance()
      return primary(named: name)
    case .string(var bytes):
      advance()
      while case .string(let more) = current {
        bytes.append(contentsOf: more)
        advance()
      }
      return .string(ProvenanceText(bytes, isTemplate: true))
    case .integer(let value):
      advance()
      return .integer(value)
    case .float(let value):
      advance()
      return .float(value)
    case .mark(.leftParenthesis):
      advance()
      let value = try parseTuple(isParenthesized: true)
      try expect(.mark(.rightParenthesis))
      return value
    case .mark(.leftBracket): return try parseList()
    case .mark(.leftBrace): return try parseDict()
    default:
      throw fail("unexpected \(current.described)")
    }
  }

  private mutating func primary(named name: String) -> JinjaExpression {
    switch name {
    case "true", "True": return .bool(true)
    case "false", "False": return .bool(false)
    case "none", "None": return .none
    default:
      note(current == .mark(.leftParenthesis) ? .call(name) : .reading(name))
      note(.reading(name))
      if current == .name("is"),
        [.name("defined"), .name("undefined"), .name("callable"), .name("not")].contains(following)
      {
        note(.probe(name))
      }
      return .name(name)
    }
  }

  private mutating func parseList() throws(TemplateError) -> JinjaExpression {
    advance()
    var items: [JinjaExpression] = []
    while current != .mark(.rightBracket) {
      items.append(try parseExpression())
      guard skip(.comma) else { break }
    }
    try expect(.mark(.rightBracket))
    return .list(items)
  }

  private mutating func parseDict() throws(TemplateError) -> JinjaExpression {
    advance()
    var pairs: [JinjaPair] = []
    while current != .mark(.rightBrace) {
      let key = try parseExpression()
      try expect(.mark(.colon))
      pairs.append(JinjaPair(key: key, value: try parseExpression()))
      guard skip(.comma) else { break }
    }
    try expect(.mark(.rightBrace))
    return .dict(pairs)
  }
}
