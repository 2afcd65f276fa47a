extension Schema {
  /// The views for people who write SQL; every derived number is computed here and nowhere stored.
  package static let views1 = """
    -- One row a request, with the derived numbers. Times in milliseconds, rates in tokens/s.
    CREATE VIEW v_request AS
    SELECT
      c.run_id, c.scenario, c.variant, c.state, c.device, c.masks, t.id AS trial_id, t.rep,
      t.order_index, t.phase, t.valid, s.number AS session, s.name AS session_name, r.id AS request_id,
      r.number, r.role, r.turn, r.step, r.output_kind,
      r.n_prompt, r.n_cached, r.n_output, r.ideal_cached, r.miss_reason, r.finish, r.error,
      (r.first_token_ns - r.submitted_ns) / 1e6 AS ttft_ms,
      (r.prefill_start_ns - r.submitted_ns) / 1e6 AS queue_ms,
      (r.submitted_ns - r.scheduled_ns) / 1e6 AS lateness_ms,
      (r.first_token_ns - r.prefill_start_ns) / 1e6 AS prefill_ms,
      (r.completed_ns - r.last_token_ns) / 1e6 AS tail_ms,
      (r.completed_ns - r.submitted_ns) / 1e6 AS request_ms,
      CASE WHEN r.n_output >= 2
        THEN (r.last_token_ns - r.first_token_ns) / 1e6 / (r.n_output - 1) END AS tpot_ms,
      CASE WHEN r.first_token_ns > r.prefill_start_ns
        THEN (r.n_prompt - r.n_cached) * 1e9 / (r.first_token_ns - r.prefill_start_ns)
        END AS prefill_tps,
      CASE WHEN r.first_token_ns > r.submitted_ns
        THEN r.n_prompt * 1e9 / (r.first_token_ns - r.submitted_ns) END AS effective_prompt_tps,
      CASE WHEN r.n_output >= 2 AND r.last_token_ns > r.first_token_ns
        THEN (r.n_output - 1) * 1e9 / (r.last_token_ns - r.first_token_ns) END AS decode_tps,
      CASE WHEN r.n_prompt > 0 THEN r.n_cached * 1.0 / r.n_prompt END AS hit,
      CASE WHEN r.n_prompt > 0 THEN r.ideal_cached * 1.0 / r.n_prompt END AS ideal_hit,
      r.sampling_ns / 1e6 AS sampling_ms
    FROM request r
    JOIN session s ON s.id = r.session_id
    JOIN trial t ON t.id = s.trial_id
    JOIN cell c ON c.id = t.cell_id;

    -- One row a session: what its user waited for, and for whom.
    CREATE VIEW v_session AS
    SELECT
      s.id AS session_id, s.trial_id, s.number, s.name, s.prefix_tokens,
      COUNT(r.id) AS steps,
      (MAX(r.completed_ns) - MIN(r.scheduled_ns)) / 1e6 AS session_wall_ms,
      SUM(r.completed_ns - r.submitted_ns) / 1e6 AS model_time_ms,
      (SELECT SUM(x.ended_ns - x.started_ns) / 1e6 FROM tool_call x
        JOIN request y ON y.id = x.request_id
        WHERE y.session_id = s.id AND y.role = 'measured') AS tool_time_ms,
      (SELECT COUNT(*) FROM tool_call x JOIN request y ON y.id = x.request_id
        WHERE y.session_id = s.id AND y.role = 'measured') AS tool_calls,
      SUM(r.n_prompt) AS n_prompt, SUM(r.n_cached) AS n_cached, SUM(r.n_output) AS n_output,
      SUM(MAX(r.ideal_cached - r.n_cached, 0)) AS tokens_recomputed
    FROM session s
    JOIN request r ON r.session_id = s.id AND r.role = 'measured'
    GROUP BY s.id;

    -- One row a trial: `task_wall_ms` is what a user waits from the tap to the result, the time
    -- spent on writing to this database taken off.
    CREATE VIEW v_trial AS
    SELECT
      c.run_id, c.id AS cell_id, c.scenario, c.variant, c.state, c.device, c.masks,
      t.id AS trial_id, t.rep, t.order_index, t.phase, t.valid, t.invalid_reason,
      (MAX(r.completed_ns) - MIN(r.scheduled_ns) - COALESCE(t.recording_ns, 0)) / 1e6
        AS task_wall_ms,
      SUM(r.completed_ns - r.submitted_ns) / 1e6 AS model_time_ms,
      (SELECT SUM(x.ended_ns - x.started_ns) / 1e6 FROM tool_call x
        JOIN request y ON y.id = x.request_id JOIN session z ON z.id = y.session_id
        WHERE z.trial_id = t.id AND y.role = 'measured') AS tool_time_ms,
      COUNT(r.id) AS requests,
      SUM(r.n_prompt) AS n_prompt, SUM(r.n_cached) AS n_cached, SUM(r.n_output) AS n_output,
      SUM(r.n_cached) * 1.0 / SUM(r.n_prompt) AS hit,
      SUM(r.ideal_cached) * 1.0 / SUM(r.n_prompt) AS ideal_hit
    FROM trial t
    JOIN cell c ON c.id = t.cell_id
    LEFT JOIN session s ON s.trial_id = t.id
    LEFT JOIN request r ON r.session_id = s.id AND r.role = 'measured'
    GROUP BY t.id;

    -- One row a run, newest first.
    CREATE VIEW v_run AS
    SELECT
      n.id, n.uuid, n.started, n.ended, n.status, n.label, m.name AS model, n.suite, n.suite_sha,
      n.build, n.engine_commit, n.dirty, e.cpu, e.cores_usable,
      (SELECT COUNT(*) FROM trial t JOIN cell c ON c.id = t.cell_id
        WHERE c.run_id = n.id AND t.phase = 'measured' AND t.valid = 1) AS valid_trials,
      (SELECT COUNT(*) FROM trial t JOIN cell c ON c.id = t.cell_id
        WHERE c.run_id = n.id AND t.valid = 0) AS invalid_trials
    FROM run n
    JOIN model m ON m.sha256 = n.model_sha
    LEFT JOIN environment e ON e.run_id = n.id
    ORDER BY n.id DESC;
    """
}
