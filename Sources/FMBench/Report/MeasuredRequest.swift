/// A stored request of a valid trial, as the report reads it.
struct MeasuredRequest {
  var trial: Int
  var repetition: Int
  var recordingNanoseconds: Double
  var isPrewarm: Bool
  var number: Int
  var missReason: String?
  var finish: String?
  var times: TrialMetrics.Request

  /// Columns are those of ``sql``.
  init(_ row: SQLRow) {
    trial = row.int(1) ?? 0
    repetition = row.int(2) ?? 0
    recordingNanoseconds = row.double(3) ?? 0
    isPrewarm = row.string(4) == "prewarm"
    number = row.int(5) ?? 0
    missReason = row.string(6)
    finish = row.string(7)
    times = TrialMetrics.Request(
      session: row.int(8) ?? 0, scheduled: row.double(9) ?? 0, submitted: row.double(10) ?? 0,
      prefillStart: row.double(11), firstToken: row.double(12), lastToken: row.double(13),
      completed: row.double(14) ?? 0, promptTokens: row.int(15) ?? 0,
      cachedTokens: row.int(16), idealCached: row.int(17), outputTokens: row.int(18) ?? 0,
      toolNanoseconds: row.double(19) ?? 0)
    times.firstContent = row.double(20)
    times.turn = row.int(21)
  }

  /// Of one run: the cell first, then what ``init(_:)`` reads; in the order of cells and play.
  static let sql = """
    SELECT t.cell_id, t.id, t.rep, t.recording_ns, r.role, r.number, r.miss_reason, r.finish,
        s.number, r.scheduled_ns, r.submitted_ns, r.prefill_start_ns, r.first_token_ns,
        r.last_token_ns, r.completed_ns, r.n_prompt,
        CASE WHEN r.cache_reported = 1 THEN r.n_cached END, r.ideal_cached, r.n_output,
        (SELECT SUM(ended_ns - started_ns) FROM tool_call x WHERE x.request_id = r.id),
        r.first_content_ns, r.turn
      FROM cell c JOIN trial t ON t.cell_id = c.id JOIN session s ON s.trial_id = t.id
        JOIN request r ON r.session_id = s.id
      WHERE c.run_id = ? AND t.phase = 'measured' AND t.valid = 1
        AND r.role IN ('measured', 'prewarm')
      ORDER BY t.cell_id, t.order_index, t.id, r.submitted_ns, r.id
    """
}
