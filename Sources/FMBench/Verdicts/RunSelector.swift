/// Names stored runs on the command line: `3`, `latest`, the beginning of a uuid, several with commas.
package enum RunSelector {
  /// Runs that were chosen, and what they are called.
  package struct Choice: Sendable, Hashable {
    package var name: String
    package var runs: [Int]
  }

  /// One side of a comparison: a name, and the store it is looked up in.
  package typealias Side = (name: String, store: BenchStore)

  /// The newest runs of a side that are looked at.
  static let candidateLimit = 50

  /// The runs of both sides that can best be judged against each other.
  ///
  /// Along ``ComparisonAxis/run`` a name is a list of runs. Along another axis it is a device's
  /// selector, the beginning of a commit, the beginning of a model's name or hash, a number of
  /// threads or a cache's type; of the newest runs with a valid trial, those of an interruption too,
  /// a pair counts that has a cell in common, then one that was played in turn, then one whose
  /// conditions differ least beyond the axis, then the newest.
  /// - Parameter scenarios: only these are looked at; empty for all.
  /// - Throws: ``StoreError/noSuchRun(_:)``, ``StoreError/noValidTrial(name:run:)``.
  package static func pair(
    _ first: Side, _ second: Side, by axis: ComparisonAxis, scenarios: [String] = []
  ) throws(StoreError) -> (Choice, Choice) {
    if axis == .run {
      return (try first.store.runs(listed: first.name), try second.store.runs(listed: second.name))
    }
    let left = try candidates(first, axis, scenarios)
    let right = try candidates(second, axis, scenarios)
    var best: (distance: Distance, first: Int, second: Int)?
    search: for one in left {
      for other in right {
        let isSame = first.store === second.store && one.run == other.run
        let distance = Distance(one, other, along: axis, isSame: isSame)
        if best.map({ distance < $0.distance }) ?? true { best = (distance, one.run, other.run) }
        if best?.distance == .least { break search }
      }
    }
    // Neither side is empty, so there is a pair.
    return (
      Choice(name: first.name, runs: best.map { [$0.first] } ?? []),
      Choice(name: second.name, runs: best.map { [$0.second] } ?? [])
    )
  }

  /// A run that fits a name, with its cells that have a valid trial, without the trials.
  private typealias Candidate = (run: Int, cells: [MeasuredCell])

  private static func candidates(
    _ side: Side, _ axis: ComparisonAxis, _ scenarios: [String]
  ) throws(StoreError) -> [Candidate] {
    var candidates: [Candidate] = []
    for run in try side.store.runs(named: side.name, by: axis, scenarios: scenarios) {
      let cells = try side.store.cells(run: run, scenarios: scenarios)
      candidates.append((run, cells.filter { $0.validTrials > 0 }))
    }
    return candidates
  }

  /// How far two runs are from a verdict; the least is judged best.
  private struct Distance: Comparable {
    /// Nothing of the sort to compare, then the very same run, is worst.
    var obstacle: Int
    var isApart: Bool
    var differences: Int

    static let least = Distance(obstacle: 0, isApart: false, differences: 0)

    private init(obstacle: Int, isApart: Bool, differences: Int) {
      self.obstacle = obstacle
      self.isApart = isApart
      self.differences = differences
    }

    init(_ first: Candidate, _ second: Candidate, along axis: ComparisonAxis, isSame: Bool) {
      for cell in first.cells {
        guard let partner = second.cells.first(where: { $0.place == cell.place }) else { continue }
        let partners = RunComparison.Partners(cells: ([cell], [partner]))
        let found = partners.differences.count { !axis.conditions.contains($0.condition) }
        self.init(
          obstacle: isSame ? 1 : 0, isApart: !partners.isInterleaved, differences: found)
        return
      }
      self.init(obstacle: 2, isApart: true, differences: 0)
    }

    static func < (one: Distance, other: Distance) -> Bool {
      (one.obstacle, one.isApart ? 1 : 0, one.differences)
        < (other.obstacle, other.isApart ? 1 : 0, other.differences)
    }
  }
}

extension BenchStore {
  /// The runs of a list: `3,5`, `latest`.
  fileprivate func runs(listed text: String) throws(StoreError) -> RunSelector.Choice {
    var ids: [Int] = []
    for word in text.split(separator: ",") { ids.append(try runID(String(word))) }
    guard !ids.isEmpty else { throw .noSuchRun(text) }
    return RunSelector.Choice(name: text, runs: ids)
  }

  /// The newest runs of a name with a valid trial, newest first; at least one.
  fileprivate func runs(
    named text: String, by axis: ComparisonAxis, scenarios: [String]
  ) throws(StoreError) -> [Int] {
    let rows = try database.rows(
      """
      SELECT run_id, scenario, device, engine_commit, model, model_sha, threads, kv_type, level,
          policy, streaming, prefix_edit, masks, start, valid_trials
        FROM v_cell ORDER BY run_id DESC
      """)
    var found: [Int] = []
    var newestWithout: Int?
    for row in rows where Self.fits(row, text, axis) {
      guard let run = row.int(0), run != found.last,
        scenarios.isEmpty || scenarios.contains(row.string(1) ?? "")
      else { continue }
      guard row.int(14) ?? 0 > 0 else {
        newestWithout = newestWithout ?? run
        continue
      }
      found.append(run)
      if found.count == RunSelector.candidateLimit { break }
    }
    guard found.isEmpty else { return found }
    let name =
      "\(axis.rawValue) \(text)"
      + (scenarios.isEmpty ? "" : " with \(scenarios.joined(separator: ", "))")
    if let run = newestWithout { throw .noValidTrial(name: name, run: run) }
    throw .noSuchRun(name)
  }

  private static func fits(_ row: SQLRow, _ text: String, _ axis: ComparisonAxis) -> Bool {
    switch axis {
    case .run: false
    case .device, .endpoint: row.string(2) == text
    case .commit: text.utf8.count >= 4 && row.string(3)?.hasPrefix(text) == true
    case .model: row.string(4)?.hasPrefix(text) == true || row.string(5)?.hasPrefix(text) == true
    case .threads: row.int(6) != nil && row.int(6) == Int(text)
    case .kv: row.string(7) == text
    case .level: row.string(8) == text
    case .policy: row.string(9) == text
    case .stream: row.bool(10).map { $0 ? "on" : "off" } == text
    case .prefixEdit: row.string(11) == text
    case .masks: row.string(12) == text
    case .start: row.string(13) == text
    }
  }
}
