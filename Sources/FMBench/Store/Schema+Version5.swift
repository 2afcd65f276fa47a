extension Schema {
  /// Version 5: runs whose model is loaded anew for every trial.
  ///
  /// Runs of older versions loaded theirs once.
  package static let version5 = """
    -- running: the model was loaded once; model: anew for every trial, whose first request then
    -- meets an engine that was never used; process: another process loads and plays every trial.
    ALTER TABLE run ADD COLUMN start TEXT NOT NULL DEFAULT 'running';
    -- Time to load the model for this trial, from the start of its process where it has its own; null
    -- where that was done before the run.
    ALTER TABLE trial ADD COLUMN load_ns INTEGER;

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
      n.policy, n.streaming, n.prefix_edit, n.prompt_form, n.endpoint, n.energy_source, n.idle_watts,
      n.start
    FROM cell c
    JOIN run n ON n.id = c.run_id
    JOIN model m ON m.sha256 = n.model_sha
    LEFT JOIN environment e ON e.run_id = n.id;
    """
}
