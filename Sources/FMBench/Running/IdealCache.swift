package import FMCore

/// What a prefix cache without limits would hold: everything that live sessions computed.
package struct IdealCache: Sendable {
  private var computed: [[TokenID]] = []

  package init() {}

  /// Forgets everything, as clearing the real cache does.
  package mutating func clear() { computed = [] }

  /// Adds a sequence whose keys and values were computed.
  ///
  /// Of an answer that leaves out the last token, which was chosen and not computed.
  package mutating func remember(_ tokens: [TokenID]) { computed.append(tokens) }

  /// Prompt tokens that need not be computed: the longest prefix shared with anything remembered.
  ///
  /// At most all but the last, which must be computed to give the first output token.
  package func ideal(for prompt: [TokenID]) -> Int {
    var best = 0
    for tokens in computed {
      let limit = min(tokens.count, prompt.count - 1)
      guard limit > best else { continue }
      var length = 0
      while length < limit, tokens[length] == prompt[length] { length += 1 }
      best = max(best, length)
    }
    return best
  }
}
