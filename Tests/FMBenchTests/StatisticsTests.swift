import FMBench
import FMTestSupport
import Foundation
import Testing

@Suite struct StatisticsTests {
  private struct Case: Decodable {
    var sample: [Double]
    var median: Double
    var mad: Double
    var fractions: [Double]
    var percentiles: [Double]
    var seed: UInt64
    var resamples: Int
    var interval: [Double]
  }

  private func cases() throws -> [Case] {
    try JSONDecoder().decode([Case].self, from: Data(contentsOf: Fixtures.url("statistics.json")))
  }

  private func isClose(_ left: Double?, _ right: Double) -> Bool {
    guard let left else { return false }
    return abs(left - right) <= 1e-9 * max(1, abs(right))
  }

  @Test func `percentiles are numpy's`() throws {
    for test in try cases() {
      for (fraction, expected) in zip(test.fractions, test.percentiles) {
        #expect(isClose(Statistics.percentile(fraction, of: test.sample), expected))
      }
      #expect(isClose(Statistics.median(test.sample), test.median))
      #expect(isClose(Statistics.medianAbsoluteDeviation(test.sample), test.mad))
    }
  }

  @Test func `bootstrap intervals are those numpy gives for the same draws`() throws {
    for test in try cases() {
      let bootstrap = Bootstrap(seed: test.seed, resamples: test.resamples)
      let interval = try #require(bootstrap.medianInterval(of: test.sample))
      #expect(isClose(interval.lowerBound, test.interval[0]))
      #expect(isClose(interval.upperBound, test.interval[1]))
    }
  }

  @Test func `an interval depends on the seed and not on the order of the sample`() throws {
    let sample = [5.0, 1, 4, 2, 3, 9, 7]
    let first = Bootstrap(seed: 1).medianInterval(of: sample)
    #expect(first == Bootstrap(seed: 1).medianInterval(of: sample.reversed()))
    #expect(first != nil)
  }

  @Test func `small samples have no interval and no tail`() throws {
    #expect(Bootstrap(seed: 1).medianInterval(of: [1]) == nil)
    #expect(Bootstrap(seed: 1).medianInterval(of: []) == nil)
    #expect(Statistics.percentile(0.5, of: []) == nil)
    #expect(Statistics.percentile(1.5, of: [1]) == nil)
    let bootstrap = Bootstrap(seed: 1, resamples: 100)
    #expect(try #require(Estimate([2], bootstrap: bootstrap)).low == nil)
    let nineteen = try #require(Estimate((1...19).map(Double.init), bootstrap: bootstrap))
    let twenty = try #require(Estimate((1...20).map(Double.init), bootstrap: bootstrap))
    #expect(nineteen.p95 == nil)
    #expect(isClose(twenty.p95, 19.05))
    #expect(Estimate([], bootstrap: bootstrap) == nil)
  }

  @Test func `flags what lies far out and nothing when all are equal`() throws {
    #expect(
      Statistics.outliers([10, 11, 12, 11, 10, 300]) == [false, false, false, false, false, true])
    #expect(Statistics.outliers([7, 7, 7, 9]) == [false, false, false, false])
    #expect(Statistics.outliers([]).isEmpty)
  }

  @Test func `the slope ignores a wild point`() throws {
    let x = (0..<10).map(Double.init)
    var y = x.map { 3 + 2 * $0 }
    y[4] = 1000
    #expect(isClose(Statistics.slope(of: y, over: x), 2))
    #expect(Statistics.slope(of: [1, 2], over: [5, 5]) == nil)
    // Every other point lies on a line of its own.
    let mixed = (0..<10).map { Double($0) + ($0 % 2 == 0 ? 0 : 100) }
    let alike = Statistics.slope(of: mixed, over: (0..<10).map(Double.init), least: 20) {
      ($1 - $0) % 2 == 0
    }
    #expect(isClose(alike, 1))
    #expect(Statistics.slope(of: y, over: x, least: 1000) == nil)
  }
}
