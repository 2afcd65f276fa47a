import FMCore

/// A JSON value as a trace file has it; members keep their order.
indirect enum TraceJSON: Sendable {
  case null
  case bool(Bool)
  case integer(Int)
  case number(Double)
  case string(String)
  case array([TraceJSON])
  case object([(key: String, value: TraceJSON)])

  /// The first member of a name.
  subscript(key: String) -> TraceJSON? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.key == key }?.value
  }

  var integer: Int? { if case .integer(let value) = self { value } else { nil } }
  var string: String? { if case .string(let value) = self { value } else { nil } }
  var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
}

/// Reads one JSON value from bytes that nobody vouches for, within bounds of nesting and number.
enum TraceJSONReader {
  private static let options = JSONTreeOptions(depth: 8, values: 4096)
  private static let longestNumber = 40

  /// The value that the bytes are, with blanks around it.
  static func read(_ bytes: ArraySlice<UInt8>) throws(JSONTreeFault) -> TraceJSON {
    try value(JSONTreeReader.read(bytes, options: options))
  }

  private static func value(_ tree: JSONTree) throws(JSONTreeFault) -> TraceJSON {
    switch tree {
    case .null: return .null
    case .boolean(let flag): return .bool(flag)
    case .number(let numeral): return try number(numeral)
    case .string(let text): return .string(String(decoding: text, as: UTF8.self))
    case .array(let elements):
      var items: [TraceJSON] = []
      for element in elements { items.append(try value(element)) }
      return .array(items)
    case .object(let members):
      var named: [(key: String, value: TraceJSON)] = []
      for member in members {
        named.append((String(decoding: member.name, as: UTF8.self), try value(member.value)))
      }
      return .object(named)
    }
  }

  private static func number(_ numeral: JSONNumeral) throws(JSONTreeFault) -> TraceJSON {
    func fault(_ reason: String) -> JSONTreeFault {
      JSONTreeFault(kind: .syntax, offset: numeral.end, reason: reason)
    }
    guard numeral.spelling.count <= longestNumber else { throw fault("a number is too long") }
    let text = String(decoding: numeral.spelling, as: UTF8.self)
    if numeral.isInteger, let value = Int(text) { return .integer(value) }
    guard let value = Double(text), value.isFinite else { throw fault("no number") }
    return .number(value)
  }
}
