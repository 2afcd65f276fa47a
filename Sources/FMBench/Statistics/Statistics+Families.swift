extension Statistics {
  /// Holm's step-down adjustment (1979): compare the results with one level for the whole family.
  ///
  /// In the order of `values`; each is at least what it was, at most 1.
  package static func holm(_ values: [Double]) -> [Double] {
    let order = values.indices.sorted { values[$0] < values[$1] }
    var adjusted = values
    var least = 0.0
    for (place, index) in order.enumerated() {
      least = max(least, min(1, values[index] * Double(values.count - place)))
      adjusted[index] = least
    }
    return adjusted
  }

  /// The sample deviation over the mean; nil with fewer than two values or a mean that is not positive.
  package static func coefficientOfVariation(_ sample: [Double]) -> Double? {
    guard sample.count >= 2 else { return nil }
    let mean = sample.reduce(0, +) / Double(sample.count)
    guard mean > 0 else { return nil }
    let squares = sample.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    return (squares / Double(sample.count - 1)).squareRoot() / mean
  }

  /// A deviation that outliers hardly move: 1.4826 median absolute deviations.
  ///
  /// Half the distance of the quartiles over 0.6745 where more than half the values are equal. Nil
  /// for an empty sample.
  package static func robustDeviation(_ sample: [Double]) -> Double? {
    let sorted = sample.sorted()
    guard let deviation = medianAbsoluteDeviation(sorted),
      let low = percentile(0.25, ofSorted: sorted), let high = percentile(0.75, ofSorted: sorted)
    else { return nil }
    return deviation > 0 ? 1.4826 * deviation : (high - low) / 1.349
  }
}

/// How steady trials are, by their coefficient of variation.
package enum TrialQuality: String, Sendable, Hashable, Codable, CaseIterable {
  case steady, fair, noisy, poor

  /// Up to 5 %, 10 %, 20 %, and beyond; nil for a sample without a coefficient.
  package init?(_ sample: [Double]) {
    guard let variation = Statistics.coefficientOfVariation(sample) else { return nil }
    switch variation {
    case ...0.05: self = .steady
    case ...0.1: self = .fair
    case ...0.2: self = .noisy
    default: self = .poor
    }
  }
}
