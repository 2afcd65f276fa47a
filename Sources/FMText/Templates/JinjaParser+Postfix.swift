extension JinjaParser {
  /// Reads what follows a value: access and calls and, where allowed, filters and tests.
  mutating func parsePostfix(
    of value: JinjaExpression, allowsFilters: Bool
  ) throws(TemplateError) -> JinjaExpression {
    var postfixes: [JinjaPostfix] = []
    var isFiltered = false
    while true {
      switch current {
      case .mark(.dot) where !isFiltered: postfixes.append(try parseAttribute())
      case .mark(.leftBracket) where !isFiltered: postfixes.append(try parseSubscript())
      case .mark(.leftParenthesis): postfixes.append(.call(try parseArguments()))
      case .mark(.pipe) where allowsFilters:
        isFiltered = true
        advance()
        if let filter = try parseFilter() { postfixes.append(filter) }
      case .name("is") where allowsFilters:
        isFiltered = true
        advance()
        if let test = try parseTest() { postfixes.append(test) }
      default:
        if postfixes.isEmpty { return value }
        if case .postfix(let inner, let earlier) = value {
          return .postfix(inner, earlier + postfixes)
        }
        return .postfix(value, postfixes)
      }
    }
  }

  private mutating func parseAttribute() throws(TemplateError) -> JinjaPostfix {
    advance()
    switch current {
    case .name(let name):
      advance()
      return .attribute(name)
    case .integer(let index):
      advance()
      return .item(.integer(index))
    default:
      throw fail("expected a name after '.', found \(current.described)")
    }
  }

  private mutating func parseSubscript() throws(TemplateError) -> JinjaPostfix {
    advance()
    var items: [JinjaPostfix] = []
    while current != .mark(.rightBracket) {
      items.append(try parseSubscriptItem())
      guard skip(.comma) else { break }
    }
    try expect(.mark(.rightBracket))
    guard items.count != 1 else { return items[0] }
    var keys: [JinjaExpression] = []
    for item in items {
      guard case .item(let key) = item else { throw fail("a slice can't be part of a key") }
      keys.append(key)
    }
    return .item(.tuple(keys))
  }

  private mutating func parseSubscriptItem() throws(TemplateError) -> JinjaPostfix {
    var slice = JinjaSlice()
    if current != .mark(.colon) {
      let start = try parseExpression()
      guard current == .mark(.colon) else { return .item(start) }
      slice.start = start
    }
    advance()
    slice.stop = try parseSliceBound()
    if skip(.colon) { slice.step = try parseSliceBound() }
    return .slice(slice)
  }

  private mutating func parseSliceBound() throws(TemplateError) -> JinjaExpression? {
    switch current {
    case .mark(.colon), .mark(.comma), .mark(.rightBracket): nil
    default: try parseExpression()
    }
  }

  // MARK: Arguments

  mutating func parseArguments() throws(TemplateError) -> JinjaArguments {
    try expect(.mark(.leftParenthesis))
    var arguments = JinjaArguments()
    while current != .mark(.rightParenthesis) {
      try parseArgument(into: &arguments)
      guard skip(.comma) else { break }
    }
    try expect(.mark(.rightParenthesis))
    return arguments
  }

  private mutating func parseArgument(
    into arguments: inout JinjaArguments
  ) throws(TemplateError) {
    let misplaced = fail("arguments are in an order that can't be called")
    if skip(.multiply) {
      guard arguments.unpackedList == nil, arguments.unpackedDict == nil else { throw misplaced }
      arguments.unpackedList = try parseExpression()
    } else if skip(.power) {
      guard arguments.unpackedDict == nil else { throw misplaced }
      arguments.unpackedDict = try parseExpression()
    } else if case .name(let name) = current, following == .mark(.assign) {
      guard arguments.unpackedDict == nil else { throw misplaced }
      advance()
      advance()
      let value = try parseExpression()
      arguments.keywords.append(JinjaArguments.Keyword(name: name, value: value))
    } else {
      guard arguments.unpackedList == nil, arguments.unpackedDict == nil,
        arguments.keywords.isEmpty
      else { throw misplaced }
      arguments.positional.append(try parseExpression())
    }
  }

  // MARK: Filters and tests

  /// Reads the filters of a block; the first one has no `|` when `startsInline`.
  mutating func parseFilters(startsInline: Bool) throws(TemplateError) -> [JinjaPostfix] {
    var filters: [JinjaPostfix] = []
    var isFirst = startsInline
    while isFirst || skip(.pipe) {
      isFirst = false
      if let filter = try parseFilter() { filters.append(filter) }
    }
    return filters
  }

  /// Reads a filter after its `|`; notes it and returns nil when there is none of that name.
  private mutating func parseFilter() throws(TemplateError) -> JinjaPostfix? {
    let name = try parseDottedName()
    let arguments =
      current == .mark(.leftParenthesis) ? try parseArguments() : JinjaArguments()
    guard let filter = JinjaFilter(rawValue: name) else {
      note(.missing("filter '\(name)'"))
      return nil
    }
    noteNames(of: filter, arguments)
    return .filter(filter, arguments)
  }

  private mutating func parseDottedName() throws(TemplateError) -> String {
    var name = try expectName()
    while skip(.dot) { name += "." + (try expectName()) }
    return name
  }

  /// Checks names of filters and tests that are given to a filter as literal strings.
  private mutating func noteNames(of filter: JinjaFilter, _ arguments: JinjaArguments) {
    let position: Int
    switch filter {
    case .map, .select, .reject: position = 0
    case .selectattr, .rejectattr: position = 1
    default: return
    }
    guard arguments.positional.indices.contains(position),
      case .string(let text) = arguments.positional[position]
    else { return }
    if filter == .map {
      if JinjaFilter(rawValue: text.string) == nil { note(.missing("filter '\(text.string)'")) }
    } else if JinjaTest(rawValue: text.string) == nil {
      note(.missing("test '\(text.string)'"))
    }
  }

  /// Reads a test after its `is`; notes it and returns nil when there is none of that name.
  private mutating func parseTest() throws(TemplateError) -> JinjaPostfix? {
    let isNegated = skip(name: "not")
    let name = try parseDottedName()
    var arguments = JinjaArguments()
    switch current {
    case .mark(.leftParenthesis):
      arguments = try parseArguments()
    case .name("else"), .name("or"), .name("and"):
      break
    case .name("is"):
      throw fail("tests can't be chained with 'is'")
    case .name, .string, .integer, .float, .mark(.leftBracket), .mark(.leftBrace):
      arguments.positional = [try parseTestArgument()]
    default:
      break
    }
    guard let test = JinjaTest(rawValue: name) else {
      note(.missing("test '\(name)'"))
      return nil
    }
    return .test(test, arguments, negated: isNegated)
  }
}
