import FMBackend
package import FMCore

/// A prefix cache of a few whole sequences, compared one by one, least recently used out first.
///
/// - Complexity: a look-up compares with every sequence, O(sequences · tokens).
package final class ChainPrefixCache: PrefixCache {
  private struct Chain {
    var tokens: [TokenID]
    var tables: [[Int32]]
    var lastUse: Int
    var leases: [PrefixLease] = []
  }

  private let rules: [WindowRule]
  private let maximumChains: Int
  private var chains: [Chain] = []
  private var clock = 0
  private var nextLease = 0
  /// Beginnings of evicted sequences, one block at most each: they tell `evicted` from `cold`.
  private var evictedBeginnings: [[TokenID]] = []
  private static let rememberedBeginnings = 64
  package private(set) var evictionCount = 0

  /// A cache for groups with these windows that remembers at most `maximumChains` sequences.
  package init(rules: [WindowRule], maximumChains: Int) {
    self.rules = rules
    self.maximumChains = max(1, maximumChains)
  }

  package var sequenceCount: Int { chains.count }

  package var referenceCounts: [Int] {
    rules.indices.map { group in
      chains.reduce(0) { sum, chain in sum + chain.tables[group].count { $0 >= 0 } }
    }
  }

  private var hasWindows: Bool { rules.contains { $0.window != nil } }

  /// Compares with every remembered sequence; of equal matches the one used last wins.
  package func match(_ tokens: [TokenID], limit: Int, pools: BlockPools) -> PrefixMatch {
    clock += 1
    var agreeing = 0
    var agreeingWhole = false
    var best: (length: Int, chain: Int)?
    for index in chains.indices {
      let chain = chains[index]
      let common = commonPrefix(chain.tokens, tokens, limit: limit)
      if common > agreeing || (common == agreeing && common == chain.tokens.count) {
        agreeing = common
        agreeingWhole = common == chain.tokens.count
      }
      guard common > 0, windowsHold(chain, at: common) else { continue }
      if let known = best {
        if common < known.length { continue }
        if common == known.length, chain.lastUse < chains[known.chain].lastUse { continue }
      }
      best = (common, index)
    }
    let reason = missReason(
      tokens, agreeing: agreeing, whole: agreeingWhole, used: best?.length ?? 0, limit: limit)
    guard let best else {
      return PrefixMatch(length: 0, tables: rules.map { _ in [] }, reason: reason)
    }
    chains[best.chain].lastUse = clock
    let tables = sharedTables(of: chains[best.chain], length: best.length)
    pools.retain(tables)
    return PrefixMatch(length: best.length, tables: tables, reason: reason)
  }

  /// Adds a sequence, unless a remembered one holds all of it, and drops those it holds itself.
  package func insert(_ tokens: [TokenID], tables: [[Int32]], pools: BlockPools) {
    guard !tokens.isEmpty else { return }
    clock += 1
    // Without windows a longer sequence holds all a shorter one does. With windows it does not:
    // the end of the shorter one may have left the longer one's window.
    if let known = chains.firstIndex(where: {
      $0.tokens == tokens || (!hasWindows && $0.tokens.starts(with: tokens))
    }) {
      chains[known].lastUse = clock
      return
    }
    pools.retain(tables)
    var chain = Chain(tokens: tokens, tables: tables, lastUse: clock)
    if !hasWindows {
      for index in chains.indices.reversed() where tokens.starts(with: chains[index].tokens) {
        let contained = chains.remove(at: index)
        chain.leases += contained.leases
        pools.release(contained.tables)
      }
    }
    chains.append(chain)
    while chains.count > maximumChains, evict(pools: pools) {}
  }

  /// Leases the sequence with the longest common beginning.
  package func lease(_ tokens: [TokenID]) -> PrefixLease? {
    var best: (length: Int, chain: Int)?
    for index in chains.indices {
      let common = commonPrefix(chains[index].tokens, tokens, limit: tokens.count)
      if common > (best?.length ?? 0) { best = (common, index) }
    }
    guard let best else { return nil }
    nextLease += 1
    let lease = PrefixLease(number: nextLease)
    chains[best.chain].leases.append(lease)
    return lease
  }

  /// Ends a lease, wherever it went when its sequence was replaced.
  package func release(_ lease: PrefixLease) {
    for index in chains.indices { chains[index].leases.removeAll { $0 == lease } }
  }

  /// Drops the sequence used longest ago and remembers how it began.
  package func evict(pools: BlockPools) -> Bool {
    let candidates = chains.indices.filter { chains[$0].leases.isEmpty }
    guard let oldest = candidates.min(by: { chains[$0].lastUse < chains[$1].lastUse }) else {
      return false
    }
    let chain = chains.remove(at: oldest)
    pools.release(chain.tables)
    evictionCount += 1
    if evictedBeginnings.count == Self.rememberedBeginnings { evictedBeginnings.removeFirst() }
    evictedBeginnings.append(Array(chain.tokens.prefix(KVLayout.blockTokens)))
    return true
  }

  /// Drops all sequences, and what is known of evicted ones.
  package func clear(pools: BlockPools) {
    for chain in chains { pools.release(chain.tables) }
    chains.removeAll()
    evictedBeginnings.removeAll()
  }

  private func missReason(
    _ tokens: [TokenID], agreeing: Int, whole: Bool, used: Int, limit: Int
  ) -> CacheMissReason {
    if used < agreeing { return .windowGone(at: agreeing) }
    if used == limit || (used > 0 && whole) { return .none }
    if evictedBeginnings.contains(where: { $0.count > used && tokens.starts(with: $0) }) {
      return .evicted
    }
    return chains.isEmpty ? .cold : .prefixDiffers(at: used)
  }

  private func windowsHold(_ chain: Chain, at length: Int) -> Bool {
    rules.indices.allSatisfy { group in
      let needed = rules[group].firstNeededBlock(position: length)
      let end = WindowRule.blocks(holding: length)
      return needed >= end || chain.tables[group][needed..<end].allSatisfy { $0 >= 0 }
    }
  }

  /// The blocks of the first `length` tokens, without those that no window can reach any more.
  private func sharedTables(of chain: Chain, length: Int) -> [[Int32]] {
    let end = WindowRule.blocks(holding: length)
    return rules.indices.map { group in
      var table = Array(chain.tables[group].prefix(end))
      let kept = min(rules[group].firstKeptBlock(position: length), end)
      for index in 0..<kept { table[index] = -1 }
      return table
    }
  }

  private func commonPrefix(_ left: [TokenID], _ right: [TokenID], limit: Int) -> Int {
    let count = min(left.count, right.count, limit)
    for index in 0..<count where left[index] != right[index] { return index }
    return count
  }
}
