import Foundation

/// The same scenarios on different devices, side by side and without a verdict.
///
/// Of every device the newest run counts. Only cells that agree in their ``ComparisonKey`` are paired.
package struct DeviceComparison: Sendable, Codable {
  /// One scenario in one state on two devices.
  package struct Pair: Sendable, Codable {
    package var key: ComparisonKey
    package var first: ComparedCell
    package var second: ComparedCell
    /// What differs beside the device and does not forbid the comparison.
    package var alsoDiffers: [String]
    /// The second device's median over the first's.
    package var ratios: [Metric: Double]
  }

  /// The metrics that are compared, in the order of the table.
  package static let metrics: [Metric] = [.ttft, .tpot, .decodeTPS, .prefillTPS]

  /// Every device that has a valid trial, in the order of its first run.
  package var devices: [ComparedDevice]
  package var pairs: [Pair]
  /// Cells of different devices that are not compared, and why: a sentence each.
  package var refusals: [String]
  /// What to do next when nothing is compared for want of a second device; nil otherwise.
  package var next: String?

  /// Pairs the cells, which are in the order of their runs.
  package init(_ cells: [ComparedCell]) {
    devices = []
    for cell in cells where !devices.contains(cell.device) { devices.append(cell.device) }
    // Processors first: they are what other devices are held against.
    devices = devices.filter { $0.kind == "cpu" } + devices.filter { $0.kind != "cpu" }
    (pairs, refusals, next) = ([], [], nil)
    for group in Self.groups(cells) { compare(group) }
  }

  /// Cells of one scenario, form and state, in the order of their first.
  private static func groups(_ cells: [ComparedCell]) -> [[ComparedCell]] {
    var groups: [[ComparedCell]] = []
    for cell in cells {
      let place = groups.firstIndex {
        $0[0].key.name == cell.key.name && $0[0].key.state == cell.key.state
      }
      if let place { groups[place].append(cell) } else { groups.append([cell]) }
    }
    return groups
  }

  private mutating func compare(_ group: [ComparedCell]) {
    var paired: Set<ComparedDevice> = []
    var models: [String] = []
    for cell in group where !models.contains(cell.key.modelSHA) { models.append(cell.key.modelSHA) }
    for model in models {
      let cells = group.filter { $0.key.modelSHA == model }
      guard let key = Self.newestSharedKey(cells) else { continue }
      let newest = devices.compactMap { device in
        cells.last { $0.device == device && $0.key == key }
      }
      for (index, first) in newest.enumerated() {
        for second in newest.dropFirst(index + 1) { pairs.append(Self.pair(first, second)) }
      }
      paired.formUnion(newest.map(\.device))
    }
    refuse(group, paired: paired)
  }

  /// The key that more than one device has; of several the one with the newest run.
  private static func newestSharedKey(_ cells: [ComparedCell]) -> ComparisonKey? {
    cells.reversed().first { cell in
      cells.contains { $0.key == cell.key && $0.device != cell.device }
    }?.key
  }

  /// Says of every device that is in no pair what sets its newest cell apart from another device's.
  private mutating func refuse(_ group: [ComparedCell], paired: Set<ComparedDevice>) {
    for device in devices where !paired.contains(device) {
      guard let mine = group.last(where: { $0.device == device }),
        let other = group.last(where: { $0.device != device })
      else { continue }
      let differences = other.key.differences(from: mine.key).joined(separator: ", ")
      let sentence =
        "\(mine.key.name) \(mine.key.state): \(other.device.selector) in run \(other.run) and "
        + "\(device.selector) in run \(mine.run) are not compared, different: \(differences)"
      if other.device != mine.device, !refusals.contains(sentence) { refusals.append(sentence) }
    }
  }

  private static func pair(_ first: ComparedCell, _ second: ComparedCell) -> Pair {
    var differs: [String] = []
    func note(_ what: String, _ left: String?, _ right: String?) {
      guard left != right else { return }
      differs.append("\(what) (\(left ?? "not known") and \(right ?? "not known"))")
    }
    note("the commit", first.commit, second.commit)
    note("the cache's type", first.kvType, second.kvType)
    var ratios: [Metric: Double] = [:]
    for metric in metrics {
      guard let left = first.metrics[metric]?.median, let right = second.metrics[metric]?.median,
        left > 0
      else { continue }
      ratios[metric] = right / left
    }
    return Pair(
      key: first.key, first: first, second: second, alsoDiffers: differs, ratios: ratios)
  }

  /// The comparison as JSON, keys sorted, with a line feed at the end.
  package func json() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(self), as: UTF8.self) + "\n"
  }
}
