import FMBench
import FMTestSupport
import Foundation
import Testing

/// Rank tests against scipy; the values are made by `Benchmarks/oracle/rank_tests.py`.
@Suite struct RankTestTests {
  private struct Golden: Decodable {
    struct Signed: Decodable {
      var differences: [Double]
      var p: Double
    }
    struct Ranked: Decodable {
      var first: [Double]
      var second: [Double]
      var p: Double
    }
    struct Family: Decodable {
      var values: [Double]
      var adjusted: [Double]
    }
    struct Quantile: Decodable {
      var p: Double
      var z: Double
    }
    struct Variation: Decodable {
      var sample: [Double]
      var value: Double
    }
    var signed: [Signed]
    var ranked: [Ranked]
    var holm: [Family]
    var quantiles: [Quantile]
    var variation: [Variation]
  }

  private func golden() throws -> Golden {
    try JSONDecoder().decode(Golden.self, from: Data(contentsOf: Fixtures.url("rank_tests.json")))
  }

  private func isClose(_ left: Double?, _ right: Double) -> Bool {
    guard let left else { return false }
    return abs(left - right) <= 1e-9 * max(1e-3, abs(right))
  }

  @Test func `signed-rank p values are scipy's, with ties and zeros too`() throws {
    let cases = try golden().signed
    #expect(cases.count == 21)
    for test in cases {
      let p = RankTest.signedRank(test.differences)
      #expect(isClose(p, test.p), "\(test.differences): \(p ?? -1), scipy \(test.p)")
    }
  }

  @Test func `rank-sum p values are scipy's, with ties too`() throws {
    let cases = try golden().ranked
    #expect(cases.count == 16)
    for test in cases {
      let p = RankTest.mannWhitney(test.first, test.second)
      #expect(isClose(p, test.p), "\(test.first) \(test.second): \(p ?? -1), scipy \(test.p)")
    }
  }

  @Test func `samples that say nothing have no p`() {
    #expect(RankTest.signedRank([]) == nil)
    #expect(RankTest.signedRank([0, 0, 0]) == nil)
    #expect(RankTest.signedRank([.nan, .infinity]) == nil)
    #expect(RankTest.mannWhitney([], [1]) == nil)
    #expect(RankTest.mannWhitney([1], []) == nil)
  }

  @Test func `adjusts a family by Holm and reads quantiles and variation`() throws {
    let golden = try golden()
    for family in golden.holm {
      for (found, wanted) in zip(Statistics.holm(family.values), family.adjusted) {
        #expect(isClose(found, wanted))
      }
    }
    #expect(Statistics.holm([]).isEmpty)
    for test in golden.quantiles {
      let z = try #require(NormalDistribution.quantile(test.p))
      #expect(abs(z - test.z) < 1e-9)
    }
    #expect(NormalDistribution.quantile(0) == nil)
    for test in golden.variation {
      #expect(isClose(Statistics.coefficientOfVariation(test.sample), test.value))
    }
  }

  @Test func `names the quality of trials by their variation`() {
    #expect(TrialQuality([10, 10.5, 9.7, 10.1]) == .steady)
    #expect(TrialQuality([10, 11.5, 9.2, 10.1]) == .fair)
    #expect(TrialQuality([10, 13, 9, 10]) == .noisy)
    #expect(TrialQuality([10, 20, 9, 10]) == .poor)
    #expect(TrialQuality([10]) == nil)
  }

  @Test func `the interval of a ratio is the inverse when the sides are swapped`() throws {
    let bootstrap = Bootstrap(seed: 3, resamples: 500)
    let ratios = [1.02, 1.05, 0.97, 1.04, 1.2, 1.03]
    let interval = try #require(bootstrap.medianInterval(ofRatios: ratios))
    let inverse = try #require(bootstrap.medianInterval(ofRatios: ratios.map { 1 / $0 }))
    #expect(interval.contains(1.035))
    // The draws take places in the sorted sample, so the swap is not exact.
    #expect(abs(inverse.lowerBound * interval.upperBound - 1) < 0.1)
    #expect(bootstrap.medianInterval(ofRatios: [1, -1]) == nil)
    let medians = try #require(
      bootstrap.medianRatioInterval(of: [21, 22, 20, 23], over: [10, 11, 10, 12]))
    #expect(medians.contains(2.05))
    #expect(medians.lowerBound > 1.5 && medians.upperBound < 2.5)
    #expect(bootstrap.medianRatioInterval(of: [0, 1], over: [1, 1]) == nil)
  }
}
