extension Schema {
  /// Version 3: runs that were played in turn, the machine's noise floor, and what disturbs a trial.
  ///
  /// Runs of older versions were never played in turn and declared no family.
  package static let version3 = """
    -- Runs with the same text here were played in turn, trial by trial (ABBA): trials of equal rep
    -- and cell are neighbours and are compared pair by pair. Null: played alone.
    ALTER TABLE run ADD COLUMN interleaving TEXT;
    -- A, B, ... within the interleaving.
    ALTER TABLE run ADD COLUMN arm TEXT;
    -- What makes the run unfit for anything but a test of the program; null for every other run.
    ALTER TABLE run ADD COLUMN injected TEXT;
    -- 1: ttft, tpot and task_wall of this cell are in the family that verdicts are about; 0: they
    -- are reported beside it; null: not declared, so the first cell of each scenario counts.
    ALTER TABLE cell ADD COLUMN primary_family INTEGER;
    -- What happened on the machine during the trial; null where it does not tell.
    ALTER TABLE sample ADD COLUMN swapped_in_pages INTEGER;
    ALTER TABLE sample ADD COLUMN throttle_events INTEGER;

    -- The least change that counts, measured by comparing a device with itself: the share by which
    -- the interval of the ratio reaches beyond 1. The newest row of a key counts.
    CREATE TABLE noise_floor (
      id INTEGER PRIMARY KEY,
      measured TEXT NOT NULL,           -- wall clock
      run_a INTEGER REFERENCES run (id) ON DELETE SET NULL,
      run_b INTEGER REFERENCES run (id) ON DELETE SET NULL,
      host TEXT,
      device TEXT NOT NULL,
      device_name TEXT NOT NULL,
      build TEXT NOT NULL,
      model_sha TEXT NOT NULL,
      scenario TEXT NOT NULL,
      variant TEXT NOT NULL,
      state TEXT NOT NULL,
      metric TEXT NOT NULL,
      pairs INTEGER NOT NULL,
      variation REAL,                   -- deviation over mean of all trials
      ratio REAL NOT NULL,
      floor REAL NOT NULL CHECK (floor >= 0)
    ) STRICT;
    CREATE INDEX noise_floor_key ON noise_floor (device, scenario, variant, state, metric);

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
        WHERE t.cell_id = c.id AND t.phase = 'measured' AND t.valid = 0) AS invalid_trials
    FROM cell c
    JOIN run n ON n.id = c.run_id
    JOIN model m ON m.sha256 = n.model_sha
    LEFT JOIN environment e ON e.run_id = n.id;
    """
}
