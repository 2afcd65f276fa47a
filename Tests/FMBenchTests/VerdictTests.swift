import FMBench
import FMCore
import Foundation
import Testing

/// Comparisons that are drawn at random, with what a machine does to trials.
private struct MadeTrials {
  let random: CounterRandom
  /// Deviation of a trial's own noise, as a share.
  var noise = 0.01
  /// Deviation of the drift over the whole comparison, as a share; half as much again wanders.
  var drift = 0.02
  /// B over A.
  var change = 1.0
  var isInterleaved = true

  private func normal(_ position: Int, _ lane: UInt64) -> Double {
    let u = max(1e-300, random.uniform(at: UInt64(position), lane: lane))
    let v = random.uniform(at: UInt64(position), lane: lane + 1000)
    return (-2 * log(u)).squareRoot() * cos(2 * .pi * v)
  }

  /// `metrics` metrics of `n` trials a side; what drifts drifts for all metrics alike.
  func samples(_ n: Int, metrics: Int) -> [TrialSamples] {
    let order: [Int] = (0..<2 * n).map { place in
      isInterleaved ? [0, 1, 1, 0][place % 4] : place / n
    }
    let trend = drift * normal(0, 1)
    var wandered = 0.0
    var trials: [[[Double]]] = Array(repeating: [[], []], count: metrics)
    for (place, side) in order.enumerated() {
      wandered += 0.3 * drift * normal(place, 2)
      let common = trend * (Double(place) / Double(2 * n - 1) - 0.5) + wandered
      for metric in 0..<metrics {
        let own = noise * normal(place, UInt64(10 + metric))
        trials[metric][side].append(100 * (side == 1 ? change : 1) * exp(common + own))
      }
    }
    return trials.map { sides in
      guard isInterleaved else { return .independent(first: sides[0], second: sides[1]) }
      return .paired(zip(sides[0], sides[1]).map { TrialSamples.Pair($0, $1) })
    }
  }
}

@Suite struct VerdictTests {
  private let rule = VerdictRule()

  private func judge(_ samples: [TrialSamples], floor: Double? = nil) throws -> [Verdict] {
    let bootstrap = Bootstrap(seed: 7, resamples: 300)
    return rule.judge(
      try samples.map {
        let effect = try #require(Effect($0, bootstrap: bootstrap))
        return VerdictRule.Member(
          effect: effect, floor: VerdictRule.floor(measured: floor, isPaired: effect.isPaired))
      }
    ).map(\.verdict)
  }

  /// Of so many made-up families, how many have a call, and what share of their members has.
  private func calls(
    _ trials: (UInt64) -> MadeTrials, families: Int = 100, metrics: Int = 12
  ) throws -> (families: Int, members: Double) {
    var (withCall, members) = (0, 0)
    for seed in 0..<families {
      let verdicts = try judge(trials(UInt64(seed) + 500).samples(10, metrics: metrics))
      let called = verdicts.count { $0 == .improved || $0 == .regressed }
      withCall += called > 0 ? 1 : 0
      members += called
    }
    return (withCall, Double(members) / Double(families * metrics))
  }

  @Test func `few false calls with noise and drift, and changes of 5 % are found`() throws {
    let same = try calls { MadeTrials(random: CounterRandom(seed: $0)) }
    #expect(same.families <= 5, "\(same.families) of 100 families of 12 with a false call")
    let slower = try calls { MadeTrials(random: CounterRandom(seed: $0), change: 1.05) }
    #expect(slower.members >= 0.9, "\(slower.members) of the changes found")
    let faster = try calls(
      { MadeTrials(random: CounterRandom(seed: $0), change: 1 / 1.05) }, families: 30)
    #expect(faster.members >= 0.9, "\(faster.members) of the changes found")
  }

  @Test func `runs one after the other keep to a floor that their drift does not pass`() throws {
    let same = try calls(
      { MadeTrials(random: CounterRandom(seed: $0), isInterleaved: false) }, metrics: 3)
    #expect(same.families <= 5, "\(same.families) of 100 families with a false call")
    let slower = try calls(
      { MadeTrials(random: CounterRandom(seed: $0), change: 1.12, isInterleaved: false) },
      families: 50, metrics: 3)
    #expect(slower.members >= 0.9, "\(slower.members) of the changes found")
  }

  @Test func `the verdict says which way, and turns with the sides`() throws {
    let trials = MadeTrials(random: CounterRandom(seed: 5), change: 1.2)
    let samples = trials.samples(10, metrics: 1)[0]
    let swapped: TrialSamples = .paired(
      zip(samples.second, samples.first).map { TrialSamples.Pair($0, $1) })
    #expect(try judge([samples]) == [.regressed])
    #expect(try judge([swapped]) == [.improved])
    let effect = try #require(Effect(samples, bootstrap: Bootstrap(seed: 1, resamples: 300)))
    let rate = rule.judge([.init(effect: effect, floor: 0.02, isLowerBetter: false)])
    #expect(rate.map(\.verdict) == [.improved])
  }

  @Test func `quiet trials without a change are within noise`() throws {
    let quiet = MadeTrials(random: CounterRandom(seed: 9), noise: 0.003, drift: 0)
    #expect(try judge(quiet.samples(10, metrics: 3)) == Array(repeating: .withinNoise, count: 3))
    // Two equal pairs are no evidence, however equal.
    let two = TrialSamples.paired(Array(repeating: TrialSamples.Pair(1, 1), count: 2))
    #expect(try judge([two]) == [.inconclusive(trialsNeeded: 4)])
    let ten = TrialSamples.paired(Array(repeating: TrialSamples.Pair(1, 1), count: 10))
    #expect(try judge([ten]) == [.withinNoise])
  }

  @Test func `a change smaller than the floor is not called`() throws {
    let small = MadeTrials(
      random: CounterRandom(seed: 11), noise: 0.001, drift: 0, change: 1.03)
    #expect(try judge(small.samples(10, metrics: 1)) == [.regressed])
    #expect(try judge(small.samples(10, metrics: 1), floor: 0.06) == [.withinNoise])
  }

  @Test func `says how many more trials decide, and that number does`() throws {
    func pairs(_ count: Int) -> TrialSamples {
      let logarithms = [-0.04, 0.14, 0.05, 0.11, 0.02, 0.07]
      return .paired((0..<count).map { TrialSamples.Pair(1, exp(logarithms[$0 % 6])) })
    }
    guard case .inconclusive(let needed) = try judge([pairs(6)])[0] else {
      Issue.record("a noisy comparison was decided")
      return
    }
    #expect(needed == 5)
    #expect(try judge([pairs(6 + 2 * 5)]) == [.regressed])
    let wild = (0..<10).map { TrialSamples.Pair(1, $0 % 2 == 0 ? 20 : 0.05) }
    #expect(try judge([.paired(wild)]) == [.inconclusive(trialsNeeded: nil)])
  }

  @Test func `a family of twelve needs nine pairs, and one metric six`() {
    #expect(rule.leastTrials(isPaired: true) == 6)
    #expect(rule.leastTrials(isPaired: true, familySize: 12) == 9)
    #expect(rule.leastTrials(isPaired: false) == 4)
    #expect(rule.leastTrials(isPaired: false, familySize: 12) == 6)
  }

  @Test func `samples without a ratio have no effect`() {
    let bootstrap = Bootstrap(seed: 1, resamples: 10)
    for samples in [
      TrialSamples.paired([]), .independent(first: [], second: [1]),
      .paired([TrialSamples.Pair(0, 1)]), .independent(first: [1], second: [-1]),
      .paired([TrialSamples.Pair(.infinity, 1)]),
    ] {
      #expect(Effect(samples, bootstrap: bootstrap) == nil)
    }
  }

  @Test func `floors are never below what the design can tell`() {
    #expect(VerdictRule.floor(measured: nil, isPaired: true) == 0.02)
    #expect(VerdictRule.floor(measured: 0.001, isPaired: true) == 0.01)
    #expect(VerdictRule.floor(measured: 0.04, isPaired: false) == 0.08)
    #expect(VerdictRule.floor(measured: nil, isPaired: false) == 0.05)
  }
}
