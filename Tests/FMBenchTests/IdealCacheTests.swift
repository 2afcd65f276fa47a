import FMBench
import Testing

@Suite struct IdealCacheTests {
  @Test func `takes the longest shared prefix and leaves the last token to compute`() {
    var cache = IdealCache()
    #expect(cache.ideal(for: [1, 2, 3]) == 0)
    cache.remember([1, 2, 3, 4])
    cache.remember([1, 9])
    #expect(cache.ideal(for: [1, 2, 3, 4, 5]) == 4)
    #expect(cache.ideal(for: [1, 2, 3, 4]) == 3)
    #expect(cache.ideal(for: [1, 9, 9]) == 2)
    #expect(cache.ideal(for: [7]) == 0)
    #expect(cache.ideal(for: []) == 0)
    cache.clear()
    #expect(cache.ideal(for: [1, 2, 3]) == 0)
  }
}
