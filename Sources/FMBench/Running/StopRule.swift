import Foundation

/// When a cell has trials enough: it looks at how wide intervals are, never at where they lie.
///
/// A run that stopped as soon as a difference showed would find one sooner or later.
struct StopRule {
  let store: BenchStore
  /// Few draws do: the rule only asks how wide an interval is.
  private let bootstrap = Bootstrap(seed: RunReport.bootstrapSeed, resamples: 1000)

  /// Whether the primary metrics of the arms' cells are known within their noise floors.
  ///
  /// Of one arm the interval of each median counts, of two the interval of the pairs' ratio.
  func isStable(_ cells: [Int]) throws(StoreError) -> Bool {
    var trials: [[NumberedTrial]] = []
    for cell in cells { trials.append(try store.numberedTrials(cell: cell)) }
    for metric in PrimaryFamily.metrics {
      guard let first = cells.first else { return true }
      let measured = try store.noiseFloor(cell: first, metric: metric)
      let bound = log1p(VerdictRule.floor(measured: measured, isPaired: true))
      for (index, arm) in trials.enumerated() where index > 0 || trials.count == 1 {
        let values =
          index == 0
          ? arm.compactMap { $0.values[metric] }
          : NumberedTrial.pairs(trials[0], arm, metric).map { $0.second / $0.first }
        guard !values.isEmpty else { continue }
        guard let interval = bootstrap.medianInterval(ofRatios: values) else { return false }
        if log(interval.upperBound / interval.lowerBound) > 2 * bound { return false }
      }
    }
    return true
  }
}
