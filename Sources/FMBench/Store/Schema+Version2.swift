extension Schema {
  /// Version 2: what tells devices and scenarios apart, so that runs can be compared.
  ///
  /// Runs of version 1 were made on the processor or the reference; what else they did not record
  /// stays null.
  package static let version2 = """
    -- The kind of `device`: cpu, discreteGPU, integratedGPU, softwareGPU, reference.
    ALTER TABLE cell ADD COLUMN device_kind TEXT;
    -- SHA-256 of the scenario's file and texts; run.suite_sha is of all scenarios together.
    ALTER TABLE cell ADD COLUMN scenario_sha TEXT;
    -- Of the processor's kernels; null where the device is none. gpu, driver and vk_api are a GPU's.
    ALTER TABLE environment ADD COLUMN instruction_set TEXT;
    UPDATE cell SET device_kind = device WHERE device IN ('cpu', 'reference');

    -- One row a cell, with all that its numbers depend on.
    CREATE VIEW v_cell AS
    SELECT
      c.id AS cell_id, c.run_id, n.started, n.status, c.scenario, c.variant, c.state, c.masks,
      c.scenario_sha, n.suite_sha, n.model_sha, m.name AS model, m.quant,
      c.device, c.device_name, c.device_kind, e.driver, e.instruction_set, c.threads, c.kv_type,
      n.context, n.seed, n.level, n.mode, n.build, n.engine_commit, n.dirty, e.host, e.cpu, e.kernel,
      (SELECT COUNT(*) FROM trial t
        WHERE t.cell_id = c.id AND t.phase = 'measured' AND t.valid = 1) AS valid_trials
    FROM cell c
    JOIN run n ON n.id = c.run_id
    JOIN model m ON m.sha256 = n.model_sha
    LEFT JOIN environment e ON e.run_id = n.id;

    -- One row a run, newest first; its device is the one the trials really ran on.
    DROP VIEW v_run;
    CREATE VIEW v_run AS
    SELECT
      n.id, n.uuid, n.started, n.ended, n.status, n.label, m.name AS model, n.suite, n.suite_sha,
      n.build, n.engine_commit, n.dirty, e.cpu, e.cores_usable,
      (SELECT COUNT(*) FROM trial t JOIN cell c ON c.id = t.cell_id
        WHERE c.run_id = n.id AND t.phase = 'measured' AND t.valid = 1) AS valid_trials,
      (SELECT COUNT(*) FROM trial t JOIN cell c ON c.id = t.cell_id
        WHERE c.run_id = n.id AND t.valid = 0) AS invalid_trials,
      (SELECT device FROM cell WHERE run_id = n.id LIMIT 1) AS device,
      (SELECT device_name FROM cell WHERE run_id = n.id LIMIT 1) AS device_name,
      (SELECT device_kind FROM cell WHERE run_id = n.id LIMIT 1) AS device_kind,
      e.driver, e.instruction_set
    FROM run n
    JOIN model m ON m.sha256 = n.model_sha
    LEFT JOIN environment e ON e.run_id = n.id
    ORDER BY n.id DESC;
    """
}
