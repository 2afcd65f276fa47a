package import FMCore

/// What an answer may be, token by token: the state of one answer, used by one thread at a time.
///
/// A complete answer must be reachable from every state that ``accept(_:)`` leads to.
package protocol TokenConstraint: AnyObject {
  /// Sets the bits of the tokens that may follow and clears all others: bit `t % 64` of word `t / 64`.
  ///
  /// End-of-generation tokens are not among them; `mask` keeps its size.
  func fill(_ mask: inout [UInt64])

  /// Whether the answer may end here.
  var mayEnd: Bool { get }

  /// Whether the answer is complete and nothing may follow.
  var mustEnd: Bool { get }

  /// Takes a token; false, and no change, where it may not follow.
  func accept(_ token: TokenID) -> Bool

  /// Forgets the last `count` tokens.
  func rollBack(_ count: Int)

  /// Tokens that every legal answer goes on with, spelled as the tokenizer would; they are not taken.
  func forcedTokens() -> [TokenID]

  /// How many bytes a shortest ending has at most; no ending has more tokens than bytes.
  var remainingBytes: Int { get }

  /// The tokens of a shortest ending, which are not taken; nil where it is longer than any budget.
  func shortestEnding() -> [TokenID]?
}

/// A constraint to be put on an answer, and how the answer ends when tokens run out.
package struct GenerationConstraint: Sendable {
  /// What happens at the limit of tokens.
  package enum Ending: Sendable, Hashable {
    /// The answer is cut where it is.
    case cut
    /// The shortest legal ending is forced before the limit is reached.
    case withinBudget
  }

  package var ending: Ending
  /// Makes the state at the start of an answer.
  package var makeState: @Sendable () -> any TokenConstraint

  package init(ending: Ending = .cut, makeState: @escaping @Sendable () -> any TokenConstraint) {
    self.ending = ending
    self.makeState = makeState
  }
}
