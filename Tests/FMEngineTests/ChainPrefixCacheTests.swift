import FMCore
import FMEngine
import Testing

@Suite struct ChainPrefixCacheTests {
  /// Remembers `count` tokens from `first` on, in freshly allocated blocks.
  private static func remember(
    _ cache: ChainPrefixCache, _ pools: BlockPools, first: TokenID, count: Int
  ) -> [TokenID] {
    let tokens = (0..<count).map { first + TokenID($0) }
    let blocks = WindowRule.blocks(holding: count)
    let table = (0..<blocks).compactMap { _ in pools.groups[0].allocate() }
    cache.insert(tokens, tables: [table], pools: pools)
    // The sequence that computed them is gone; only the cache holds them.
    pools.release([table])
    return tokens
  }

  private static func make(chains: Int) -> (ChainPrefixCache, BlockPools) {
    (
      ChainPrefixCache(rules: [WindowRule(window: nil, slack: 0)], maximumChains: chains),
      BlockPools(counts: [16])
    )
  }

  @Test func `leased sequences outlive older and newer ones`() {
    let (cache, pools) = Self.make(chains: 8)
    let leased = Self.remember(cache, pools, first: 0, count: 40)
    let other = Self.remember(cache, pools, first: 100, count: 40)
    let lease = cache.lease(leased)
    #expect(cache.evict(pools: pools))
    #expect(!cache.evict(pools: pools))
    #expect(cache.match(other, limit: 40, pools: pools).reason == .evicted)
    let match = cache.match(leased + [7], limit: 40, pools: pools)
    #expect(match.length == 40)
    #expect(match.reason == .none)
    pools.release(match.tables)
    if let lease { cache.release(lease) }
    #expect(cache.evict(pools: pools))
    #expect(pools.groups[0].usedCount == 0)
  }

  @Test func `a longer sequence takes the place and the lease of what it contains`() {
    let (cache, pools) = Self.make(chains: 8)
    let short = Self.remember(cache, pools, first: 0, count: 40)
    #expect(cache.lease(short) != nil)
    let long = Self.remember(cache, pools, first: 0, count: 70)
    #expect(cache.sequenceCount == 1)
    #expect(pools.groups[0].usedCount == 3)
    #expect(!cache.evict(pools: pools))
    _ = Self.remember(cache, pools, first: 0, count: 33)
    #expect(cache.sequenceCount == 1)
    #expect(cache.match(long, limit: 69, pools: pools).length == 69)
  }

  @Test func `a match holds its blocks when the cache lets go of them`() {
    let (cache, pools) = Self.make(chains: 1)
    let tokens = Self.remember(cache, pools, first: 0, count: 64)
    let match = cache.match(tokens, limit: 63, pools: pools)
    _ = Self.remember(cache, pools, first: 100, count: 10)
    #expect(cache.sequenceCount == 1)
    #expect(cache.evictionCount == 1)
    #expect(pools.groups[0].usedCount == 3)
    pools.release(match.tables)
    #expect(pools.groups[0].usedCount == 1)
    cache.clear(pools: pools)
    #expect(pools.groups[0].usedCount == 0)
    #expect(cache.lease(tokens) == nil)
  }
}
