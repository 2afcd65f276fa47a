import FMCore

/// The percentile bootstrap of the median.
package struct Bootstrap: Sendable, Hashable {
  /// Stored beside every interval it makes, so that anybody gets the same one again.
  package var seed: UInt64
  package var resamples: Int
  /// The share of the distribution inside the interval.
  package var confidence: Double

  package init(seed: UInt64, resamples: Int = 10_000, confidence: Double = 0.95) {
    self.seed = seed
    self.resamples = resamples
    self.confidence = confidence
  }

  /// The interval in which the median lies; nil with fewer than two values.
  ///
  /// Draw `k` of resample `r` takes the value at `bits(at: r, lane: k) * n >> 64`, so an interval
  /// depends on the sample and the seed alone. Complexity: O(`resamples` * n).
  package func medianInterval(of sample: [Double]) -> ClosedRange<Double>? {
    guard sample.count >= 2, resamples >= 1 else { return nil }
    return interval(ofSorted: resampledMedians(of: sample.sorted(), firstLane: 0).sorted())
  }

  /// The median of every resample of a sorted sample that is not empty, in the order of the draws.
  func resampledMedians(of sorted: [Double], firstLane: UInt64) -> [Double] {
    let count = sorted.count
    let random = CounterRandom(seed: seed)
    var tally = [Int](repeating: 0, count: count)
    var medians: [Double] = []
    medians.reserveCapacity(max(0, resamples))
    for resample in 0..<max(0, resamples) {
      for index in tally.indices { tally[index] = 0 }
      for draw in 0..<count {
        let bits = random.bits(at: UInt64(resample), lane: firstLane + UInt64(draw))
        tally[Int(bits.multipliedFullWidth(by: UInt64(count)).high)] += 1
      }
      medians.append(Self.median(sorted, tally))
    }
    return medians
  }

  /// The middle ``confidence`` of a sorted distribution; nil for an empty one.
  func interval(ofSorted values: [Double]) -> ClosedRange<Double>? {
    let tail = (1 - confidence) / 2
    guard let low = Statistics.percentile(tail, ofSorted: values),
      let high = Statistics.percentile(1 - tail, ofSorted: values)
    else { return nil }
    return low...high
  }

  /// The median of a resample given as how often each sorted value was drawn.
  private static func median(_ sorted: [Double], _ tally: [Int]) -> Double {
    let count = sorted.count
    let lower = (count - 1) / 2
    let upper = count / 2
    var seen = 0
    var first: Double?
    for (value, times) in zip(sorted, tally) where times > 0 {
      seen += times
      if first == nil, seen > lower { first = value }
      if let first, seen > upper { return first + (value - first) * 0.5 }
    }
    return sorted[count - 1]
  }
}
