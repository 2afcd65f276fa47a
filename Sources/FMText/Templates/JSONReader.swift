import FMCore

/// Reads JSON text, keeping the order of members and the difference between `1` and `1.0`.
///
/// A number that is written as an integer must fit 64 bits. A repeated key takes the last value.
enum JSONReader {
  private static let depthLimit = 90

  /// - Throws: `TemplateError.invalidOperation` with the byte offset of the fault, or
  ///   `limitExceeded` for nesting over 90 levels.
  static func value(of bytes: [UInt8]) throws(TemplateError) -> TemplateValue {
    do throws(JSONTreeFault) {
      return try value(JSONTreeReader.read(bytes[...], options: JSONTreeOptions(depth: depthLimit)))
    } catch {
      guard error.kind == .syntax else { throw .limitExceeded(.depth, limit: depthLimit) }
      throw .invalidOperation(line: 0, reason: "JSON, byte \(error.offset): \(error.reason)")
    }
  }

  private static func value(_ tree: JSONTree) throws(JSONTreeFault) -> TemplateValue {
    switch tree {
    case .null: return .null
    case .boolean(let flag): return .bool(flag)
    case .number(let numeral): return try number(numeral)
    case .string(let text): return .string(String(decoding: text, as: UTF8.self))
    case .array(let elements):
      var items: [TemplateValue] = []
      for element in elements { items.append(try value(element)) }
      return .array(items)
    case .object(let members):
      var object = TemplateObject()
      for member in members {
        object[String(decoding: member.name, as: UTF8.self)] = try value(member.value)
      }
      return .object(object)
    }
  }

  private static func number(_ numeral: JSONNumeral) throws(JSONTreeFault) -> TemplateValue {
    let text = String(decoding: numeral.spelling, as: UTF8.self)
    guard numeral.isInteger else { return .number(Double(text) ?? .infinity) }
    guard let number = Int(text) else {
      throw JSONTreeFault(
        kind: .syntax, offset: numeral.end, reason: "an integer needs more than 64 bits")
    }
    return .integer(number)
  }
}

extension TemplateValue {
  /// Reads JSON text.
  ///
  /// - Throws: `TemplateError.invalidOperation` with the place and the reason.
  package init(json: String) throws(TemplateError) {
    self = try JSONReader.value(of: Array(json.utf8))
  }
}
