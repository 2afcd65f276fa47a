/// One lexical element of a template with the line it starts on.
struct JinjaToken: Sendable {
  enum Kind: Sendable, Equatable {
    case text([UInt8])
    case variableBegin, variableEnd, blockBegin, blockEnd
    case name(String)
    case string([UInt8])
    case integer(Int)
    case float(Double)
    case mark(JinjaMark)
    case end
  }

  var kind: Kind
  var line: Int
}

/// The operators and brackets of expressions.
enum JinjaMark: String, Sendable, CaseIterable {
  case floorDivide = "//"
  case power = "**"
  case equal = "=="
  case notEqual = "!="
  case greaterOrEqual = ">="
  case lessOrEqual = "<="
  case add = "+"
  case subtract = "-"
  case divide = "/"
  case multiply = "*"
  case modulo = "%"
  case tilde = "~"
  case leftBracket = "["
  case rightBracket = "]"
  case leftParenthesis = "("
  case rightParenthesis = ")"
  case leftBrace = "{"
  case rightBrace = "}"
  case greater = ">"
  case less = "<"
  case assign = "="
  case dot = "."
  case colon = ":"
  case pipe = "|"
  case comma = ","
  case semicolon = ";"

  /// Reads the longest mark at the start of `bytes`.
  init?(first: UInt8, second: UInt8?) {
    if let second, let mark = Self(rawValue: String(decoding: [first, second], as: UTF8.self)) {
      self = mark
      return
    }
    guard let mark = Self(rawValue: String(decoding: [first], as: UTF8.self)) else { return nil }
    self = mark
  }
}

extension JinjaToken.Kind {
  /// What an error message calls this token.
  var described: String {
    switch self {
    case .text: "text"
    case .variableBegin: "'{{'"
    case .variableEnd: "'}}'"
    case .blockBegin: "'{%'"
    case .blockEnd: "'%}'"
    case .name(let name): "'\(name)'"
    case .string: "a string"
    case .integer, .float: "a number"
    case .mark(let mark): "'\(mark.rawValue)'"
    case .end: "the end of the template"
    }
  }
}
