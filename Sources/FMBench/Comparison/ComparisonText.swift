import FMBackend

/// A comparison as text: blocks of pairs with the same model and devices, then what was left out.
package struct ComparisonText: Sendable, Hashable {
  /// Pairs of one model and two devices.
  package struct Block: Sendable, Hashable {
    /// The model, and both devices with their runs.
    package var header: [String]
    package var rows: [[String]]
  }

  /// Headings of every block's table.
  package static let headings = [
    "scenario", "state", "metric", "n A", "A", "least … most", "n B", "B", "least … most", "B/A",
  ]
  /// Columns that hold words; the others are numbers.
  package static let wordColumns = 3

  package var blocks: [Block]
  /// Lines to print below the tables.
  package var notes: [String]

  /// Lays out a comparison.
  package init(_ comparison: DeviceComparison) {
    blocks = []
    var keys: [[String]] = []
    for pair in comparison.pairs {
      let key = [pair.key.modelSHA, pair.first.device.selector, pair.second.device.selector]
      let rows = Self.rows(pair)
      if let place = keys.firstIndex(of: key) {
        blocks[place].rows += rows
      } else {
        keys.append(key)
        blocks.append(Block(header: Self.header(pair), rows: rows))
      }
    }
    notes = Self.notes(comparison)
  }

  private static func header(_ pair: DeviceComparison.Pair) -> [String] {
    let quantization = pair.first.quantization.map { " (\($0))" } ?? ""
    return [
      "\(pair.first.model)\(quantization), \(pair.key.build) build",
      "A  " + device(pair.first), "B  " + device(pair.second),
    ]
  }

  /// `cpu: AMD EPYC (CPU, AVX-512, 2 threads), run 3`.
  private static func device(_ cell: ComparedCell) -> String {
    let words = [
      DeviceDescription.Kind.label(stored: cell.device.kind), cell.driver, cell.instructionSet,
      cell.threads.map { $0 == 1 ? "1 thread" : "\($0) threads" },
    ]
    return "\(cell.device.selector): \(cell.device.name) ("
      + words.compactMap { $0 }.joined(separator: ", ") + "), run \(cell.run)"
  }

  private static func rows(_ pair: DeviceComparison.Pair) -> [[String]] {
    DeviceComparison.metrics.compactMap { metric in
      let (first, second) = (pair.first.metrics[metric], pair.second.metrics[metric])
      guard first != nil || second != nil else { return nil }
      return [pair.key.name, pair.key.state, "\(metric.rawValue) \(metric.unit)"]
        + cells(first) + cells(second) + [pair.ratios[metric].map { significant($0) } ?? "–"]
    }
  }

  private static func cells(_ estimate: Estimate?) -> [String] {
    guard let estimate else { return ["0", "–", "–"] }
    return [
      "\(estimate.n)", significant(estimate.median),
      significant(estimate.minimum) + " … " + significant(estimate.maximum),
    ]
  }

  private static func notes(_ comparison: DeviceComparison) -> [String] {
    var notes: [String] = []
    if !comparison.pairs.isEmpty {
      notes = [
        "n valid trials, the median, and the least and greatest; B/A: the ratio of the medians.",
        "The newest run of each device counts. No verdict here: `fmbench compare A B` gives one.",
      ]
    }
    let software = DeviceDescription.Kind.softwareGPU.rawValue
    if comparison.pairs.contains(where: {
      $0.first.device.kind == software || $0.second.device.kind == software
    }) {
      notes.append("A software GPU is a processor playing one: its times say nothing of hardware.")
    }
    var differences: [String] = []
    for pair in comparison.pairs {
      for difference in pair.alsoDiffers where !differences.contains(difference) {
        differences.append(difference)
      }
    }
    if !differences.isEmpty {
      notes.append("Also different: \(differences.joined(separator: ", ")).")
    }
    return notes + comparison.refusals + (comparison.next.map { [$0] } ?? [])
  }

  /// Three significant digits, or all whole ones; below a thousandth six digits after the point.
  package static func significant(_ value: Double) -> String {
    guard value.isFinite, value.magnitude < 1e15 else { return "\(value)" }
    if value == 0 { return "0" }
    let steps = [100, 10, 1, 0.1, 0.01, 0.001]
    let digits = steps.firstIndex { value.magnitude >= $0 } ?? steps.count
    return ReportTable.fixed(value, digits)
  }
}
