package import FMBackend

/// What to run.
package struct RunOptions: Sendable, Hashable {
  /// How many trials a cell gets.
  package enum Effort: Sendable, Hashable {
    case quick, standard, release
    case trials(Int)
    /// At least so many trials and then until the primary metrics' intervals are as narrow as the
    /// noise floor on either side, or so many.
    case untilStable(least: Int, most: Int)
  }

  /// Names of scenarios; empty for all.
  package var scenarios: [String] = []
  /// States to run; empty for all that a scenario has.
  package var states: [CacheState] = []
  package var effort: Effort = .standard
  /// Factor on every injected tool and think time.
  package var gapScale: Double = 0.1
  /// Seconds of rest before every trial.
  package var delay: Double = 0
  package var seed: UInt64 = 1
  package var label: String?
  /// Played instead of the suite's scenarios.
  package var transcript: ReplayedTranscript?
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
