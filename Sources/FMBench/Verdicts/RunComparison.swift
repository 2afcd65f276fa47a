import Foundation

/// Side A against side B, metric by metric, with a verdict where the numbers allow one.
package struct RunComparison: Sendable, Codable {
  /// One side: what it is called and its runs.
  package struct Side: Sendable, Hashable, Codable {
    package var name: String
    package var runs: [Int]
    /// Model and device of its newest cell.
    package var subject: String
  }

  /// One metric of one cell.
  package struct Row: Sendable, Codable {
    package var scenario: String
    package var variant: String
    package var state: String
    package var metric: Metric
    package var isPrimary: Bool
    /// Medians over all valid trials, in ``Metric/unit``.
    package var first: Double
    package var second: Double
    package var firstTrials: Int
    package var secondTrials: Int
    /// How steady each side's trials are; nil with one trial.
    package var firstQuality: TrialQuality?
    package var secondQuality: TrialQuality?
    /// Values that lie far out; they are counted in.
    package var outliers: Int
    package var effect: Effect
    /// After Holm's adjustment over the primary family; nil for other rows.
    package var adjustedP: Double?
    /// The least change that counts, as a share.
    package var floor: Double
    package var isFloorMeasured: Bool
    /// ``Verdict/name``; nil for secondary rows and where nothing is judged.
    package var verdict: String?
    /// About so many more trials on each side would decide.
    package var trialsNeeded: Int?

    /// `schema-ladder/flat-3`.
    package var name: String { variant.isEmpty ? scenario : "\(scenario)/\(variant)" }
  }

  /// What a program that runs the comparison wants to know.
  package enum Outcome: String, Sendable, Hashable, Codable {
    /// Everything of the primary family was judged, and nothing regressed.
    case noRegression
    case regression
    /// Something of the family is inconclusive, and nothing regressed.
    case inconclusive
    /// The sides were not made under equal conditions, or have no cell in common.
    case notJudged
  }

  package var axis: ComparisonAxis
  package var first: Side
  package var second: Side
  /// Whether the trials were played in turn.
  package var isInterleaved: Bool
  /// What differs beside the axis.
  package var differences: [ConditionDifference]
  /// What differs on purpose.
  package var compared: [ConditionDifference]
  /// Whether the differences were accepted by the caller.
  package var isAcrossEnvironments: Bool
  package var rows: [Row]
  /// Invalid trials and cells without a partner, a sentence each.
  package var notes: [String]
  package var alpha: Double
  package var bootstrapSeed: UInt64

  /// Whether verdicts are given.
  package var isJudged: Bool {
    !rows.isEmpty && (differences.isEmpty || isAcrossEnvironments)
  }

  /// See ``Outcome``.
  package var outcome: Outcome {
    let verdicts = rows.filter(\.isPrimary).map(\.verdict)
    if verdicts.contains(Verdict.regressed.name) { return .regression }
    if !isJudged || verdicts.isEmpty { return .notJudged }
    let isOpen = verdicts.contains { $0 == Verdict.inconclusive(trialsNeeded: nil).name }
    return isOpen ? .inconclusive : .noRegression
  }

  /// The comparison as JSON, keys sorted, with a line feed at the end.
  package func json() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let object = Encoded(comparison: self, outcome: outcome, isJudged: isJudged)
    return String(decoding: try encoder.encode(object), as: UTF8.self) + "\n"
  }

  /// What ``json()`` writes: the outcome beside the comparison's own members.
  private struct Encoded: Encodable {
    var comparison: RunComparison
    var outcome: Outcome
    var isJudged: Bool

    private enum Key: String, CodingKey { case outcome, isJudged }

    func encode(to encoder: any Encoder) throws {
      try comparison.encode(to: encoder)
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(outcome, forKey: .outcome)
      try container.encode(isJudged, forKey: .isJudged)
    }
  }
}
