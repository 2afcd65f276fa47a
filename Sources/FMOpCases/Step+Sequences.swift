package import FMBackend
package import FMCore

extension Step {
  /// The rows of one sequence in a step, for tests and op cases.
  package struct Rows: Sendable {
    package var tokens: [TokenID]
    package var firstPosition: Int
    /// Which share of the cache the sequence has, from 0.
    package var slot: Int

    package init(tokens: [TokenID], firstPosition: Int = 0, slot: Int = 0) {
      self.tokens = tokens
      self.firstPosition = firstPosition
      self.slot = slot
    }
  }

  /// Makes a step of some sequences; sequence `i` is `sequences[i]`.
  ///
  /// A slot has as many consecutive blocks as the context needs, in falling order, so that code
  /// which takes block numbers for positions fails. Blocks a window has left are -1.
  package init(
    _ sequences: [Rows], program: Program, outputs: [OutputRequest] = []
  ) {
    self.init()
    let tableLength = (program.contextLength + KVLayout.blockTokens - 1) / KVLayout.blockTokens
    tableStarts = [0]
    for (index, rows) in sequences.enumerated() {
      for (offset, token) in rows.tokens.enumerated() {
        tokens.append(token)
        positions.append(Int32(rows.firstPosition + offset))
        self.sequences.append(Int32(index))
      }
      for group in program.kv.groups {
        let last = (rows.firstPosition + rows.tokens.count - 1) / KVLayout.blockTokens
        let first = group.window.map { max(0, rows.firstPosition - $0 + 1) } ?? 0
        for block in 0...last {
          let kept = block >= first / KVLayout.blockTokens
          blocks.append(kept ? Int32(rows.slot * tableLength + tableLength - 1 - block) : -1)
        }
        tableStarts.append(Int32(blocks.count))
      }
    }
    self.outputs = outputs
  }

  /// Makes a step of one sequence that asks for the logits of every row.
  package static func logits(
    of tokens: [TokenID], from firstPosition: Int = 0, slot: Int = 0, program: Program
  ) -> Step {
    Step(
      [Rows(tokens: tokens, firstPosition: firstPosition, slot: slot)], program: program,
      outputs: tokens.indices.map { OutputRequest(row: $0, kind: .logits) })
  }
}
