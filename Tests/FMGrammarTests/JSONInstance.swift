@testable import FMGrammar

/// JSON values as texts that a grammar is asked about.
struct JSONInstance {
  let value: JSONValue

  /// The value in one line, for every order of members up to a bound.
  func spellings(limit: Int = 1_500) -> [[UInt8]] { Self.spellings(value, limit) }

  private static func spellings(_ value: JSONValue, _ limit: Int) -> [[UInt8]] {
    switch value {
    case .null: return [Array("null".utf8)]
    case .boolean(let isTrue): return [Array("\(isTrue)".utf8)]
    case .number(let number): return [number.spelling]
    case .string(let text): return [quoted(text)]
    case .array(let items):
      return products(items.map { spellings($0, limit) }, limit).map {
        Array("[".utf8) + $0.joined(separator: ", ".utf8) + Array("]".utf8)
      }
    case .object(let members):
      var result: [[UInt8]] = []
      for order in orders(members, limit) {
        let parts = order.map { member in
          spellings(member.value, limit).map { quoted(member.name) + ": ".utf8 + $0 }
        }
        result += products(parts, limit).map {
          Array("{".utf8) + $0.joined(separator: ", ".utf8) + Array("}".utf8)
        }
        if result.count >= limit { break }
      }
      return result
    }
  }

  private static func quoted(_ text: [UInt8]) -> [UInt8] {
    JSONStringAutomaton.canonical(String(decoding: text, as: UTF8.self))
  }

  private static func products(_ choices: [[[UInt8]]], _ limit: Int) -> [[[UInt8]]] {
    var result: [[[UInt8]]] = [[]]
    for choice in choices {
      var next: [[[UInt8]]] = []
      for start in result {
        for part in choice where next.count < limit { next.append(start + [part]) }
      }
      result = next
    }
    return result
  }

  private static func orders(_ members: [JSONMember], _ limit: Int) -> [[JSONMember]] {
    if members.count < 2 { return [members] }
    var result: [[JSONMember]] = []
    for index in members.indices {
      var rest = members
      let first = rest.remove(at: index)
      for order in orders(rest, limit) where result.count < limit { result.append([first] + order) }
    }
    return result
  }
}
