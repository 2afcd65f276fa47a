/// What cells are called on a page: as short as tells them apart.
struct CellNames {
  private let showsDevice: Bool
  private let showsModel: Bool
  private let models: [Int: String]
  /// How each run was played, where the runs differ in it.
  private let styles: [Int: String]
  /// How many cells have a key that the run is no part of.
  private let counts: [[String]: Int]

  init(_ report: BenchReport) {
    showsDevice = Set(report.cells.map(\.device)).count > 1
    showsModel = Set(report.runs.map(\.modelSHA)).count > 1
    models = Dictionary(report.runs.map { ($0.id, $0.model) }) { first, _ in first }
    let phrases = Dictionary(report.runs.map { ($0.id, $0.style.phrase) }) { first, _ in first }
    styles = Set(report.runs.map(\.style.phrase)).count > 1 ? phrases : [:]
    var counts: [[String]: Int] = [:]
    for cell in report.cells { counts[Self.key(cell, models, styles), default: 0] += 1 }
    self.counts = counts
  }

  private static func key(
    _ cell: ReportedCell, _ models: [Int: String], _ styles: [Int: String]
  ) -> [String] {
    [
      cell.scenario, cell.variant, cell.state, cell.device.selector, cell.device.name,
      models[cell.run] ?? "", styles[cell.run] ?? "", cell.masks,
    ]
  }

  /// `flat-3, cold`: without the scenario.
  func short(_ cell: ReportedCell) -> String {
    cell.variant.isEmpty ? cell.state : "\(cell.variant), \(cell.state)"
  }

  /// `schema-ladder/flat-3, cold`.
  func long(_ cell: ReportedCell) -> String { "\(cell.name), \(cell.state)" }

  /// `vulkan:0, gemma-3-270m, run 4`: what else tells it apart; often empty.
  func detail(_ cell: ReportedCell) -> String {
    var words: [String] = []
    if showsDevice { words.append(cell.device.selector) }
    if showsModel, let model = models[cell.run] { words.append(model) }
    if let style = styles[cell.run] { words.append(style) }
    if cell.masks == "on" { words.append("masks on") }
    if (counts[Self.key(cell, models, styles)] ?? 0) > 1 { words.append("run \(cell.run)") }
    return words.joined(separator: ", ")
  }

  /// The short name with the detail.
  func full(_ cell: ReportedCell) -> String {
    [short(cell), detail(cell)].filter { !$0.isEmpty }.joined(separator: ", ")
  }
}
