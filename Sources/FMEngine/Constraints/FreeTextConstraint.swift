package import FMCore
package import FMGrammar
package import FMText
import Synchronization

/// Masks of free text, made once a place and shared by all answers of a grammar that begins with it.
///
/// In text that a call may interrupt nearly every token is allowed, and where the text is, is all that
/// matters: the mask of each place is kept instead of being made for every token.
package final class FreeTextMasks: Sendable {
  /// The text.
  let automaton: ByteAutomaton
  /// Whether the grammar's own place follows from the automaton's state, by state.
  private let isPlace: [Bool]
  private let masks: Mutex<[[UInt64]]>

  /// - Parameter isPlace: the states that determine what the grammar allows after them.
  package init(automaton: ByteAutomaton, isPlace: (ByteAutomaton.State) -> Bool) {
    self.automaton = automaton
    self.isPlace = (0..<automaton.stateCount).map { isPlace(ByteAutomaton.State($0)) }
    masks = Mutex(Array(repeating: [], count: automaton.stateCount))
  }

  /// Fills the mask of a state, with `make` where it is not known or belongs to no place.
  func fill(
    _ mask: inout [UInt64], state: ByteAutomaton.State, make: (inout [UInt64]) -> Void
  ) {
    guard isPlace[Int(state)] else { return make(&mask) }
    let known = masks.withLock { $0[Int(state)] }
    if known.count == mask.count {
      for word in mask.indices { mask[word] = known[word] }
      return
    }
    make(&mask)
    let made = mask
    masks.withLock { $0[Int(state)] = made }
  }
}

/// A grammar whose answers begin with text, with the masks of that text kept.
package final class FreeTextConstraint: TokenConstraint {
  private let base: GrammarConstraint
  private let masks: FreeTextMasks
  private let tokenizer: Tokenizer
  /// The automaton's state after each token; dead once the answer is no text any more.
  private var states: [ByteAutomaton.State] = [0]

  /// Starts at the beginning of an answer.
  package init(_ grammar: CompiledGrammar, masks: FreeTextMasks, tokenizer: Tokenizer) {
    base = GrammarConstraint(grammar, tokenizer: tokenizer)
    self.masks = masks
    self.tokenizer = tokenizer
    states.reserveCapacity(256)
  }

  private var state: ByteAutomaton.State { states[states.count - 1] }
  private var isText: Bool { state != ByteAutomaton.dead }

  /// Sets the bits of the tokens that may follow and clears all others.
  package func fill(_ mask: inout [UInt64]) {
    guard isText else { return base.fill(&mask) }
    masks.fill(&mask, state: state) { base.fill(&$0) }
  }

  /// Whether the answer may end here: text may everywhere.
  package var mayEnd: Bool { isText || base.mayEnd }

  /// Whether the answer is complete and nothing may follow.
  package var mustEnd: Bool { !isText && base.mustEnd }

  /// Takes a token; false, and no change, where it may not follow.
  package func accept(_ token: TokenID) -> Bool {
    guard base.accept(token) else { return false }
    var next = state
    for byte in tokenizer.bytes(of: token) where next != ByteAutomaton.dead {
      next = masks.automaton.next(next, byte)
    }
    states.append(next)
    return true
  }

  /// Forgets the last `count` tokens.
  package func rollBack(_ count: Int) {
    base.rollBack(count)
    states.removeLast(count)
  }

  /// The tokens every legal answer goes on with: none in text.
  package func forcedTokens() -> [TokenID] { isText ? [] : base.forcedTokens() }

  /// How many bytes a shortest ending has at most.
  package var remainingBytes: Int { isText ? 0 : base.remainingBytes }

  /// The tokens of a shortest ending; nil for one of more than 64 KiB.
  package func shortestEnding() -> [TokenID]? { isText ? [] : base.shortestEnding() }
}
