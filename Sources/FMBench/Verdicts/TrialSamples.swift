import Foundation

/// One metric's trials on the two sides of a comparison, a number a trial.
package enum TrialSamples: Sendable, Hashable {
  /// Trials that were played in turn: each of side A with the neighbour of side B.
  case paired([Pair])
  /// Trials of runs that were made one after the other.
  case independent(first: [Double], second: [Double])

  /// Neighbouring trials.
  package struct Pair: Sendable, Hashable {
    package var first: Double
    package var second: Double

    package init(_ first: Double, _ second: Double) {
      self.first = first
      self.second = second
    }
  }

  /// The numbers of side A.
  package var first: [Double] {
    switch self {
    case .paired(let pairs): pairs.map(\.first)
    case .independent(let first, _): first
    }
  }

  /// The numbers of side B.
  package var second: [Double] {
    switch self {
    case .paired(let pairs): pairs.map(\.second)
    case .independent(_, let second): second
    }
  }

  /// Pairs, or the trials of the smaller side.
  package var count: Int { min(first.count, second.count) }

  /// Whether every number can be the part of a ratio.
  package var hasRatios: Bool {
    (first + second).allSatisfy { $0 > 0 && $0.isFinite } && count > 0
  }

  /// The natural logarithm of B over A for every pair.
  package static func logRatios(_ pairs: [Pair]) -> [Double] {
    pairs.map { log($0.second / $0.first) }
  }
}

/// How much side B differs from side A in one metric, without a judgement.
package struct Effect: Sendable, Hashable, Codable {
  /// Pairs, or the trials of the smaller side.
  package var n: Int
  package var isPaired: Bool
  /// The median of the pairs' ratios B/A, or the ratio of the medians.
  package var ratio: Double
  /// Bootstrap interval of ``ratio``; nil with one trial.
  package var low: Double?
  package var high: Double?
  /// Two-sided: Wilcoxon's signed-rank test of pairs, Mann and Whitney's of independent trials.
  package var pValue: Double
  /// Deviation of one pair's log ratio, or of the difference of one trial each, outliers set aside.
  package var spread: Double

  /// Nil when there is no trial, or a number is not positive.
  package init?(_ samples: TrialSamples, bootstrap: Bootstrap) {
    guard samples.hasRatios else { return nil }
    n = samples.count
    let interval: ClosedRange<Double>?
    switch samples {
    case .paired(let pairs):
      isPaired = true
      let logarithms = TrialSamples.logRatios(pairs)
      ratio = exp(Statistics.median(logarithms) ?? 0)
      interval = bootstrap.medianInterval(ofRatios: pairs.map { $0.second / $0.first })
      // All pairs equal: nothing speaks against A and B being the same.
      pValue = RankTest.signedRank(logarithms) ?? 1
      spread = Statistics.robustDeviation(logarithms) ?? 0
    case .independent(let first, let second):
      isPaired = false
      guard let left = Statistics.median(first), let right = Statistics.median(second) else {
        return nil
      }
      ratio = right / left
      interval = bootstrap.medianRatioInterval(of: second, over: first)
      pValue = RankTest.mannWhitney(first, second) ?? 1
      let deviations = [first, second].map { Statistics.robustDeviation($0.map { log($0) }) ?? 0 }
      spread = hypot(deviations[0], deviations[1])
    }
    low = interval?.lowerBound
    high = interval?.upperBound
  }
}
