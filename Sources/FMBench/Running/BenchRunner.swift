package import FMBackend
import FMCore
import Foundation

/// Plays a suite's trials against one target, or against several in turn, and records them.
///
/// Every arm gets a run of its own in the store. The arms' trials of one cell are neighbours, A B and
/// B A in turn (ABBA), so that a drift of the machine falls on all alike and trials of equal number
/// can be compared pair by pair.
package struct BenchRunner {
  private let store: BenchStore
  private let arms: [BenchArm]
  private let suite: Suite
  private let options: RunOptions
  /// Makes the meter of an arm's device; tests put counters of their own here.
  package var meter: (DeviceDescription) -> EnergyMeter = { EnergyMeter($0) }

  /// A run of one target.
  package init(
    store: BenchStore, target: any RequestTarget, subject: RunSubject, suite: Suite,
    encoding: any TextEncoding, options: RunOptions
  ) {
    self.init(
      store: store, arms: [BenchArm(target: target, subject: subject, encoding: encoding)],
      suite: suite, options: options)
  }

  /// Runs of several targets, their trials played in turn; at least one, at most 26.
  package init(store: BenchStore, arms: [BenchArm], suite: Suite, options: RunOptions) {
    precondition((1...26).contains(arms.count))
    self.store = store
    self.arms = arms
    self.suite = suite
    self.options = options
  }

  /// Runs one target to the end, or until `interruption` is thrown.
  ///
  /// `observe` hears of everything after it is on disk.
  /// - Returns: the run's id and how it ended; `.interrupted` is no error.
  /// - Throws: ``SuiteError`` before anything is recorded; ``StoreError``, after which the run's
  ///   row still says `running` when even that could not be written.
  package func run(
    interruption: Interruption, observe: @escaping (RunEvent) -> Void
  ) async throws -> (run: Int, status: RunStatus) {
    let result = try await runAll(interruption: interruption, observe: observe)
    return (result.runs[0], result.status)
  }

  /// As ``run(interruption:observe:)`` for all arms: their runs' ids, in the order of the arms.
  package func runAll(
    interruption: Interruption, observe: @escaping (RunEvent) -> Void
  ) async throws -> (runs: [Int], status: RunStatus) {
    let planner = CellPlanner(suite: suite, options: options, arms: arms)
    var cells = try planner.cells()
    var rows = planner.runRows()
    let meters = arms.map { meter($0.subject.device) }
    for index in rows.indices { rows[index].energy = try await meters[index].baseline() }
    var runs: [Int] = []
    do {
      for (arm, row) in zip(arms, rows) {
        runs.append(
          try store.beginRun(
            row, model: arm.subject.model,
            environment: HostEnvironment.capture(device: arm.subject.device)))
      }
      for index in cells.indices {
        cells[index].ids = try arms.indices.map { arm in
          try store.addCell(planner.row(of: cells[index], arm: arm), run: runs[arm])
        }
      }
      observe(
        .started(
          run: runs[0], trials: arms.count * cells.reduce(0) { $0 + 1 + $1.trials }))
      var play = RunPlay(
        store: store, arms: arms, cells: cells, options: options, interruption: interruption,
        meters: meters, observe: observe)
      let failure = try await play.toTheEnd()
      let status: RunStatus =
        failure != nil ? .failed : interruption.isRequested ? .interrupted : .finished
      for run in runs {
        try store.endRun(run, status: status, error: failure, environment: .capture())
      }
      return (runs, status)
    } catch {
      for run in runs {
        try? store.endRun(run, status: .failed, error: ErrorSentence(error).description)
      }
      throw error
    }
  }
}
