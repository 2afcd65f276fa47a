package import FMGrammar
package import FMText
import Synchronization

/// Grammars made ready for one model's vocabulary, kept for the next answer of the same form.
///
/// The vocabulary's index is built when the first grammar is asked for, once.
package final class GrammarCache: Sendable {
  private struct Key: Hashable {
    var grammar: Grammar
    var whiteSpace: WhiteSpace
  }

  private struct State {
    var index: TokenIndex?
    var compiled: [Key: CompiledGrammar] = [:]
    /// The keys by last use, the latest at the end.
    var order: [Key] = []

    mutating func use(_ key: Key) -> CompiledGrammar? {
      guard let compiled = compiled[key] else { return nil }
      order.removeAll { $0 == key }
      order.append(key)
      return compiled
    }

    mutating func keep(_ grammar: CompiledGrammar, as key: Key, limit: Int) {
      compiled[key] = grammar
      order.removeAll { $0 == key }
      order.append(key)
      while order.count > limit { compiled[order.removeFirst()] = nil }
    }
  }

  private let tokenizer: Tokenizer
  private let limit: Int
  private let state = Mutex(State())

  /// A cache of at most `limit` grammars for a tokenizer's vocabulary.
  package init(tokenizer: Tokenizer, limit: Int = 64) {
    self.tokenizer = tokenizer
    self.limit = max(1, limit)
  }

  /// The vocabulary's index; the first call builds it, which takes time linear in the vocabulary.
  package var index: TokenIndex {
    state.withLock { state in
      if let index = state.index { return index }
      let index = TokenIndex(tokenizer)
      state.index = index
      return index
    }
  }

  /// A grammar made ready, from the cache where it was asked for before.
  ///
  /// - Throws: ``GrammarError`` as ``CompiledGrammar`` does.
  package func compiled(
    _ grammar: Grammar, whiteSpace: WhiteSpace = .oneLine
  ) throws(GrammarError) -> CompiledGrammar {
    let key = Key(grammar: grammar, whiteSpace: whiteSpace)
    if let known = state.withLock({ $0.use(key) }) { return known }
    let compiled = try CompiledGrammar(grammar, index: index, whiteSpace: whiteSpace)
    let limit = limit
    state.withLock { $0.keep(compiled, as: key, limit: limit) }
    return compiled
  }

  /// A constraint that keeps answers to a grammar.
  ///
  /// - Throws: ``GrammarError`` as ``CompiledGrammar`` does.
  package func constraint(
    _ grammar: Grammar, whiteSpace: WhiteSpace = .oneLine,
    ending: GenerationConstraint.Ending = .cut
  ) throws(GrammarError) -> GenerationConstraint {
    let compiled = try compiled(grammar, whiteSpace: whiteSpace)
    let tokenizer = tokenizer
    return GenerationConstraint(ending: ending) {
      GrammarConstraint(compiled, tokenizer: tokenizer)
    }
  }
}
