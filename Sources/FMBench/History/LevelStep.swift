import Foundation

/// The place where a series went to another level and stayed there.
package struct LevelStep: Sendable, Hashable, Codable {
  /// Where the first value of the new level stands, from 0.
  package var index: Int
  /// The median from there on over the median before.
  package var ratio: Double

  /// The least number of values on either side.
  package static let leastSegment = 3

  /// Finds the step of a series of medians, oldest first; nil where there is none that counts.
  ///
  /// It is the one split that lowers the sum of absolute deviations from the two sides' medians most,
  /// in logarithms. It counts when both sides have ``leastSegment`` values and the medians are apart by
  /// two floors and by 4.5 + 36 / n deviations of the smaller side's mean. Nil with a value that
  /// is not above 0. Complexity: O(n^2).
  ///
  /// - Parameter floor: the least change that counts, as a share: 0.02.
  package init?(_ medians: [Double], floor: Double) {
    guard medians.allSatisfy({ $0 > 0 && $0.isFinite }) else { return nil }
    let values = medians.map { log($0) }
    let before = Self.costs(values)
    let after = Self.costs(values.reversed())
    let splits = values.indices.dropFirst()
    func cost(_ split: Int) -> Double { before[split] + after[values.count - split] }
    guard let split = splits.min(by: { cost($0) < cost($1) }),
      min(split, values.count - split) >= Self.leastSegment
    else { return nil }
    let sides = [values[..<split], values[split...]].map { Array($0) }
    let centers = sides.map { Statistics.median($0) ?? 0 }
    let residuals = zip(sides, centers).flatMap { side, center in side.map { abs($0 - center) } }
    let deviation = 1.4826 * (Statistics.median(residuals) ?? 0)
    let smaller = Double(min(split, values.count - split))
    let least = max(
      2 * log1p(floor), Self.deviations(values.count) * deviation / smaller.squareRoot())
    guard abs(centers[1] - centers[0]) >= least else { return nil }
    index = split
    ratio = exp(centers[1] - centers[0])
  }

  /// How many deviations apart the sides of `count` values have to be.
  ///
  /// The split was searched for, so normal noise alone is three apart in a quarter to a third of
  /// all series. This is beyond the 95th percentile of drawn noise: 8.6 for 9 values, 6.8 for 12, 5.7
  /// for 20, 4.9 for 50 and 4.6 for 150.
  private static func deviations(_ count: Int) -> Double { 4.5 + 36 / Double(count) }

  /// For every k from 0 on, the sum of absolute deviations of the first k values from their median.
  private static func costs(_ values: [Double]) -> [Double] {
    var sorted: [Double] = []
    return [0]
      + values.map { value in
        sorted.insert(value, at: sorted.firstIndex { $0 >= value } ?? sorted.endIndex)
        let half = sorted.count / 2
        return sorted.suffix(half).reduce(0, +) - sorted.prefix(half).reduce(0, +)
      }
  }
}
