/// A comparison as text: what is compared, a table of verdicts, a table of the rest, and notes.
package struct RunComparisonText: Sendable, Hashable {
  package static let headings = [
    "scenario", "state", "metric", "A", "B", "n", "B/A", "95 % interval", "p", "floor", "verdict",
  ]
  package static let secondaryHeadings = [
    "scenario", "state", "metric", "A", "B", "n", "B/A", "95 % interval", "p",
  ]
  /// Columns that hold words; the others are numbers, except the verdict.
  package static let wordColumns = 3

  package var header: [String]
  package var rows: [[String]]
  package var secondaryRows: [[String]]
  package var notes: [String]

  /// Lays out a comparison.
  package init(_ comparison: RunComparison) {
    header = [
      "A  " + Self.side(comparison.first), "B  " + Self.side(comparison.second),
      comparison.isInterleaved
        ? "played in turn (ABBA): each trial of A is compared with its neighbour of B"
        : "not played in turn: the trials are taken as independent",
    ]
    if !comparison.compared.isEmpty {
      header.append(
        "compared: " + comparison.compared.map(\.text).joined(separator: ", "))
    }
    rows = comparison.rows.filter(\.isPrimary).map { Self.cells($0) + Self.judgement($0) }
    secondaryRows = comparison.rows.filter { !$0.isPrimary }.map(Self.cells)
    notes = Self.notes(comparison)
  }

  private static func side(_ side: RunComparison.Side) -> String {
    let runs = side.runs.map(String.init).joined(separator: ", ")
    return "\(side.name): \(side.subject), run \(runs)"
  }

  private static func cells(_ row: RunComparison.Row) -> [String] {
    let effect = row.effect
    let interval = effect.low.flatMap { low in
      effect.high.map { ReportTable.fixed(low, 3) + " … " + ReportTable.fixed($0, 3) }
    }
    return [
      row.name, row.state, "\(row.metric.rawValue) \(row.metric.unit)",
      ComparisonText.significant(row.first), ComparisonText.significant(row.second),
      effect.isPaired || row.firstTrials == row.secondTrials
        ? "\(effect.n)" : "\(row.firstTrials), \(row.secondTrials)",
      ReportTable.fixed(effect.ratio, 3), interval ?? "–", probability(effect.pValue),
    ]
  }

  private static func judgement(_ row: RunComparison.Row) -> [String] {
    var verdict = row.verdict ?? "not judged"
    if row.verdict == Verdict.inconclusive(trialsNeeded: nil).name {
      verdict +=
        ": "
        + (row.trialsNeeded.map { "about \($0) more" } ?? "over \(VerdictRule.mostTrials) more")
    }
    let floor = ReportTable.fixed(row.floor * 100, 1) + " %" + (row.isFloorMeasured ? "" : "*")
    var cells = [floor, verdict]
    if let adjusted = row.adjustedP { cells[1] += " (p \(probability(adjusted)))" }
    return cells
  }

  private static func probability(_ p: Double) -> String {
    p < 0.001 ? "<0.001" : ReportTable.fixed(p, 3)
  }

  private static func notes(_ comparison: RunComparison) -> [String] {
    var notes: [String] = []
    if !comparison.isJudged, !comparison.differences.isEmpty {
      notes.append("No verdict: the sides were not made under equal conditions. Different:")
      notes += comparison.differences.map { "  " + $0.text }
      notes.append("hint: --across-environments judges all the same")
    } else if !comparison.differences.isEmpty {
      notes.append(
        "Judged in spite of: " + comparison.differences.map(\.text).joined(separator: ", "))
    }
    if comparison.rows.isEmpty { notes.append("A and B have no scenario and state in common.") }
    if comparison.rows.contains(where: { $0.isPrimary && !$0.isFloorMeasured }) {
      notes.append("* no floor was measured here; `fmbench noise` does")
    }
    if comparison.isJudged {
      notes.append(
        "n pairs, or trials of each side; p of the verdict after Holm over the "
          + "\(comparison.rows.count { $0.isPrimary }) rows of the first table.")
    }
    notes += quality(comparison) + comparison.notes
    return notes
  }

  private static func quality(_ comparison: RunComparison) -> [String] {
    var notes: [String] = []
    for row in comparison.rows where row.isPrimary {
      for (side, quality) in [("A", row.firstQuality), ("B", row.secondQuality)] {
        guard let quality, quality == .noisy || quality == .poor else { continue }
        notes.append(
          "\(row.name) \(row.state) \(row.metric.rawValue): the trials of \(side) are "
            + "\(quality.rawValue) (they vary by more than \(quality == .poor ? 20 : 10) %)")
      }
      if row.outliers > 0 {
        notes.append(
          "\(row.name) \(row.state) \(row.metric.rawValue): \(row.outliers) values lie far out "
            + "(counted in)")
      }
    }
    return notes
  }
}
