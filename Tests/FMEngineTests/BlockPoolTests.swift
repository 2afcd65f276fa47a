import FMBackend
import FMEngine
import Testing

@Suite struct BlockPoolTests {
  @Test func `blocks are handed out once and come back with the last reference`() {
    var pool = BlockPool(capacity: 3)
    let blocks = (0..<3).compactMap { _ in pool.allocate() }
    #expect(blocks == [0, 1, 2])
    #expect(pool.allocate() == nil)
    pool.retain(1)
    #expect(pool.isShared(1))
    pool.release(1)
    #expect(!pool.isShared(1))
    #expect(pool.freeCount == 0)
    pool.release(1)
    #expect(pool.freeCount == 1)
    #expect(pool.allocate() == 1)
    #expect(pool.usedCount == 3)
    #expect(pool.referenceCount == 3)
  }

  @Test func `window rules keep exactly what later rows can see`() {
    let blockTokens = KVLayout.blockTokens
    for window in [1, 31, 32, 33, 64, 100] {
      let rule = WindowRule(window: window, slack: 0)
      for position in 0..<300 {
        let first = max(0, position - window + 1)
        #expect(rule.firstNeededBlock(position: position) == first / blockTokens)
        #expect(rule.firstKeptBlock(position: position) <= first / blockTokens)
      }
    }
    #expect(WindowRule(window: nil, slack: 32).firstNeededBlock(position: 1000) == 0)
  }

  @Test func `pools are sized for windows and full contexts`() {
    let layout = KVLayout(groups: [
      KVGroup(layers: [0], kvHeads: 1, headWidth: 64, window: nil),
      KVGroup(layers: [1], kvHeads: 1, headWidth: 64, window: 512),
    ])
    let counts = KVPlan.blockCounts(
      layout: layout, contextLength: 4096, sequences: 2, configuration: EngineConfiguration(),
      cachedWindows: 1)
    #expect(counts[0] == 256)
    // (512 + 32 + 256) / 32 + 1 for each sequence, (512 + 32) / 32 + 1 for the cache.
    #expect(counts[1] == 2 * 26 + 18)
  }
}
