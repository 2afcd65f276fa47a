extension SchemaCompiler {
  /// The whole grammar.
  mutating func grammar() throws(GrammarError) -> Grammar {
    let plans = try plan()
    let productive = try productive(plans)
    guard productive[0] else {
      throw losses.first
        ?? .empty(path: "", reason: "every way ends in something that does not exist")
    }
    var emitter = RuleEmitter(plans: plans, productive: productive)
    return try emitter.grammar()
  }

  /// Which plans some finite text satisfies: the least fixed point.
  private mutating func productive(_ plans: [RulePlan]) throws(GrammarError) -> [Bool] {
    var productive = [Bool](repeating: false, count: plans.count)
    var hasChanged = true
    while hasChanged {
      hasChanged = false
      try spend(plans.count / 4)
      // Parts are mostly planned after what they are part of.
      for index in plans.indices.reversed() where !productive[index] {
        if plans[index].alternatives.contains(where: { $0.isProductive(productive) }) {
          productive[index] = true
          hasChanged = true
        }
      }
    }
    return productive
  }
}

extension RulePlan.Alternative {
  /// Whether some text satisfies it, with what is known of its parts so far.
  func isProductive(_ productive: [Bool]) -> Bool {
    switch self {
    case .leaf: return true
    case .array(let rule): return rule.trimmed(productive) != nil
    case .object(let rule): return rule.trimmed(productive) != nil
    }
  }
}

extension ArrayRule {
  /// Without the elements nothing satisfies; nil if an array needs one of them.
  fileprivate func trimmed(_ productive: [Bool]) -> ArrayRule? {
    var rule = self
    if let place = prefix.firstIndex(where: { !productive[Int($0)] }) {
      rule.prefix.removeSubrange(place...)
      rule.items = nil
    }
    if let items = rule.items, !productive[Int(items)] { rule.items = nil }
    if let maximum = rule.maximum, maximum < rule.prefix.count {
      rule.prefix.removeSubrange(max(maximum, 0)...)
    }
    if rule.maximum ?? .max <= rule.prefix.count { rule.items = nil }
    if rule.items == nil { rule.maximum = rule.prefix.count }
    return rule.maximum ?? .max >= rule.minimum ? rule : nil
  }
}

extension ObjectRule {
  /// Without the members nothing satisfies; nil if an object needs one of them.
  fileprivate func trimmed(_ productive: [Bool]) -> ObjectRule? {
    var rule = self
    rule.members = []
    var required = 0
    for member in members {
      if productive[Int(member.value)] {
        rule.members.append(member)
        if member.isRequired { required += 1 }
      } else if member.isRequired {
        return nil
      } else {
        rule.reservedKeys.append(member.key)
      }
    }
    rule.others.removeAll { !productive[Int($0.value)] }
    if rule.others.isEmpty {
      rule.reservedKeys = []
      if rule.members.count < minimum { return nil }
      if let maximum, maximum >= rule.members.count { rule.maximum = nil }
    }
    if rule.minimum <= required { rule.minimum = 0 }
    if let maximum = rule.maximum, maximum < max(required, rule.minimum) { return nil }
    return rule
  }
}

/// Numbers the rules of plans that can be reached, in the order they are met.
private struct RuleEmitter {
  let plans: [RulePlan]
  let productive: [Bool]

  private var rules: [Rule] = []
  private var leaves: [Rule: Grammar.Index] = [:]
  private var indices: [Grammar.Index: Grammar.Index] = [:]
  /// Plans that have a rule's number and no rule yet.
  private var open: [(plan: Grammar.Index, rule: Grammar.Index)] = []

  init(plans: [RulePlan], productive: [Bool]) {
    self.plans = plans
    self.productive = productive
  }

  mutating func grammar() throws(GrammarError) -> Grammar {
    let root = index(0)
    var head = 0
    while head < open.count {
      let (plan, rule) = open[head]
      head += 1
      let choices = plans[Int(plan)].alternatives.filter { $0.isProductive(productive) }
      if choices.count == 1 {
        rules[Int(rule)] = self.rule(choices[0])
      } else {
        var parts: [Grammar.Index] = []
        for choice in choices {
          let part = part(choice)
          if !parts.contains(part) { parts.append(part) }
        }
        rules[Int(rule)] = .choice(parts)
      }
      guard rules.count <= SchemaCompiler.Limits.rules else {
        throw .limitExceeded(.rules, limit: SchemaCompiler.Limits.rules)
      }
    }
    return Grammar(rules: rules, root: root)
  }

  /// The number of a plan's rule.
  private mutating func index(_ plan: Grammar.Index) -> Grammar.Index {
    if let known = indices[plan] { return known }
    let alternatives = plans[Int(plan)].alternatives.filter { $0.isProductive(productive) }
    if alternatives.count == 1, case .leaf(let rule) = alternatives[0] {
      let index = leaf(rule)
      indices[plan] = index
      return index
    }
    let index = Grammar.Index(rules.count)
    rules.append(.empty)
    indices[plan] = index
    open.append((plan, index))
    return index
  }

  private mutating func leaf(_ rule: Rule) -> Grammar.Index {
    if let known = leaves[rule] { return known }
    rules.append(rule)
    leaves[rule] = Grammar.Index(rules.count - 1)
    return Grammar.Index(rules.count - 1)
  }

  private mutating func part(_ alternative: RulePlan.Alternative) -> Grammar.Index {
    if case .leaf(let rule) = alternative { return leaf(rule) }
    let index = Grammar.Index(rules.count)
    rules.append(.empty)
    rules[Int(index)] = rule(alternative)
    return index
  }

  private mutating func rule(_ alternative: RulePlan.Alternative) -> Rule {
    switch alternative {
    case .leaf(let rule): return rule
    case .array(let planned):
      guard var rule = planned.trimmed(productive) else { return .empty }
      for place in rule.prefix.indices { rule.prefix[place] = index(rule.prefix[place]) }
      if let items = rule.items { rule.items = index(items) }
      return .array(rule)
    case .object(let planned):
      guard var rule = planned.trimmed(productive) else { return .empty }
      for place in rule.members.indices {
        rule.members[place].value = index(rule.members[place].value)
      }
      for place in rule.others.indices {
        rule.others[place].value = index(rule.others[place].value)
      }
      return .object(rule)
    }
  }
}
