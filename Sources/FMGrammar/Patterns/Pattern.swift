/// Regular expressions as automata over UTF-8.
///
/// The dialect is ECMA-262's with the `u` flag, which JSON Schema's `pattern` means: `$` is the very end, and
/// case counts unless `(?i)` says otherwise. Where dialects differ about `\d`, `\w`, `\s` and their opposites,
/// only what all of them match is let through: `\w` is ASCII, and `\W` is no letter of any script.
/// A text is a sequence of Unicode scalars.
package enum Pattern {
  /// Which texts a pattern stands for.
  package enum Mode: Sendable, Hashable {
    /// Texts that contain a match somewhere: what JSON Schema asks for.
    case search
    /// Texts that are a match from beginning to end.
    case wholeMatch
  }

  /// What `\W`, `\D` and the like mean where dialects disagree.
  package enum Reading: Sendable, Hashable {
    /// What all dialects match: for texts that have to match.
    case narrowest
    /// What any dialect matches: for texts that must not.
    case widest
  }

  /// The texts that a pattern matches, as a minimal automaton over their UTF-8.
  ///
  /// A look-ahead where every match begins is a condition on the whole text; others are refused.
  ///
  /// Throws `invalidPattern` for what is no regular expression, `unsupported` for other look-around, back
  /// references, atomic groups, possessive quantifiers and properties without a table, `empty` if no
  /// text matches, and `limitExceeded` for what takes too many states, steps, groups or repetitions.
  package static func automaton(
    _ pattern: String, mode: Mode = .search, reading: Reading = .narrowest,
    limits: AutomatonLimits = .standard
  ) throws(GrammarError) -> ByteAutomaton {
    let isSearch = mode == .search
    var parser = try PatternParser(
      pattern, flags: PatternFlags(), isSearch: isSearch, reading: reading, limits: limits)
    let tree = try parser.parse()
    // Every condition is an automaton and a product of two, all of which share the steps.
    var limits = limits
    limits.steps /= 1 + 2 * parser.conditions.count
    var result = try automaton(of: tree, isSearch: isSearch, limits)
    for condition in parser.conditions {
      guard let known = result else { break }
      let beginning = PatternNode.sequence([.assertion(.textStart), condition.tree])
      let texts = try automaton(of: beginning, isSearch: true, limits)
      if let texts {
        result =
          condition.isNegative
          ? try known.difference(texts, limits: limits)
          : try known.intersection(texts, limits: limits)
      } else if !condition.isNegative {
        result = nil
      }
    }
    guard let result else { throw .empty(path: "", reason: "no text matches the pattern") }
    return result
  }

  private static func automaton(
    of tree: PatternNode, isSearch: Bool, _ limits: AutomatonLimits
  ) throws(GrammarError) -> ByteAutomaton? {
    let program = try PatternProgram(tree, isSearch: isSearch, limits)
    return try PatternDeterminizer(program, isSearch: isSearch, WorkMeter(limits)).automaton()
  }
}

extension ByteAutomaton {
  /// All well-formed UTF-8.
  package static let text: ByteAutomaton = {
    // Two states to each lead byte's remainder, so no limit is near.
    guard let all = try? Pattern.automaton("[^]*", mode: .wholeMatch) else {
      preconditionFailure("UTF-8 is a regular language")
    }
    return all
  }()
}
