extension StepEngine {
  /// What is wrong with the count of blocks, or nil; tests ask after every few steps.
  ///
  /// - Complexity: O(blocks + tables).
  package var accountingProblem: String? {
    for group in rules.indices {
      let pool = pools.groups[group]
      var held = prefixCache?.referenceCounts[group] ?? 0
      for state in sequences {
        held += state.tables[group].count { $0 >= 0 }
        let expected = state.isLive ? WindowRule.blocks(holding: state.tokens.count) : 0
        if state.tables[group].count != expected {
          return "group \(group): a table of \(state.tables[group].count), expected \(expected)"
        }
      }
      if held != pool.referenceCount {
        return "group \(group): \(pool.referenceCount) references counted, \(held) held"
      }
    }
    return nil
  }

  /// Sequences that have not been freed.
  package var liveSequenceCount: Int { sequences.count { $0.isLive } }
}
