/// Which histories are asked for; an empty list stands for all.
package struct HistoryQuery: Sendable, Hashable {
  package var scenarios: [String] = []
  package var states: [CacheState] = []
  /// Selectors of devices, or addresses of servers.
  package var devices: [String] = []
  /// Beginnings of a model's name or hash.
  package var models: [String] = []
  package var levels: [PlayStyle.Level] = []
  /// So many of the newest runs of each history, at most ``mostRuns``.
  package var last = HistoryQuery.mostRuns

  package static let mostRuns = 500
  /// Cells that are looked at, the newest; a database with more has its oldest left out.
  package static let mostCells = 20_000

  package init() {}

  /// Whether only primary cells are meant: no others were named.
  var isPrimaryAlone: Bool { scenarios.isEmpty && states.isEmpty }
}

extension BenchStore {
  /// The runs of every cell that the query selects, in the order of the cells' first runs.
  ///
  /// Only runs with valid trials and without a slowdown of a test count. Where the query names neither a
  /// scenario nor a state, a run's primary cells count, or else the first of each scenario.
  package func histories(
    _ query: HistoryQuery, metrics: [Metric]
  ) throws(StoreError) -> [CellHistory] {
    var (condition, values) = Self.condition(query)
    condition += " ORDER BY started DESC, run_id DESC, cell_id DESC LIMIT ?"
    values.append(.int(HistoryQuery.mostCells))
    var cells = Array(try cells(where: condition, values).reversed())
    if query.isPrimaryAlone { cells = Self.primary(cells) }
    var places: [CellHistory.Key: Int] = [:]
    var histories: [CellHistory] = []
    for cell in cells {
      let key = CellHistory.Key(cell)
      if let place = places[key] {
        histories[place].cells.append(cell)
      } else {
        places[key] = histories.count
        histories.append(CellHistory(cells: [cell], floors: [:]))
      }
    }
    for place in histories.indices {
      try fill(&histories[place], last: query.last, metrics: metrics)
    }
    return histories
  }

  private func fill(
    _ history: inout CellHistory, last: Int, metrics: [Metric]
  ) throws(StoreError) {
    let most = min(max(1, last), HistoryQuery.mostRuns)
    history.cells = Array(history.cells.suffix(most))
    for index in history.cells.indices {
      history.cells[index].trials = try numberedTrials(cell: history.cells[index].cell)
    }
    for metric in metrics {
      history.floors[metric] = try noiseFloor(cell: history.newest.cell, metric: metric)
    }
  }

  private static func condition(_ query: HistoryQuery) -> (String, [SQLValue]) {
    var terms = ["valid_trials > 0", "injected IS NULL"]
    var values: [SQLValue] = []
    func add(_ column: String, _ words: [String]) {
      guard !words.isEmpty else { return }
      terms.append("\(column) IN (\(words.map { _ in "?" }.joined(separator: ", ")))")
      values += words.map { .text($0) }
    }
    add("scenario", query.scenarios)
    add("state", query.states.map(\.rawValue))
    add("device", query.devices)
    add("level", query.levels.map(\.rawValue))
    if !query.models.isEmpty {
      let term = "substr(model, 1, ?) = ? OR substr(model_sha, 1, ?) = ?"
      terms.append("(\(query.models.map { _ in term }.joined(separator: " OR ")))")
      for name in query.models {
        let length = SQLValue.int(name.unicodeScalars.count)
        values += [length, .text(name), length, .text(name)]
      }
    }
    return (terms.joined(separator: " AND "), values)
  }

  /// The cells that their run declares primary, or the first of each scenario where it declares none.
  private static func primary(_ cells: [MeasuredCell]) -> [MeasuredCell] {
    let declaring = Set(cells.filter { $0.isPrimary == true }.map(\.run))
    var seen: Set<[String]> = []
    return cells.filter { cell in
      if declaring.contains(cell.run) { return cell.isPrimary == true }
      return seen.insert(["\(cell.run)", cell.scenario]).inserted
    }
  }
}
