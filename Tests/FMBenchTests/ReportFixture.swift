import FMBench
import FMCore

/// Databases for reports.
enum ReportFixture {
  /// Names as an enemy would choose them.
  static let hostile = [
    "</script><script>alert(1)</script>", "\"><img src=x onerror=alert(2)>", "' onload='alert(3)",
    "a\u{2028}b\u{2029}c\u{202E}d\u{0}e", "<!--", "]]>", "&lt;", "| a | `b` | <b>",
  ]

  /// Plays one trial of two requests, with a tool call between them.
  static func trial(
    _ store: BenchStore, cell: Int, number: Int, tool: String = "lookup",
    session: String = "assistant", missReason: String? = "evicted", invalid: String? = nil
  ) throws {
    let start = Double(number) * 10_000
    let id = try store.beginTrial(
      cell: cell, repetition: number, orderIndex: number, isWarmUp: false,
      started: StoreFixture.instant(start), loadAverage: nil)
    let row = try store.addSession(trial: id, number: 0, name: session, prefixTokens: 200)
    var request = StoreFixture.request(number: 0, start: start)
    request.missReason = missReason
    let first = try store.addRequest(request, session: row)
    _ = try store.addToolCall(
      ToolCallRow(
        number: 0, name: tool, argumentsHash: nil, started: StoreFixture.instant(start + 150),
        ended: StoreFixture.instant(start + 170 + Double(number)), injectedMilliseconds: 20,
        outputTokens: 60),
      request: first)
    _ = try store.addRequest(
      StoreFixture.request(
        number: 1, start: start + 200 + Double(number), prompt: 300, cached: 240, output: 11),
      session: row)
    try store.endTrial(
      id, ended: StoreFixture.instant(start + 500), invalidReason: invalid,
      sample: ResourceSample(at: StoreFixture.instant(start + 500)))
  }

  /// A run with one cell and so many valid trials.
  @discardableResult
  static func run(
    _ store: BenchStore, _ number: Int, trials: Int, cell: CellRow = StoreFixture.cell()
  ) throws -> Int {
    let run = try store.beginRun(
      StoreFixture.run(uuid: "\(number)"), model: StoreFixture.model,
      environment: HostEnvironment())
    let id = try store.addCell(cell, run: run)
    for trial in 0..<trials { try self.trial(store, cell: id, number: trial) }
    try store.endRun(run, status: .finished)
    return run
  }

  /// Ten thousand requests: 20 trials of 25 requests in each of 20 cells, on two devices.
  ///
  /// Written by SQL in one transaction, because each recorded request waits for the disk.
  static func large(_ store: BenchStore) throws -> [Int] {
    var runs: [Int] = []
    for (index, device) in [StoreFixture.device, StoreFixture.software].enumerated() {
      let run = try store.beginRun(
        StoreFixture.run(uuid: "\(index)"), model: StoreFixture.model,
        environment: HostEnvironment())
      for scenario in 0..<10 {
        var cell = StoreFixture.cell(scenario: "scenario-\(scenario)", on: device)
        cell.plannedTrials = 20
        _ = try store.addCell(cell, run: run)
      }
      try store.endRun(run, status: .finished)
      runs.append(run)
    }
    try store.database.transaction { () throws(StoreError) in
      for sql in largeRows { try store.database.execute(sql) }
    }
    return runs
  }

  /// Numbers that wander without being random: the multiples of an odd number, in 997 steps.
  private static let largeRows = [
    """
    WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 19)
    INSERT INTO trial (cell_id, rep, order_index, phase, started, started_ns, ended_ns, valid)
      SELECT c.id, n.i, n.i * 20 + c.id, 'measured', '2026-01-01T00:00:00.000Z',
          (n.i * 20 + c.id) * 100000000000, (n.i * 20 + c.id + 1) * 100000000000, 1
        FROM cell c, n
    """,
    """
    INSERT INTO session (trial_id, number, name, prefix_tokens) SELECT id, 0, 'chat', 200 FROM trial
    """,
    """
    WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 24)
    INSERT INTO request (session_id, number, role, turn, step, output_kind, scheduled_ns,
        submitted_ns, prefill_start_ns, first_token_ns, last_token_ns, completed_ns, n_prompt,
        n_cached, n_output, ideal_cached, miss_reason, finish)
      SELECT s.id, n.i, 'measured', n.i, 0, 'text', b, b + 10000, b + 20000,
          b + 80000000 + n.i * 900000 + w * 40000, b + 900000000 + n.i * 4000000 + w * 300000,
          b + 901000000 + n.i * 4000000 + w * 300000, 260 + 120 * n.i, 120 * n.i, 60,
          120 * n.i + 40, CASE WHEN w % 3 = 0 THEN 'evicted' END, 'length'
        FROM (SELECT t.started_ns + n.i * 2000000000 AS b, s.id AS sid, n.i AS i,
            (s.id * 7919 + n.i * 104729) % 997 AS w FROM session s
            JOIN trial t ON t.id = s.trial_id, n) AS v
          JOIN session s ON s.id = v.sid JOIN n ON n.i = v.i
    """,
  ]
}
