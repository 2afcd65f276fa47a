import FMBackend
import FMCore

/// An answer's constraint while it is generated: the mask of the next token, what is forced, the ending.
///
/// Belongs to whoever has its ``Generation``. In steady state it allocates only what the constraint does.
final class ConstrainedAnswer {
  let state: any TokenConstraint
  /// Allowed next tokens, ends included; valid after ``refreshMask()``.
  private(set) var mask: [UInt64]
  /// Seconds spent on masks, forced tokens and endings.
  private(set) var seconds = 0.0
  /// Forced tokens so far.
  var forcedCount = 0
  /// Whether an ending was forced to keep within the budget; all its tokens are taken then.
  private(set) var isCutShort = false
  private let endsWithinBudget: Bool
  private let budget: Int
  private let endTokens: [TokenID]
  private let isScripted: Bool

  /// - Parameter budget: how many tokens the answer may have, its end token not counted.
  init(
    _ constraint: GenerationConstraint, budget: Int, endTokens: [TokenID], vocabularySize: Int,
    isScripted: Bool
  ) {
    state = constraint.makeState()
    mask = Array(repeating: 0, count: (vocabularySize + 63) / 64)
    endsWithinBudget = constraint.ending == .withinBudget && !isScripted
    self.budget = budget
    self.endTokens = endTokens.filter { $0 >= 0 && Int($0) < vocabularySize }
    self.isScripted = isScripted
  }

  /// How many tokens the shortest answer has, where that is more than the budget; nil when it fits.
  var shortfall: Int? {
    guard endsWithinBudget, !fits(budget) else { return nil }
    return state.shortestEnding()?.count ?? state.remainingBytes
  }

  /// Whether nothing may follow the tokens taken so far.
  var isComplete: Bool { isCutShort || state.mustEnd }

  /// Takes the tokens that are certain before the first is sampled; at least one is left to be.
  func takeOpening() -> [TokenID] {
    guard !isScripted else { return [] }
    var opening = timed { state.forcedTokens() }
    if opening.count >= budget { opening.removeLast(opening.count - max(0, budget - 1)) }
    take(&opening, generated: 0)
    if !opening.isEmpty, isComplete {
      opening.removeLast()
      state.rollBack(1)
      isCutShort = false
    }
    forcedCount += opening.count
    return opening
  }

  /// Makes the mask for the next token.
  func refreshMask() {
    timed {
      state.fill(&mask)
      guard state.mayEnd else { return }
      for token in endTokens { mask[Int(token) / 64] |= 1 << UInt64(token % 64) }
    }
  }

  /// Takes a sampled token that is not an end, or puts the first token of an ending in its place.
  ///
  /// `generated` counts the tokens before it. Returns the tokens that follow without being sampled;
  /// `token` becomes nil where the answer has to end before it.
  /// - Throws: ``EngineError/constraintViolated(token:)`` for a token that may not follow.
  func take(
    _ token: inout TokenID?, generated: Int
  ) throws(EngineError) -> [TokenID] {
    guard let sampled = token else { return [] }
    let start = MonotonicInstant.now
    defer { seconds += MonotonicInstant.now.seconds(since: start) }
    guard state.accept(sampled) else { throw .constraintViolated(token: sampled) }
    if isScripted || state.mustEnd { return [] }
    if endsWithinBudget, !fits(budget - generated - 1) {
      state.rollBack(1)
      let ending = takeEnding()
      token = ending.first
      return Array(ending.dropFirst())
    }
    var forced = state.forcedTokens()
    take(&forced, generated: generated + 1)
    forcedCount += forced.count
    return forced
  }

  /// Takes forced tokens, or an ending where they would lead past the budget.
  private func take(_ forced: inout [TokenID], generated: Int) {
    for (index, token) in forced.enumerated() where !state.accept(token) {
      // A forced token that may not follow would be a fault of the constraint; sampling goes on from here.
      forced.removeLast(forced.count - index)
      break
    }
    if endsWithinBudget, !forced.isEmpty, !fits(budget - generated - forced.count) {
      state.rollBack(forced.count)
      forced = takeEnding()
    }
  }

  private func takeEnding() -> [TokenID] {
    isCutShort = true
    var ending = state.shortestEnding() ?? []
    for (index, token) in ending.enumerated() where !state.accept(token) {
      ending.removeLast(ending.count - index)
      break
    }
    forcedCount += max(0, ending.count - 1)
    return ending
  }

  /// Whether the shortest ending from here has at most so many tokens.
  ///
  /// Far from the limit the bytes decide, which are cheaper to have.
  private func fits(_ tokens: Int) -> Bool {
    state.remainingBytes <= tokens
      || state.shortestEnding().map { $0.count <= tokens } ?? false
  }

  private func timed<Result>(_ body: () -> Result) -> Result {
    let start = MonotonicInstant.now
    defer { seconds += MonotonicInstant.now.seconds(since: start) }
    return body()
  }
}
