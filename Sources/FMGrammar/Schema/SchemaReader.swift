import FMCore

/// Reads the JSON text of a schema.
///
/// Stricter than most readers, since nothing of a schema may be lost: no repeated names, no half of a
/// surrogate pair, no byte that is not UTF-8.
enum SchemaReader {
  /// The deepest nesting of arrays and objects.
  static let maximumDepth = 256
  /// The longest text, in bytes.
  static let maximumBytes = 4 << 20

  /// - Throws: `GrammarError.invalidSchema` with the byte offset of the fault, or `limitExceeded`
  ///   for nesting and length.
  static func value(of bytes: [UInt8]) throws(GrammarError) -> JSONValue {
    guard bytes.count <= maximumBytes else {
      throw .limitExceeded(.sourceBytes, limit: maximumBytes)
    }
    let options = JSONTreeOptions(depth: maximumDepth, isStrict: true)
    do throws(JSONTreeFault) {
      return try value(JSONTreeReader.read(bytes[...], options: options))
    } catch {
      guard error.kind == .syntax else { throw .limitExceeded(.depth, limit: maximumDepth) }
      throw .invalidSchema(path: "", offset: error.offset, reason: error.reason)
    }
  }

  private static func value(_ tree: JSONTree) throws(JSONTreeFault) -> JSONValue {
    switch tree {
    case .null: return .null
    case .boolean(let flag): return .boolean(flag)
    case .number(let numeral):
      guard let decimal = JSONDecimal(spelling: numeral.spelling[...]) else {
        throw JSONTreeFault(
          kind: .syntax, offset: numeral.end,
          reason: "a number with over \(JSONDecimal.limit) digits")
      }
      return .number(decimal)
    case .string(let text): return .string(text)
    case .array(let elements):
      var items: [JSONValue] = []
      for element in elements { items.append(try value(element)) }
      return .array(items)
    case .object(let members):
      var named: [JSONMember] = []
      for member in members {
        named.append(JSONMember(name: member.name, value: try value(member.value)))
      }
      return .object(named)
    }
  }
}
