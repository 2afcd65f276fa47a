import FMCore

/// Spans laid out in lanes, so that those of one lane nest: each is inside another or beside it.
struct LaneLayout {
  /// One lane.
  struct Lane {
    /// The session whose lane it is; nil for what belongs to none.
    var session: Int?
    /// 0 for a session's first lane, 1 for what overlaps it, and so on.
    var number: Int
    /// Its spans in the order of the tree.
    var spans: [Int] = []
  }

  /// A session's lanes follow each other; sessions are in the order they begin.
  let lanes: [Lane]
  /// What an application marked, which overlaps as it likes.
  let intervals: [Int]

  init(_ tree: TraceTree) {
    var groups: [[Int]] = []
    var sessions: [Int?] = []
    var places: [Int: Int] = [:]
    var intervals: [Int] = []
    for index in tree.order {
      if tree[index].kind == .interval {
        intervals.append(index)
        continue
      }
      let session = tree.nearest(.session, above: index)
      let key = session ?? -1
      let place =
        places[key]
        ?? {
          places[key] = groups.count
          groups.append([])
          sessions.append(session)
          return groups.count - 1
        }()
      groups[place].append(index)
    }
    var lanes: [Lane] = []
    for (group, session) in zip(groups, sessions) {
      for (number, spans) in Self.nested(group, tree).enumerated() {
        lanes.append(Lane(session: session, number: number, spans: spans))
      }
    }
    self.lanes = lanes
    self.intervals = intervals
  }

  /// Puts each span on the first lane where it is inside or beside all that is there.
  private static func nested(_ group: [Int], _ tree: TraceTree) -> [[Int]] {
    var lanes: [[Int]] = []
    // The ends of the spans that are open on each lane, innermost last.
    var open: [[MonotonicInstant]] = []
    for index in group {
      let begin = tree[index].begin
      let end = tree.end(of: index)
      var place: Int?
      for lane in lanes.indices where place == nil {
        while let inner = open[lane].last, inner <= begin { open[lane].removeLast() }
        if open[lane].last.map({ end <= $0 }) ?? true { place = lane }
      }
      if let place {
        lanes[place].append(index)
        open[place].append(end)
      } else {
        lanes.append([index])
        open.append([end])
      }
    }
    return lanes
  }
}
