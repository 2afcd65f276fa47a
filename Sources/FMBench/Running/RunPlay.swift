import FMCore
import Foundation

/// The trials of a run's cells, played round by round.
struct RunPlay {
  let store: BenchStore
  let arms: [BenchArm]
  let cells: [PlannedCell]
  let options: RunOptions
  let interruption: Interruption
  let observe: (RunEvent) -> Void

  private var order = 0
  /// Trials in a row that failed, an arm.
  private var failures: [Int]

  init(
    store: BenchStore, arms: [BenchArm], cells: [PlannedCell], options: RunOptions,
    interruption: Interruption, observe: @escaping (RunEvent) -> Void
  ) {
    self.store = store
    self.arms = arms
    self.cells = cells
    self.options = options
    self.interruption = interruption
    self.observe = observe
    failures = [Int](repeating: 0, count: arms.count)
  }

  /// Plays everything that was planned.
  ///
  /// - Returns: why the run cannot go on; nil when it ended or was interrupted.
  mutating func toTheEnd() async throws -> String? {
    let warmUps = TrialSchedule(trials: cells.map { _ in 0 }, arms: arms.count).entries
    if let failure = try await play(warmUps) { return failure }
    var open = Array(cells.indices)
    var round = 0
    while !open.isEmpty, !interruption.isRequested {
      let entries = TrialSchedule.round(round, cells: open, arms: arms.count)
      if let failure = try await play(entries) { return failure }
      round += 1
      open = try open.filter { cell in
        guard cells[cell].trials > round else { return false }
        guard cells[cell].leastTrials <= round, cells[cell].leastTrials < cells[cell].trials else {
          return true
        }
        return try !StopRule(store: store).isStable(cells[cell].ids)
      }
    }
    return nil
  }

  private mutating func play(_ entries: [TrialSchedule.Entry]) async throws -> String? {
    for entry in entries {
      if interruption.isRequested { return nil }
      let reason = try await play(entry)
      // A device that stopped answering fails every trial that is left.
      let hasFailed = reason?.contains("failed: ") == true
      failures[entry.arm] = hasFailed ? failures[entry.arm] + 1 : 0
      if failures[entry.arm] >= 3, let reason { return "three trials in a row: \(reason)" }
    }
    return nil
  }

  private mutating func play(_ entry: TrialSchedule.Entry) async throws -> String? {
    let cell = cells[entry.cell]
    let script = cell.scripts[entry.arm]
    let label = TrialLabel(
      scenario: script.plan.scenario, variant: script.plan.variant, state: cell.state,
      repetition: entry.repetition, arm: arms.count > 1 ? CellPlanner.name(ofArm: entry.arm) : "",
      isWarmUp: entry.isWarmUp, orderIndex: order)
    let files = SystemFiles()
    let disturbances = Disturbances(files)
    let trial = try store.beginTrial(
      cell: cell.ids[entry.arm], repetition: entry.repetition, orderIndex: order,
      isWarmUp: entry.isWarmUp, started: .now, loadAverage: files.loadAverage())
    order += 1
    observe(.trialStarted(label))
    var player = TrialPlayer(
      target: arms[entry.arm].target, store: store, script: script, label: label, trial: trial,
      gapScale: options.gapScale, interruption: interruption, observe: observe)
    var reason = try await player.play()
    let ended = MonotonicInstant.now
    var sample = files.sample(at: ended)
    disturbances.add(to: &sample, files)
    reason = reason ?? Disturbances.invalidReason(sample)
    try store.endTrial(
      trial, ended: ended, invalidReason: reason,
      recordingNanoseconds: player.recordingNanoseconds, sample: sample)
    observe(.trialEnded(label, invalidReason: reason))
    return reason
  }
}
