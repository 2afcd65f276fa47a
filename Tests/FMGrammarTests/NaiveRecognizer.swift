import FMGrammar

/// A recognizer by backtracking that shares nothing with the matcher: for short texts only.
struct NaiveRecognizer {
  let grammar: Grammar
  let whiteSpace: WhiteSpace

  func accepts(_ text: [UInt8]) -> Bool {
    ends(grammar.root, text, 0).contains(text.count)
  }

  /// Where a word of a rule that begins at `start` may end.
  func ends(_ rule: Grammar.Index, _ text: [UInt8], _ start: Int) -> Set<Int> {
    switch grammar.rules[Int(rule)] {
    case .empty, .token: return [start]
    case .literal(let bytes): return after(bytes, text, [start])
    case .automaton(let automaton): return ends(automaton, text, start)
    case .string(let string): return end(string, text, start).map { [$0] } ?? []
    case .sequence(let parts):
      return parts.reduce([start]) { places, part in
        Set(places.flatMap { ends(part, text, $0) })
      }
    case .choice(let parts):
      return Set(parts.flatMap { ends($0, text, start) })
    case .array(let array): return ends(array, text, start)
    case .object(let object): return ends(object, text, start)
    }
  }

  private func after(_ bytes: [UInt8], _ text: [UInt8], _ places: Set<Int>) -> Set<Int> {
    Set(places.filter { text[$0...].starts(with: bytes) }.map { $0 + bytes.count })
  }

  private func gap(_ text: [UInt8], _ places: Set<Int>) -> Set<Int> {
    guard case .upTo(let limit) = whiteSpace else { return places }
    var found = places
    for place in places {
      var end = place
      while end < text.count, end - place < limit, [0x20, 9, 10, 13].contains(text[end]) {
        end += 1
        found.insert(end)
      }
    }
    return found
  }

  private func mark(_ byte: UInt8, _ text: [UInt8], _ places: Set<Int>) -> Set<Int> {
    let isSpaced = whiteSpace == .oneLine
    let found = after(isSpaced ? [byte, 0x20] : [byte], text, gap(text, places))
    return gap(text, found)
  }

  private func ends(_ automaton: ByteAutomaton, _ text: [UInt8], _ start: Int) -> Set<Int> {
    var state: Int32 = 0
    var place = start
    var found: Set<Int> = automaton.accepting[0] ? [start] : []
    while place < text.count {
      state = automaton.next(state, text[place])
      if state < 0 { break }
      place += 1
      if automaton.accepting[Int(state)] { found.insert(place) }
    }
    return found
  }

  private func end(_ rule: StringRule, _ text: [UInt8], _ start: Int) -> Int? {
    guard start < text.count, text[start] == 0x22 else { return nil }
    var place = start + 1
    var count = 0
    while place < text.count {
      if text[place] == 0x22 {
        return count >= rule.minimum && count <= rule.maximum ?? Int.max ? place + 1 : nil
      }
      guard let next = endOfScalar(text, place) else { return nil }
      place = next
      count += 1
    }
    return nil
  }

  private func endOfScalar(_ text: [UInt8], _ place: Int) -> Int? {
    if text[place] == 0x5c {
      guard place + 1 < text.count else { return nil }
      if text[place + 1] != 0x75 {
        return "\"\\/bfnrt".utf8.contains(text[place + 1]) ? place + 2 : nil
      }
      guard let unit = unit(text, place) else { return nil }
      if (0xdc00..<0xe000).contains(unit) { return nil }
      guard (0xd800..<0xdc00).contains(unit) else { return place + 6 }
      guard let low = self.unit(text, place + 6), (0xdc00..<0xe000).contains(low) else {
        return nil
      }
      return place + 12
    }
    if text[place] < 0x20 { return nil }
    for length in 1...4 where place + length <= text.count {
      guard let scalar = String(validating: text[place..<place + length], as: UTF8.self) else {
        continue
      }
      return scalar.unicodeScalars.count == 1 ? place + length : nil
    }
    return nil
  }

  private func unit(_ text: [UInt8], _ place: Int) -> Int? {
    guard place + 6 <= text.count, text[place] == 0x5c, text[place + 1] == 0x75 else { return nil }
    let digits = text[place + 2..<place + 6]
    guard digits.allSatisfy({ Unicode.Scalar($0).properties.isASCIIHexDigit }) else { return nil }
    return Int(String(decoding: digits, as: UTF8.self), radix: 16)
  }

  private func ends(_ array: ArrayRule, _ text: [UInt8], _ start: Int) -> Set<Int> {
    struct State: Hashable {
      var place: Int
      var used: [[UInt8]]
    }
    var found: Set<Int> = []
    let first = gap(text, after([0x5b], text, [start]))
    if array.minimum <= 0 {
      found.formUnion(after([0x5d], text, first))
    }
    var states = Set(first.map { State(place: $0, used: []) })
    var count = 0
    while !states.isEmpty, count < array.maximum ?? Int.max {
      guard let element = count < array.prefix.count ? array.prefix[count] : array.items else {
        break
      }
      var next: Set<State> = []
      for state in states {
        for end in ends(element, text, state.place) {
          let word = Array(text[state.place..<end])
          if array.isUnique, state.used.contains(word) { continue }
          let used = array.isUnique ? state.used + [word] : []
          if count + 1 >= array.minimum {
            found.formUnion(after([0x5d], text, gap(text, [end])))
          }
          for place in mark(0x2c, text, [end]) { next.insert(State(place: place, used: used)) }
        }
      }
      states = next
      count += 1
    }
    return found
  }

  private func ends(_ object: ObjectRule, _ text: [UInt8], _ start: Int) -> Set<Int> {
    var found: Set<Int> = []
    let first = gap(text, after([0x7b], text, [start]))
    if object.minimum <= 0, !object.members.contains(where: \.isRequired) {
      found.formUnion(after([0x7d], text, first))
    }
    var taken = Set(object.members.map(\.key) + object.reservedKeys)
    for place in first { members(object, text, place, 0, 0, &taken, &found) }
    return found
  }

  /// Reads a member at `place`, of which named ones are at or after `index`, and what follows.
  private func members(
    _ object: ObjectRule, _ text: [UInt8], _ place: Int, _ index: Int, _ count: Int,
    _ taken: inout Set<[UInt8]>, _ found: inout Set<Int>
  ) {
    guard count < object.maximum ?? Int.max else { return }
    func goOn(_ ends: Set<Int>, _ next: Int, _ taken: inout Set<[UInt8]>, _ found: inout Set<Int>) {
      if count + 1 >= object.minimum, !object.members[next...].contains(where: \.isRequired) {
        found.formUnion(after([0x7d], text, gap(text, ends)))
      }
      for place in mark(0x2c, text, ends) {
        members(object, text, place, next, count + 1, &taken, &found)
      }
    }
    for member in index..<object.members.count {
      let colon = mark(0x3a, text, after(object.members[member].key, text, [place]))
      for start in colon {
        goOn(ends(object.members[member].value, text, start), member + 1, &taken, &found)
      }
      if object.members[member].isRequired { return }
    }
    for other in object.others {
      for end in ends(other.key, text, place) {
        let key = Array(text[place..<end])
        guard taken.insert(key).inserted else { continue }
        for start in mark(0x3a, text, [end]) {
          goOn(ends(other.value, text, start), object.members.count, &taken, &found)
        }
        taken.remove(key)
      }
    }
  }
}
