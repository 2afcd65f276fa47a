import Foundation

/// How far apart two equal sides were found: the least change of a metric that counts.
package struct NoiseFloor: Sendable, Hashable, Codable {
  package var scenario: String
  package var variant: String
  package var state: String
  package var metric: Metric
  /// Pairs of trials it was measured with.
  package var pairs: Int
  /// Deviation over mean of all trials; nil with one.
  package var variation: Double?
  /// The median of the pairs' ratios.
  package var ratio: Double
  /// The share by which the ratio's interval reaches beyond 1, on the side it reaches further.
  package var floor: Double
}

extension NoiseFloor {
  /// The floor that neighbouring trials of equal sides give; nil with fewer than two pairs.
  package init?(
    scenario: String, variant: String, state: String, metric: Metric, pairs: [TrialSamples.Pair],
    bootstrap: Bootstrap
  ) {
    guard let effect = Effect(.paired(pairs), bootstrap: bootstrap), let low = effect.low,
      let high = effect.high
    else { return nil }
    self.scenario = scenario
    self.variant = variant
    self.state = state
    self.metric = metric
    self.pairs = effect.n
    variation = Statistics.coefficientOfVariation(pairs.flatMap { [$0.first, $0.second] })
    ratio = effect.ratio
    floor = expm1(max(abs(log(low)), abs(log(high))))
  }
}

extension BenchStore {
  /// Computes and stores the floors that two runs of the same thing, played in turn, give.
  package func setNoiseFloors(runs: (first: Int, second: Int)) throws(StoreError) -> [NoiseFloor] {
    let cells = try database.rows(
      """
      SELECT a.id, b.id, a.scenario, a.variant, a.state FROM cell a
        JOIN cell b ON b.run_id = ? AND b.scenario = a.scenario AND b.variant = a.variant
          AND b.state = a.state
        WHERE a.run_id = ? ORDER BY a.id
      """, [.int(runs.second), .int(runs.first)])
    let bootstrap = Bootstrap(seed: RunReport.bootstrapSeed)
    var floors: [NoiseFloor] = []
    for row in cells {
      guard let first = row.int(0), let second = row.int(1) else { continue }
      let trials = (try numberedTrials(cell: first), try numberedTrials(cell: second))
      for metric in PrimaryFamily.metrics + PrimaryFamily.secondaryMetrics {
        guard
          let floor = NoiseFloor(
            scenario: row.string(2) ?? "", variant: row.string(3) ?? "",
            state: row.string(4) ?? "", metric: metric,
            pairs: NumberedTrial.pairs(trials.0, trials.1, metric), bootstrap: bootstrap)
        else { continue }
        try insert(floor, cell: first, runs: runs)
        floors.append(floor)
      }
    }
    return floors
  }

  private func insert(
    _ floor: NoiseFloor, cell: Int, runs: (first: Int, second: Int)
  ) throws(StoreError) {
    try database.run(
      """
      INSERT INTO noise_floor (measured, run_a, run_b, host, device, device_name, build, model_sha,
          scenario, variant, state, metric, pairs, variation, ratio, floor)
        SELECT ?, ?, ?, host, device, device_name, build, model_sha, scenario, variant, state, ?, ?, ?,
          ?, ? FROM v_cell WHERE cell_id = ?
      """,
      [
        .text(Self.timestamp()), .int(runs.first), .int(runs.second), .text(floor.metric.rawValue),
        .int(floor.pairs), .number(floor.variation), .real(floor.ratio), .real(floor.floor),
        .int(cell),
      ])
  }

  /// The newest floor measured for a cell's work on its machine, device, build and model, played alike; else nil.
  package func noiseFloor(cell: Int, metric: Metric) throws(StoreError) -> Double? {
    try database.rows(
      """
      SELECT f.floor FROM v_cell c JOIN noise_floor f
          ON f.device = c.device AND f.device_name = c.device_name AND f.host IS c.host
          AND f.build = c.build AND f.model_sha = c.model_sha AND f.scenario = c.scenario
          AND f.variant = c.variant AND f.state = c.state
        LEFT JOIN run r ON r.id = f.run_a
        WHERE c.cell_id = ? AND f.metric = ? AND COALESCE(r.level, 'engine') = c.level
          AND COALESCE(r.start, 'running') = c.start AND COALESCE(r.prompt_form, 'tokens') = c.prompt_form
        ORDER BY f.id DESC LIMIT 1
      """, [.int(cell), .text(metric.rawValue)]
    ).first?.double(0)
  }
}
