/// Bounds of what building one automaton may cost, so that a hostile pattern or bound ends in an error.
package struct AutomatonLimits: Sendable, Hashable {
  /// States of a finished automaton; while it is built there may be eight times as many.
  package var states: Int
  /// Elementary moves while it is built: some tens of nanoseconds each.
  package var steps: Int
  /// Groups inside groups of a pattern.
  package var depth: Int
  /// The greatest count of a quantifier or of a repetition.
  package var repetitions: Int
  /// Bytes of a pattern's or number's source.
  package var sourceBytes: Int

  /// What is used where nothing else is said: less than a second and less than 200 MB.
  package static let standard = AutomatonLimits()

  package init(
    states: Int = 20_000, steps: Int = 10_000_000, depth: Int = 250, repetitions: Int = 20_000,
    sourceBytes: Int = 100_000
  ) {
    self.states = states
    self.steps = steps
    self.depth = depth
    self.repetitions = repetitions
    self.sourceBytes = sourceBytes
  }

  /// States there may be before an automaton is minimal.
  var unfinishedStates: Int { states.multipliedReportingOverflow(by: 8).partialValue }
}

/// Counts the moves of one construction against its limits.
final class WorkMeter {
  /// Entries of a transition table: 24 MB.
  static let cellLimit = 6_000_000

  let limits: AutomatonLimits
  private var steps = 0

  init(_ limits: AutomatonLimits) { self.limits = limits }

  /// Notes `count` moves; throws once there were too many.
  func spend(_ count: Int) throws(GrammarError) {
    steps += count
    if steps > limits.steps { throw .limitExceeded(.steps, limit: limits.steps) }
  }

  /// Throws if a table of so many states is too large while it is built.
  func check(states: Int, classes: Int = 1) throws(GrammarError) {
    if states > limits.unfinishedStates || states * classes > Self.cellLimit {
      throw .limitExceeded(.states, limit: limits.states)
    }
  }
}
