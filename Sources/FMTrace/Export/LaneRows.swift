import FMCore

/// Lanes as rows of a page: what follows each other in time shares one.
struct LaneRows {
  /// One row: lanes, or intervals, none of which begins before the one before it has ended.
  struct Row {
    /// Spans, each with how deep it is: 0 for the outermost.
    var spans: [(index: Int, level: Int)] = []
    /// Places in ``LaneLayout/lanes``; none in a row of intervals.
    var lanes: [Int] = []

    var depth: Int { (spans.map(\.level).max() ?? 0) + 1 }
  }

  /// Rows looked at for room; a trace of more sessions at a time gets rows that are not full.
  private static let searchLimit = 256

  let intervals: [Row]
  let lanes: [Row]

  init(_ layout: LaneLayout, _ tree: TraceTree) {
    intervals = Self.packed(
      layout.intervals.map { Row(spans: [($0, 0)]) }, tree, mayShare: { _ in true })
    var counts: [Int?: Int] = [:]
    for lane in layout.lanes { counts[lane.session, default: 0] += 1 }
    let rows = layout.lanes.enumerated().map { place, lane in
      Row(spans: Self.levels(lane.spans, tree), lanes: [place])
    }
    // A session's own lanes stay together, and so does what belongs to no session.
    lanes = Self.packed(rows, tree) { row in
      let lane = layout.lanes[row.lanes[0]]
      return lane.session != nil && counts[lane.session] == 1
    }
  }

  /// How deep in its lane each span is.
  private static func levels(_ spans: [Int], _ tree: TraceTree) -> [(index: Int, level: Int)] {
    var open: [MonotonicInstant] = []
    return spans.map { index in
      while let inner = open.last, inner <= tree[index].begin { open.removeLast() }
      open.append(tree.end(of: index))
      return (index, open.count - 1)
    }
  }

  /// Puts each row behind the first one that has ended when it begins.
  private static func packed(
    _ rows: [Row], _ tree: TraceTree, mayShare: (Row) -> Bool
  ) -> [Row] {
    var packed: [Row] = []
    var open: [(place: Int, end: MonotonicInstant)] = []
    for row in rows {
      guard mayShare(row), let begin = row.spans.map({ tree[$0.index].begin }).min(),
        let end = row.spans.map({ tree.end(of: $0.index) }).max()
      else {
        packed.append(row)
        continue
      }
      if let room = open.prefix(searchLimit).firstIndex(where: { $0.end <= begin }) {
        packed[open[room].place].spans += row.spans
        packed[open[room].place].lanes += row.lanes
        open[room].end = end
      } else {
        open.append((packed.count, end))
        packed.append(row)
      }
    }
    return packed
  }
}
