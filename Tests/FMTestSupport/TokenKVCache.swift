package import FMBackend
package import FMCore

/// A KV cache whose entries are the tokens themselves, read back only through block tables.
///
/// Executors for tests keep their state in it, so that a wrong table, a stale block or a missing copy
/// changes what they answer.
package struct TokenKVCache {
  private let layout: KVLayout
  /// Tokens of each group, `[blocks * blockTokens]`; -1 where nothing was stored.
  private var slots: [[TokenID]]

  package init(layout: KVLayout, blockCounts: [Int]) {
    self.layout = layout
    slots = blockCounts.map { Array(repeating: -1, count: $0 * KVLayout.blockTokens) }
  }

  /// Stores the row's token in every group.
  package mutating func store(row: Int, of step: borrowing Step) throws(BackendError) {
    let position = Int(step.positions[row])
    for group in slots.indices {
      let slot = try self.slot(position, group: group, row: row, of: step)
      slots[group][slot] = step.tokens[row]
    }
  }

  /// Calls `body` with the position and token of everything the row sees, group by group.
  package func visit(
    row: Int, of step: borrowing Step, group: Int, body: (Int, TokenID) -> Void
  ) throws(BackendError) {
    let position = Int(step.positions[row])
    let first = layout.groups[group].window.map { max(0, position - $0 + 1) } ?? 0
    for seen in first...position {
      let slot = try self.slot(seen, group: group, row: row, of: step)
      body(seen, slots[group][slot])
    }
  }

  /// Copies a block within a group.
  package mutating func copy(group: Int, from source: Int, to destination: Int) {
    for offset in 0..<KVLayout.blockTokens {
      slots[group][destination * KVLayout.blockTokens + offset] =
        slots[group][source * KVLayout.blockTokens + offset]
    }
  }

  /// A block's tokens as little-endian bytes.
  package func bytes(group: Int, block: Int) -> [UInt8] {
    let start = block * KVLayout.blockTokens
    return slots[group][start..<start + KVLayout.blockTokens].flatMap { token in
      withUnsafeBytes(of: token.littleEndian) { Array($0) }
    }
  }

  /// Restores what ``bytes(group:block:)`` gave.
  package mutating func restore(group: Int, block: Int, bytes: [UInt8]) throws(BackendError) {
    guard bytes.count == KVLayout.blockTokens * 4 else {
      throw .invalidStep("a block of \(bytes.count) bytes")
    }
    for offset in 0..<KVLayout.blockTokens {
      let word = (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[offset * 4 + $1]) << (8 * $1) }
      slots[group][block * KVLayout.blockTokens + offset] = TokenID(bitPattern: word)
    }
  }

  private func slot(
    _ position: Int, group: Int, row: Int, of step: borrowing Step
  ) throws(BackendError) -> Int {
    let table = Int(step.sequences[row]) * slots.count + group
    let entry = Int(step.tableStarts[table]) + position / KVLayout.blockTokens
    guard entry < Int(step.tableStarts[table + 1]) else {
      throw .invalidStep("position \(position) lies past the table of group \(group)")
    }
    let block = Int(step.blocks[entry])
    guard block >= 0, (block + 1) * KVLayout.blockTokens <= slots[group].count else {
      throw .invalidStep("position \(position) of group \(group) is in block \(block)")
    }
    return block * KVLayout.blockTokens + position % KVLayout.blockTokens
  }
}
