package import FMBackend
import FMCore
import Foundation

/// What to run.
package struct RunOptions: Sendable, Hashable {
  /// How many trials a cell gets.
  package enum Effort: Sendable, Hashable {
    case quick, standard, release
    case trials(Int)
  }

  /// Names of scenarios; empty for all.
  package var scenarios: [String] = []
  /// States to run; empty for all that a scenario has.
  package var states: [CacheState] = []
  package var effort: Effort = .standard
  /// Factor on every injected tool and think time.
  package var gapScale: Double = 0.1
  package var seed: UInt64 = 1
  package var label: String?
  package var arguments: [String] = []

  package init() {}
}

/// What a run is made on: recorded, and the same for all its cells.
package struct RunSubject: Sendable, Hashable {
  package var model: ModelRow
  /// The device the executor runs on, as its back end describes it.
  package var device: DeviceDescription
  package var threads: Int?
  package var maximumRows: Int?
  package var kvType: String?
  package var loadNanoseconds: UInt64?
  package var memoryBytes: Int?

  package init(
    model: ModelRow, device: DeviceDescription, threads: Int? = nil, maximumRows: Int? = nil,
    kvType: String? = nil, loadNanoseconds: UInt64? = nil, memoryBytes: Int? = nil
  ) {
    self.model = model
    self.device = device
    self.threads = threads
    self.maximumRows = maximumRows
    self.kvType = kvType
    self.loadNanoseconds = loadNanoseconds
    self.memoryBytes = memoryBytes
  }
}

/// Plays a suite's trials against a target and records them.
package struct BenchRunner<Target: RequestTarget> {
  private let store: BenchStore
  private let target: Target
  private let subject: RunSubject
  private let suite: Suite
  private let encoding: any TextEncoding
  private let options: RunOptions

  /// One cell: its script and its row.
  private struct Cell {
    var script: TrialScript
    var state: CacheState
    var trials: Int
    var id = 0
  }

  package init(
    store: BenchStore, target: Target, subject: RunSubject, suite: Suite,
    encoding: any TextEncoding, options: RunOptions
  ) {
    self.store = store
    self.target = target
    self.subject = subject
    self.suite = suite
    self.encoding = encoding
    self.options = options
  }

  /// Runs to the end, or until `interruption` is thrown.
  ///
  /// `observe` hears of everything after it is on disk.
  /// - Returns: the run's id and how it ended; `.interrupted` is no error.
  /// - Throws: ``SuiteError`` before anything is recorded; ``StoreError``, after which the run's
  ///   row still says `running` when even that could not be written.
  package func run(
    interruption: Interruption, observe: @escaping (RunEvent) -> Void
  ) async throws -> (run: Int, status: RunStatus) {
    var cells = try plannedCells()
    let environment = HostEnvironment.capture(device: subject.device)
    let run = try store.beginRun(row(), model: subject.model, environment: environment)
    do {
      for index in cells.indices {
        cells[index].id = try store.addCell(row(of: cells[index]), run: run)
      }
      let schedule = TrialSchedule(trials: cells.map(\.trials))
      observe(.started(run: run, trials: schedule.entries.count))
      let failure = try await play(schedule, cells, interruption, observe)
      let status: RunStatus =
        failure != nil ? .failed : interruption.isRequested ? .interrupted : .finished
      try store.endRun(run, status: status, error: failure, environment: .capture())
      return (run, status)
    } catch {
      try? store.endRun(run, status: .failed, error: String(describing: error))
      throw error
    }
  }

  /// Plays the trials in order.
  ///
  /// - Returns: why the run cannot go on; nil when it ended or was interrupted.
  private func play(
    _ schedule: TrialSchedule, _ cells: [Cell], _ interruption: Interruption,
    _ observe: @escaping (RunEvent) -> Void
  ) async throws -> String? {
    var failures = 0
    for (order, entry) in schedule.entries.enumerated() {
      if interruption.isRequested { return nil }
      let reason = try await play(entry, order, cells[entry.cell], interruption, observe)
      // A device that stopped answering fails every trial that is left.
      failures = reason?.contains("failed: ") == true ? failures + 1 : 0
      if failures >= 3, let reason { return "three trials in a row: \(reason)" }
    }
    return nil
  }

  private func play(
    _ entry: TrialSchedule.Entry, _ order: Int, _ cell: Cell,
    _ interruption: Interruption, _ observe: @escaping (RunEvent) -> Void
  ) async throws -> String? {
    let label = TrialLabel(
      scenario: cell.script.plan.scenario, variant: cell.script.plan.variant, state: cell.state,
      repetition: entry.repetition, isWarmUp: entry.isWarmUp, orderIndex: order)
    let trial = try store.beginTrial(
      cell: cell.id, repetition: entry.repetition, orderIndex: order, isWarmUp: entry.isWarmUp,
      started: .now, loadAverage: SystemFiles().loadAverage())
    observe(.trialStarted(label))
    var player = TrialPlayer(
      target: target, store: store, script: cell.script, label: label, trial: trial,
      gapScale: options.gapScale, interruption: interruption, observe: observe)
    let reason = try await player.play()
    let ended = MonotonicInstant.now
    try store.endTrial(
      trial, ended: ended, invalidReason: reason,
      recordingNanoseconds: player.recordingNanoseconds, sample: SystemFiles().sample(at: ended))
    observe(.trialEnded(label, invalidReason: reason))
    return reason
  }

  private func plannedCells() throws(SuiteError) -> [Cell] {
    let text = ExactText(texts: suite.texts, encoding: encoding, seed: options.seed)
    var cells: [Cell] = []
    for scenario in try suite.scenarios(
      named: options.scenarios, on: subject.device.kind)
    {
      let trials = trials(of: scenario)
      guard trials > 0 else { continue }
      for plan in try ScenarioPlan.all(of: scenario) {
        guard plan.windowTokens <= target.contextLength else {
          throw .windowTooSmall(
            scenario: scenario.name, needed: plan.windowTokens, available: target.contextLength)
        }
        let script = try TrialScript(plan, text: text)
        for state in scenario.states
        where options.states.isEmpty || options.states.contains(state) {
          cells.append(Cell(script: script, state: state, trials: trials))
        }
      }
    }
    return cells
  }

  private func trials(of scenario: Scenario) -> Int {
    switch options.effort {
    // What the quick suite leaves out can still be asked for by name.
    case .quick: max(scenario.trials.quick, options.scenarios.isEmpty ? 0 : 1)
    case .standard: scenario.trials.standard
    case .release: scenario.trials.release
    case .trials(let count): count
    }
  }

  private func row() -> RunRow {
    RunRow(
      uuid: UUID().uuidString.lowercased(), build: .current(), label: options.label,
      arguments: options.arguments, seed: options.seed, gapScale: options.gapScale,
      suite: suite.name, suiteSHA: suite.sha, profile: suite.profile,
      modelSHA: subject.model.sha256, context: target.contextLength,
      loadNanoseconds: subject.loadNanoseconds, loadMemoryBytes: subject.memoryBytes)
  }

  private func row(of cell: Cell) -> CellRow {
    let scenario = suite.scenarios.first { $0.name == cell.script.plan.scenario }
    let variant = scenario?.variants?.first { $0.name == cell.script.plan.variant }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let bindings = (try? encoder.encode(variant?.bind ?? [:])) ?? Data("{}".utf8)
    return CellRow(
      scenario: cell.script.plan.scenario, variant: cell.script.plan.variant, state: cell.state,
      scenarioSHA: suite.scenarioSHA(cell.script.plan.scenario), device: subject.device.selector,
      deviceName: subject.device.name, deviceKind: subject.device.kind.rawValue,
      threads: subject.threads, maximumRows: subject.maximumRows, kvType: subject.kvType,
      masks: "off",
      parameters: String(decoding: bindings, as: UTF8.self), plannedTrials: cell.trials)
  }
}
