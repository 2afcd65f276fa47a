import Foundation

/// Histories with their metrics, and what a script learns of them.
package struct HistoryReport: Sendable {
  /// A history with the metrics that were asked for and recorded.
  package struct Entry: Sendable {
    package var history: CellHistory
    package var series: [MetricHistory]
  }

  /// What a script learns of all entries together.
  package enum Outcome: String, Sendable, Hashable, Codable {
    /// Something could be judged, and no newest run is out of line and worse.
    case noAlarm
    case alarm
    /// Nothing could be judged.
    case tooFew
  }

  package var entries: [Entry]

  /// The most metrics that stand beside each other where one history is asked for.
  package static let mostColumns = 3

  /// Judges the metrics of histories; intervals are made where there is one history alone.
  package init(_ histories: [CellHistory], metrics: [Metric]) {
    let bootstrap = histories.count == 1 ? Bootstrap(seed: RunReport.bootstrapSeed) : nil
    entries = histories.compactMap { history in
      let series = metrics.compactMap { history.series($0, bootstrap: bootstrap) }
      return series.isEmpty ? nil : Entry(history: history, series: series)
    }
  }

  /// An alarm in one of them is one.
  package var outcome: Outcome {
    let verdicts = entries.flatMap { $0.series.map(\.judgement.verdict) }
    if verdicts.contains(.worse) { return .alarm }
    return verdicts.contains { $0 == .inLine || $0 == .better } ? .noAlarm : .tooFew
  }

  /// The report as JSON, keys sorted, with a line feed at the end.
  package func json() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let histories = entries.map(Encoded.History.init)
    let object = Encoded(outcome: outcome, histories: histories)
    return String(decoding: try encoder.encode(object), as: UTF8.self) + "\n"
  }

  /// What ``json()`` writes.
  private struct Encoded: Encodable {
    struct History: Encodable {
      var scenario: String
      var variant: String
      var state: String
      var model: String
      var device: String
      /// What is equal in all its runs, by ``Condition``.
      var conditions: [String: String]
      var metrics: [MetricHistory]

      init(_ entry: Entry) {
        let cell = entry.history.newest
        scenario = cell.scenario
        variant = cell.variant
        state = cell.state
        model = cell.model
        device = cell.device
        conditions = [:]
        for condition in CellHistory.fixed {
          conditions[condition.rawValue] = cell.conditions[condition]
        }
        metrics = entry.series
      }
    }

    var outcome: Outcome
    var histories: [History]
  }
}
