/// The fewest bytes of a word of each rule: the least fixpoint, each rule settled once, shortest first.
///
/// After D. E. Knuth, "A generalization of Dijkstra's algorithm" (1977). A rule that never settles has
/// no finite word.
struct MinimumBytes {
  /// What no finite word is counted as.
  static let none = Int.max
  /// Larger sums are counted as this.
  static let limit = Int.max / 8

  /// By rule; ``none`` where there is no word.
  private(set) var values: [Int]

  private let rules: [Rule]
  private let punctuation: Punctuation
  /// Rules that use each rule, one entry a use, complemented where they can do without: those of rule
  /// `r` are `userStarts[r] ..< [r + 1]`.
  private var userStarts: [Int32] = []
  private var users: [Grammar.Index] = []
  /// Uses that have to settle before a sequence, an array or an object can.
  private var waiting: [Int]
  /// How many uses have settled that a choice or an object can do without.
  private var attempts: [Int32]
  private var heap = MinimumHeap()

  init(_ rules: [Rule], _ punctuation: Punctuation) {
    self.rules = rules
    self.punctuation = punctuation
    values = Array(repeating: Self.none, count: rules.count)
    waiting = Array(repeating: 0, count: rules.count)
    attempts = Array(repeating: 0, count: rules.count)
    linkUsers()
    for rule in rules.indices {
      waiting[rule] = Self.required(rules[rule]).count
      if let value = candidate(rule) { heap.push(value, rule) }
    }
    while let (value, rule) = heap.pop() {
      guard values[rule] == Self.none else { continue }
      values[rule] = value
      for place in userStarts[rule]..<userStarts[rule + 1] { settle(users[Int(place)], rule) }
    }
  }

  /// The sum, at most ``limit``.
  static func sum(_ first: Int, _ second: Int) -> Int { min(first + second, limit) }

  /// The product, at most ``limit``.
  static func product(_ first: Int, _ second: Int) -> Int {
    let (product, overflow) = first.multipliedReportingOverflow(by: second)
    return overflow ? limit : min(product, limit)
  }

  /// The rules a rule cannot do without, one entry a use.
  private static func required(_ rule: Rule) -> [Grammar.Index] {
    switch rule {
    case .sequence(let parts): return parts
    case .array(let array):
      let first = array.prefix.prefix(max(0, array.minimum))
      guard array.minimum > array.prefix.count, let items = array.items else { return Array(first) }
      return first + [items]
    case .object(let object): return object.members.filter(\.isRequired).map(\.value)
    default: return []
    }
  }

  /// The rules a rule may use but can do without, one entry a use.
  private static func optional(_ rule: Rule) -> [Grammar.Index] {
    switch rule {
    case .choice(let alternatives): alternatives
    case .object(let object):
      object.members.filter { !$0.isRequired }.map(\.value) + object.others.map(\.value)
    default: []
    }
  }

  private mutating func linkUsers() {
    userStarts = Array(repeating: 0, count: rules.count + 1)
    for rule in rules {
      for use in Self.required(rule) + Self.optional(rule) { userStarts[Int(use) + 1] += 1 }
    }
    for rule in rules.indices { userStarts[rule + 1] += userStarts[rule] }
    users = Array(repeating: 0, count: Int(userStarts[rules.count]))
    var next = userStarts
    func link(_ user: Grammar.Index, _ uses: [Grammar.Index]) {
      for use in uses {
        users[Int(next[Int(use)])] = user
        next[Int(use)] += 1
      }
    }
    for (rule, content) in rules.enumerated() {
      link(Grammar.Index(rule), Self.required(content))
      link(~Grammar.Index(rule), Self.optional(content))
    }
  }

  /// Notes that one use of a settled rule by `link` is settled.
  private mutating func settle(_ link: Grammar.Index, _ rule: Int) {
    let user = Int(link >= 0 ? link : ~link)
    guard values[user] == Self.none else { return }
    if link >= 0 {
      waiting[user] -= 1
    } else {
      attempts[user] += 1
      switch rules[user] {
      case .choice:
        // The first alternative to settle is the shortest.
        if attempts[user] == 1 { heap.push(values[rule], user) }
        return
      case .object(let object):
        let uses = object.members.count { !$0.isRequired } + object.others.count
        let looks = Int(attempts[user])
        // Objects of very many optional members would else take quadratic time.
        if looks > 64, looks & (looks - 1) != 0, looks < uses { return }
      default: break
      }
    }
    if waiting[user] == 0, let value = candidate(user) { heap.push(value, user) }
  }

  /// The fewest bytes by what has settled so far, or nil if that is too little.
  private func candidate(_ rule: Int) -> Int? {
    switch rules[rule] {
    case .empty, .token: return 0
    case .literal(let bytes): return bytes.count
    case .automaton(let automaton): return Int(automaton.distances[0])
    case .string(let string):
      guard string.maximum.map({ $0 >= max(0, string.minimum) }) ?? true else { return nil }
      return min(max(0, string.minimum), Self.limit) + 2
    case .sequence(let parts): return sum(parts)
    case .choice(let alternatives):
      let least = alternatives.lazy.map { values[Int($0)] }.min() ?? Self.none
      return least == Self.none ? nil : least
    case .array(let array): return bytes(of: array)
    case .object(let object): return bytes(of: object)
    }
  }

  private func sum(_ parts: some Sequence<Grammar.Index>) -> Int? {
    var total = 0
    for part in parts {
      guard values[Int(part)] != Self.none else { return nil }
      total = Self.sum(total, values[Int(part)])
    }
    return total
  }

  private func bytes(of array: ArrayRule) -> Int? {
    let minimum = max(0, array.minimum)
    guard array.maximum.map({ $0 >= minimum }) ?? true,
      let first = sum(array.prefix.prefix(minimum))
    else { return nil }
    var total = Self.sum(2, first)
    if minimum > array.prefix.count {
      guard let items = array.items, values[Int(items)] != Self.none else { return nil }
      let rest = Self.product(minimum - array.prefix.count, values[Int(items)])
      total = Self.sum(total, rest)
    }
    return Self.sum(total, Self.product(max(0, minimum - 1), punctuation.commaBytes))
  }

  private func bytes(of object: ObjectRule) -> Int? {
    var total = 0
    var optional: [Int] = []
    var count = 0
    for member in object.members {
      let value = values[Int(member.value)]
      let bytes =
        value == Self.none
        ? Self.none
        : Self.sum(value, member.key.count + punctuation.commaBytes + punctuation.colonBytes)
      if member.isRequired {
        guard value != Self.none else { return nil }
        total = Self.sum(total, bytes)
        count += 1
      } else if value != Self.none {
        optional.append(bytes)
      }
    }
    guard object.maximum.map({ $0 >= max(count, object.minimum) }) ?? true else { return nil }
    if object.minimum > count {
      guard let more = rest(object.minimum - count, optional, object.others) else { return nil }
      total = Self.sum(total, more)
      count = object.minimum
    }
    return Self.sum(2, count == 0 ? 0 : total - punctuation.commaBytes)
  }

  /// The fewest bytes of so many more members, named ones once and others at will.
  private func rest(_ count: Int, _ optional: [Int], _ others: [ObjectRule.Others]) -> Int? {
    var other = Self.none
    for rule in others where values[Int(rule.value)] != Self.none {
      let key = Int(rule.key.distances[0])
      let bytes = key + punctuation.commaBytes + punctuation.colonBytes
      other = min(other, Self.sum(bytes, values[Int(rule.value)]))
    }
    return Self.cheapest(count, of: optional, orAny: other)
  }

  /// The least sum of `count` costs, each of `once` taken at most once and `any` at will.
  static func cheapest(_ count: Int, of once: [Int], orAny any: Int) -> Int? {
    let once = once.filter { $0 < any }.sorted().prefix(count)
    guard once.count == count || any != none else { return nil }
    let missing = count - once.count
    return once.reduce(missing == 0 ? 0 : product(missing, any), sum)
  }
}

/// A binary heap of values and rules, the least value first.
private struct MinimumHeap {
  private var entries: [(value: Int, rule: Int)] = []

  mutating func push(_ value: Int, _ rule: Int) {
    entries.append((value, rule))
    var place = entries.count - 1
    while place > 0, entries[(place - 1) / 2].value > entries[place].value {
      entries.swapAt(place, (place - 1) / 2)
      place = (place - 1) / 2
    }
  }

  mutating func pop() -> (value: Int, rule: Int)? {
    guard let first = entries.first, let last = entries.popLast() else { return nil }
    guard !entries.isEmpty else { return first }
    entries[0] = last
    var place = 0
    while true {
      var least = place
      for child in [2 * place + 1, 2 * place + 2]
      where child < entries.count && entries[child].value < entries[least].value {
        least = child
      }
      if least == place { return first }
      entries.swapAt(place, least)
      place = least
    }
  }
}
