/// The tables of version 1, with the comments that document them: `fmbench schema` prints this text.
///
/// Times ending in `_ns` are nanoseconds of the monotonic clock of one boot, so they can be
/// subtracted inside a run and mean nothing between runs. Wall-clock times are RFC 3339 in UTC.
/// Null says "not known" or "does not apply"; it is never written as 0.
package enum Schema {
  /// Says in the file's header that fmbench made it: the letters `FMBE`.
  package static let applicationID = 0x464D_4245

  /// Base tables of version 1.
  package static let tables = [
    "run", "environment", "model", "cell", "trial", "session", "request", "token_gap", "tool_call",
    "sample",
  ]

  package static let version1 = """
    -- A model file, known by its contents.
    CREATE TABLE model (
      sha256 TEXT PRIMARY KEY,          -- of the whole file
      name TEXT NOT NULL,               -- file name without .gguf
      arch TEXT,                        -- llama, gemma3, ...
      quant TEXT,                       -- the type most weights have
      params INTEGER,                   -- weights counted in the file
      bytes INTEGER,                    -- size of the file
      ctx INTEGER                       -- context the model was trained for, in tokens
    ) STRICT;

    -- One call of `fmbench run`.
    CREATE TABLE run (
      id INTEGER PRIMARY KEY,
      uuid TEXT NOT NULL UNIQUE,
      started TEXT NOT NULL,            -- wall clock
      ended TEXT,                       -- null while running, or when it was killed
      status TEXT NOT NULL CHECK (status IN ('running', 'finished', 'interrupted', 'failed')),
      error TEXT,                       -- why it failed
      pid INTEGER NOT NULL,
      tool_version TEXT NOT NULL,
      engine_commit TEXT,               -- of the source tree it was built from
      dirty INTEGER,                    -- 1: with changes that were not committed
      commit_source TEXT NOT NULL,      -- where the commit was read: environment, git, none
      build TEXT NOT NULL,              -- release or debug
      label TEXT,                       -- the user's own
      argv TEXT NOT NULL,               -- JSON array
      seed INTEGER NOT NULL,            -- of the texts, the schedule and the bootstrap
      gap_scale REAL NOT NULL,          -- factor on every injected tool and think time
      suite TEXT NOT NULL,              -- name with its version: agent-v1
      suite_sha TEXT NOT NULL,          -- of the suite's files
      profile TEXT NOT NULL,            -- S or L
      level TEXT NOT NULL,              -- engine: token ids go in; session: the session API
      mode TEXT NOT NULL,               -- scripted: pinned calls and lengths; live: the model decides
      model_sha TEXT NOT NULL REFERENCES model (sha256),
      context INTEGER NOT NULL,         -- tokens the engine was opened with
      load_ns INTEGER,                  -- time to load the model
      load_memory INTEGER               -- bytes held beyond the mapped file
    ) STRICT;

    -- The machine as it was when the run started.
    CREATE TABLE environment (
      run_id INTEGER PRIMARY KEY REFERENCES run (id) ON DELETE CASCADE,
      host TEXT,                        -- salted hash of the machine id: tells machines apart
      cpu TEXT,                         -- model name
      cpu_flags TEXT,                   -- those that matter, space separated
      cores_online INTEGER,
      cores_usable INTEGER,             -- by affinity and cgroup limit
      cores_physical INTEGER,
      governor TEXT,
      frequency_mhz REAL,               -- highest current frequency read at the start
      memory_bytes INTEGER,
      memory_available_bytes INTEGER,
      swap_used_bytes INTEGER,
      kernel TEXT,
      os TEXT,
      container TEXT,                   -- docker, podman, lxc, kubernetes, other; null: none seen
      virtual INTEGER,                  -- 1: the processor reports a hypervisor
      power_source TEXT,                -- mains or battery
      temperature_c REAL,               -- hottest thermal zone at the start
      temperature_end_c REAL,
      load_1m REAL,                     -- load average at the start
      load_1m_end REAL,
      gpu TEXT,
      driver TEXT,
      vk_api TEXT,
      device_details TEXT               -- JSON array from the back end: instruction set, threads
    ) STRICT;

    -- One combination of what is varied; trials of a cell are repeats of the same work.
    CREATE TABLE cell (
      id INTEGER PRIMARY KEY,
      run_id INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
      scenario TEXT NOT NULL,
      variant TEXT NOT NULL,            -- empty when the scenario has one form
      state TEXT NOT NULL CHECK (state IN ('cold', 'prewarmed', 'warm')),
      device TEXT NOT NULL,             -- selector: cpu, vulkan:0
      device_name TEXT NOT NULL,
      threads INTEGER,
      ubatch INTEGER,                   -- most rows of a step
      kv_type TEXT,
      masks TEXT NOT NULL CHECK (masks IN ('on', 'off')),
      params TEXT NOT NULL,             -- JSON object: the variant's bindings
      trials_planned INTEGER NOT NULL,
      UNIQUE (run_id, scenario, variant, state, device, threads, kv_type, masks)
    ) STRICT;

    -- One play of a whole scenario in fresh sessions: the unit that statistics count.
    CREATE TABLE trial (
      id INTEGER PRIMARY KEY,
      cell_id INTEGER NOT NULL REFERENCES cell (id) ON DELETE CASCADE,
      rep INTEGER NOT NULL,             -- number within the cell from 0; warm-ups count apart
      order_index INTEGER NOT NULL,     -- place in the run, over all cells
      phase TEXT NOT NULL CHECK (phase IN ('warmup', 'measured')),
      started TEXT NOT NULL,
      started_ns INTEGER NOT NULL,
      ended_ns INTEGER,                 -- null: never finished
      valid INTEGER,                    -- null until it ended
      invalid_reason TEXT,
      recording_ns INTEGER,             -- writing to this database between its requests
      load_1m REAL,
      CHECK (valid IS NOT 0 OR invalid_reason IS NOT NULL)
    ) STRICT;
    CREATE INDEX trial_cell ON trial (cell_id);

    -- One session of a trial, in the order they begin.
    CREATE TABLE session (
      id INTEGER PRIMARY KEY,
      trial_id INTEGER NOT NULL REFERENCES trial (id) ON DELETE CASCADE,
      number INTEGER NOT NULL,          -- from 0
      name TEXT NOT NULL,
      prefix_tokens INTEGER NOT NULL,   -- instructions and tool schemas
      UNIQUE (trial_id, number)
    ) STRICT;

    -- One request to the engine. Sub-counts are inside their totals, never beside them.
    CREATE TABLE request (
      id INTEGER PRIMARY KEY,
      session_id INTEGER NOT NULL REFERENCES session (id) ON DELETE CASCADE,
      number INTEGER NOT NULL,          -- within the session from 0, preparation included
      role TEXT NOT NULL CHECK (role IN ('prewarm', 'lead_in', 'measured')),
      turn INTEGER,                     -- user turn from 0; null for preparation
      step INTEGER,                     -- step of the turn from 0
      output_kind TEXT NOT NULL,        -- text, json, call, none
      scheduled_ns INTEGER NOT NULL,    -- when it was due
      submitted_ns INTEGER NOT NULL,    -- handed to the engine
      prefill_start_ns INTEGER,         -- first work on it
      first_token_ns INTEGER,           -- first output token of any kind, before parsing
      last_token_ns INTEGER,
      completed_ns INTEGER NOT NULL,    -- the answer was whole
      n_prompt INTEGER NOT NULL,        -- prompt tokens, cached ones included
      n_cached INTEGER NOT NULL,        -- of the prompt, taken from the prefix cache
      n_template INTEGER,               -- of the prompt, chat template and tool schema; session level
      n_output INTEGER NOT NULL,
      expected_prompt INTEGER,          -- what the script says
      expected_output INTEGER,
      ideal_cached INTEGER,             -- longest prefix shared with what live sessions computed
      miss_reason TEXT,                 -- why the cache gave less than the prompt had in common
      finish TEXT,                      -- end_of_turn, length, stop_string, context_full, cancelled
      error TEXT,
      sampling_ns INTEGER,              -- of the time, spent choosing tokens
      CHECK (n_cached <= n_prompt),
      UNIQUE (session_id, number)
    ) STRICT;

    -- The stamp of every output token: gaps in nanoseconds from the one before, the first from
    -- submitted_ns; each gap is a LEB128 number of 7 bits a byte, low bits first.
    CREATE TABLE token_gap (
      request_id INTEGER PRIMARY KEY REFERENCES request (id) ON DELETE CASCADE,
      count INTEGER NOT NULL,
      gaps BLOB NOT NULL
    ) STRICT;

    -- One tool call, made by the request before it.
    CREATE TABLE tool_call (
      id INTEGER PRIMARY KEY,
      request_id INTEGER NOT NULL REFERENCES request (id) ON DELETE CASCADE,
      number INTEGER NOT NULL,          -- from 0, within the request
      name TEXT NOT NULL,
      args_hash TEXT,                   -- SHA-256 of the arguments' tokens; no content is stored
      started_ns INTEGER NOT NULL,
      ended_ns INTEGER NOT NULL,
      injected_ms REAL NOT NULL,        -- the sleep asked for: script times gap_scale
      out_tokens INTEGER NOT NULL,      -- of the tool's result
      repeat_of INTEGER REFERENCES tool_call (id), -- an earlier call of the session, same arguments
      UNIQUE (request_id, number)
    ) STRICT;

    -- Readings beside the work; null where the machine does not tell.
    CREATE TABLE sample (
      id INTEGER PRIMARY KEY,
      trial_id INTEGER NOT NULL REFERENCES trial (id) ON DELETE CASCADE,
      t_ns INTEGER NOT NULL,
      rss_bytes INTEGER,
      peak_rss_bytes INTEGER,
      gpu_mem_bytes INTEGER,
      temperature_c REAL,
      frequency_mhz REAL,
      joules REAL
    ) STRICT;
    CREATE INDEX sample_trial ON sample (trial_id);
    """
}
