import Foundation

/// Rank tests, two-sided: exact for the samples a benchmark has, approximate for large ones.
///
/// The exact distributions are those of the ranks at hand, ties with their mean ranks, counted by
/// dynamic programming over doubled ranks, which are whole numbers.
package enum RankTest {
  /// Most pairs that are counted exactly.
  package static let exactPairs = 50
  /// Most values of both samples together that are counted exactly.
  package static let exactValues = 60

  /// Wilcoxon's signed-rank test of differences being symmetric around 0.
  ///
  /// Zeros are ranked and then left out (Pratt 1959), since dropping them first makes a sample that
  /// is mostly zeros look decisive. Nil without a difference that is not zero.
  package static func signedRank(_ differences: [Double]) -> Double? {
    let finite = differences.filter(\.isFinite)
    let ranks = doubledRanks(finite.map(abs))
    var kept: [Int] = []
    var positive = 0
    for (difference, rank) in zip(finite, ranks) where difference != 0 {
      kept.append(rank)
      if difference > 0 { positive += rank }
    }
    guard !kept.isEmpty else { return nil }
    if kept.count > exactPairs { return signedRankApproximation(kept, positive) }
    let total = kept.reduce(0, +)
    // ways[s]: in how many of the sign patterns the positive ranks add up to s.
    var ways = [Double](repeating: 0, count: total + 1)
    ways[0] = 1
    var reached = 0
    for rank in kept {
      reached += rank
      for sum in stride(from: reached, through: rank, by: -1) { ways[sum] += ways[sum - rank] }
    }
    return twoSided(ways, observed: positive)
  }

  /// The rank-sum test of Mann, Whitney and Wilcoxon: whether one sample's values tend to be larger.
  ///
  /// Nil when a sample is empty.
  package static func mannWhitney(_ first: [Double], _ second: [Double]) -> Double? {
    guard !first.isEmpty, !second.isEmpty else { return nil }
    let ranks = doubledRanks(first + second)
    let observed = ranks.prefix(first.count).reduce(0, +)
    guard ranks.count <= exactValues else {
      return mannWhitneyApproximation(ranks, firstCount: first.count, observed)
    }
    let total = ranks.reduce(0, +)
    // ways[k][s]: in how many ways k of the ranks add up to s.
    var ways = [[Double]](
      repeating: [Double](repeating: 0, count: total + 1), count: first.count + 1)
    ways[0][0] = 1
    for (index, rank) in ranks.enumerated() {
      for size in stride(from: min(index + 1, first.count), through: 1, by: -1) {
        for sum in rank...total { ways[size][sum] += ways[size - 1][sum - rank] }
      }
    }
    return twoSided(ways[first.count], observed: observed)
  }

  /// Twice the smaller tail, the observed sum in both; at most 1.
  private static func twoSided(_ ways: [Double], observed: Int) -> Double {
    let all = ways.reduce(0, +)
    let below = ways[...observed].reduce(0, +)
    let above = ways[observed...].reduce(0, +)
    return min(1, 2 * min(below, above) / all)
  }

  /// Twice the rank of each value, ties with the mean of theirs: a whole number.
  static func doubledRanks(_ values: [Double]) -> [Int] {
    let order = values.indices.sorted { values[$0] < values[$1] }
    var ranks = [Int](repeating: 0, count: values.count)
    var start = 0
    while start < order.count {
      var end = start + 1
      while end < order.count, values[order[end]] == values[order[start]] { end += 1 }
      // The mean of ranks start+1 ... end, doubled.
      for place in start..<end { ranks[order[place]] = start + 1 + end }
      start = end
    }
    return ranks
  }

  /// The normal approximation; the variance is that of the ranks at hand, so ties are in it.
  private static func signedRankApproximation(_ doubled: [Int], _ positive: Int) -> Double {
    let ranks = doubled.map { Double($0) / 2 }
    let mean = ranks.reduce(0, +) / 2
    let variance = ranks.reduce(0) { $0 + $1 * $1 } / 4
    let z = (Double(positive) / 2 - mean) / variance.squareRoot()
    return NormalDistribution.twoSidedTail(z)
  }

  /// The normal approximation with corrections for ties and for continuity.
  private static func mannWhitneyApproximation(
    _ doubled: [Int], firstCount: Int, _ observed: Int
  ) -> Double {
    let total = Double(doubled.count)
    let first = Double(firstCount)
    let second = total - first
    let mean = first * (total + 1) / 2
    var tally: [Int: Int] = [:]
    for rank in doubled { tally[rank, default: 0] += 1 }
    let ties = tally.values.reduce(0.0) { $0 + Double($1 * $1 * $1 - $1) }
    let variance = first * second / 12 * (total + 1 - ties / (total * (total - 1)))
    guard variance > 0 else { return 1 }
    let distance = max(0, abs(Double(observed) / 2 - mean) - 0.5)
    return NormalDistribution.twoSidedTail(distance / variance.squareRoot())
  }
}

/// The normal distribution of mean 0 and deviation 1.
package enum NormalDistribution {
  /// The probability of a value at least as far from 0 as `z`.
  package static func twoSidedTail(_ z: Double) -> Double {
    min(1, erfc(abs(z) / 2.0.squareRoot()))
  }

  /// The value that a share `p` lies below; found by bisection to about 1e-12.
  ///
  /// Nil unless 0 < `p` < 1.
  package static func quantile(_ p: Double) -> Double? {
    guard p > 0, p < 1 else { return nil }
    var (low, high) = (-40.0, 40.0)
    while high - low > 1e-12 {
      let middle = (low + high) / 2
      if middle == low || middle == high { break }
      if 0.5 * erfc(-middle / 2.0.squareRoot()) < p { low = middle } else { high = middle }
    }
    return (low + high) / 2
  }
}
