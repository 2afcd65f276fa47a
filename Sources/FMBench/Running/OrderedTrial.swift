import FMCore

/// A trial that another process began, for this one to play: what the store says of it.
package struct OrderedTrial: Sendable {
  /// How it is played; nothing is started for it a second time.
  package let style: PlayStyle
  private let trial: Int
  private let label: TrialLabel
  private var options: RunOptions
  /// Hashes of what the run was begun with.
  private let hashes: (suite: String?, model: String?, scenario: String?)

  /// Reads what is to be played.
  ///
  /// - Throws: ``StoreError``; ``TrialOrderError`` where there is no such trial to be played.
  package init(
    _ trial: Int, store: BenchStore, transcript: ReplayedTranscript? = nil
  ) throws {
    let rows = try store.database.rows(
      """
      SELECT n.level, n.mode, n.policy, n.streaming, n.prefix_edit, n.prompt_form, n.start, c.masks,
          c.scenario, c.variant, c.state, t.rep, n.arm, t.phase, t.order_index, n.seed, n.gap_scale,
          t.ended_ns, n.status, n.suite_sha, n.model_sha, c.scenario_sha
        FROM trial t JOIN cell c ON c.id = t.cell_id JOIN run n ON n.id = c.run_id WHERE t.id = ?
      """, [.int(trial)])
    guard let row = rows.first else { throw TrialOrderError.noSuchTrial(trial) }
    var style = PlayStyle(row, at: 0)
    guard style.start == .process, row.string(18) == RunStatus.running.rawValue,
      row.int(17) == nil
    else { throw TrialOrderError.notWaiting(trial) }
    guard let state = row.string(10).flatMap(CacheState.init(rawValue:)) else {
      throw TrialOrderError.noSuchTrial(trial)
    }
    style.hasMasks = row.string(7) == "on"
    hashes = (row.string(19), row.string(20), row.string(21))
    self.trial = trial
    self.style = style
    label = TrialLabel(
      scenario: row.string(8) ?? "", variant: row.string(9) ?? "", state: state,
      repetition: row.int(11) ?? 0, arm: row.string(12) ?? "",
      isWarmUp: row.string(13) == "warmup", orderIndex: row.int(14) ?? 0)
    options = RunOptions()
    options.scenarios = transcript == nil ? [label.scenario] : []
    options.states = [state]
    options.transcript = transcript
    options.seed = row.int(15).map { UInt64(bitPattern: Int64($0)) } ?? options.seed
    options.gapScale = row.double(16) ?? options.gapScale
  }

  /// Plays the trial and ends its row.
  ///
  /// - Parameters:
  ///   - arm: has a target that is there.
  ///   - loadNanoseconds: from the start of the process until the target was there.
  /// - Returns: why the trial is invalid; nil for a valid one.
  /// - Throws: ``TrialOrderError/changed(_:)`` where a file is not what it was when the run began, before
  ///   anything is played; ``SuiteError``; ``StoreError``.
  package func play(
    _ suite: Suite, on arm: BenchArm, loadNanoseconds: UInt64, store: BenchStore,
    interruption: Interruption, observe: @escaping (RunEvent) -> Void
  ) async throws -> String? {
    try check(suite, arm.subject)
    let planner = CellPlanner(suite: suite, options: options, arms: [arm])
    guard let cell = try planner.cells(variant: label.variant).first else {
      throw SuiteError.invalid(
        scenario: label.scenario, reason: "it has no form '\(label.variant)' to play here")
    }
    let playback = TrialPlayback(
      store: store, options: options, interruption: interruption,
      meter: EnergyMeter(arm.subject.device), salt: UInt64.random(in: 0...999_000_000),
      observe: observe)
    return try await playback.play(
      cell.scripts[0], on: arm, label, trial, loadNanoseconds: loadNanoseconds)
  }

  /// Whoever replaces a file while a run goes on would have its numbers stored under another's name.
  private func check(_ suite: Suite, _ subject: RunSubject) throws(TrialOrderError) {
    if subject.model.sha256 != hashes.model { throw .changed("the model's file") }
    if let transcript = options.transcript {
      if transcript.sha != hashes.scenario { throw .changed("the transcript") }
    } else if suite.sha != hashes.suite {
      throw .changed("the suite")
    }
  }

  /// Ends the trial's row without having played it.
  package func fail(
    _ error: any Error, store: BenchStore
  ) throws(StoreError) {
    let now = MonotonicInstant.now
    try store.endTrial(
      trial, ended: now, invalidReason: "failed: \(ErrorSentence(error))",
      sample: ResourceSample(at: now))
  }
}

/// Why a trial that was ordered can't be played.
package enum TrialOrderError: Error, Hashable, CustomStringConvertible {
  case noSuchTrial(Int)
  /// It is over, or of a run that plays its own trials or has ended.
  case notWaiting(Int)
  /// Something that the trial needs was replaced since the run began.
  case changed(String)

  package var description: String {
    switch self {
    case .changed(let what): "\(what) was changed since the run began"
    case .noSuchTrial(let trial): "there is no trial \(trial)"
    case .notWaiting(let trial):
      "trial \(trial) waits for no process"
        + "\nhint: `fmbench run --start process` starts processes by itself"
    }
  }
}
