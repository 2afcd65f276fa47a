package import FMCore

/// Follows one answer through a grammar and says which tokens may come next.
///
/// A value: a copy goes its own way. Not to be used from two threads at once. Every state it can get
/// into can be completed to a whole answer, as long as there are tokens for single bytes.
package struct GrammarMatcher: Sendable {
  /// What is kept for ``rollBack(tokens:)`` at least, in calls that accepted something.
  package static let rollBackLimit = 4096

  package let grammar: CompiledGrammar
  let tables: GrammarTables
  var arena = StackArena()
  /// The current set first, then what is being looked at.
  var sets = ConfigurationSets()
  /// The configurations of all states that can be gone back to, the current one's last.
  private var past: [Configuration] = []
  private var states: [PastState] = []
  var walk = MaskWalk()

  private struct PastState {
    /// Where its configurations begin in `past`.
    var start: Int
    var isAccepting: Bool
    /// How many frames there were.
    var frames: Int
  }

  /// Begins an answer.
  package init(_ grammar: CompiledGrammar) {
    self.grammar = grammar
    tables = grammar.tables
    sets.begin()
    sets.wait(.init(node: tables.root, frame: 0, word: 0))
    close()
    keep()
  }

  /// Whether the answer may end here.
  package var isAccepting: Bool { states[states.count - 1].isAccepting }

  /// Whether the answer is whole and nothing can follow.
  package var isFinished: Bool { isAccepting && currentCount == 0 }

  /// How many configurations the current state has.
  package var configurationCount: Int { currentCount }

  /// A matcher in the same state that goes its own way.
  package func copy() -> GrammarMatcher { self }

  /// The size of the current set, which is the first of `sets`.
  var currentCount: Int { past.count - states[states.count - 1].start }

  /// Goes on by a token; false, with nothing changed, if it isn't allowed.
  package mutating func accept(_ token: TokenID) -> Bool {
    let frames = arena.count
    let current = sets.count
    let bytes = grammar.index.bytes(of: token)
    var isOpen = false
    if !bytes.isEmpty { isOpen = walkOver(bytes) }
    let text = isOpen ? sets.base..<sets.count : 0..<0
    let isTextAccepting = isOpen && sets.isAccepting
    sets.begin()
    for index in 0..<current where tables.nodes[sets[index].node].kind == .token {
      guard tables.nodes[sets[index].node].first == token else { continue }
      sets.wait(.init(node: -1, frame: sets[index].frame, word: 0))
      isOpen = true
    }
    close()
    if isOpen {
      for index in text { sets.add(sets[index]) }
      sets.isAccepting = sets.isAccepting || isTextAccepting
      sets.keepLast(sets.count - sets.base)
      keep()
    } else {
      sets.drop(to: current)
      arena.drop(to: frames)
    }
    return isOpen
  }

  /// Goes on by bytes, as one step of ``rollBack(tokens:)``; false, with nothing changed, if they
  /// aren't allowed.
  package mutating func acceptBytes(_ bytes: some Collection<UInt8>) -> Bool {
    let frames = arena.count
    let current = sets.count
    let isAllowed =
      bytes.withContiguousStorageIfAvailable { walkOver($0) }
      ?? Array(bytes).withUnsafeBufferPointer { walkOver($0) }
    if isAllowed {
      if bytes.isEmpty { sets.isAccepting = isAccepting }
      sets.keepLast(sets.count - sets.base)
      keep()
    } else {
      sets.drop(to: current)
      arena.drop(to: frames)
    }
    return isAllowed
  }

  /// Takes back the last tokens; up to ``rollBackLimit`` are kept at least.
  package mutating func rollBack(tokens count: Int) {
    precondition(count >= 0 && count < states.count, "more than there is to take back")
    guard count > 0 else { return }
    past.removeLast(past.count - states[states.count - count].start)
    states.removeLast(count)
    sets.drop(to: 0)
    for configuration in past[states[states.count - 1].start...] { sets.append(configuration) }
    arena.drop(to: states[states.count - 1].frames)
  }

  /// Notes the current set, the only one of `sets`, as a state to go back to.
  private mutating func keep() {
    if states.count > 2 * Self.rollBackLimit {
      let dropped = states[Self.rollBackLimit].start
      states.removeFirst(Self.rollBackLimit)
      past.removeFirst(dropped)
      for index in states.indices { states[index].start -= dropped }
    }
    states.append(
      PastState(start: past.count, isAccepting: sets.isAccepting, frames: arena.count))
    for index in 0..<sets.count { past.append(sets[index]) }
  }

  /// Builds the set behind the current one that bytes lead to; false if there is none.
  ///
  /// With no bytes it builds a copy of the current set.
  mutating func walkOver(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    var lower = 0
    var upper = currentCount
    if bytes.isEmpty {
      sets.begin()
      for index in lower..<upper { sets.append(sets[index]) }
    }
    for byte in bytes {
      step(from: lower, to: upper, over: byte)
      lower = sets.base
      upper = sets.count
      if lower == upper, !sets.isAccepting { return false }
    }
    return true
  }
}
