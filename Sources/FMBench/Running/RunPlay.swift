import FMCore
import Foundation

/// The trials of a run's cells, played round by round.
struct RunPlay {
  let store: BenchStore
  let arms: [BenchArm]
  let cells: [PlannedCell]
  let options: RunOptions
  let interruption: Interruption
  /// The energy counters of each arm's devices.
  let meters: [EnergyMeter]
  let observe: (RunEvent) -> Void

  private var order = 0
  /// What new texts are numbered from, another number in every run.
  private let salt = UInt64.random(in: 0...999_000_000)
  /// Trials in a row that failed, an arm.
  private var failures: [Int]

  init(
    store: BenchStore, arms: [BenchArm], cells: [PlannedCell], options: RunOptions,
    interruption: Interruption, meters: [EnergyMeter], observe: @escaping (RunEvent) -> Void
  ) {
    self.meters = meters
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
      await rest()
      if interruption.isRequested { return nil }
      let reason = try await play(entry)
      // A device that stopped answering fails every trial that is left.
      let hasFailed = reason?.contains("failed: ") == true
      failures[entry.arm] = hasFailed ? failures[entry.arm] + 1 : 0
      if failures[entry.arm] >= 3, let reason { return "three trials in a row: \(reason)" }
    }
    return nil
  }

  /// Lets the machine cool down, in slices short enough for Ctrl-C to feel immediate.
  private func rest() async {
    let end = MonotonicInstant.now.adding(milliseconds: options.delay * 1000)
    while !interruption.isRequested {
      let left = end.seconds(since: .now)
      guard left > 0 else { return }
      try? await Task.sleep(nanoseconds: UInt64(min(left, 0.05) * 1e9))
    }
  }

  private mutating func play(_ entry: TrialSchedule.Entry) async throws -> String? {
    let cell = cells[entry.cell]
    let label = TrialLabel(
      scenario: cell.plan.scenario, variant: cell.plan.variant, state: cell.state,
      repetition: entry.repetition, arm: arms.count > 1 ? CellPlanner.name(ofArm: entry.arm) : "",
      isWarmUp: entry.isWarmUp, orderIndex: order)
    let trial = try store.beginTrial(
      cell: cell.ids[entry.arm], repetition: entry.repetition, orderIndex: order,
      isWarmUp: entry.isWarmUp, started: .now, loadAverage: SystemFiles().loadAverage())
    order += 1
    observe(.trialStarted(label))
    let arm = arms[entry.arm]
    let reason: String?
    if case .process(let process) = arm.source {
      reason = try await play(trial, in: process)
    } else {
      let playback = TrialPlayback(
        store: store, options: options, interruption: interruption, meter: meters[entry.arm],
        salt: salt, observe: observe)
      reason = try await playback.play(cell.scripts[entry.arm], on: arm, label, trial)
    }
    observe(.trialEnded(label, invalidReason: reason))
    return reason
  }

  /// Lets another process play a trial: why it is invalid.
  private func play(_ trial: Int, in process: TrialProcess) async throws(StoreError) -> String? {
    let problem = await process.play(trial, interruption: interruption) {
      observe(.announcement($0))
    }
    let end = try store.end(ofTrial: trial)
    if end.isStored { return end.invalidReason }
    let reason =
      interruption.isRequested
      ? "interrupted" : "failed: " + (problem ?? "the trial's process did not end the trial")
    let now = MonotonicInstant.now
    try store.endTrial(trial, ended: now, invalidReason: reason, sample: ResourceSample(at: now))
    return reason
  }
}
