package import FMCore

/// Makes texts that are exactly so many tokens long under one model's tokenizer.
///
/// The same seed, lane and tokenizer give the same tokens.
package struct ExactText {
  package var texts: TextSources
  package var encoding: any TextEncoding
  package var random: CounterRandom

  package init(texts: TextSources, encoding: any TextEncoding, seed: UInt64) {
    self.texts = texts
    self.encoding = encoding
    random = CounterRandom(seed: seed)
  }

  /// `count` tokens of sentences of `kind`.
  ///
  /// Sentences are encoded and cut at `count`. A cut that does not encode back to itself (a token
  /// that would have merged with the next) is moved by ending in other short words; where no
  /// ending helps the cut stays, since the count is what must be exact.
  package func tokens(
    kind: String, count: Int, lane: UInt64
  ) throws(SuiteError) -> [TokenID] {
    guard var sentences = texts.sentences(kind, random: random, lane: lane) else {
      throw .cannotFill(kind: kind, tokens: count, reason: "there is no such text")
    }
    var text = ""
    var tokens: [TokenID] = []
    // A sentence without tokens must not keep this going.
    var attempts = 0
    while tokens.count < count {
      attempts += 1
      guard attempts <= count + 64, let sentence = sentences.next() else {
        throw .cannotFill(kind: kind, tokens: count, reason: "its sentences have no tokens")
      }
      text += (text.isEmpty ? "" : sentences.separator) + sentence
      // Encoding only now and then keeps long texts from costs that grow with the square.
      if text.utf8.count >= count || tokens.isEmpty { tokens = encoding.tokens(of: text) }
    }
    let cut = Array(tokens.prefix(count))
    return repaired(cut) ?? cut
  }

  /// A forced output of `count` tokens from a template: `<fill>` takes as many words as fit.
  ///
  /// When the template alone is longer, or no choice of short last words hits the count, the text
  /// is cut at it.
  package func tokens(template name: String, count: Int) throws(SuiteError) -> [TokenID] {
    guard let template = texts.templates[name],
      let hole = template.firstRange(of: "<fill>")
    else {
      throw .cannotFill(kind: name, tokens: count, reason: "there is no such template")
    }
    func encoded(_ words: [String]) -> [TokenID] {
      encoding.tokens(
        of: template[..<hole.lowerBound] + words.joined(separator: " ")
          + template[hole.upperBound...])
    }
    var words: [String] = []
    var best = encoded(words)
    while best.count < count {
      guard !texts.filler.isEmpty, words.count <= count + 64 else {
        throw .cannotFill(kind: name, tokens: count, reason: "its words have no tokens")
      }
      let longer = words + [texts.filler[words.count % texts.filler.count]]
      let tokens = encoded(longer)
      if tokens.count <= count {
        words = longer
        best = tokens
        if tokens.count == count { return tokens }
        continue
      }
      for word in texts.pad {
        let tokens = encoded(words + [word])
        if tokens.count == count { return tokens }
      }
      best = tokens
    }
    return Array(best.prefix(count))
  }

  /// A template with as many words in its `<fill>` as keep it within `count` tokens; it is never cut.
  ///
  /// `name` is the template's, for the error. Longer than `count` where the template alone is.
  package func text(
    filling template: String, name: String, upTo count: Int
  ) throws(SuiteError) -> String {
    guard let hole = template.firstRange(of: "<fill>"), let first = texts.filler.first else {
      throw .cannotFill(kind: name, tokens: count, reason: "it has no place for words")
    }
    func filled(_ words: [String]) -> String {
      template[..<hole.lowerBound] + words.joined(separator: " ") + template[hole.upperBound...]
    }
    var words = [first]
    var best = filled(words)
    while words.count <= count + 64 {
      words.append(texts.filler[words.count % texts.filler.count])
      let longer = filled(words)
      guard encoding.tokens(ofAnswer: longer).count <= count else { break }
      best = longer
    }
    return best
  }

  /// The cut with an ending that encodes back to itself; nil when none is found.
  private func repaired(_ cut: [TokenID]) -> [TokenID]? {
    if isStable(cut) { return cut }
    for dropped in 1...min(4, max(1, cut.count - 1)) {
      let kept = encoding.text(of: Array(cut.dropLast(dropped)))
      for word in texts.pad {
        let tokens = encoding.tokens(
          of: kept + String(repeating: " " + word, count: dropped))
        if tokens.count == cut.count { return tokens }
      }
    }
    return nil
  }

  private func isStable(_ tokens: [TokenID]) -> Bool {
    encoding.tokens(of: encoding.text(of: tokens)) == tokens
  }
}
