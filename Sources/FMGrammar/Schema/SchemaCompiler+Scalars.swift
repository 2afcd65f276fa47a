/// Rules of values without parts.
extension SchemaCompiler {
  /// A rule for every kind of null, boolean, number and string in the set.
  mutating func scalarRules(_ set: ValueSet) throws(GrammarError) -> [Rule] {
    var rules: [Rule] = []
    if set.hasNull { rules.append(.literal(Array("null".utf8))) }
    if set.hasTrue { rules.append(.literal(Array("true".utf8))) }
    if set.hasFalse { rules.append(.literal(Array("false".utf8))) }
    var points: [[UInt8]] = []
    for numbers in set.numbers {
      if let point = numbers.point {
        points.append(point.spelling)
      } else if let automaton = try languages.numbers(numbers) {
        rules.append(.automaton(automaton))
      } else {
        losses.append(Self.indistinct)
      }
    }
    if !points.isEmpty { rules.append(try Self.oneOf(points)) }
    for strings in set.strings {
      if case .literals(let words) = strings.language {
        rules.append(try Self.oneOf(words.map(Self.quoted)))
      } else if let rule = try languages.rule(strings) {
        rules.append(rule)
      }
    }
    return rules
  }

  private static let indistinct = GrammarError.unsupported(
    path: "", keyword: "minimum", reason: "no number in the bounds is told apart by doubles")

  private static func oneOf(_ words: [[UInt8]]) throws(GrammarError) -> Rule {
    words.count == 1 ? .literal(words[0]) : .automaton(try ByteAutomaton.literals(words))
  }

  /// The scalars of a set, each spelled in one way; nil if there are none.
  mutating func uniqueRule(_ set: ValueSet) throws(GrammarError) -> Rule? {
    var words: [[UInt8]] = []
    if set.hasNull { words.append(Array("null".utf8)) }
    if set.hasTrue { words.append(Array("true".utf8)) }
    if set.hasFalse { words.append(Array("false".utf8)) }
    var automata: [ByteAutomaton] = []
    for numbers in set.numbers {
      if let point = numbers.point {
        words.append(point.spelling)
      } else if let automaton = try languages.numbers(numbers, isCanonical: true) {
        automata.append(automaton)
      }
    }
    for strings in set.strings {
      if case .literals(let texts) = strings.language {
        words += texts.map(Self.quoted)
      } else if let automaton = try languages.canonical(strings) {
        automata.append(automaton)
      }
    }
    if !words.isEmpty { automata.append(try ByteAutomaton.literals(words)) }
    switch automata.count {
    case 0: return nil
    case 1: return words.count == 1 ? .literal(words[0]) : .automaton(automata[0])
    default: return .automaton(try ByteAutomaton.union(automata))
    }
  }
}
