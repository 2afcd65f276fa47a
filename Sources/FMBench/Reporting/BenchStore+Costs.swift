import FMCore

extension BenchStore {
  /// What trials of a run, or of one cell, cost beside time: shares of decoding, energy, memory.
  ///
  /// - Returns: by the trial's id; a number that was not recorded is absent.
  func costs(run: Int? = nil, cell: Int? = nil) throws(StoreError) -> [Int: [Metric: Double]] {
    let rows = try database.rows(Self.costSQL, [.int(run), .int(cell)])
    var costs: [Int: [Metric: Double]] = [:]
    for row in rows {
      guard let trial = row.int(0) else { continue }
      costs[trial] = Self.costs(row)
    }
    for (trial, gaps) in try gaps(run: run, cell: cell) {
      costs[trial, default: [:]].merge(gaps) { $1 }
    }
    return costs
  }

  /// The times between output tokens, pooled over each trial; the wait for a first token is none.
  private func gaps(run: Int?, cell: Int?) throws(StoreError) -> [Int: [Metric: Double]] {
    let rows = try database.rows(
      """
      SELECT s.trial_id, r.submitted_ns, g.count, g.gaps
        FROM cell c JOIN trial t ON t.cell_id = c.id JOIN session s ON s.trial_id = t.id
          JOIN request r ON r.session_id = s.id JOIN token_gap g ON g.request_id = r.id
        WHERE (c.run_id = ?1 OR c.id = ?2) AND t.phase = 'measured' AND t.valid = 1
          AND r.role = 'measured'
      """, [.int(run), .int(cell)])
    var pooled: [Int: [Double]] = [:]
    for row in rows {
      guard let trial = row.int(0), let start = row.int(1).flatMap({ UInt64(exactly: $0) }),
        let bytes = row.bytes(3), let count = row.int(2),
        let stamps = TokenGaps.decode(
          bytes, count: count, from: MonotonicInstant(nanoseconds: start))
      else { continue }
      pooled[trial, default: []] += zip(stamps, stamps.dropFirst()).map {
        Double($1.nanoseconds - $0.nanoseconds) / 1e6
      }
    }
    return pooled.mapValues { gaps in
      let sorted = gaps.sorted()
      var values: [Metric: Double] = [:]
      values[.gapMedian] = Statistics.percentile(0.5, ofSorted: sorted)
      // Of few gaps the tail is the longest one.
      if sorted.count >= 20 { values[.gapTail] = Statistics.percentile(0.95, ofSorted: sorted) }
      values[.gapMost] = sorted.last
      return values
    }
  }

  private static func costs(_ row: SQLRow) -> [Metric: Double] {
    var values: [Metric: Double] = [:]
    if let decode = row.double(1), decode > 0 {
      values[.samplerShare] = row.double(2).map { $0 / decode }
      values[.grammarShare] = row.double(3).map { $0 / decode }
      values[.detokenizerShare] = row.double(4).map { $0 / decode }
    }
    let sides = [row.double(7), row.double(8)].compactMap { $0 }
    if !sides.isEmpty {
      let joules = sides.reduce(0, +)
      values[.energy] = joules
      if let tokens = row.double(5), tokens > 0 { values[.energyPerToken] = joules / tokens }
      if let sessions = row.double(6), sessions > 0 {
        values[.energyPerSession] = joules / sessions
      }
    }
    values[.peakMemory] = row.double(9).map { $0 / 1e6 }
    values[.gpuMemory] = row.double(10).map { $0 / 1e6 }
    values[.load] = row.double(11).map { $0 / 1e6 }
    return values
  }

  /// The trials' sums; a part that some request did not record is null.
  ///
  /// Between a request's first token and its last lie all choices and texts but one, so a request's
  /// sums count by n - 1 of its n tokens.
  private static let costSQL = """
    WITH part AS (
      SELECT s.trial_id, s.id AS session_id, r.n_output,
          CASE WHEN r.n_output >= 2 THEN r.last_token_ns - 1.0 * r.first_token_ns END AS decode_ns,
          (r.n_output - 1.0) / NULLIF(r.n_output, 0) AS share,
          r.sampling_ns, r.constraint_ns, r.text_ns
        FROM cell c JOIN trial t ON t.cell_id = c.id JOIN session s ON s.trial_id = t.id
          JOIN request r ON r.session_id = s.id
        WHERE (c.run_id = ?1 OR c.id = ?2) AND t.phase = 'measured' AND t.valid = 1
          AND r.role = 'measured')
    SELECT trial_id, SUM(decode_ns),
        CASE WHEN COUNT(sampling_ns) = COUNT(*) THEN SUM(share * sampling_ns) END,
        CASE WHEN COUNT(constraint_ns) = COUNT(*) THEN SUM(share * constraint_ns) END,
        CASE WHEN COUNT(text_ns) = COUNT(*) THEN SUM(share * text_ns) END,
        SUM(1.0 * n_output), COUNT(DISTINCT session_id),
        (SELECT SUM(x.joules) FROM sample x WHERE x.trial_id = part.trial_id),
        (SELECT SUM(x.gpu_joules) FROM sample x WHERE x.trial_id = part.trial_id),
        (SELECT MAX(x.peak_rss_bytes) FROM sample x WHERE x.trial_id = part.trial_id),
        (SELECT MAX(x.gpu_mem_bytes) FROM sample x WHERE x.trial_id = part.trial_id),
        (SELECT x.load_ns FROM trial x WHERE x.id = part.trial_id)
      FROM part GROUP BY trial_id
    """
}
