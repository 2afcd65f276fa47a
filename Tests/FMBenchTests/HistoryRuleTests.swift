import FMBench
import FMCore
import Foundation
import Testing

/// Series of runs' medians that are drawn at random.
private struct MadeSeries {
  let random: CounterRandom
  /// Deviation of a trial, as a share.
  var noise = 0.01
  /// Deviation between runs, as a share.
  var drift = 0.0
  /// Factors on runs from that place on.
  var changes: [Int: Double] = [:]

  private func normal(_ position: Int, _ lane: UInt64) -> Double {
    let u = max(1e-300, random.uniform(at: UInt64(position), lane: lane))
    let v = random.uniform(at: UInt64(position), lane: lane + 1000)
    return (-2 * log(u)).squareRoot() * cos(2 * .pi * v)
  }

  /// The medians of `count` runs of ten trials each.
  func medians(_ count: Int) -> [Double] {
    var level = 100.0
    return (0..<count).map { run in
      level *= changes[run] ?? 1
      let common = drift * normal(run, 0)
      let trials = (0..<10).map { exp(common + noise * normal(run, UInt64(1 + $0))) }
      return level * (Statistics.median(trials) ?? 1)
    }
  }
}

@Suite struct HistoryRuleTests {
  private static let floor = 0.02

  private func verdict(
    _ medians: [Double], floor: Double = floor, isLowerBetter: Bool = true
  ) -> HistoryJudgement.Verdict? {
    OutOfLineRule.judge(medians, floor: floor, isLowerBetter: isLowerBetter)?.verdict
  }

  /// The share of draws of 21 runs whose newest is worse.
  private func alarms(_ draws: Int = 500, _ made: (UInt64) -> MadeSeries) -> Double {
    let found = (0..<draws).count { verdict(made(UInt64($0) + 900).medians(21)) == .worse }
    return Double(found) / Double(draws)
  }

  @Test func `few false alarms after 20 runs, and a slowdown of 5 % is found`() {
    let same = alarms { MadeSeries(random: CounterRandom(seed: $0)) }
    #expect(same <= 0.02, "\(same) false alarms")
    let slower = alarms { MadeSeries(random: CounterRandom(seed: $0), changes: [20: 1.05]) }
    #expect(slower >= 0.95, "\(slower) of the slowdowns found")
  }

  @Test func `runs that differ by more than their trials alarm as rarely`() {
    let same = alarms { MadeSeries(random: CounterRandom(seed: $0), drift: 0.03) }
    #expect(same <= 0.02, "\(same) false alarms")
    let slower = alarms {
      MadeSeries(random: CounterRandom(seed: $0), drift: 0.03, changes: [20: 1.25])
    }
    #expect(slower >= 0.95, "\(slower) of the slowdowns found")
  }

  @Test func `says which way, and of rates the other way round`() throws {
    let before = (0..<8).map { 100 + Double($0) }
    #expect(verdict(before + [130]) == .worse)
    #expect(verdict(before + [80]) == .better)
    #expect(verdict(before + [130], isLowerBetter: false) == .better)
    #expect(verdict(before + [80], isLowerBetter: false) == .worse)
    #expect(verdict(before + [104]) == .inLine)
    let twice = try #require(
      OutOfLineRule.judge(before + [207], floor: 0.02, isLowerBetter: true))
    #expect(twice.earlier == 8)
    #expect(abs((twice.ratio ?? 0) - 2) < 0.001)
    // Twice and half are equally far.
    let half = try #require(
      OutOfLineRule.judge(before.map { 1 / $0 } + [1 / 207], floor: 0.02, isLowerBetter: true))
    #expect(abs((twice.z ?? 0) + (half.z ?? 0)) < 1e-9)
  }

  @Test func `takes eight runs before, and values above 0`() {
    #expect(OutOfLineRule.judge([], floor: 0.02, isLowerBetter: true) == nil)
    let few = OutOfLineRule.judge(
      Array(repeating: 1, count: 8), floor: 0.02, isLowerBetter: true)
    #expect(few?.verdict == .tooFew)
    #expect(few?.earlier == 7 && few?.z == nil)
    for value in [0, -1, .infinity, .nan] {
      #expect(verdict(Array(repeating: 1, count: 8) + [value]) == .noRatio)
      #expect(verdict([value] + Array(repeating: 1, count: 8)) == .noRatio)
    }
  }

  @Test func `equal runs make no alarm of less than the floor allows`() {
    let equal = Array(repeating: 100.0, count: 12)
    #expect(verdict(equal + [100]) == .inLine)
    // 3.5 / 1.96 floors.
    #expect(verdict(equal + [103.5]) == .inLine)
    #expect(verdict(equal + [103.7]) == .worse)
    #expect(verdict(equal + [103.7], floor: 0.04) == .inLine)
  }

  @Test func `a step of 5 % is found where it is`() {
    var (found, exact) = (0, 0)
    for seed in 0..<300 {
      let made = MadeSeries(random: CounterRandom(seed: UInt64(seed)), changes: [12: 1.05])
      guard let step = LevelStep(made.medians(20), floor: Self.floor) else { continue }
      found += abs(step.index - 12) <= 1 ? 1 : 0
      exact += step.index == 12 && abs(step.ratio - 1.05) < 0.01 ? 1 : 0
    }
    #expect(Double(found) / 300 >= 0.9, "\(found) of 300 at most one run off")
    #expect(Double(exact) / 300 >= 0.8, "\(exact) of 300 at the place")
  }

  @Test(arguments: [(20, 0), (20, 0.01), (9, 0.03), (12, 0.03), (20, 0.03), (60, 0.03)])
  func `a series without a step seldom has one`(runs: Int, drift: Double) {
    let found = (0..<300).count { seed in
      let made = MadeSeries(random: CounterRandom(seed: UInt64(seed) + 40), drift: drift)
      return LevelStep(made.medians(runs), floor: Self.floor) != nil
    }
    #expect(Double(found) / 300 <= 0.05, "\(found) of 300")
  }

  @Test func `a step has three runs on either side and two floors between`() throws {
    func step(_ before: Int, _ after: Int, _ ratio: Double) -> LevelStep? {
      LevelStep(
        Array(repeating: 100, count: before) + Array(repeating: 100 * ratio, count: after),
        floor: 0.02)
    }
    let found = try #require(step(3, 3, 1.05))
    #expect(found.index == 3)
    #expect(abs(found.ratio - 1.05) < 1e-12)
    #expect(step(9, 4, 0.9)?.index == 9)
    #expect(step(3, 2, 1.5) == nil)
    #expect(step(2, 9, 1.5) == nil)
    #expect(step(9, 9, 1.04) == nil)
    #expect(step(9, 9, 1) == nil)
    #expect(step(0, 0, 1) == nil)
    #expect(step(1, 0, 1) == nil)
    #expect(LevelStep([1, 1, 1, 2, 2, 0], floor: 0.02) == nil)
    // One run far out is no level.
    #expect(LevelStep([1, 1, 1, 1, 9, 1, 1, 1, 1], floor: 0.02) == nil)
  }
}
