import FMBench
import FMCore
import Testing

@Suite struct TokenGapsTests {
  @Test func `round trips stamps of any distance`() {
    let random = CounterRandom(seed: 3)
    for count in [0, 1, 2, 127, 128, 1000] {
      let start = MonotonicInstant(nanoseconds: 123_456_789_012)
      var time = start.nanoseconds
      let stamps = (0..<count).map { index -> MonotonicInstant in
        // Every size of gap from 1 bit to 40, and none at all.
        time += random.bits(at: UInt64(index)) >> (24 + UInt64(index % 41))
        return MonotonicInstant(nanoseconds: time)
      }
      let bytes = TokenGaps.encode(stamps, from: start)
      #expect(TokenGaps.decode(bytes, count: count, from: start) == stamps)
    }
  }

  @Test func `twenty milliseconds take four bytes`() {
    let start = MonotonicInstant(nanoseconds: 5)
    let stamps = (1...100).map { MonotonicInstant(nanoseconds: 5 + UInt64($0) * 20_000_000) }
    #expect(TokenGaps.encode(stamps, from: start).count == 400)
  }

  @Test func `refuses bytes that are no stamps`() {
    let start = MonotonicInstant(nanoseconds: 1)
    #expect(TokenGaps.decode([0x80], count: 1, from: start) == nil)
    #expect(TokenGaps.decode([1, 2], count: 1, from: start) == nil)
    #expect(TokenGaps.decode([1], count: 2, from: start) == nil)
    #expect(TokenGaps.decode([1], count: -1, from: start) == nil)
    #expect(TokenGaps.decode([1], count: .max, from: start) == nil)
    let endless = [UInt8](repeating: 0xFF, count: 30)
    #expect(TokenGaps.decode(endless, count: 1, from: start) == nil)
    let largest = [UInt8](repeating: 0xFF, count: 9) + [1]
    #expect(TokenGaps.decode(largest, count: 1, from: start) == nil)
    #expect(
      TokenGaps.decode(largest, count: 1, from: MonotonicInstant(nanoseconds: 0))
        == [MonotonicInstant(nanoseconds: .max)])
  }
}
