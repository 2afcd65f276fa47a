import FMBackend
import FMCore

/// Names a sequence of a ``StepEngine``; a freed one's id is never valid again.
package struct SequenceID: Sendable, Hashable {
  /// Index among the engine's sequence slots.
  let slot: Int
  /// Rises each time the slot is used again.
  let generation: UInt32
}

/// What has been computed of one sequence, and where it lies.
///
/// The table of a group has exactly the blocks that hold `tokens.count` positions; entries before
/// the group's window are -1.
struct SequenceState {
  /// The tokens whose keys and values are in the cache: position p holds `tokens[p]`.
  var tokens: [TokenID] = []
  /// Block table of each group.
  var tables: [[Int32]]
  /// Index of the first entry of each table that is not -1.
  var firstLive: [Int]
  var generation: UInt32 = 0
  var isLive = false

  init(groupCount: Int) {
    tables = Array(repeating: [], count: groupCount)
    firstLive = Array(repeating: 0, count: groupCount)
  }

  /// Gives back the blocks past the last token's, after a truncation or a failed step.
  mutating func trimTables(to count: Int, pools: BlockPools) {
    let needed = WindowRule.blocks(holding: count)
    for group in tables.indices {
      while tables[group].count > needed {
        let block = tables[group].removeLast()
        if block >= 0 { pools.groups[group].release(block) }
      }
      firstLive[group] = min(firstLive[group], tables[group].count)
    }
  }

  /// Gives back the blocks that every later row's window has left.
  mutating func releaseLeftBlocks(rules: [WindowRule], pools: BlockPools) {
    for group in tables.indices where rules[group].window != nil {
      let kept = rules[group].firstKeptBlock(position: tokens.count)
      while firstLive[group] < min(kept, tables[group].count) {
        let block = tables[group][firstLive[group]]
        if block >= 0 { pools.groups[group].release(block) }
        tables[group][firstLive[group]] = -1
        firstLive[group] += 1
      }
    }
  }

  /// Gives back everything and keeps the arrays' storage.
  mutating func removeAll(pools: BlockPools) {
    pools.release(tables)
    tokens.removeAll(keepingCapacity: true)
    for group in tables.indices {
      tables[group].removeAll(keepingCapacity: true)
      firstLive[group] = 0
    }
  }

  /// The first group whose window no longer holds what the row at `position` needs.
  func groupMissingWindow(position: Int, rules: [WindowRule]) -> Int? {
    guard position > 0 else { return nil }
    return tables.indices.first { group in
      rules[group].firstNeededBlock(position: position) < firstLive[group]
    }
  }
}
