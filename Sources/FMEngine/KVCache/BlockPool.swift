/// The KV blocks of one group: a free list and a reference count for each block.
///
/// Holds numbers only; the bytes are the executor's. Allocates memory only when made.
package struct BlockPool: Sendable {
  /// Blocks there are, numbered `0 ..< capacity`.
  package let capacity: Int
  private var free: [Int32]
  private var references: [Int32]

  package init(capacity: Int) {
    self.capacity = capacity
    // Popped from the end, so that low numbers are used first.
    free = (0..<Int32(capacity)).reversed()
    references = Array(repeating: 0, count: capacity)
  }

  /// Blocks nobody holds.
  package var freeCount: Int { free.count }

  /// Blocks somebody holds.
  package var usedCount: Int { capacity - free.count }

  /// Takes a free block with one reference; nil when there is none.
  package mutating func allocate() -> Int32? {
    guard let block = free.popLast() else { return nil }
    references[Int(block)] = 1
    return block
  }

  /// Adds a reference to a held block.
  package mutating func retain(_ block: Int32) {
    precondition(references[Int(block)] > 0, "a free block cannot be retained")
    references[Int(block)] += 1
  }

  /// Drops a reference; the last one frees the block.
  package mutating func release(_ block: Int32) {
    precondition(references[Int(block)] > 0, "a free block cannot be released")
    references[Int(block)] -= 1
    if references[Int(block)] == 0 { free.append(block) }
  }

  /// Whether more than one holder sees the block, so that writing it needs a copy first.
  package func isShared(_ block: Int32) -> Bool { references[Int(block)] > 1 }

  /// References to all blocks together.
  package var referenceCount: Int { references.reduce(0) { $0 + Int($1) } }
}

/// The block pools of all groups, shared by the sequences and the prefix cache of one engine.
///
/// Belongs to one thread at a time, like the executor whose blocks it counts.
package final class BlockPools {
  /// One pool a group, in the order of the program's layout.
  package var groups: [BlockPool]

  /// Pools of the given sizes.
  package init(counts: [Int]) { groups = counts.map(BlockPool.init(capacity:)) }

  /// Adds a reference to every block of the tables; entries of -1 are skipped.
  package func retain(_ tables: [[Int32]]) {
    for group in tables.indices {
      for block in tables[group] where block >= 0 { groups[group].retain(block) }
    }
  }

  /// Drops a reference to every block of the tables; entries of -1 are skipped.
  package func release(_ tables: [[Int32]]) {
    for group in tables.indices {
      for block in tables[group] where block >= 0 { groups[group].release(block) }
    }
  }
}
