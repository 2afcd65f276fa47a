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
    let label = TrialLabel(
      scenario: cell.plan.scenario, variant: cell.plan.variant, state: cell.state,
      repetition: entry.repetition, arm: arms.count > 1 ? CellPlanner.name(ofArm: entry.arm) : "",
      isWarmUp: entry.isWarmUp, orderIndex: order)
    let files = SystemFiles()
    let disturbances = Disturbances(files)
    let meter = meters[entry.arm]
    files.resetPeakMemory()
    meter.begin()
    let trial = try store.beginTrial(
      cell: cell.ids[entry.arm], repetition: entry.repetition, orderIndex: order,
      isWarmUp: entry.isWarmUp, started: .now, loadAverage: files.loadAverage())
    order += 1
    observe(.trialStarted(label))
    var (reason, recording) = try await play(
      cell.scripts[entry.arm], on: arms[entry.arm], meter, label, trial)
    let ended = MonotonicInstant.now
    let energy = meter.end()
    var sample = files.sample(at: ended)
    sample.energy = energy
    sample.gpuMemoryBytes = arms[entry.arm].deviceMemory?()
    if arms[entry.arm].endpoint != nil {
      // The memory of this program says nothing of a server's.
      (sample.residentBytes, sample.peakResidentBytes) = (nil, nil)
    }
    disturbances.add(to: &sample, files)
    reason = reason ?? Disturbances.invalidReason(sample)
    try store.endTrial(
      trial, ended: ended, invalidReason: reason,
      recordingNanoseconds: recording, loadNanoseconds: arms[entry.arm].target.loadNanoseconds,
      sample: sample)
    observe(.trialEnded(label, invalidReason: reason))
    return reason
  }

  /// Plays one trial on an arm: why it is invalid, and the time spent on writing during it.
  private func play(
    _ script: PlayScript, on arm: BenchArm, _ meter: EnergyMeter, _ label: TrialLabel, _ trial: Int
  ) async throws -> (reason: String?, recording: UInt64) {
    switch (script, arm.target) {
    case (.tokens(let script), .requests(let target)):
      var player = TrialPlayer(
        target: target, store: store, script: script, label: label, trial: trial,
        gapScale: options.gapScale, interruption: interruption, meter: meter, observe: observe)
      return (try await player.play(), player.recordingNanoseconds)
    case (.conversation(let script), .conversations(let target)):
      // A server's cache can't be emptied, so what it is asked is new every time.
      let isNew = arm.endpoint != nil || arm.style.promptForm == .plain
      var player = ConversationTrial(
        target: target, style: arm.style, store: store,
        script: isNew ? script.salted(salt &+ UInt64(label.orderIndex)) : script, label: label,
        trial: trial, options: options, interruption: interruption, meter: meter,
        observe: observe)
      return (try await player.play(), player.recordingNanoseconds)
    case (.tokens, .conversations), (.conversation, .requests):
      preconditionFailure("the planner makes the script that the target plays")
    }
  }
}
