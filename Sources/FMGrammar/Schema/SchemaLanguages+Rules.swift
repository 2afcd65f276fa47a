/// How JSON spells the words of languages.
extension SchemaLanguages {
  /// The lengths, in code points, that strings with a language are cut to where their own bound makes
  /// too large an automaton.
  private static let shorterLengths = [1_024, 256, 64, 16]

  /// Whether a format is enforced; others are annotations, as the standard has it.
  static func isKnown(format: String) -> Bool { StringFormat.names.contains(format) }

  /// Strings of a set that is not given word by word; nil if there are none.
  mutating func rule(_ set: StringSet) throws(GrammarError) -> Rule? {
    guard let content = try content(set) else {
      return .string(StringRule(minimum: set.minimum, maximum: set.maximum))
    }
    if let automaton = try spelled(content, set, .any) { return .automaton(automaton) }
    // A format that leaves nothing is the annotation the standard says it is.
    if set.formats.isEmpty { return nil }
    var plain = set
    plain.formats = []
    return try rule(plain)
  }

  /// The strings of a set in one spelling each; nil if there are none.
  mutating func canonical(_ set: StringSet) throws(GrammarError) -> ByteAutomaton? {
    let content = try content(set) ?? .text
    if let automaton = try spelled(content, set, .canonical) { return automaton }
    if set.formats.isEmpty { return nil }
    var plain = set
    plain.formats = []
    return try canonical(plain)
  }

  /// The texts of a set's language and formats; nil for any text.
  private mutating func content(_ set: StringSet) throws(GrammarError) -> ByteAutomaton? {
    var result: ByteAutomaton?
    if case .automaton(let index) = set.language { result = self[index] }
    for format in set.formats {
      guard let texts = try StringFormat.automaton(format) else { continue }
      guard let known = result else {
        result = texts
        continue
      }
      result = try known.intersection(texts) ?? known
    }
    return result
  }

  /// The strings of some texts; of fewer lengths where all would make too large an automaton.
  private mutating func spelled(
    _ content: ByteAutomaton, _ set: StringSet, _ spelling: JSONSpelling
  ) throws(GrammarError) -> ByteAutomaton? {
    var attempts: [(spelling: JSONSpelling, maximum: Int?)] = [
      (spelling, set.maximum), (.canonical, set.maximum),
    ]
    // No text has more code points than bytes, so the shortest one fits.
    let shortest = max(set.minimum, Int(content.distances[0]))
    for length in Self.shorterLengths where length < set.maximum ?? 0 && length >= shortest {
      attempts.append((.canonical, length))
    }
    let last = attempts.removeLast()
    for attempt in attempts where isSmall(content, attempt.spelling, attempt.maximum) {
      do throws(GrammarError) {
        let automaton = try JSONStringAutomaton.strings(
          of: content, spelling: attempt.spelling, minimumLength: set.minimum,
          maximumLength: attempt.maximum,
          limits: AutomatonLimits(states: 6_000, steps: nextEmissionSteps()))
        if automaton == nil, attempt.maximum != set.maximum { continue }
        emittedStates += automaton?.stateCount ?? 0
        return automaton
      } catch {
        guard case .limitExceeded = error else { throw error }
      }
    }
    let automaton = try JSONStringAutomaton.strings(
      of: content, spelling: last.spelling, minimumLength: set.minimum, maximumLength: last.maximum,
      limits: AutomatonLimits(steps: nextEmissionSteps()))
    if automaton == nil, last.maximum != set.maximum { throw .limitExceeded(.states, limit: 6_000) }
    emittedStates += automaton?.stateCount ?? 0
    guard emittedStates <= 400_000 else { throw .limitExceeded(.states, limit: 400_000) }
    return automaton
  }

  /// What the next automaton of strings may cost: less with every one.
  private mutating func nextEmissionSteps() -> Int {
    emissions += 1
    return max(200_000, 6_000_000 / emissions)
  }

  /// Whether it is worth trying: every length has its own copy of the language's states.
  private func isSmall(
    _ content: ByteAutomaton, _ spelling: JSONSpelling, _ maximum: Int?
  ) -> Bool {
    let (states, overflows) = content.stateCount.multipliedReportingOverflow(by: maximum ?? 1)
    if overflows { return false }
    return spelling == .any
      ? states <= (emittedStates < 20_000 ? 4_000 : 400)
      : states <= (emittedStates < 40_000 ? 12_000 : 1_200)
  }

  private static let anyKey = try? JSONStringAutomaton.strings(spelling: .escapeFree)

  /// The names of undeclared members with their quotes, spelled without escapes; nil if there are none.
  func keys(_ names: NameSet) throws(GrammarError) -> ByteAutomaton? {
    switch names {
    case .any: Self.anyKey
    case .automaton(let index):
      try JSONStringAutomaton.strings(of: self[index], spelling: .escapeFree)
    }
  }
}
