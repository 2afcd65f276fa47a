import Foundation

/// The numbers of a report for other programs: what `--json` prints and the page carries.
package struct ReportNumbers: Codable, Sendable {
  package var bootstrapSeed: UInt64
  package var runs: [Run]
  package var cells: [Cell]
  /// Whether cells, or the values of trials, are left out for the size of a page.
  package var isShortened: Bool

  /// Where numbers come from.
  package struct Run: Codable, Sendable {
    package var run: Int
    package var uuid: String
    package var started: String
    package var status: String
    package var label: String?
    package var arguments: [String]
    package var commit: String?
    package var isDirty: Bool?
    package var build: String
    package var suite: String
    package var suiteSHA: String
    package var seed: UInt64
    package var model: String
    package var modelSHA: String
    package var processor: String?
    package var gpu: String?
    package var driver: String?
  }

  /// The numbers of a cell.
  package struct Cell: Codable, Sendable {
    package var run: Int
    package var scenario: String
    package var variant: String
    package var state: String
    package var device: ComparedDevice
    package var plannedTrials: Int
    package var invalidTrials: [CellSummary.InvalidReason]
    package var metrics: [Metric: Estimate]
    /// The values of every valid trial, in the order of play; nil when they are left out.
    package var trials: [[Metric: Double]]?
    package var misses: [Miss]
  }

  /// A ``CacheMiss``.
  package struct Miss: Codable, Sendable {
    package var reason: String
    package var requests: Int
    package var tokens: Double
  }

  package init(_ report: BenchReport) {
    bootstrapSeed = RunReport.bootstrapSeed
    runs = report.runs.map { run in
      Run(
        run: run.id, uuid: run.uuid, started: run.started, status: run.status, label: run.label,
        arguments: run.arguments, commit: run.commit, isDirty: run.isDirty, build: run.build,
        suite: run.suite, suiteSHA: run.suiteSHA, seed: run.seed, model: run.model,
        modelSHA: run.modelSHA, processor: run.machine.cpu, gpu: run.machine.gpu,
        driver: run.machine.driver)
    }
    cells = report.cells.map { cell in
      Cell(
        run: cell.run, scenario: cell.scenario, variant: cell.variant, state: cell.state,
        device: cell.device, plannedTrials: cell.plannedTrials,
        invalidTrials: cell.invalidReasons, metrics: cell.metrics,
        trials: cell.trials.map(\.values),
        misses: cell.misses.map {
          Miss(reason: $0.reason, requests: $0.requests, tokens: $0.tokens)
        })
    }
    isShortened = false
  }

  /// All of it as JSON, keys sorted, with a line feed at the end.
  package func json() throws -> String {
    try Self.encoded(self, [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]) + "\n"
  }

  /// Most bytes of JSON in a page.
  static let largestJSON = 600_000

  /// As JSON that is not too long for a page: without trials, then without cells, then nothing.
  func boundedJSON() -> String {
    var shortened = self
    for step in 0..<4 {
      if let json = try? Self.encoded(shortened, [.sortedKeys]),
        json.utf8.count <= Self.largestJSON
      {
        return json
      }
      shortened.isShortened = true
      switch step {
      case 0: for index in shortened.cells.indices { shortened.cells[index].trials = nil }
      case 1: shortened.cells = []
      default: shortened.runs = []
      }
    }
    return "{}"
  }

  private static func encoded(
    _ numbers: ReportNumbers, _ formatting: JSONEncoder.OutputFormatting
  ) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = formatting
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return String(decoding: try encoder.encode(numbers), as: UTF8.self)
  }
}
