@testable import FMBench
import FMCore
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

  @Test func `only what was whole before a request could have served it`() {
    func request(
      _ id: Int, _ begin: Double, _ end: Double, first: Double? = nil, _ prompt: [TokenID],
      _ answer: [TokenID] = [9]
    ) -> IdealReuse.Request {
      var row = StoreFixture.request()
      row.prefillStart = StoreFixture.instant(begin)
      row.firstToken = StoreFixture.instant(first ?? end)
      row.completed = StoreFixture.instant(end)
      return IdealReuse.Request(
        id: id, row: row, sequence: ComputedSequence(prompt: prompt, answer: answer))
    }
    let ideals = IdealReuse.cached(of: [
      // The answer's last token is chosen and not computed.
      request(1, 0, 10, [1, 2, 3], [4, 5]),
      // Under way when the next two begin.
      request(2, 12, 30, [1, 2, 3, 4, 5, 6]),
      request(3, 20, 90, first: 40, [1, 2, 3, 4, 5, 6, 7]),
      request(4, 30, 50, [1, 2, 3, 4, 5, 6, 7]),
      // The third is still under way, its prompt computed.
      request(5, 60, 70, [1, 2, 3, 4, 5, 6, 7, 8]),
    ])
    #expect(ideals.map(\.id) == [1, 2, 3, 4, 5])
    #expect(ideals.map(\.tokens) == [0, 4, 4, 6, 7])
    #expect(IdealReuse.cached(of: []).isEmpty)
  }
}
