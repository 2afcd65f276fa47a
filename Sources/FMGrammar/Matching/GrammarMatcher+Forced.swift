package import FMCore
package import FMText

extension GrammarMatcher {
  /// The bytes that every way to go on begins with, at most `limit` of them.
  ///
  /// None where the answer may end or a control token may come.
  package mutating func forcedBytes(limit: Int = 4096) -> [UInt8] {
    let frames = arena.count
    let current = sets.count
    let bytes = followForced(limit: limit)
    sets.drop(to: current)
    arena.drop(to: frames)
    return bytes
  }

  /// The tokens that stand for the forced bytes, as far as their boundaries are certain.
  ///
  /// The tokenizer's own tokens of the forced bytes; none is given from where a longer token could be
  /// sampled that the rest of the forced bytes is only the beginning of.
  package mutating func forcedTokens(
    using tokenizer: Tokenizer, limit: Int = 4096
  ) -> [TokenID] {
    let frames = arena.count
    let current = sets.count
    defer {
      sets.drop(to: current)
      arena.drop(to: frames)
    }
    let bytes = followForced(limit: limit)
    guard !bytes.isEmpty else { return [] }
    let index = grammar.index
    let tokens = tokenizer.encode(bytes)
    var start = 0
    var kept: [TokenID] = []
    for token in tokens {
      let spelled = index.bytes(of: token)
      let end = start + spelled.count
      // A tokenizer that puts a space before a text has no tokens for these bytes alone.
      guard !spelled.isEmpty, end <= bytes.count, bytes[start..<end].elementsEqual(spelled) else {
        break
      }
      if mayGoBeyond(bytes[start...]) { break }
      kept.append(token)
      start = end
    }
    return kept
  }

  /// Builds the set that the forced bytes lead to behind the current one, and gives the bytes.
  private mutating func followForced(limit: Int) -> [UInt8] {
    let current = sets.count
    var bytes: [UInt8] = []
    sets.begin()
    for index in 0..<current { sets.append(sets[index]) }
    sets.isAccepting = isAccepting
    while bytes.count < limit, !sets.isAccepting {
      guard let byte = onlyByte(current, sets.count) else { break }
      bytes.append(byte)
      step(from: current, to: sets.count, over: byte)
      sets.replace(from: current)
    }
    return bytes
  }

  /// The byte that all configurations go on with, if there is one.
  private func onlyByte(_ lower: Int, _ upper: Int) -> UInt8? {
    var legal = ByteSet()
    for index in lower..<upper {
      if tables.nodes[sets[index].node].kind == .token { return nil }
      addLegalBytes(of: sets[index], to: &legal)
    }
    guard legal.count == 1 else { return nil }
    return UInt8(legal.next(0))
  }

  /// Whether some token begins with all of `rest` and goes on in a way that is allowed after it.
  ///
  /// The set after the forced bytes lies behind the current one.
  private mutating func mayGoBeyond(_ rest: ArraySlice<UInt8>) -> Bool {
    let trie = grammar.index.trie
    var node: Int32 = 0
    for byte in rest {
      node = trie.child(of: node, over: byte)
      if node < 0 { return false }
    }
    let lower = currentCount
    let upper = sets.count
    let bottom = walk.levels.count
    var isFound = false
    push(trie, node, lower, upper, floor: upper)
    while walk.levels.count > bottom {
      if isFound {
        sets.drop(to: upper)
        walk.levels.removeLast(walk.levels.count - bottom)
        break
      }
      guard let child = nextChild(trie) else { continue }
      let level = walk.levels[walk.levels.count - 1]
      step(from: level.lower, to: level.upper, over: trie.bytes[child])
      let base = sets.base
      isFound = (sets.count > base || sets.isAccepting) && trie.isKey(child)
      if sets.count > base, trie.hasChildren(child) {
        push(trie, child, base, sets.count, floor: base)
      } else {
        sets.drop(to: base)
      }
    }
    return isFound
  }
}
