/// Reads statements from tokens.
///
/// Names this interpreter lacks (filters, tests, tags, functions) are collected and reported
/// together when the whole template has been read.
struct JinjaParser {
  private let tokens: [JinjaToken]
  private var index = 0
  private let depthLimit: Int
  private var depth = 0
  private var inventory = JinjaInventory()
  /// Loops around the current tag, inside the current macro or captured block.
  private var loopDepth = 0

  private init(tokens: [JinjaToken], depthLimit: Int) {
    self.tokens = tokens
    self.depthLimit = depthLimit
  }

  /// - Throws: `syntax`, `unsupported` or `limitExceeded`.
  static func parse(
    _ source: String, limits: TemplateLimits
  ) throws(TemplateError) -> JinjaProgram {
    guard source.utf8.count <= limits.sourceBytes else {
      throw .limitExceeded(.sourceBytes, limit: limits.sourceBytes)
    }
    let tokens = try JinjaLexer.tokens(of: source)
    var parser = JinjaParser(tokens: tokens, depthLimit: limits.sourceDepth)
    let body = try parser.parseBody(until: [])
    let missing = parser.inventory.missing
    guard missing.isEmpty else { throw .unsupported(missing) }
    return JinjaProgram(body: body, needsDate: parser.inventory.needsDate)
  }

  // MARK: Tokens

  var current: JinjaToken.Kind { tokens[index].kind }
  var following: JinjaToken.Kind { tokens[min(index + 1, tokens.count - 1)].kind }
  var line: Int { tokens[index].line }

  mutating func advance() { index = min(index + 1, tokens.count - 1) }

  mutating func skip(_ mark: JinjaMark) -> Bool {
    guard current == .mark(mark) else { return false }
    advance()
    return true
  }

  mutating func skip(name: String) -> Bool {
    guard current == .name(name) else { return false }
    advance()
    return true
  }

  mutating func expect(_ kind: JinjaToken.Kind) throws(TemplateError) {
    guard current == kind else {
      throw fail("expected \(kind.described), found \(current.described)")
    }
    advance()
  }

  mutating func expectName() throws(TemplateError) -> String {
    guard case .name(let name) = current else {
      throw fail("expected a name, found \(current.described)")
    }
    advance()
    return name
  }

  func fail(_ reason: String) -> TemplateError { .syntax(line: line, reason: reason) }

  /// Counts one level of nesting; every caller leaves it again with `leave`.
  mutating func enter() throws(TemplateError) {
    guard depth < depthLimit else { throw .limitExceeded(.depth, limit: depthLimit) }
    depth += 1
  }

  mutating func leave() { depth -= 1 }

  // MARK: Inventory

  mutating func note(_ use: JinjaInventory.Use) { inventory.note(use) }
  mutating func openScope(_ names: [String]) { inventory.openMacro(parameters: names) }
  mutating func closeScope() -> Set<String> { inventory.closeMacro() }

  // MARK: Statements

  /// Reads up to a tag named in `ends`, which is left as the current token, or to the end.
  mutating func parseBody(until ends: [String]) throws(TemplateError) -> [JinjaStatement] {
    try enter()
    var body: [JinjaStatement] = []
    while true {
      let line = self.line
      switch current {
      case .text(let bytes):
        advance()
        let text = ProvenanceText(bytes, isTemplate: true)
        body.append(JinjaStatement(kind: .text(text), line: line))
      case .variableBegin:
        advance()
        let value = try parseTuple()
        try expect(.variableEnd)
        body.append(JinjaStatement(kind: .output(value), line: line))
      case .blockBegin:
        advance()
        if case .name(let name) = current, ends.contains(name) {
          leave()
          return body
        }
        let kinds = try parseStatement(line: line)
        body.append(contentsOf: kinds.map { JinjaStatement(kind: $0, line: line) })
        try expect(.blockEnd)
      case .end where ends.isEmpty:
        leave()
        return body
      default:
        throw fail(
          "expected \(ends.map { "'\($0)'" }.joined(separator: " or ")), found "
            + current.described)
      }
    }
  }

  /// Reads the end of a tag and the block up to one of `ends`, whose name is returned.
  private mutating func parseBlock(
    until ends: [String]
  ) throws(TemplateError) -> (body: [JinjaStatement], end: String) {
    _ = skip(.colon)
    try expect(.blockEnd)
    let body = try parseBody(until: ends)
    return (body, try expectName())
  }

  private mutating func parseStatement(
    line: Int
  ) throws(TemplateError) -> [JinjaStatement.Kind] {
    let tag = try expectName()
    switch tag {
    case "if": return [try parseIf()]
    case "for": return [try parseFor()]
    case "set": return [try parseSet()]
    case "macro":
      let name = try expectName()
      note(.assignment(name))
      let macro = try parseMacro(name: name, parameters: parseParameters(), end: "endmacro")
      return [.macro(macro)]
    case "call": return [try parseCallBlock()]
    case "filter":
      let filters = try parseFilters(startsInline: true)
      return [.filterBlock(filters, body: try parseBlock(until: ["endfilter"]).body)]
    case "with": return [try parseWith()]
    case "generation": return [.generation(try parseBlock(until: ["endgeneration"]).body)]
    case "print": return try parsePrint()
    case "break", "continue":
      guard loopDepth > 0 else { throw fail("'\(tag)' stands outside a loop") }
      return [tag == "break" ? .break : .continue]
    case "include", "import", "from", "extends", "block", "autoescape", "do", "trans", "debug":
      // The rest of the tag is of no use once it is refused.
      throw .unsupported(["tag '\(tag)'"])
    default:
      if tag.hasPrefix("end") || tag == "else" || tag == "elif" {
        throw fail("'\(tag)' does not close anything here")
      }
      throw .unsupported(["tag '\(tag)'"])
    }
  }

  private mutating func parseIf() throws(TemplateError) -> JinjaStatement.Kind {
    var branches: [JinjaBranch] = []
    while true {
      let condition = try parseTuple(allowsConditional: false)
      let (body, end) = try parseBlock(until: ["elif", "else", "endif"])
      branches.append(JinjaBranch(condition: condition, body: body))
      switch end {
      case "elif": continue
      case "else":
        return .choice(branches, otherwise: try parseBlock(until: ["endif"]).body)
      default: return .choice(branches, otherwise: [])
      }
    }
  }

  private mutating func parseFor() throws(TemplateError) -> JinjaStatement.Kind {
    let target = try parseTarget(allowsAttribute: false, end: "in")
    guard skip(name: "in") else { throw fail("expected 'in', found \(current.described)") }
    let sequence = try parseTuple(allowsConditional: false, end: "recursive")
    let filter = skip(name: "if") ? try parseExpression() : nil
    let isRecursive = skip(name: "recursive")
    note(.assignment("loop"))
    loopDepth += 1
    let (body, end) = try parseBlock(until: ["endfor", "else"])
    loopDepth -= 1
    let otherwise = end == "else" ? try parseBlock(until: ["endfor"]).body : []
    return .loop(
      JinjaLoop(
        target: target, sequence: sequence, filter: filter, isRecursive: isRecursive, body: body,
        otherwise: otherwise))
  }

  private mutating func parseSet() throws(TemplateError) -> JinjaStatement.Kind {
    let target = try parseTarget(allowsAttribute: true, end: nil)
    if skip(.assign) { return .set(target, try parseTuple()) }
    let filters = try parseFilters(startsInline: false)
    return .setBlock(target, filters: filters, body: try parseBlock(until: ["endset"]).body)
  }

  private mutating func parseWith() throws(TemplateError) -> JinjaStatement.Kind {
    var assignments: [JinjaAssignment] = []
    while current != .blockEnd {
      if !assignments.isEmpty { try expect(.mark(.comma)) }
      let target = try parseTarget(allowsAttribute: false, end: nil)
      try expect(.mark(.assign))
      assignments.append(JinjaAssignment(target: target, value: try parseExpression()))
    }
    return .with(assignments, body: try parseBlock(until: ["endwith"]).body)
  }

  private mutating func parsePrint() throws(TemplateError) -> [JinjaStatement.Kind] {
    var values: [JinjaStatement.Kind] = []
    while current != .blockEnd {
      if !values.isEmpty { try expect(.mark(.comma)) }
      values.append(.output(try parseExpression()))
    }
    return values
  }

  // MARK: Macros

  private mutating func parseParameters() throws(TemplateError) -> [JinjaMacro.Parameter] {
    var parameters: [JinjaMacro.Parameter] = []
    try expect(.mark(.leftParenthesis))
    while current != .mark(.rightParenthesis) {
      if !parameters.isEmpty { try expect(.mark(.comma)) }
      let name = try expectName()
      note(.assignment(name))
      let value = skip(.assign) ? try parseExpression() : nil
      if value == nil, parameters.last?.defaultValue != nil {
        throw fail("a parameter without a default follows one with a default")
      }
      parameters.append(JinjaMacro.Parameter(name: name, defaultValue: value))
    }
    advance()
    return parameters
  }

  private mutating func parseMacro(
    name: String, parameters: [JinjaMacro.Parameter], end: String
  ) throws(TemplateError) -> JinjaMacro {
    let outerLoops = loopDepth
    loopDepth = 0
    openScope(parameters.map(\.name))
    let body = try parseBlock(until: [end]).body
    loopDepth = outerLoops
    return JinjaMacro(name: name, parameters: parameters, body: body, reads: closeScope())
  }

  private mutating func parseCallBlock() throws(TemplateError) -> JinjaStatement.Kind {
    let parameters = current == .mark(.leftParenthesis) ? try parseParameters() : []
    let call = try parseExpression()
    guard case .postfix(_, let postfixes) = call, case .call = postfixes.last else {
      throw fail("a call block needs a call")
    }
    let macro = try parseMacro(name: "caller", parameters: parameters, end: "endcall")
    return .callBlock(macro, call: call)
  }
}
