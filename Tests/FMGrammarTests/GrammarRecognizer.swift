import FMGrammar

/// Says of a whole text whether a grammar allows it, as plainly as that can be done.
///
/// It follows the definitions of the rules with no thought for speed, and is what the matcher and the
/// schemas are judged by. White space is that of `WhiteSpace.oneLine`.
struct GrammarRecognizer {
  private struct Place: Hashable {
    var rule: Grammar.Index
    var position: Int
  }

  private let grammar: Grammar
  private let text: [UInt8]
  private var known: [Place: Set<Int>] = [:]

  static func accepts(_ grammar: Grammar, _ text: String) -> Bool {
    accepts(grammar, Array(text.utf8))
  }

  static func accepts(_ grammar: Grammar, _ text: [UInt8]) -> Bool {
    var recognizer = GrammarRecognizer(grammar: grammar, text: text)
    return recognizer.ends(grammar.root, 0).contains(text.count)
  }

  private init(grammar: Grammar, text: [UInt8]) {
    self.grammar = grammar
    self.text = text
  }

  /// Where a rule that begins at a position may end.
  private mutating func ends(_ rule: Grammar.Index, _ position: Int) -> Set<Int> {
    let place = Place(rule: rule, position: position)
    if let known = known[place] { return known }
    var result: Set<Int> = []
    switch grammar.rules[Int(rule)] {
    case .empty: result = [position]
    case .literal(let bytes):
      if follows(bytes, position) { result = [position + bytes.count] }
    case .automaton(let automaton): result = ends(automaton, position)
    case .string(let rule):
      if let end = stringEnd(position) {
        let count = codePoints(position, end)
        if count >= rule.minimum, count <= rule.maximum ?? .max { result = [end] }
      }
    case .sequence(let parts):
      result = [position]
      for part in parts {
        var next: Set<Int> = []
        for end in result { next.formUnion(ends(part, end)) }
        result = next
      }
    case .choice(let parts):
      for part in parts { result.formUnion(ends(part, position)) }
    case .array(let rule):
      if follows([0x5B], position) { result = arrayEnds(rule, 0, position + 1, []) }
    case .object(let rule):
      if follows([0x7B], position) { result = objectEnds(rule, 0, position + 1, []) }
    case .token: break
    }
    known[place] = result
    return result
  }

  private func follows(_ bytes: [UInt8], _ position: Int) -> Bool {
    position + bytes.count <= text.count
      && text[position..<position + bytes.count].elementsEqual(bytes)
  }

  private func ends(_ automaton: ByteAutomaton, _ start: Int) -> Set<Int> {
    var result: Set<Int> = []
    var state: ByteAutomaton.State = 0
    var position = start
    while true {
      if automaton.accepting[Int(state)] { result.insert(position) }
      guard position < text.count else { return result }
      state = automaton.next(state, text[position])
      if state == ByteAutomaton.dead { return result }
      position += 1
    }
  }

  /// After the separator that stands before a part, if it stands there.
  private func afterSeparator(_ position: Int, isFirst: Bool) -> Int? {
    if isFirst { return position }
    return follows([0x2C, 0x20], position) ? position + 2 : nil
  }

  // MARK: Arrays and objects

  private mutating func arrayEnds(
    _ rule: ArrayRule, _ count: Int, _ position: Int, _ elements: [[UInt8]]
  ) -> Set<Int> {
    var result: Set<Int> = []
    if count >= rule.minimum, follows([0x5D], position) { result.insert(position + 1) }
    guard count < rule.maximum ?? .max,
      let element = count < rule.prefix.count ? rule.prefix[count] : rule.items,
      let start = afterSeparator(position, isFirst: count == 0)
    else { return result }
    for end in ends(element, start) {
      let spelling = Array(text[start..<end])
      if rule.isUnique, elements.contains(spelling) { continue }
      let next = rule.isUnique ? elements + [spelling] : []
      result.formUnion(arrayEnds(rule, count + 1, end, next))
    }
    return result
  }

  private mutating func objectEnds(
    _ rule: ObjectRule, _ member: Int, _ position: Int, _ keys: [[UInt8]]
  ) -> Set<Int> {
    var result: Set<Int> = []
    let hasAll = rule.members[member...].allSatisfy { !$0.isRequired }
    if hasAll, keys.count >= rule.minimum, follows([0x7D], position) {
      result.insert(position + 1)
    }
    guard keys.count < rule.maximum ?? .max,
      let start = afterSeparator(position, isFirst: keys.isEmpty),
      let keyEnd = stringEnd(start), follows([0x3A, 0x20], keyEnd)
    else { return result }
    let key = Array(text[start..<keyEnd])
    var values: [(value: Grammar.Index, next: Int)] = []
    for index in member..<rule.members.count {
      if rule.members[index].key == key { values.append((rule.members[index].value, index + 1)) }
      if rule.members[index].isRequired { break }
    }
    let isTaken =
      keys.contains(key) || rule.members.contains { $0.key == key }
      || rule.reservedKeys.contains(key)
    if hasAll, !isTaken {
      for others in rule.others where others.key.accepts(key) {
        values.append((others.value, rule.members.count))
      }
    }
    for (value, next) in values {
      for end in ends(value, keyEnd + 2) {
        result.formUnion(objectEnds(rule, next, end, keys + [key]))
      }
    }
    return result
  }

  // MARK: Strings

  /// After the closing quote of the string that begins at a position.
  private func stringEnd(_ start: Int) -> Int? {
    guard follows([0x22], start) else { return nil }
    var position = start + 1
    while position < text.count {
      switch text[position] {
      case 0x22: return position + 1
      case 0x5C:
        guard position + 1 < text.count else { return nil }
        switch text[position + 1] {
        case 0x22, 0x5C, 0x2F, 0x62, 0x66, 0x6E, 0x72, 0x74: position += 2
        case 0x75:
          guard let unit = unit(position) else { return nil }
          position += 6
          if unit & 0xFC00 == 0xD800 {
            guard let low = self.unit(position), low & 0xFC00 == 0xDC00 else { return nil }
            position += 6
          } else if unit & 0xFC00 == 0xDC00 {
            return nil
          }
        default: return nil
        }
      case ..<0x20: return nil
      default: position += 1
      }
    }
    return nil
  }

  private func unit(_ position: Int) -> UInt16? {
    guard follows([0x5C, 0x75], position), position + 6 <= text.count else { return nil }
    return UInt16(String(decoding: text[position + 2..<position + 6], as: UTF8.self), radix: 16)
  }

  private func codePoints(_ start: Int, _ end: Int) -> Int {
    var count = 0
    var position = start + 1
    while position < end - 1 {
      if text[position] == 0x5C {
        if let unit = unit(position) {
          position += unit & 0xFC00 == 0xD800 ? 12 : 6
        } else {
          position += 2
        }
        count += 1
      } else {
        if text[position] & 0xC0 != 0x80 { count += 1 }
        position += 1
      }
    }
    return count
  }
}
