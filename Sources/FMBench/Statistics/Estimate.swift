/// A metric over the trials of a cell: the median with its interval, and how many trials gave it.
package struct Estimate: Sendable, Hashable, Codable {
  /// Trials with a value.
  package var n: Int
  package var median: Double
  /// Bootstrap interval of the median; nil with one trial.
  package var low: Double?
  package var high: Double?
  package var minimum: Double
  package var maximum: Double
  /// Only with at least 20 trials: below that a tail is a guess.
  package var p95: Double?
  /// Values that lie far out; they are counted in, and shown.
  package var outliers: Int

  /// Summarizes one value a trial; nil when there is none.
  package init?(_ values: [Double], bootstrap: Bootstrap) {
    let sorted = values.sorted()
    guard let median = Statistics.percentile(0.5, ofSorted: sorted), let first = sorted.first,
      let last = sorted.last
    else { return nil }
    n = sorted.count
    self.median = median
    let interval = bootstrap.medianInterval(of: sorted)
    low = interval?.lowerBound
    high = interval?.upperBound
    minimum = first
    maximum = last
    p95 = sorted.count >= 20 ? Statistics.percentile(0.95, ofSorted: sorted) : nil
    outliers = Statistics.outliers(sorted).count { $0 }
  }
}
