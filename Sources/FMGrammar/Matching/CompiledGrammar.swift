/// A grammar made ready for one vocabulary, for any number of answers at once.
///
/// Immutable and shared between threads; a ``GrammarMatcher`` holds what an answer changes.
package final class CompiledGrammar: Sendable {
  /// The vocabulary it was made for.
  package let index: TokenIndex
  /// The fewest bytes of a whole answer; several different words that an array or object needs are
  /// each counted as the shortest.
  package let minimumBytes: Int
  /// Whether some words must differ from earlier ones, as keys and unique elements do.
  ///
  /// ``GrammarMatcher/minimumRemainingBytes`` can be too low then.
  package var hasDistinctWords: Bool { !tables.tracked.isEmpty }
  let tables: GrammarTables
  /// How long compiling may go on preparing what masks will need.
  private static let preparationMilliseconds = 3
  /// The token classes of each automaton of the tables.
  let classes: [AutomatonClasses]

  /// Compiles a grammar, in time about linear in its size.
  ///
  /// Alternatives and members that can never come to an end are left out. Throws
  /// ``GrammarError/empty(path:reason:)`` if nothing is left, ``GrammarError/unsupported(path:keyword:reason:)``
  /// for distinct elements that can't be told apart, and ``GrammarError/limitExceeded(_:limit:)``.
  package init(
    _ grammar: Grammar, index: TokenIndex, whiteSpace: WhiteSpace = .oneLine
  ) throws(GrammarError) {
    var compiler = GrammarCompiler(grammar, whiteSpace: whiteSpace)
    tables = try compiler.compile()
    self.index = index
    classes = compiler.automata.automata.map { index.classes.classes(of: $0) }
    // Compiling stays short: classes beyond this budget are made at their state's first visit.
    let end = ContinuousClock.now + .milliseconds(Self.preparationMilliseconds)
    for classes in classes { classes.prepare(until: end, index) }
    minimumBytes = tables.minimumBytes[tables.root]
  }
}
