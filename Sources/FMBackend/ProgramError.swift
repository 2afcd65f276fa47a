/// What makes a ``Program`` impossible to run; a mistake of the architecture that built it.
package enum ProgramError: Error, Equatable, Sendable {
  /// An op or table names a value, weight or table the program does not have.
  case unknownID(op: Int?, kind: String, index: Int, count: Int)
  /// An op reads a value no earlier op wrote.
  case readBeforeWritten(op: Int, value: String)
  /// An op reads a layer's cache that no earlier op writes.
  case cacheBeforeWritten(op: Int, layer: Int)
  /// Two sizes that must agree do not.
  case sizeMismatch(op: Int?, what: String, expected: Int, found: Int)
  /// A size is zero, negative, too large, or not a multiple of what it must be.
  case badSize(op: Int?, what: String, found: Int)
  /// A value is in the wrong row domain.
  case wrongDomain(op: Int?, value: String, expected: RowDomain)
  /// An op's output is an input that it may not overwrite.
  case overwritesInput(op: Int, value: String)
  /// An op names a layer that is in no group of the cache, or a layer is in two.
  case badLayer(op: Int?, layer: Int)
  /// Two weights have one name.
  case duplicateWeight(name: String)
  /// Stage boundaries are not ascending indices of ops.
  case badStageBoundary(Int)
}

extension ProgramError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .unknownID(let op, let kind, let index, let count):
      "\(Self.place(op))\(kind) \(index) of \(count)"
    case .readBeforeWritten(let op, let value):
      "\(Self.place(op))reads '\(value)', which nothing wrote before"
    case .cacheBeforeWritten(let op, let layer):
      "\(Self.place(op))attends over layer \(layer), which nothing stored before"
    case .sizeMismatch(let op, let what, let expected, let found):
      "\(Self.place(op))\(what) is \(found), expected \(expected)"
    case .badSize(let op, let what, let found):
      "\(Self.place(op))\(what) cannot be \(found)"
    case .wrongDomain(let op, let value, let expected):
      "\(Self.place(op))'\(value)' is not of the domain '\(expected.rawValue)'"
    case .overwritesInput(let op, let value):
      "\(Self.place(op))overwrites its input '\(value)'"
    case .badLayer(let op, let layer):
      "\(Self.place(op))layer \(layer) is not in exactly one group of the cache"
    case .duplicateWeight(let name):
      "two weights are called '\(name)'"
    case .badStageBoundary(let index):
      "stage boundary \(index) is out of order"
    }
  }

  private static func place(_ op: Int?) -> String { op.map { "op \($0): " } ?? "" }
}
