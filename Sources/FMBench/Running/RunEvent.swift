import FMCore

/// What a run tells while it goes on, each after its transaction is on disk.
package enum RunEvent: Sendable, Hashable {
  /// `trials` of all runs that are played in turn, warm-ups included, at most.
  case started(run: Int, trials: Int)
  case trialStarted(TrialLabel)
  case request(RequestReport)
  /// A request that another process played and stored, in that process's words.
  case announcement(String)
  /// `invalidReason` is nil for a valid trial.
  case trialEnded(TrialLabel, invalidReason: String?)
}

/// Which trial something belongs to.
package struct TrialLabel: Sendable, Hashable {
  package var scenario: String
  package var variant: String
  package var state: CacheState
  package var repetition: Int
  /// Which of several runs played in turn; empty for a run of its own.
  package var arm = ""
  package var isWarmUp: Bool
  /// Place in the run.
  package var orderIndex: Int

  /// `one-tool cold #3`, `schema-ladder/flat-3 cold warm-up`.
  package var text: String {
    let name = variant.isEmpty ? scenario : "\(scenario)/\(variant)"
    return (arm.isEmpty ? "" : "\(arm) ") + "\(name) \(state.rawValue) "
      + (isWarmUp ? "warm-up" : "#\(repetition + 1)")
  }
}

/// A stored request, for the line that announces it.
package struct RequestReport: Sendable, Hashable {
  package var trial: TrialLabel
  package var session: String
  package var row: RequestRow

  /// Seconds from submission to the first token.
  package var timeToFirstToken: Double? {
    row.firstToken.map { $0.seconds(since: row.submitted) }
  }

  /// Seconds an output token after the first.
  package var timePerOutputToken: Double? {
    guard row.outputTokens >= 2, let first = row.firstToken, let last = row.lastToken else {
      return nil
    }
    return last.seconds(since: first) / Double(row.outputTokens - 1)
  }
}
