/// An expression; chains of one precedence are lists, so that depth is what brackets make it.
indirect enum JinjaExpression: Sendable {
  case string(ProvenanceText)
  case integer(Int)
  case float(Double)
  case bool(Bool)
  case none
  case name(String)
  case tuple([JinjaExpression])
  case list([JinjaExpression])
  case dict([JinjaPair])
  case negative(JinjaExpression)
  case positive(JinjaExpression)
  case not(JinjaExpression)
  case postfix(JinjaExpression, [JinjaPostfix])
  case arithmetic(JinjaExpression, [JinjaOperand<JinjaArithmetic>])
  case concatenation([JinjaExpression])
  case comparison(JinjaExpression, [JinjaOperand<JinjaComparison>])
  case and([JinjaExpression])
  case or([JinjaExpression])
  case conditional(JinjaConditional)
}

/// A key with its value in a dict literal.
struct JinjaPair: Sendable {
  var key: JinjaExpression
  var value: JinjaExpression
}

/// An operator with what stands to its right.
struct JinjaOperand<Operator: Sendable>: Sendable {
  var operation: Operator
  var right: JinjaExpression
}

enum JinjaArithmetic: Sendable {
  case add, subtract, multiply, divide, floorDivide, modulo, power
}

enum JinjaComparison: Sendable {
  case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual, contained, notContained
}

/// `value if condition else alternative`; without `else` it is undefined.
struct JinjaConditional: Sendable {
  var value: JinjaExpression
  var condition: JinjaExpression
  var alternative: JinjaExpression?
}

/// What can follow a value: access, calls, filters and tests, applied from left to right.
enum JinjaPostfix: Sendable {
  case attribute(String)
  case item(JinjaExpression)
  case slice(JinjaSlice)
  case call(JinjaArguments)
  case filter(JinjaFilter, JinjaArguments)
  case test(JinjaTest, JinjaArguments, negated: Bool)
}

struct JinjaSlice: Sendable {
  var start: JinjaExpression?
  var stop: JinjaExpression?
  var step: JinjaExpression?
}

/// Arguments as written at a call.
struct JinjaArguments: Sendable {
  struct Keyword: Sendable {
    var name: String
    var value: JinjaExpression
  }

  var positional: [JinjaExpression] = []
  var keywords: [Keyword] = []
  /// What follows a `*`.
  var unpackedList: JinjaExpression?
  /// What follows a `**`.
  var unpackedDict: JinjaExpression?
}

/// What a value is assigned to.
indirect enum JinjaTarget: Sendable {
  case name(String)
  case attribute(of: String, String)
  case tuple([JinjaTarget])
}

/// A statement with the line it starts on.
struct JinjaStatement: Sendable {
  indirect enum Kind: Sendable {
    case text(ProvenanceText)
    case output(JinjaExpression)
    case choice([JinjaBranch], otherwise: [JinjaStatement])
    case loop(JinjaLoop)
    case set(JinjaTarget, JinjaExpression)
    case setBlock(JinjaTarget, filters: [JinjaPostfix], body: [JinjaStatement])
    case macro(JinjaMacro)
    case callBlock(JinjaMacro, call: JinjaExpression)
    case filterBlock([JinjaPostfix], body: [JinjaStatement])
    case with([JinjaAssignment], body: [JinjaStatement])
    /// `{% generation %}`: the body in a scope of its own.
    case generation([JinjaStatement])
    case `break`
    case `continue`
  }

  var kind: Kind
  var line: Int
}

struct JinjaAssignment: Sendable {
  var target: JinjaTarget
  var value: JinjaExpression
}

struct JinjaBranch: Sendable {
  var condition: JinjaExpression
  var body: [JinjaStatement]
}

/// A `for` loop; a class, so that a recursive loop's variable can refer to it.
final class JinjaLoop: Sendable {
  let target: JinjaTarget
  let sequence: JinjaExpression
  let filter: JinjaExpression?
  let isRecursive: Bool
  let body: [JinjaStatement]
  let otherwise: [JinjaStatement]

  init(
    target: JinjaTarget, sequence: JinjaExpression, filter: JinjaExpression?, isRecursive: Bool,
    body: [JinjaStatement], otherwise: [JinjaStatement]
  ) {
    self.target = target
    self.sequence = sequence
    self.filter = filter
    self.isRecursive = isRecursive
    self.body = body
    self.otherwise = otherwise
  }
}

/// A macro, or the body of a call block.
final class JinjaMacro: Sendable {
  struct Parameter: Sendable {
    var name: String
    var defaultValue: JinjaExpression?
  }

  let name: String
  let parameters: [Parameter]
  let body: [JinjaStatement]
  /// Whether the body reads `varargs`, `kwargs` or `caller`; what it does not read it refuses.
  let readsExtraPositional: Bool
  let readsExtraKeywords: Bool
  let readsCaller: Bool

  init(name: String, parameters: [Parameter], body: [JinjaStatement], reads: Set<String>) {
    self.name = name
    self.parameters = parameters
    self.body = body
    readsExtraPositional = reads.contains("varargs")
    readsExtraKeywords = reads.contains("kwargs")
    readsCaller = reads.contains("caller")
  }
}
