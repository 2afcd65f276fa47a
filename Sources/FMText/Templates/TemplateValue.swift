/// A JSON-like value given to a chat template; objects keep the order their members were given in.
package indirect enum TemplateValue: Sendable, Hashable {
  case null
  case bool(Bool)
  case integer(Int)
  case number(Double)
  case string(String)
  case array([TemplateValue])
  case object(TemplateObject)
}

/// The members of a JSON object in order; a repeated key replaces the earlier value in place.
package struct TemplateObject: Sendable, Hashable {
  /// One key with its value.
  package struct Member: Sendable, Hashable {
    package var key: String
    package var value: TemplateValue

    package init(key: String, value: TemplateValue) {
      self.key = key
      self.value = value
    }
  }

  package private(set) var members: [Member] = []
  /// Keyed by UTF-8, since `String` holds canonically equivalent keys for equal.
  private var positions: [[UInt8]: Int] = [:]

  package init() {}

  package init(_ members: [Member]) {
    for member in members { self[member.key] = member.value }
  }

  /// The value of `key`; setting nil removes the member.
  ///
  /// - Complexity: O(1), but O(n) to remove.
  package subscript(key: String) -> TemplateValue? {
    get { positions[Array(key.utf8)].map { members[$0].value } }
    set {
      let name = Array(key.utf8)
      switch (positions[name], newValue) {
      case (let position?, let value?):
        members[position].value = value
      case (nil, let value?):
        positions[name] = members.count
        members.append(Member(key: key, value: value))
      case (let position?, nil):
        members.remove(at: position)
        positions = [:]
        for (index, member) in members.enumerated() { positions[Array(member.key.utf8)] = index }
      case (nil, nil):
        break
      }
    }
  }
}

extension TemplateObject: ExpressibleByDictionaryLiteral {
  package init(dictionaryLiteral elements: (String, TemplateValue)...) {
    for (key, value) in elements { self[key] = value }
  }
}

extension TemplateValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral, ExpressibleByNilLiteral,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  package init(stringLiteral value: String) { self = .string(value) }
  package init(integerLiteral value: Int) { self = .integer(value) }
  package init(floatLiteral value: Double) { self = .number(value) }
  package init(booleanLiteral value: Bool) { self = .bool(value) }
  package init(nilLiteral: ()) { self = .null }
  package init(arrayLiteral elements: TemplateValue...) { self = .array(elements) }
  package init(dictionaryLiteral elements: (String, TemplateValue)...) {
    self = .object(TemplateObject(elements.map { TemplateObject.Member(key: $0.0, value: $0.1) }))
  }
}
