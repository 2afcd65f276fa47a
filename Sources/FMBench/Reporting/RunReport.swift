import Foundation

/// A stored run, summarized: what `fmbench run` and `fmbench show` print.
package struct RunReport: Sendable, Codable {
  package var run: Int
  package var uuid: String
  package var started: String
  package var ended: String?
  package var status: String
  package var error: String?
  package var label: String?
  package var model: String
  package var modelSHA: String
  package var quantization: String?
  package var suite: String
  package var suiteSHA: String
  package var seed: UInt64
  package var gapScale: Double
  /// How it was played: ``PlayStyle/phrase``.
  package var style: String
  package var build: String
  package var commit: String?
  package var isDirty: Bool?
  /// The device's name.
  package var device: String
  package var deviceSelector: String?
  /// A `DeviceDescription.Kind`; nil when the run recorded none.
  package var deviceKind: String?
  package var driver: String?
  package var instructionSet: String?
  package var processor: String?
  package var usableCores: Int?
  package var loadAverage: Double?
  /// From the file to a model that answers, and the memory that took beyond the file.
  package var loadMilliseconds: Double?
  package var loadMemoryBytes: Int?
  /// Nil where the machine tells nothing of energy.
  package var energy: EnergyBaseline?
  /// Of every interval: 10,000 resamples, 95 %.
  package var bootstrapSeed: UInt64
  package var cells: [CellSummary]
}

/// One cell of a run.
package struct CellSummary: Sendable, Codable {
  package var scenario: String
  package var variant: String
  package var state: CacheState
  package var device: String
  package var threads: Int?
  package var masks: String
  package var plannedTrials: Int
  package var validTrials: Int
  package var invalidTrials: Int
  /// Each reason with how often it was given, the most frequent first.
  package var invalidReasons: [InvalidReason]
  package var metrics: [Metric: Estimate]

  /// Why trials do not count.
  package struct InvalidReason: Sendable, Hashable, Codable {
    package var reason: String
    package var count: Int
  }

  /// `one-tool`, `schema-ladder/flat-3`.
  package var name: String { variant.isEmpty ? scenario : "\(scenario)/\(variant)" }
}

extension RunReport {
  /// Seed of the intervals in reports.
  package static let bootstrapSeed: UInt64 = 20_261_129

  /// The whole report as JSON, keys sorted, with a line feed at the end.
  package func json() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(self), as: UTF8.self) + "\n"
  }
}
