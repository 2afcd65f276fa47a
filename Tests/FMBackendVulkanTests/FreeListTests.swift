import FMBackendVulkan
import FMCore
import Testing

/// The sub-allocator, without a device.
@Suite struct FreeListTests {
  private let unit = FreeList.alignment

  private func take(_ units: Int, of list: inout FreeList) -> Range<Int>? {
    list.take(units * unit)
  }

  @Test func `sizes are rounded up to the alignment`() {
    #expect(FreeList.rounded(0) == 256)
    #expect(FreeList.rounded(1) == 256)
    #expect(FreeList.rounded(256) == 256)
    #expect(FreeList.rounded(257) == 512)
    #expect(FreeList.rounded(Int.max) == nil)
  }

  @Test func `the smallest hole that fits is taken`() throws {
    var list = FreeList(capacity: 10 * unit)
    let large = try #require(take(4, of: &list))
    let wall = try #require(take(1, of: &list))
    let small = try #require(take(2, of: &list))
    _ = try #require(take(3, of: &list))
    #expect(list.take(unit) == nil)
    list.give(large)
    list.give(small)
    #expect(list.take(2 * unit) == small)
    #expect(list.take(3 * unit) == large.lowerBound..<(large.lowerBound + 3 * unit))
    #expect(list.largestHole == unit)
    list.give(wall)
    #expect(list.largestHole == 2 * unit)
  }

  @Test func `neighbours become one hole in every order of return`() throws {
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
      var list = FreeList(capacity: 3 * unit)
      let ranges = try (0..<3).map { _ in try #require(take(1, of: &list)) }
      #expect(list.freeBytes == 0)
      for index in order { list.give(ranges[index]) }
      #expect(list.isUnused)
      #expect(list.largestHole == 3 * unit)
    }
  }

  @Test func `a list without room gives nothing`() {
    var list = FreeList(capacity: 255)
    #expect(list.capacity == 0)
    #expect(list.take(unit) == nil)
    #expect(list.isUnused)
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `random use never overlaps and loses nothing`(seed: UInt64) {
    let capacity = 200 * unit
    var list = FreeList(capacity: capacity)
    var taken: [Range<Int>] = []
    for step in 0..<2000 {
      let draw = CounterRandom(seed: seed).bits(at: UInt64(step))
      if draw & 1 == 0, let range = list.take(Int(1 + (draw >> 8) % 16) * unit) {
        #expect(!taken.contains { $0.overlaps(range) }, "seed \(seed), step \(step)")
        taken.append(range)
      } else if !taken.isEmpty {
        list.give(taken.remove(at: Int((draw >> 20) % UInt64(taken.count))))
      }
      let used = taken.reduce(0) { $0 + $1.count }
      #expect(list.freeBytes == capacity - used, "seed \(seed), step \(step)")
    }
    for range in taken { list.give(range) }
    #expect(list.largestHole == capacity)
  }
}
