import FMBench
import Foundation
import Testing

@Suite struct MigrationTests {
  private let steps = [
    Migrations.Step(version: 1, sql: "CREATE TABLE a (x INTEGER) STRICT"),
    Migrations.Step(version: 2, sql: "ALTER TABLE a ADD COLUMN y TEXT; UPDATE a SET y = 'old'"),
    Migrations.Step(version: 3, sql: "CREATE TABLE b (z INTEGER) STRICT"),
  ]

  @Test func `brings an older database up and keeps its rows`() throws {
    let folder = try TemporaryFolder()
    let database = try SQLiteDatabase(path: folder.path("m.sqlite"), mode: .readWrite)
    try Migrations.apply(to: database, steps: Array(steps.prefix(1)))
    try database.execute("INSERT INTO a VALUES (7)")
    try Migrations.apply(to: database, steps: steps)
    let rows = try database.rows("SELECT x, y FROM a")
    #expect(rows == [SQLRow(values: [.integer(7), .text("old")])])
    #expect(try Migrations.version(of: database, supported: 3) == 3)
    try Migrations.apply(to: database, steps: steps)
    #expect(try database.rows("SELECT * FROM a").count == 1)
  }

  @Test func `a step that fails changes nothing`() throws {
    let folder = try TemporaryFolder()
    let database = try SQLiteDatabase(path: folder.path("m.sqlite"), mode: .readWrite)
    try Migrations.apply(to: database, steps: Array(steps.prefix(1)))
    let broken = steps.prefix(2) + [Migrations.Step(version: 3, sql: "CREATE TABLE a (x)")]
    #expect(throws: StoreError.self) { try Migrations.apply(to: database, steps: Array(broken)) }
    #expect(try Migrations.version(of: database, supported: 3) == 1)
    #expect(throws: StoreError.self) { try database.rows("SELECT y FROM a") }
  }

  @Test func `refuses a version ahead of its own`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("m.sqlite")
    let database = try SQLiteDatabase(path: path, mode: .readWrite)
    try Migrations.apply(to: database, steps: steps)
    #expect(throws: StoreError.newerVersion(path: path, found: 3, supported: 2)) {
      try Migrations.apply(to: database, steps: Array(steps.prefix(2)))
    }
  }

  @Test func `the steps are numbered without a gap`() {
    #expect(Migrations.all.map(\.version) == Array(1...Migrations.current))
  }
}

/// Databases that earlier releases wrote.
@Suite struct OlderDatabaseTests {
  /// A database of version 1 with a run on the processor.
  private func old(_ folder: TemporaryFolder) throws -> String {
    let path = folder.path("old.sqlite")
    let database = try SQLiteDatabase(path: path, mode: .readWrite)
    try Migrations.apply(to: database, steps: Array(Migrations.all.prefix(1)))
    try database.execute(
      """
      INSERT INTO model (sha256, name) VALUES ('aa', 'tiny');
      INSERT INTO run (uuid, started, status, pid, tool_version, commit_source, build, argv, seed,
        gap_scale, suite, suite_sha, profile, level, mode, model_sha, context)
        VALUES ('u', 's', 'finished', 1, '0', 'none', 'release', '[]', 1, 0.1, 'agent-v1', 'ff', 'S',
          'engine', 'scripted', 'aa', 4096);
      INSERT INTO cell (run_id, scenario, variant, state, device, device_name, masks, params,
        trials_planned) VALUES (1, 'one-tool', '', 'cold', 'cpu', 'a processor', 'off', '{}', 5);
      """)
    return path
  }

  @Test(arguments: [true, false])
  func `brings a database of version 1 up, for writing and for reading`(writes: Bool) throws {
    let folder = try TemporaryFolder()
    let path = try old(folder)
    let store = try writes ? BenchStore(writing: path) : BenchStore(reading: path)
    #expect(try Migrations.version(of: store.database, supported: 5) == 5)
    #expect(
      try store.lines("SELECT scenario, device, device_kind, scenario_sha, suite_sha FROM v_cell")
        == ["one-tool|cpu|cpu||ff"])
    #expect(try store.runs().map(\.device) == ["cpu"])
    let report = try store.report(run: 1)
    #expect(report.deviceKind == "cpu")
    #expect(report.driver == nil)
    #expect(report.cells.map(\.scenario) == ["one-tool"])
  }

  @Test func `brings a database of version 2 up, its runs played alone`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("old.sqlite")
    do {
      let database = try SQLiteDatabase(path: path, mode: .readWrite)
      try Migrations.apply(to: database, steps: Array(Migrations.all.prefix(2)))
      try database.execute(
        """
        INSERT INTO model (sha256, name) VALUES ('aa', 'tiny');
        INSERT INTO run (uuid, started, status, pid, tool_version, commit_source, build, argv, seed,
          gap_scale, suite, suite_sha, profile, level, mode, model_sha, context)
          VALUES ('u', 's', 'finished', 1, '0', 'none', 'release', '[]', 1, 0.1, 'agent-v1', 'ff',
            'S', 'engine', 'scripted', 'aa', 4096);
        INSERT INTO cell (run_id, scenario, variant, state, device, device_name, masks, params,
          trials_planned, device_kind, scenario_sha)
          VALUES (1, 'one-tool', '', 'cold', 'cpu', 'a processor', 'off', '{}', 5, 'cpu', 'beef');
        INSERT INTO trial (cell_id, rep, order_index, phase, started, started_ns, valid)
          VALUES (1, 0, 0, 'measured', 's', 1, 1);
        INSERT INTO sample (trial_id, t_ns, temperature_c) VALUES (1, 5, 40.5);
        """)
    }
    let store = try BenchStore(writing: path)
    #expect(try Migrations.version(of: store.database, supported: 5) == 5)
    #expect(
      try store.lines(
        "SELECT scenario_sha, interleaving, arm, primary_family, valid_trials FROM v_cell")
        == ["beef||||1"])
    #expect(
      try store.lines("SELECT temperature_c, swapped_in_pages, throttle_events FROM sample")
        == ["40.5||"])
    #expect(try store.lines("SELECT COUNT(*) FROM noise_floor") == ["0"])
    #expect(try store.measuredCells(runs: [1]).map(\.isPrimary) == [nil])
  }

  @Test func `brings a database of version 3 up, its requests at engine level`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("old.sqlite")
    do {
      let database = try SQLiteDatabase(path: path, mode: .readWrite)
      try Migrations.apply(to: database, steps: Array(Migrations.all.prefix(3)))
      try database.execute(
        """
        INSERT INTO model (sha256, name) VALUES ('aa', 'tiny');
        INSERT INTO run (uuid, started, status, pid, tool_version, commit_source, build, argv, seed,
          gap_scale, suite, suite_sha, profile, level, mode, model_sha, context)
          VALUES ('u', 's', 'finished', 1, '0', 'none', 'release', '[]', 1, 0.1, 'agent-v1', 'ff',
            'S', 'engine', 'scripted', 'aa', 4096);
        INSERT INTO cell (run_id, scenario, variant, state, device, device_name, masks, params,
          trials_planned) VALUES (1, 'one-tool', '', 'cold', 'cpu', 'a processor', 'off', '{}', 5);
        INSERT INTO trial (cell_id, rep, order_index, phase, started, started_ns, valid)
          VALUES (1, 0, 0, 'measured', 's', 1, 1);
        INSERT INTO session (trial_id, number, name, prefix_tokens) VALUES (1, 0, 'a', 10);
        INSERT INTO request (session_id, number, role, output_kind, scheduled_ns, submitted_ns,
          prefill_start_ns, first_token_ns, last_token_ns, completed_ns, n_prompt, n_cached, n_output)
          VALUES (1, 0, 'measured', 'text', 0, 0, 1000000, 5000000, 9000000, 9000000, 20, 5, 3);
        """)
    }
    let store = try BenchStore(writing: path)
    #expect(
      try store.lines("SELECT policy, streaming, prefix_edit, prompt_form, endpoint FROM v_cell")
        == ["||none|tokens|"])
    #expect(
      try store.lines("SELECT n_cached, hit, ttft_ms, content_ms, tpot_ms FROM v_request")
        == ["5|0.25|5.0||2.0"])
    #expect(try store.lines("SELECT n_cached, hit, joules FROM v_trial") == ["5|0.25|"])
    #expect(
      try store.lines("SELECT masks, level, mode FROM v_cell") == ["off|engine|scripted"])
  }

  @Test func `brings a database of version 4 up, its models loaded once`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("old.sqlite")
    do {
      let database = try SQLiteDatabase(path: path, mode: .readWrite)
      try Migrations.apply(to: database, steps: Array(Migrations.all.prefix(4)))
      try database.execute(
        """
        INSERT INTO model (sha256, name) VALUES ('aa', 'tiny');
        INSERT INTO run (uuid, started, status, pid, tool_version, commit_source, build, argv, seed,
          gap_scale, suite, suite_sha, profile, level, mode, model_sha, context, policy, streaming,
          prompt_form)
          VALUES ('u', 's', 'finished', 1, '0', 'none', 'release', '[]', 1, 0.1, 'agent-v1', 'ff',
            'S', 'session', 'scripted', 'aa', 4096, 'fresh', 0, 'native');
        INSERT INTO cell (run_id, scenario, variant, state, device, device_name, masks, params,
          trials_planned) VALUES (1, 'one-tool', '', 'cold', 'cpu', 'a processor', 'off', '{}', 5);
        """)
    }
    let store = try BenchStore(writing: path)
    #expect(try store.lines("SELECT policy, start, endpoint FROM v_cell") == ["fresh|running|"])
    #expect(
      try store.report(run: 1).style == "session level, a new session every turn, whole answers")
    #expect(try store.lines("SELECT COUNT(*) FROM trial WHERE load_ns IS NOT NULL") == ["0"])
  }

  @Test(.enabled(if: getuid() != 0, "root may write everywhere"))
  func `says that an older database must be writable`() throws {
    let folder = try TemporaryFolder()
    let path = try old(folder)
    chmod(path, 0o400)
    chmod(folder.url.path, 0o500)
    defer { chmod(folder.url.path, 0o700) }
    #expect(throws: StoreError.olderVersion(path: path, found: 1, supported: 5)) {
      try BenchStore(reading: path)
    }
  }
}
