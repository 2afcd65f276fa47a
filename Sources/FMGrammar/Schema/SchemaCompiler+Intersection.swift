extension SchemaCompiler {
  /// What both sets hold.
  mutating func intersect(_ left: ValueSet, _ right: ValueSet) throws(GrammarError) -> ValueSet {
    if left == .any { return right }
    if right == .any { return left }
    var result = ValueSet.none
    result.hasNull = left.hasNull && right.hasNull
    result.hasTrue = left.hasTrue && right.hasTrue
    result.hasFalse = left.hasFalse && right.hasFalse
    result.isNarrowed = left.isNarrowed || right.isNarrowed
    try spend(
      left.numbers.count * right.numbers.count + left.strings.count * right.strings.count
        + left.arrays.count * right.arrays.count + left.objects.count * right.objects.count)
    for one in left.numbers {
      for other in right.numbers {
        if let both = NumberSet.intersection(one, other) { result.numbers.append(both) }
      }
    }
    for one in left.strings {
      for other in right.strings {
        if let both = try intersect(one, other) { result.strings.append(both) }
      }
    }
    for one in left.arrays {
      for other in right.arrays {
        if let both = intersect(one, other) { result.arrays.append(both) }
      }
      guard result.arrays.count <= 4 * Limits.branches else {
        throw .limitExceeded(.choices, limit: Limits.branches)
      }
    }
    for one in left.objects {
      for other in right.objects {
        if let both = try intersect(one, other) { result.objects.append(both) }
      }
      guard result.objects.count <= 4 * Limits.branches else {
        throw .limitExceeded(.choices, limit: Limits.branches)
      }
    }
    return try unite(result, .none)
  }

  // MARK: Strings

  /// Strings in both; nil if there are none.
  mutating func intersect(
    _ left: StringSet, _ right: StringSet
  ) throws(GrammarError) -> StringSet? {
    var result = left
    result.minimum = max(left.minimum, right.minimum)
    result.maximum = Self.smaller(left.maximum, right.maximum)
    for format in right.formats where !result.formats.contains(format) {
      result.formats.append(format)
    }
    switch (left.language, right.language) {
    case (.any, let language), (let language, .any): result.language = language
    case (.literals(let words), .literals(let others)):
      let known = Set(others)
      result.language = .literals(words.filter(known.contains))
    case (.literals(let words), .automaton(let index)),
      (.automaton(let index), .literals(let words)):
      result.language = .literals(words.filter { languages.accepts(index, $0) })
    case (.automaton(let one), .automaton(let other)):
      guard let both = try languages.intersection(one, other) else { return nil }
      result.language = .automaton(both)
    }
    if case .literals(let words) = result.language {
      let kept = words.filter {
        let count = StringSet.length(of: $0)
        return count >= result.minimum && count <= result.maximum ?? .max
      }
      return kept.isEmpty ? nil : StringSet(language: .literals(kept))
    }
    if let maximum = result.maximum, maximum < result.minimum { return nil }
    return result
  }

  static func smaller(_ left: Int?, _ right: Int?) -> Int? {
    guard let left else { return right }
    guard let right else { return left }
    return min(left, right)
  }

  // MARK: Arrays

  /// Arrays in both; nil if it is plain that there are none.
  mutating func intersect(_ left: ArraySet, _ right: ArraySet) -> ArraySet? {
    if left == .any { return right }
    if right == .any { return left }
    var result = ArraySet()
    for index in 0..<max(left.prefix.count, right.prefix.count) {
      result.prefix.append(meet(left.element(index), right.element(index)))
    }
    result.items = meet(left.items, right.items)
    result.minimum = max(left.minimum, right.minimum)
    result.maximum = Self.smaller(left.maximum, right.maximum)
    result.isUnique = left.isUnique || right.isUnique
    result.evaluated = left.evaluated
    for kind in right.evaluated where !result.evaluated.contains(kind) {
      result.evaluated.append(kind)
    }
    result.contained = left.contained
    for kind in right.contained where !result.contained.contains(kind) {
      result.contained.append(kind)
    }
    return Self.settled(result)
  }

  private mutating func meet(
    _ left: ArraySet.Element, _ right: ArraySet.Element
  ) -> ArraySet.Element {
    ArraySet.Element(
      value: all([left.value, right.value]), isEvaluated: left.isEvaluated || right.isEvaluated)
  }

  /// An array set with what follows from it written in its bounds; nil if it is plainly empty.
  static func settled(_ set: ArraySet) -> ArraySet? {
    var set = set
    var contained: [ArraySet.Contained] = []
    for kind in set.contained {
      if let maximum = kind.maximum, maximum < kind.minimum { return nil }
      switch kind.value {
      case SchemaExpression.any:
        if kind.minimum > 0 { set.minimum = max(set.minimum, sum(kind.start, kind.minimum)) }
        if let maximum = kind.maximum {
          set.maximum = smaller(set.maximum, sum(kind.start, maximum))
        }
      case SchemaExpression.none:
        if kind.minimum > 0 { return nil }
      default:
        if kind.minimum > 0 { set.minimum = max(set.minimum, sum(kind.start, kind.minimum)) }
        if kind.minimum > 0 || kind.maximum != nil { contained.append(kind) }
      }
    }
    set.contained = contained
    if let end = set.prefix.firstIndex(where: { $0.value == SchemaExpression.none }) {
      set.maximum = smaller(set.maximum, end)
    }
    if set.items.value == SchemaExpression.none {
      set.maximum = smaller(set.maximum, set.prefix.count)
    }
    if let maximum = set.maximum {
      if maximum < set.minimum { return nil }
      if maximum < set.prefix.count { set.prefix.removeSubrange(maximum...) }
      if maximum == set.prefix.count { set.items.value = SchemaExpression.none }
    }
    return set
  }

  private static func sum(_ left: Int, _ right: Int) -> Int {
    let (sum, overflows) = left.addingReportingOverflow(right)
    return overflows ? .max : sum
  }

  // MARK: Objects

  /// Objects in both; nil if it is plain that there are none.
  mutating func intersect(
    _ left: ObjectSet, _ right: ObjectSet
  ) throws(GrammarError) -> ObjectSet? {
    if left == .any { return right }
    if right == .any { return left }
    var result = ObjectSet()
    result.members = []
    let leftPlaces = Self.places(left)
    let rightPlaces = Self.places(right)
    try spend((left.members.count + right.members.count) / 16)
    for name in Self.order(left, right, leftPlaces) {
      let one = member(name, of: left, leftPlaces)
      let other = member(name, of: right, rightPlaces)
      let both = ObjectSet.Member(
        name: name, value: all([one.value, other.value]),
        isRequired: one.isRequired || other.isRequired, isPlaced: one.isPlaced || other.isPlaced,
        isEvaluated: one.isEvaluated || other.isEvaluated)
      if both.isRequired, both.value == SchemaExpression.none { return nil }
      result.members.append(both)
    }
    result.others = []
    for one in left.others {
      for other in right.others {
        guard let names = try languages.intersection(one.names, other.names) else { continue }
        let value = all([one.value, other.value])
        if value == SchemaExpression.none { continue }
        result.others.append(
          ObjectSet.Others(
            names: names, value: value, isEvaluated: one.isEvaluated || other.isEvaluated,
            isImplicit: one.isImplicit && other.isImplicit))
      }
    }
    result.minimum = max(left.minimum, right.minimum)
    result.maximum = Self.smaller(left.maximum, right.maximum)
    result.isDeclared = left.isDeclared || right.isDeclared
    result.existing = left.existing + right.existing.filter { !left.existing.contains($0) }
    return Self.isPlainlyEmpty(result) ? nil : result
  }

  static func isPlainlyEmpty(_ set: ObjectSet) -> Bool {
    var required = 0
    var possible = 0
    for member in set.members {
      if member.isRequired { required += 1 }
      if member.value != SchemaExpression.none {
        possible += 1
      } else if member.isRequired {
        return true
      }
    }
    if let maximum = set.maximum, max(required, set.minimum) > maximum { return true }
    return set.others.isEmpty && possible < set.minimum
  }

  private static func places(_ set: ObjectSet) -> [[UInt8]: Int] {
    var places: [[UInt8]: Int] = [:]
    places.reserveCapacity(set.members.count)
    for (index, member) in set.members.enumerated() { places[member.name] = index }
    return places
  }

  /// The names of both: first those that have a place, the left's before the right's.
  private static func order(
    _ left: ObjectSet, _ right: ObjectSet, _ leftPlaces: [[UInt8]: Int]
  ) -> [[UInt8]] {
    var seen: Set<[UInt8]> = []
    var names: [[UInt8]] = []
    for isPlaced in [true, false] {
      for set in [left, right] {
        for member in set.members where member.isPlaced || !isPlaced {
          if seen.insert(member.name).inserted { names.append(member.name) }
        }
      }
    }
    return names
  }

  /// What a set says of a name; a name that is not allowed has no value.
  private func member(
    _ name: [UInt8], of set: ObjectSet, _ places: [[UInt8]: Int]
  ) -> ObjectSet.Member {
    if let place = places[name] { return set.members[place] }
    for others in set.others where languages.accepts(others.names, name) {
      return ObjectSet.Member(
        name: name, value: others.value, isEvaluated: others.isEvaluated)
    }
    return ObjectSet.Member(name: name, value: SchemaExpression.none)
  }
}
