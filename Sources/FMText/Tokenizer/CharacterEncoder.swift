import FMCore

/// BPE over characters, with bytes where the vocabulary lacks a character: SentencePiece's.
///
/// Text is matched with its spaces as they are, since the vocabulary's markers were made spaces.
struct CharacterEncoder: Sendable {
  /// What decides the order of merges.
  enum Order: Sendable {
    /// The score of the result; each token's rank by falling score is its priority.
    case scores([UInt32])
    /// The rank of the pair.
    case ranks(MergeTable)
  }

  let order: Order
  /// The token of each byte, or -1.
  let byteTokens: [TokenID]
  /// What stands for a character that has neither a token nor byte tokens, or -1: nothing does.
  let unknown: TokenID
  /// Whether a run of line feeds that is a token is taken whole, and merges stop at its edges.
  let takesLineFeedRuns: Bool
  private let joins: JoinFilter
  private let short: ShortTokens

  /// Prepares the encoder for a vocabulary.
  init(
    _ vocabulary: Vocabulary, order: Order, unknown: TokenID, takesLineFeedRuns: Bool = false
  ) {
    self.order = order
    self.unknown = unknown
    self.takesLineFeedRuns = takesLineFeedRuns
    byteTokens = vocabulary.byteTokens
    joins = JoinFilter(vocabulary)
    short = ShortTokens(vocabulary)
  }

  /// The priority of each token by its score: the highest score first.
  static func priorities(_ scores: [Float]) -> [UInt32] {
    scores.map { score in
      // Falling scores as rising integers; NaN, which orders with nothing, last.
      guard !score.isNaN else { return .max - 1 }
      let bits = (score + 0).bitPattern
      let rising = bits & 0x8000_0000 == 0 ? bits | 0x8000_0000 : ~bits
      return min(~rising, .max - 1)
    }
  }

  /// Appends the tokens of a text that holds no special token.
  func encode(
    _ text: UnsafeBufferPointer<UInt8>, _ vocabulary: Vocabulary,
    _ workspace: inout MergeWorkspace, into output: inout [TokenID]
  ) {
    guard let base = text.baseAddress else { return }
    short.withLookup(vocabulary) { lookup in
      switch order {
      case .scores(let priorities):
        priorities.withUnsafeBufferPointer { priorities in
          let rule = ScoreRule(base: base, lookup: lookup, priorities: priorities)
          encode(base, text.count, rule, lookup, &workspace, &output)
        }
      case .ranks(let merges):
        merges.withLookup { merges in
          encode(base, text.count, RankRule(merges: merges), lookup, &workspace, &output)
        }
      }
    }
  }

  @inline(__always)
  private func encode(
    _ base: UnsafePointer<UInt8>, _ count: Int, _ rule: some MergeRule,
    _ lookup: ShortTokenLookup, _ workspace: inout MergeWorkspace, _ output: inout [TokenID]
  ) {
    joins.withLookup { joins in
      var start = 0
      while start < count {
        start = fillSegment(base, start, count, joins, lookup, &workspace)
        workspace.merge(rule)
        for index in 0..<workspace.count { append(workspace[index], base, &output) }
      }
    }
  }

  /// Reads one segment's characters into the workspace and returns where it ends: the first place
  /// that no token spans, so that no merge can cross it.
  @inline(__always)
  private func fillSegment(
    _ base: UnsafePointer<UInt8>, _ start: Int, _ count: Int, _ joins: JoinLookup,
    _ lookup: ShortTokenLookup, _ workspace: inout MergeWorkspace
  ) -> Int {
    workspace.start()
    var offset = start
    var previous: UInt32 = 0
    while offset < count {
      let (scalar, length) = ScalarDecoding.scalar(base + offset, count - offset)
      if offset > start, !joins.mayJoin(previous, scalar) { break }
      if takesLineFeedRuns, offset > start, (previous == 0x0a) != (scalar == 0x0a) { break }
      workspace.append(
        MergeSymbol(
          start: UInt32(truncatingIfNeeded: offset), length: UInt32(length),
          token: lookup.id(base + offset, length)))
      previous = scalar
      offset += length
    }
    if takesLineFeedRuns, previous == 0x0a {
      let whole = lookup.id(base + start, offset - start)
      if whole >= 0 { workspace.replaceAll(with: whole) }
    }
    return offset
  }

  @inline(__always)
  private func append(
    _ symbol: MergeSymbol, _ base: UnsafePointer<UInt8>, _ output: inout [TokenID]
  ) {
    if symbol.token >= 0 { output.append(symbol.token) } else { appendBytes(symbol, base, &output) }
  }

  private func appendBytes(
    _ symbol: MergeSymbol, _ base: UnsafePointer<UInt8>, _ output: inout [TokenID]
  ) {
    let bytes = Int(symbol.start)..<Int(symbol.start + symbol.length)
    if bytes.allSatisfy({ byteTokens[Int(base[$0])] >= 0 }) {
      for offset in bytes { output.append(byteTokens[Int(base[offset])]) }
    } else if unknown >= 0 {
      output.append(unknown)
    }
  }
}

/// Merges by the score of the token that two neighbours spell together.
private struct ScoreRule: MergeRule {
  let base: UnsafePointer<UInt8>
  let lookup: ShortTokenLookup
  let priorities: UnsafeBufferPointer<UInt32>

  @inline(__always)
  func candidate(_ left: MergeSymbol, _ right: MergeSymbol) -> MergeCandidate {
    let id = lookup.id(base + Int(left.start), Int(left.length + right.length))
    guard id >= 0 else { return .none }
    return MergeCandidate(priority: priorities[Int(id)], result: id)
  }
}
