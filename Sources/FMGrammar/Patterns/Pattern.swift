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

  /// The texts that a pattern matches, as a minimal automaton over their UTF-8.
  ///
  /// Throws `invalidPattern` for what is no regular expression, `unsupported` for look-around, back
  /// references, atomic groups, possessive quantifiers and properties without a table, `empty` if no
  /// text matches, and `limitExceeded` for what takes too many states, steps, groups or repetitions.
  package static func automaton(
    _ pattern: String, mode: Mode = .search, limits: AutomatonLimits = .standard
  ) throws(GrammarError) -> ByteAutomaton {
    var parser = try PatternParser(pattern, flags: PatternFlags(), limits: limits)
    let tree = try parser.parse()
    let isSearch = mode == .search
    let program = try PatternProgram(tree, isSearch: isSearch, limits)
    let meter = WorkMeter(limits)
    let determinizer = try PatternDeterminizer(program, isSearch: isSearch, meter)
    guard let automaton = try determinizer.automaton() else {
      throw .empty(path: "", reason: "no text matches the pattern")
    }
    return automaton
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
