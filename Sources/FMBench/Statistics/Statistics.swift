/// Order statistics of small samples.
package enum Statistics {
  /// The `fraction` quantile by linear interpolation between order statistics (type 7).
  ///
  /// This is what numpy, pandas and R compute by default: with the sample sorted, position
  /// `(n - 1) * fraction`. Nil for an empty sample or a fraction outside 0 ... 1.
  package static func percentile(_ fraction: Double, of sample: [Double]) -> Double? {
    percentile(fraction, ofSorted: sample.sorted())
  }

  /// As ``percentile(_:of:)``, for a sample that is sorted already.
  package static func percentile(_ fraction: Double, ofSorted sample: [Double]) -> Double? {
    guard !sample.isEmpty, fraction >= 0, fraction <= 1 else { return nil }
    let position = Double(sample.count - 1) * fraction
    let below = Int(position)
    let above = min(below + 1, sample.count - 1)
    let weight = position - Double(below)
    return sample[below] + (sample[above] - sample[below]) * weight
  }

  /// The middle value, or the mean of the two middle ones; nil for an empty sample.
  package static func median(_ sample: [Double]) -> Double? { percentile(0.5, of: sample) }

  /// The median distance from the median; nil for an empty sample.
  package static func medianAbsoluteDeviation(_ sample: [Double]) -> Double? {
    guard let center = median(sample) else { return nil }
    return median(sample.map { abs($0 - center) })
  }

  /// Which values lie far out: more than 14.826 median absolute deviations from the median.
  ///
  /// That is ten standard deviations of a normal sample. Values are flagged for people to see and
  /// never left out. With a deviation of 0 nothing is flagged.
  package static func outliers(_ sample: [Double], threshold: Double = 14.826) -> [Bool] {
    guard let center = median(sample), let deviation = medianAbsoluteDeviation(sample),
      deviation > 0
    else { return sample.map { _ in false } }
    return sample.map { abs($0 - center) / deviation > threshold }
  }

  /// The slope of `y` over `x` by Theil and Sen: the median of the slopes of all pairs.
  ///
  /// `areAlike` says of two indices, the smaller first, whether only `x` tells their points apart; other
  /// pairs are left out. Nil with fewer than `least` pairs whose `x` differ.
  package static func slope(
    of y: [Double], over x: [Double], least: Int = 1,
    among areAlike: (Int, Int) -> Bool = { _, _ in true }
  ) -> Double? {
    precondition(x.count == y.count)
    var slopes: [Double] = []
    for later in x.indices {
      for earlier in 0..<later where x[later] != x[earlier] && areAlike(earlier, later) {
        slopes.append((y[later] - y[earlier]) / (x[later] - x[earlier]))
      }
    }
    return slopes.count < least ? nil : median(slopes)
  }
}
