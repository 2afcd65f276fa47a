/// What a report page shows of the database, read once.
package struct BenchReport: Sendable {
  /// In the order of their numbers.
  package var runs: [ReportedRun]
  /// In the order of their runs, and in a run in the order they were made.
  package var cells: [ReportedCell]
  /// The newest cells of different devices that did the same work.
  package var comparison: DeviceComparison
  /// Verdicts on runs that were played in turn.
  package var verdicts: [RunComparison]
  /// Runs of the database that are not shown.
  package var otherRuns: Int
  /// What the suite says of its scenarios, where its files are those the runs used.
  package var scenarioTexts: [ScenarioText] = []

  /// A scenario's own words.
  package struct ScenarioText: Sendable, Hashable {
    package var name: String
    package var title: String
    package var isolates: String
  }

  /// Takes over titles from the suite when a run of it is shown.
  package mutating func describeScenarios(by suite: Suite) {
    guard runs.contains(where: { $0.suiteSHA == suite.sha }) else { return }
    scenarioTexts = suite.scenarios.map {
      ScenarioText(name: $0.name, title: $0.title, isolates: $0.isolates)
    }
  }

  /// Names of the scenarios, in the order of their first cell.
  var scenarios: [String] {
    var names: [String] = []
    for cell in cells where !names.contains(cell.scenario) { names.append(cell.scenario) }
    return names
  }

  func run(_ id: Int) -> ReportedRun? { runs.first { $0.id == id } }
}

/// A run with its model and machine.
package struct ReportedRun: Sendable, Hashable {
  package var id: Int
  package var uuid: String
  package var started: String
  package var ended: String?
  package var status: String
  package var error: String?
  package var label: String?
  package var arguments: [String]
  package var toolVersion: String
  package var commit: String?
  package var isDirty: Bool?
  package var commitSource: String
  package var build: String
  package var suite: String
  package var suiteSHA: String
  package var profile: String
  package var level: String
  package var mode: String
  package var style: PlayStyle
  package var seed: UInt64
  package var gapScale: Double
  package var context: Int
  package var loadMilliseconds: Double?
  package var loadMemoryBytes: Int?
  /// Nil where the machine tells nothing of energy.
  package var energy: EnergyBaseline?
  package var model: String
  package var modelSHA: String
  package var quantization: String?
  package var modelBytes: Int?
  package var parameters: Int?
  /// Of the first cell; nil for a run that ended before it.
  package var device: ComparedDevice?
  package var threads: Int?
  package var kvType: String?
  package var machine: ReportedMachine
}

/// The machine of a run; nil is "not known".
package struct ReportedMachine: Sendable, Hashable {
  package var host: String?
  package var cpu: String?
  package var cpuFlags: String?
  package var onlineCores: Int?
  package var usableCores: Int?
  package var physicalCores: Int?
  package var governor: String?
  package var frequencyMegahertz: Double?
  package var memoryBytes: Int?
  package var availableMemoryBytes: Int?
  package var usedSwapBytes: Int?
  package var kernel: String?
  package var operatingSystem: String?
  package var container: String?
  package var isVirtual: Bool?
  package var powerSource: String?
  package var temperatures: [Double?]
  package var loads: [Double?]
  package var gpu: String?
  package var driver: String?
  package var vulkanVersion: String?
  package var instructionSet: String?
}

/// A cell with every valid trial.
package struct ReportedCell: Sendable {
  package var id: Int
  package var run: Int
  package var scenario: String
  package var variant: String
  package var state: String
  package var device: ComparedDevice
  package var masks: String
  package var plannedTrials: Int
  /// Trials that began and never ended.
  package var unfinishedTrials = 0
  package var invalidReasons: [CellSummary.InvalidReason] = []
  /// Valid trials in the order they were played.
  package var trials: [ReportedTrial] = []
  package var metrics: [Metric: Estimate] = [:]
  /// Every measured request of a valid trial.
  package var points: [DepthPoint] = []
  package var misses: [CacheMiss] = []
  /// Median time to prefill the prefix ahead, in milliseconds; nil where nothing was.
  package var prewarmMilliseconds: Double?
  /// The trial whose `task_wall` is nearest to the median.
  package var timeline: TrialTimeline?

  package var invalidTrials: Int { invalidReasons.reduce(0) { $0 + $1.count } }

  /// `schema-ladder/flat-3`.
  package var name: String { variant.isEmpty ? scenario : "\(scenario)/\(variant)" }

  /// The values of a metric, a trial each, in the order they were played.
  package func values(_ metric: Metric) -> [Double] { trials.compactMap { $0.values[metric] } }
}

/// One valid trial, reduced to its metrics.
package struct ReportedTrial: Sendable, Hashable {
  package var repetition: Int
  package var values: [Metric: Double]
}

/// One measured request as depth plots need it: times in milliseconds.
package struct DepthPoint: Sendable, Hashable {
  /// Tokens of the prompt, cached ones included.
  package var depth: Double
  package var ttft: Double?
  package var tpot: Double?
}

/// What the prefix cache did not give although it was computed before, by reason.
package struct CacheMiss: Sendable, Hashable {
  package var reason: String
  package var requests: Int
  /// Tokens that had to be computed again.
  package var tokens: Double
}
