import FMCore

/// Byte-level BPE: pieces of text are merged from single bytes by the rank of pairs.
struct ByteLevelEncoder: Sendable {
  /// The token of each byte, or -1.
  let byteTokens: [TokenID]
  let merges: MergeTable
  let rules: PreTokenizerRules

  /// Appends the tokens of a text that holds no special token; bytes without a token give none.
  func encode(
    _ text: UnsafeBufferPointer<UInt8>, _ vocabulary: Vocabulary,
    _ workspace: inout MergeWorkspace, into output: inout [TokenID]
  ) {
    guard let base = text.baseAddress else { return }
    var pass = Pass(encoder: self, base: base)
    byteTokens.withUnsafeBufferPointer { byteTokens in
      merges.withLookup { merges in
        vocabulary.withLookup { vocabulary in
          if case .staged(let stages) = rules.rule {
            for end in PreTokenizer.ends(stages, base, text.count) {
              pass.encode(to: end, byteTokens, merges, vocabulary, &workspace, &output)
            }
          } else {
            let scanner = TextScanner(base, end: text.count)
            while pass.start < text.count {
              let end = rules.rule.pieceEnd(from: pass.start, in: scanner)
              pass.encode(to: end, byteTokens, merges, vocabulary, &workspace, &output)
            }
          }
        }
      }
    }
  }

  /// A walk over the pieces of one text.
  private struct Pass {
    let encoder: ByteLevelEncoder
    let base: UnsafePointer<UInt8>
    var start = 0

    init(encoder: ByteLevelEncoder, base: UnsafePointer<UInt8>) {
      self.encoder = encoder
      self.base = base
    }

    @inline(__always)
    mutating func encode(
      to end: Int, _ byteTokens: UnsafeBufferPointer<TokenID>, _ merges: MergeLookup,
      _ vocabulary: VocabularyLookup, _ workspace: inout MergeWorkspace,
      _ output: inout [TokenID]
    ) {
      defer { start = end }
      if encoder.rules.takesWholePieces {
        let whole = vocabulary.id(base + start, end - start)
        if whole >= 0 {
          output.append(whole)
          return
        }
      }
      workspace.start()
      for offset in start..<end {
        let token = byteTokens[Int(base[offset])]
        // Left out before merging, as PyPI tokenizers does, so that its neighbours may merge.
        guard token >= 0 else { continue }
        workspace.append(
          MergeSymbol(start: UInt32(truncatingIfNeeded: offset), length: 1, token: token))
      }
      workspace.merge(RankRule(merges: merges))
      for index in 0..<workspace.count { output.append(workspace[index].token) }
    }
  }
}

/// Merges by the rank of the pair of tokens.
struct RankRule: MergeRule {
  let merges: MergeLookup

  @inline(__always)
  func candidate(_ left: MergeSymbol, _ right: MergeSymbol) -> MergeCandidate {
    guard left.token >= 0, right.token >= 0 else { return .none }
    let (rank, result) = merges.merge(left.token, right.token)
    return MergeCandidate(priority: rank, result: result)
  }
}
