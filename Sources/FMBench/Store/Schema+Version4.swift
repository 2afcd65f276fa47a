extension Schema {
  /// Version 4: how the requests of a run reach the model, what each part of a request took, and energy.
  ///
  /// Runs of older versions were played at engine level, where none of the run's new columns applies.
  package static let version4 = """
    -- What was varied of a run's play; null where it does not apply.
    -- one: a session a conversation; fresh: another one for every turn, from the transcript so far.
    ALTER TABLE run ADD COLUMN policy TEXT;
    -- 1: answers were read as they grew; 0: when they were whole.
    ALTER TABLE run ADD COLUMN streaming INTEGER;
    -- none; timestamp: the prefix begins with another time in every request; tools: the schemas
    -- stand in another order in every request.
    ALTER TABLE run ADD COLUMN prefix_edit TEXT NOT NULL DEFAULT 'none';
    -- tokens: ids, no template; native: the model's own template with its tools; plain: messages
    -- of text alone, the same for every server.
    ALTER TABLE run ADD COLUMN prompt_form TEXT NOT NULL DEFAULT 'tokens';
    -- The server's address; null: an engine of the process.
    ALTER TABLE run ADD COLUMN endpoint TEXT;
    -- Energy: where it was read, how often a second, and what the idle machine took before the run.
    ALTER TABLE run ADD COLUMN energy_source TEXT;
    ALTER TABLE run ADD COLUMN energy_hz REAL;
    ALTER TABLE run ADD COLUMN idle_watts REAL;

    -- First content a user can see: text, or the first field of a structured answer.
    ALTER TABLE request ADD COLUMN first_content_ns INTEGER;
    -- 0: a server that does not tell what it took from its cache; n_cached is then no count.
    ALTER TABLE request ADD COLUMN cache_reported INTEGER NOT NULL DEFAULT 1;
    -- Of the time: spent on the grammar, and on making text of tokens.
    ALTER TABLE request ADD COLUMN constraint_ns INTEGER;
    ALTER TABLE request ADD COLUMN text_ns INTEGER;
    -- Pieces the answer came in; token_gap is written only where a piece is a token.
    ALTER TABLE request ADD COLUMN stream_pieces INTEGER;

    -- joules is the processor's, of the trial; rapl:package, nvml, hwmon.
    ALTER TABLE sample ADD COLUMN energy_source TEXT;
    ALTER TABLE sample ADD COLUMN gpu_joules REAL;

    """ + views4 + "\n" + cellView4

  private static let views4 = """
    DROP VIEW v_request;
    -- One row a request, with the derived numbers. Times in milliseconds, rates in tokens/s.
    CREATE VIEW v_request AS
    SELECT
      c.run_id, c.scenario, c.variant, c.state, c.device, c.masks, t.id AS trial_id, t.rep,
      t.order_index, t.phase, t.valid, s.number AS session, s.name AS session_name, r.id AS request_id,
      r.number, r.role, r.turn, r.step, r.output_kind,
      r.n_prompt, CASE WHEN r.cache_reported = 1 THEN r.n_cached END AS n_cached, r.n_output,
      r.ideal_cached, r.miss_reason, r.finish, r.error,
      (r.first_token_ns - r.submitted_ns) / 1e6 AS ttft_ms,
      (r.prefill_start_ns - r.submitted_ns) / 1e6 AS queue_ms,
      (r.submitted_ns - r.scheduled_ns) / 1e6 AS lateness_ms,
      (r.first_token_ns - r.prefill_start_ns) / 1e6 AS prefill_ms,
      (r.completed_ns - r.last_token_ns) / 1e6 AS tail_ms,
      (r.completed_ns - r.submitted_ns) / 1e6 AS request_ms,
      CASE WHEN r.n_output >= 2
        THEN (r.last_token_ns - r.first_token_ns) / 1e6 / (r.n_output - 1) END AS tpot_ms,
      CASE WHEN r.cache_reported = 1 AND r.first_token_ns > r.prefill_start_ns
        THEN (r.n_prompt - r.n_cached) * 1e9 / (r.first_token_ns - r.prefill_start_ns)
        END AS prefill_tps,
      CASE WHEN r.first_token_ns > r.submitted_ns
        THEN r.n_prompt * 1e9 / (r.first_token_ns - r.submitted_ns) END AS effective_prompt_tps,
      CASE WHEN r.n_output >= 2 AND r.last_token_ns > r.first_token_ns
        THEN (r.n_output - 1) * 1e9 / (r.last_token_ns - r.first_token_ns) END AS decode_tps,
      CASE WHEN r.n_prompt > 0 AND r.cache_reported = 1
        THEN r.n_cached * 1.0 / r.n_prompt END AS hit,
      CASE WHEN r.n_prompt > 0 THEN r.ideal_cached * 1.0 / r.n_prompt END AS ideal_hit,
      r.sampling_ns / 1e6 AS sampling_ms,
      (r.first_content_ns - r.submitted_ns) / 1e6 AS content_ms,
      r.constraint_ns / 1e6 AS constraint_ms,
      r.text_ns / 1e6 AS text_ms,
      r.stream_pieces
    FROM request r
    JOIN session s ON s.id = r.session_id
    JOIN trial t ON t.id = s.trial_id
    JOIN cell c ON c.id = t.cell_id;

    DROP VIEW v_trial;
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
      SUM(r.n_prompt) AS n_prompt,
      CASE WHEN MIN(r.cache_reported) = 1 THEN SUM(r.n_cached) END AS n_cached,
      SUM(r.n_output) AS n_output,
      CASE WHEN MIN(r.cache_reported) = 1
        THEN SUM(r.n_cached) * 1.0 / SUM(r.n_prompt) END AS hit,
      SUM(r.ideal_cached) * 1.0 / SUM(r.n_prompt) AS ideal_hit,
      (SELECT SUM(x.joules) FROM sample x WHERE x.trial_id = t.id) AS joules,
      (SELECT SUM(x.gpu_joules) FROM sample x WHERE x.trial_id = t.id) AS gpu_joules,
      (SELECT MAX(x.peak_rss_bytes) FROM sample x WHERE x.trial_id = t.id) AS peak_rss_bytes,
      (SELECT MAX(x.gpu_mem_bytes) FROM sample x WHERE x.trial_id = t.id) AS gpu_mem_bytes
    FROM trial t
    JOIN cell c ON c.id = t.cell_id
    LEFT JOIN session s ON s.trial_id = t.id
    LEFT JOIN request r ON r.session_id = s.id AND r.role = 'measured'
    GROUP BY t.id;
    """

  private static let cellView4 = """
    DROP VIEW v_cell;
    -- One row a cell, with all that its numbers depend on.
    CREATE VIEW v_cell AS
    SELECT
      c.id AS cell_id, c.run_id, n.started, n.status, c.scenario, c.variant, c.state, c.masks,
      c.scenario_sha, n.suite_sha, n.model_sha, m.name AS model, m.quant,
      c.device, c.device_name, c.device_kind, e.driver, e.instruction_set, c.threads, c.kv_type,
      n.context, n.seed, n.level, n.mode, n.build, n.engine_commit, n.dirty, e.host, e.cpu, e.kernel,
      (SELECT COUNT(*) FROM trial t
        WHERE t.cell_id = c.id AND t.phase = 'measured' AND t.valid = 1) AS valid_trials,
      n.interleaving, n.arm, n.injected, c.primary_family, n.label, n.uuid, n.ended, n.gap_scale,
      e.governor, e.power_source, e.os, e.cores_usable, e.gpu, c.ubatch,
      (SELECT COUNT(*) FROM trial t
        WHERE t.cell_id = c.id AND t.phase = 'measured' AND t.valid = 0) AS invalid_trials,
      n.policy, n.streaming, n.prefix_edit, n.prompt_form, n.endpoint, n.energy_source, n.idle_watts
    FROM cell c
    JOIN run n ON n.id = c.run_id
    JOIN model m ON m.sha256 = n.model_sha
    LEFT JOIN environment e ON e.run_id = n.id;
    """
}
