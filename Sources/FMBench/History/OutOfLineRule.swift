import Foundation

/// What is said of the newest run of a series.
package struct HistoryJudgement: Sendable, Hashable, Codable {
  /// The word of it.
  package enum Verdict: String, Sendable, Hashable, Codable {
    /// Fewer than ``OutOfLineRule/leastEarlier`` runs before it.
    case tooFew = "too few runs"
    /// A median is not above 0, so that there are no ratios.
    case noRatio = "no ratio"
    case inLine = "in line"
    /// An alarm: further from the runs before than their spread allows, and worse.
    case worse
    /// As far the other way.
    case better
  }

  package var verdict: Verdict
  /// Runs before the newest.
  package var earlier: Int
  /// Deviations between the newest and the runs before, positive for a larger value; nil when not judged.
  package var z: Double?
  /// The newest median over the median of those before; nil when not judged.
  package var ratio: Double?
}

/// When the newest run of a series is out of line with those before it.
///
/// It is compared with all runs before it that are looked at; there is no baseline that moves.
package enum OutOfLineRule {
  /// With fewer earlier runs nothing is said.
  package static let leastEarlier = 8
  /// The greatest robust z that is in line.
  package static let threshold = 3.5

  /// Judges the last of the runs' medians, oldest first; nil without one.
  ///
  /// z = (x - median(earlier)) / robust deviation(earlier), of logarithms so that twice and half are
  /// equally far. The deviation counts as at least that of a normal value whose 95 % interval is the
  /// floor, so that runs which hardly vary do not make an alarm of nothing.
  ///
  /// - Parameter floor: the least change that counts, as a share: 0.02.
  package static func judge(
    _ medians: [Double], floor: Double, isLowerBetter: Bool
  ) -> HistoryJudgement? {
    guard let newest = medians.last else { return nil }
    let earlier = medians.dropLast()
    guard earlier.count >= leastEarlier else {
      return HistoryJudgement(verdict: .tooFew, earlier: earlier.count)
    }
    let logarithms = earlier.map { log($0) }
    guard medians.allSatisfy({ $0 > 0 && $0.isFinite }),
      let center = Statistics.median(logarithms),
      let deviation = Statistics.robustDeviation(logarithms)
    else { return HistoryJudgement(verdict: .noRatio, earlier: earlier.count) }
    let distance = log(newest) - center
    let z = distance / max(deviation, log1p(floor) / 1.96)
    let verdict: HistoryJudgement.Verdict =
      abs(z) <= threshold ? .inLine : (z < 0) == isLowerBetter ? .better : .worse
    return HistoryJudgement(
      verdict: verdict, earlier: earlier.count, z: z, ratio: exp(distance))
  }
}
