import Foundation

/// What is said of one metric.
package enum Verdict: Sendable, Hashable {
  case improved
  case regressed
  /// The interval of the ratio lies inside the noise floor: no change that could be told apart.
  case withinNoise
  /// More trials are needed on each side: about so many; nil when more than ``VerdictRule/mostTrials``.
  case inconclusive(trialsNeeded: Int?)

  /// The word of the report.
  package var name: String {
    switch self {
    case .improved: "improved"
    case .regressed: "regressed"
    case .withinNoise: "within noise"
    case .inconclusive: "inconclusive"
    }
  }
}

/// When a difference is called one.
///
/// A change is called when all of three hold: the bootstrap interval of the ratio excludes 1, the
/// rank test's p, adjusted over the family by Holm, is below ``alpha``, and the ratio is at least
/// the noise floor away from 1. Otherwise the answer is "within noise" when the interval lies inside the
/// floor, and "inconclusive" when it does not. All distances are of logarithms, so that swapping A
/// and B swaps the verdicts.
package struct VerdictRule: Sendable, Hashable {
  /// Chance of a call in a family in which nothing changed.
  package var alpha = 0.05
  /// Of a change as large as the one seen, the chance to be called with the trials asked for.
  package var power = 0.8
  /// Beyond that many more trials no number is named.
  package static let mostTrials = 500
  /// The floor where none was measured.
  package static let defaultFloor = 0.02
  /// The least floor: smaller differences do not outlast a rebuild or a restart.
  package static let leastFloor = 0.01
  /// The least floor of trials that were not played in turn: a machine drifts by that much.
  package static let leastIndependentFloor = 0.05

  package init() {}

  /// The floor that counts for an effect: the measured one, never below what the design can tell.
  package static func floor(measured: Double?, isPaired: Bool) -> Double {
    let floor = max(leastFloor, measured ?? defaultFloor)
    return isPaired ? floor : max(leastIndependentFloor, 2 * floor)
  }

  /// Judges an effect.
  ///
  /// - Parameters:
  ///   - adjustedP: the effect's p after the adjustment for its family.
  ///   - familySize: metrics in the family, for how many trials are needed.
  ///   - floor: the least change that counts, as a share: 0.02.
  package func verdict(
    _ effect: Effect, adjustedP: Double, familySize: Int, floor: Double, isLowerBetter: Bool
  ) -> Verdict {
    let bound = log1p(floor)
    if let low = effect.low, let high = effect.high {
      if low > 1 || high < 1, adjustedP < alpha, abs(log(effect.ratio)) >= bound {
        return (effect.ratio < 1) == isLowerBetter ? .improved : .regressed
      }
      // Few trials can have a short interval by luck; the least that could be called must be there.
      let isEnough = effect.n >= leastTrials(isPaired: effect.isPaired)
      if log(low) >= -bound, log(high) <= bound, isEnough {
        return .withinNoise
      }
    }
    return .inconclusive(
      trialsNeeded: trialsNeeded(effect, familySize: familySize, floor: floor))
  }

  /// The least number of pairs, or of trials a side, with which a family of so many can have a call.
  package func leastTrials(isPaired: Bool, familySize: Int = 1) -> Int {
    let level = alpha / Double(max(1, familySize))
    var count = 2
    // The smallest p: 2 of 2^n sign patterns, or 2 of the ways to choose n of 2n ranks.
    var least = isPaired ? 0.5 : 1.0 / 3
    while least >= level, count < Self.mostTrials {
      count += 1
      let half = Double(count)
      least *= isPaired ? 0.5 : half / (2 * (2 * half - 1))
    }
    return count
  }

  /// How many more trials a side would decide, from the spread seen; at least 1.
  private func trialsNeeded(_ effect: Effect, familySize: Int, floor: Double) -> Int? {
    let distance = abs(log(effect.ratio))
    let bound = log1p(floor)
    var wanted = Double(leastTrials(isPaired: effect.isPaired, familySize: familySize))
    if distance >= bound {
      // The rank tests need 1/0.955 as many normal values as the t test does.
      let quantile =
        (NormalDistribution.quantile(1 - alpha / (2 * Double(max(1, familySize)))) ?? 0)
        + (NormalDistribution.quantile(power) ?? 0)
      wanted = max(wanted, square(quantile * effect.spread / distance) / 0.955)
    } else {
      // The deviation of a median is 1.2533 that of a mean.
      wanted = max(wanted, square(1.96 * 1.2533 * effect.spread / (bound - distance)))
    }
    let missing = wanted.rounded(.up) - Double(effect.n)
    return missing <= Double(Self.mostTrials) ? max(1, Int(missing)) : nil
  }

  private func square(_ value: Double) -> Double { value * value }
}

/// A metric of one cell with its verdict, before the comparison's words.
package struct JudgedEffect: Sendable, Hashable {
  package var effect: Effect
  /// After Holm's adjustment over the family.
  package var adjustedP: Double
  package var verdict: Verdict
}

extension VerdictRule {
  /// One member of a family: its effect, its floor and which direction is better.
  package struct Member: Sendable, Hashable {
    package var effect: Effect
    package var floor: Double
    package var isLowerBetter: Bool

    package init(effect: Effect, floor: Double, isLowerBetter: Bool = true) {
      self.effect = effect
      self.floor = floor
      self.isLowerBetter = isLowerBetter
    }
  }

  /// Judges a family that was declared before anybody looked; the results are in its order.
  package func judge(_ family: [Member]) -> [JudgedEffect] {
    let adjusted = Statistics.holm(family.map(\.effect.pValue))
    return zip(family, adjusted).map { member, p in
      JudgedEffect(
        effect: member.effect, adjustedP: p,
        verdict: verdict(
          member.effect, adjustedP: p, familySize: family.count, floor: member.floor,
          isLowerBetter: member.isLowerBetter))
    }
  }
}
