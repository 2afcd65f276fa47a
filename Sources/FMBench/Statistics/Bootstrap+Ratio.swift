import FMCore
import Foundation

extension Bootstrap {
  /// The interval of the ratio of two medians, each sample resampled on its own.
  ///
  /// Draws of the second sample come from lanes 2^32 and on, so that equal samples are drawn
  /// independently. Nil when a sample has fewer than two values or one that is not positive.
  package func medianRatioInterval(
    of second: [Double], over first: [Double]
  ) -> ClosedRange<Double>? {
    guard first.count >= 2, second.count >= 2, first.allSatisfy({ $0 > 0 }),
      second.allSatisfy({ $0 > 0 })
    else { return nil }
    let left = resampledMedians(of: first.sorted(), firstLane: 0)
    let right = resampledMedians(of: second.sorted(), firstLane: 1 << 32)
    return interval(ofSorted: zip(left, right).map { $1 / $0 }.sorted())
  }

  /// The interval of the median of a sample's values, as ``medianInterval(of:)``, for ratios of pairs.
  ///
  /// Computed on logarithms, so that swapping the sides gives the inverse.
  package func medianInterval(ofRatios ratios: [Double]) -> ClosedRange<Double>? {
    guard ratios.allSatisfy({ $0 > 0 && $0.isFinite }) else { return nil }
    guard let interval = medianInterval(of: ratios.map { log($0) }) else { return nil }
    return exp(interval.lowerBound)...exp(interval.upperBound)
  }
}
