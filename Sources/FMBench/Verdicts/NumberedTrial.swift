/// One valid trial's numbers with its place among the repeats of its cell.
package struct NumberedTrial: Sendable, Hashable {
  /// From 0; trials of equal number that were played in turn are neighbours.
  package var repetition: Int
  package var values: [Metric: Double]

  package init(repetition: Int, values: [Metric: Double]) {
    self.repetition = repetition
    self.values = values
  }

  /// The pairs of a metric, in the order of their numbers; a trial without a partner is left out.
  package static func pairs(
    _ first: [NumberedTrial], _ second: [NumberedTrial], _ metric: Metric
  ) -> [TrialSamples.Pair] {
    first.compactMap { trial in
      guard let left = trial.values[metric],
        let partner = second.first(where: { $0.repetition == trial.repetition }),
        let right = partner.values[metric]
      else { return nil }
      return TrialSamples.Pair(left, right)
    }
  }
}

/// What verdicts are about: declared before anybody looks, everything else is reported beside it.
package enum PrimaryFamily {
  /// Of each scenario's first form in its first state: the wait, the pace and the whole task.
  package static let metrics: [Metric] = [.ttft, .tpot, .taskWall]
  /// Reported without a verdict.
  package static let secondaryMetrics: [Metric] = [
    .ttftNext, .ttfc, .prefillTPS, .decodeTPS, .modelTime, .handoffGap, .load,
  ]
}
