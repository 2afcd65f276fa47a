extension SchemaCompiler {
  /// What `left` holds and `right` does not.
  ///
  /// - Throws: `unsupported` where `right` is not known exactly.
  mutating func subtract(_ left: ValueSet, _ right: ValueSet) throws(GrammarError) -> ValueSet {
    if right.isNarrowed {
      throw .unsupported(
        path: "", keyword: "not",
        reason: "the opposite of a schema that is only enforced in part is not known")
    }
    var result = left
    if right.hasNull { result.hasNull = false }
    if right.hasTrue { result.hasTrue = false }
    if right.hasFalse { result.hasFalse = false }
    for other in right.numbers {
      try spend(result.numbers.count)
      result.numbers = result.numbers.flatMap { $0.subtracting(other) }
    }
    for other in right.strings {
      var pieces: [StringSet] = []
      for one in result.strings { pieces += try subtract(one, other) }
      result.strings = try distinct(pieces)
    }
    for other in right.arrays {
      var pieces: [ArraySet] = []
      for one in result.arrays { pieces += try subtract(one, other, &result.isNarrowed) }
      result.arrays = try distinct(pieces)
    }
    for other in right.objects {
      var pieces: [ObjectSet] = []
      for one in result.objects { pieces += try subtract(one, other) }
      result.objects = try distinct(pieces)
    }
    result.numbers = try distinct(result.numbers)
    return result
  }

  // MARK: Strings

  private mutating func subtract(
    _ one: StringSet, _ other: StringSet
  ) throws(GrammarError) -> [StringSet] {
    // A format is only enforced where that allows less.
    var exact = other
    exact.formats = []
    try spend(1)
    var widest = exact
    if case .automaton(let language) = exact.language {
      widest.language = .automaton(languages.widest(of: language))
    }
    guard try intersect(one, widest) != nil else { return [one] }
    var pieces: [StringSet?] = []
    if exact.minimum > 0 {
      pieces.append(try intersect(one, StringSet(maximum: exact.minimum - 1)))
    }
    if let maximum = exact.maximum, maximum < .max {
      pieces.append(try intersect(one, StringSet(minimum: maximum + 1)))
    }
    let lengths = StringSet(minimum: exact.minimum, maximum: exact.maximum)
    guard let inside = try intersect(one, lengths) else { return pieces.compactMap { $0 } }
    switch exact.language {
    case .any: break
    case .literals(let words):
      if case .literals(let own) = inside.language {
        let taken = Set(words)
        let kept = own.filter { !taken.contains($0) }
        if !kept.isEmpty { pieces.append(StringSet(language: .literals(kept))) }
      } else {
        let language = try languages.literals(words)
        pieces.append(try outside(language, inside))
      }
    case .automaton(let language): pieces.append(try outside(language, inside))
    }
    return pieces.compactMap { $0 }
  }

  private mutating func outside(
    _ language: SchemaLanguages.Index, _ set: StringSet
  ) throws(GrammarError) -> StringSet? {
    guard let complement = try languages.complement(.automaton(language)) else { return nil }
    switch complement {
    case .any: return set
    case .automaton(let index): return try intersect(set, StringSet(language: .automaton(index)))
    }
  }

  // MARK: Arrays

  private mutating func subtract(
    _ one: ArraySet, _ other: ArraySet, _ isNarrowed: inout Bool
  ) throws(GrammarError) -> [ArraySet] {
    try spend(1)
    guard let both = intersect(one, other), try !isEmpty(both) else { return [one] }
    if other.isUnique {
      isNarrowed = true
      losses.append(
        .unsupported(
          path: "", keyword: "uniqueItems", reason: "arrays with equal elements cannot be asked for"
        ))
    }
    var pieces: [ArraySet] = []
    for opposite in opposites(of: other) {
      guard let settled = Self.settled(opposite), let piece = intersect(one, settled),
        try !isEmpty(piece)
      else { continue }
      pieces.append(piece)
    }
    return pieces
  }

  /// What arrays outside of a set have, one way each; repeated elements left aside.
  private mutating func opposites(of other: ArraySet) -> [ArraySet] {
    var opposites: [ArraySet] = []
    if other.minimum > 0 { opposites.append(ArraySet(maximum: other.minimum - 1)) }
    if let maximum = other.maximum, maximum < .max {
      opposites.append(ArraySet(minimum: maximum + 1))
    }
    for (index, element) in other.prefix.enumerated() where element.value != SchemaExpression.any {
      var opposite = ArraySet(minimum: index + 1)
      opposite.prefix = Array(
        repeating: ArraySet.Element(value: SchemaExpression.any), count: index)
      opposite.prefix.append(ArraySet.Element(value: not(element.value)))
      opposites.append(opposite)
    }
    if other.items.value != SchemaExpression.any {
      let stray = ArraySet.Contained(
        value: not(other.items.value), start: other.prefix.count, minimum: 1)
      opposites.append(ArraySet(contained: [stray]))
    }
    for kind in other.contained {
      if kind.minimum > 0 {
        var few = kind
        few.minimum = 0
        few.maximum = kind.minimum - 1
        opposites.append(ArraySet(contained: [few]))
      }
      if let maximum = kind.maximum, maximum < .max {
        var many = kind
        many.minimum = maximum + 1
        many.maximum = nil
        opposites.append(ArraySet(contained: [many]))
      }
    }
    return opposites
  }

  // MARK: Objects

  private mutating func subtract(
    _ one: ObjectSet, _ other: ObjectSet
  ) throws(GrammarError) -> [ObjectSet] {
    try spend(1)
    guard let both = try intersect(one, other), try !isEmpty(both) else { return [one] }
    var opposites: [ObjectSet] = []
    if other.minimum > 0 { opposites.append(ObjectSet(maximum: other.minimum - 1)) }
    if let maximum = other.maximum, maximum < .max {
      opposites.append(ObjectSet(minimum: maximum + 1))
    }
    for member in other.members {
      if member.isRequired { opposites.append(.without(member.name)) }
      if member.value != SchemaExpression.any {
        opposites.append(.with(member.name, not(member.value)))
      }
    }
    let named = other.members.map(\.name)
    var unnamed: NameSet? = .any
    for others in other.others {
      if let rest = unnamed { unnamed = try languages.difference(rest, others.names) }
      if others.value == SchemaExpression.any { continue }
      opposites += try strays(
        ObjectSet.Existing(names: others.names, excluded: named, value: not(others.value)), in: one)
    }
    if let unnamed {
      opposites += try strays(
        ObjectSet.Existing(names: unnamed, excluded: named, value: SchemaExpression.any), in: one)
    }
    for existing in other.existing { opposites.append(try Self.absence(existing, &self)) }
    var pieces: [ObjectSet] = []
    for opposite in opposites {
      guard let piece = try intersect(one, opposite), try !isEmpty(piece) else { continue }
      pieces.append(piece)
    }
    return pieces
  }

  /// Sets that ask for a member of some names: one of those the set knows, or another.
  private mutating func strays(
    _ existing: ObjectSet.Existing, in set: ObjectSet
  ) throws(GrammarError) -> [ObjectSet] {
    var result: [ObjectSet] = []
    let excluded = Set(existing.excluded)
    for member in set.members where !excluded.contains(member.name) {
      guard languages.accepts(existing.names, member.name) else { continue }
      result.append(.with(member.name, existing.value))
    }
    var rest = existing
    rest.excluded += set.members.map(\.name).filter { !excluded.contains($0) }
    for others in set.others where all([others.value, existing.value]) != SchemaExpression.none {
      guard try languages.intersection(others.names, existing.names) != nil else { continue }
      var stray = ObjectSet()
      stray.existing = [rest]
      result.append(stray)
      break
    }
    return result
  }

  /// Objects without such a member.
  private static func absence(
    _ existing: ObjectSet.Existing, _ compiler: inout SchemaCompiler
  ) throws(GrammarError) -> ObjectSet {
    var set = ObjectSet()
    set.members = existing.excluded.map {
      ObjectSet.Member(name: $0, value: SchemaExpression.any)
    }
    set.others = []
    if let rest = try compiler.languages.difference(.any, existing.names) {
      set.others.append(ObjectSet.Others(names: rest, value: SchemaExpression.any))
    }
    let value = compiler.not(existing.value)
    if value != SchemaExpression.none {
      set.others.append(ObjectSet.Others(names: existing.names, value: value))
    }
    return set
  }
}

extension ObjectSet {
  /// All objects without a member of this name.
  static func without(_ name: [UInt8]) -> ObjectSet {
    ObjectSet(members: [Member(name: name, value: SchemaExpression.none)])
  }

  /// All objects with a member of this name.
  static func with(_ name: [UInt8], _ value: SchemaExpression.Index) -> ObjectSet {
    ObjectSet(members: [Member(name: name, value: value, isRequired: true)])
  }
}
