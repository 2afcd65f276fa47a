/// What rules will be made of an expression's set, its elements and members by their plans' numbers.
struct RulePlan: Sendable {
  typealias Index = Int

  /// An expression, and whether every value of it has to have one spelling.
  struct Key: Sendable, Hashable {
    var expression: SchemaExpression.Index
    var isUnique = false
  }

  /// One of the rules a plan is a choice of; indices in its rule are those of plans.
  enum Alternative: Sendable {
    case leaf(Rule)
    case array(ArrayRule)
    case object(ObjectRule)
  }

  var alternatives: [Alternative] = []
}

extension SchemaCompiler {
  /// Plans every expression that can be reached from the root, whose plan is the first.
  mutating func plan() throws(GrammarError) -> [RulePlan] {
    var plans: [RulePlan] = []
    _ = planned(intern(.schema(document.root)))
    while plans.count < planKeys.count {
      plans.append(RulePlan(alternatives: try alternatives(planKeys[plans.count])))
      guard planKeys.count <= Limits.rules else {
        throw .limitExceeded(.rules, limit: Limits.rules)
      }
    }
    return plans
  }

  /// The number of an expression's plan, which is made later.
  mutating func planned(
    _ expression: SchemaExpression.Index, isUnique: Bool = false
  ) -> Grammar.Index {
    let key = RulePlan.Key(expression: expression, isUnique: isUnique)
    if let known = planIndices[key] { return known }
    let index = Grammar.Index(planKeys.count)
    planKeys.append(key)
    planIndices[key] = index
    return index
  }

  /// As `rules`, with a place in the errors of what is made of several schemas.
  private mutating func alternatives(
    _ key: RulePlan.Key
  ) throws(GrammarError) -> [RulePlan.Alternative] {
    do throws(GrammarError) {
      return try rules(key)
    } catch {
      guard case .unsupported("", let keyword, let reason) = error else { throw error }
      throw .unsupported(path: path(of: key.expression), keyword: keyword, reason: reason)
    }
  }

  private mutating func rules(
    _ key: RulePlan.Key
  ) throws(GrammarError) -> [RulePlan.Alternative] {
    let set = try head(key.expression)
    if key.isUnique { return try uniqueRule(set).map { [.leaf($0)] } ?? [] }
    var result = try scalarRules(set).map { RulePlan.Alternative.leaf($0) }
    for array in set.arrays {
      for plain in try withoutContained(array) {
        if let rule = try arrayRule(plain, at: key.expression) { result.append(.array(rule)) }
      }
    }
    for object in set.objects {
      if let rule = try objectRule(object) { result.append(.object(rule)) }
    }
    return result
  }

  // MARK: Objects

  /// How many names that only a pattern gives are written out.
  private static let writtenNames = 1_024

  private mutating func objectRule(_ set: ObjectSet) throws(GrammarError) -> ObjectRule? {
    guard set.existing.isEmpty else {
      losses.append(
        .unsupported(
          path: "", keyword: "additionalProperties",
          reason: "a member of an undeclared name cannot be asked for"))
      return nil
    }
    var rule = ObjectRule(members: [], minimum: set.minimum, maximum: set.maximum)
    var names: Set<[UInt8]> = []
    for member in set.members {
      names.insert(member.name)
      let key = Self.quoted(member.name)
      if member.value == SchemaExpression.none {
        rule.reservedKeys.append(key)
      } else {
        rule.members.append(
          ObjectRule.Member(
            key: key, value: planned(member.value), isRequired: member.isRequired))
      }
    }
    for others in set.others where !isLeftOut(others, of: set) {
      guard let key = try languages.keys(others.names) else { continue }
      if WordCounts.counts(key)[0] == WordCounts.unbounded {
        rule.others.append(ObjectRule.Others(key: key, value: planned(others.value)))
        continue
      }
      // A few names are members of their own, in the order of their bytes.
      for word in try words(others.names) where names.insert(word).inserted {
        rule.members.append(
          ObjectRule.Member(
            key: Self.quoted(word), value: planned(others.value), isRequired: false))
      }
    }
    if rule.others.isEmpty { rule.reservedKeys = [] }
    return rule
  }

  private func words(_ names: NameSet) throws(GrammarError) -> [[UInt8]] {
    guard case .automaton(let index) = names else { return [] }
    guard let words = languages[index].words(limit: Self.writtenNames) else {
      throw .unsupported(
        path: "", keyword: "propertyNames",
        reason: "more than \(Self.writtenNames) names are too many to list, and under a thousand "
          + "million too few to be taken as many")
    }
    return words
  }

  /// Whether members nobody declared are taken as not wanted.
  private func isLeftOut(_ others: ObjectSet.Others, of set: ObjectSet) -> Bool {
    guard options.undeclaredProperties == .closed, others.isImplicit, set.isDeclared else {
      return false
    }
    return set.members.count { $0.value != SchemaExpression.none } >= set.minimum
  }

  static func quoted(_ text: [UInt8]) -> [UInt8] {
    JSONStringAutomaton.canonical(String(decoding: text, as: UTF8.self))
  }

  // MARK: Arrays

  private mutating func arrayRule(
    _ set: ArraySet, at expression: SchemaExpression.Index
  ) throws(GrammarError) -> ArrayRule? {
    var rule = ArrayRule(minimum: set.minimum, maximum: set.maximum)
    if set.isUnique, set.maximum ?? 2 > 1 {
      return try uniqueArray(set, at: expression)
    }
    rule.prefix = set.prefix.map { planned($0.value) }
    if set.items.value != SchemaExpression.none, set.maximum ?? .max > set.prefix.count {
      rule.items = planned(set.items.value)
    }
    return rule
  }

  /// Elements that differ: scalars in one spelling each, and no more of them than there are values.
  private mutating func uniqueArray(
    _ set: ArraySet, at expression: SchemaExpression.Index
  ) throws(GrammarError) -> ArrayRule? {
    var rule = ArrayRule(minimum: set.minimum, maximum: set.maximum, isUnique: true)
    for (place, element) in (set.prefix + [set.items]).enumerated() {
      if let maximum = rule.maximum, place >= maximum { break }
      if element.value == SchemaExpression.none { break }
      let values = try head(element.value)
      guard let leaf = try uniqueRule(values) else {
        if values.isNone { break }
        throw .unsupported(
          path: path(of: expression), keyword: "uniqueItems",
          reason: "only strings, numbers, booleans and null are compared")
      }
      // With fewer values than places an array could come to a point where none is left.
      let count = Self.valueCount(leaf)
      if count <= place {
        rule.maximum = place
        break
      }
      let plan = planned(element.value, isUnique: true)
      if place < set.prefix.count {
        rule.prefix.append(plan)
      } else {
        rule.items = plan
        if count < .max { rule.maximum = min(rule.maximum ?? count, count) }
      }
    }
    guard rule.maximum ?? .max >= rule.minimum else {
      losses.append(
        .empty(path: path(of: expression), reason: "there are too few values for unique items"))
      return nil
    }
    return rule
  }

  /// How many values a rule of unique elements has, counted up to a bound; `.max` for no bound.
  private static func valueCount(_ rule: Rule) -> Int {
    let bound = 4_096
    guard case .automaton(let automaton) = rule else { return 1 }
    if automaton.containsInfinitelyManyWords { return .max }
    return automaton.words(limit: bound)?.count ?? bound
  }
}
