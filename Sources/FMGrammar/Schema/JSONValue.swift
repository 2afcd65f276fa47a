/// A JSON value with the order of its members and the exact value of its numbers.
indirect enum JSONValue: Sendable, Hashable {
  case null
  case boolean(Bool)
  case number(JSONDecimal)
  /// UTF-8.
  case string([UInt8])
  case array([JSONValue])
  case object([JSONMember])
}

/// A member of an object; no two have one name.
struct JSONMember: Sendable, Hashable {
  /// UTF-8.
  var name: [UInt8]
  var value: JSONValue
}

extension JSONValue {
  /// An object's member, found by looking at each.
  subscript(name: StaticString) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return name.withUTF8Buffer { bytes in
      members.first { $0.name.elementsEqual(bytes) }?.value
    }
  }

  /// The text of a string.
  var text: String? {
    guard case .string(let bytes) = self else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }
}
