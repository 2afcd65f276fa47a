import FMBench
import Foundation
import Testing

/// Results of llama-bench, in the forms it writes.
@Suite struct ImportTests {
  private static let columns = [
    "build_commit", "build_number", "cpu_info", "gpu_info", "backends", "model_filename",
    "model_type", "model_size", "model_n_params", "n_batch", "n_ubatch", "n_threads", "cpu_mask",
    "cpu_strict", "poll", "type_k", "type_v", "n_gpu_layers", "n_cpu_moe", "split_mode", "main_gpu",
    "no_kv_offload", "flash_attn", "devices", "tensor_split", "tensor_buft_overrides", "load_mode",
    "embeddings", "no_op_offload", "no_host", "fit_target", "fit_min_ctx", "n_prompt", "n_gen",
    "n_depth", "test_time", "avg_ns", "stddev_ns", "avg_ts", "stddev_ts",
  ]

  /// A statement as llama-bench writes it: values in quotes, nothing escaped.
  private func statement(_ changes: [String: String]) -> String {
    var values = [
      "build_commit": "abc123", "cpu_info": "a CPU", "gpu_info": "a card", "backends": "Vulkan",
      "model_filename": "/models/it's here, 'q'.gguf", "model_type": "llama 1B Q4_0",
      "model_size": "637699456", "model_n_params": "1100048384", "n_ubatch": "512",
      "n_threads": "8", "type_k": "f16", "n_gpu_layers": "99", "n_prompt": "512", "n_gen": "0",
      "n_depth": "0", "test_time": "2026-11-30T06:00:00Z", "avg_ns": "256000000",
      "stddev_ns": "1000", "avg_ts": "2000.0", "stddev_ts": "1.0",
    ]
    values.merge(changes) { $1 }
    return "INSERT INTO llama_bench (" + Self.columns.joined(separator: ", ") + ") VALUES ("
      + Self.columns.map { "'\(values[$0] ?? "")'" }.joined(separator: ", ") + ");\n"
  }

  private func rows(_ text: String) throws -> [LlamaBenchRow] {
    let folder = try TemporaryFolder()
    try Data(text.utf8).write(to: folder.url.appending(path: "x"))
    return try LlamaBenchRow.read(folder.path("x"))
  }

  @Test func `reads SQL that was not escaped, and no other statement`() throws {
    let found = try rows(
      "CREATE TABLE IF NOT EXISTS llama_bench (\n  build_commit TEXT\n);\nwarning: something\n"
        + statement([:]) + "DROP TABLE run;\n" + statement(["n_prompt": "0", "n_gen": "128"]))
    #expect(found.map(\.test) == ["pp512", "tg128"])
    #expect(found[0].columns["model_filename"] == "/models/it's here, 'q'.gguf")
    #expect(found[0].samples == [256_000_000])
  }

  @Test func `what is exported as llama-bench's table comes back the same`() throws {
    let folder = try TemporaryFolder()
    let store = try BenchStore(writing: folder.path("r.sqlite"))
    let test = [
      "n_prompt": "0", "n_gen": "128", "n_depth": "64", "avg_ns": "1280000000", "use_mmap": "1",
    ]
    _ = try store.importLlamaBench(try rows(statement([:]) + statement(test)))
    let text = try store.llamaBenchSQL(runs: [1])
    // As sqlite3 takes it.
    let database = try SQLiteDatabase(path: folder.path("l.sqlite"), mode: .readWrite)
    try database.execute(text)
    #expect(
      try database.rows(
        """
        SELECT n_prompt, n_gen, n_depth, avg_ns, avg_ts, stddev_ns, n_threads FROM llama_bench
        """
      ).map { row in (0..<7).map { row.double($0) ?? -1 } } == [
        [512, 0, 0, 256_000_000, 2000, 0, 8], [0, 128, 64, 1_280_000_000, 100, 0, 8],
      ])
    let back = try LlamaBenchRow.read(folder.path("l.sqlite"))
    #expect(back.map(\.test) == ["pp512", "tg128@d64"])
    #expect(try rows(text).map(\.test) == ["pp512", "tg128@d64"])
  }

  @Test func `an export averages trials of equal lengths, and quotes what SQL must have quoted`()
    throws
  {
    let folder = try TemporaryFolder()
    let store = try BenchStore(writing: folder.path("r.sqlite"))
    let (run, cell, trial, session) = try StoreFixture.begin(store)
    func finish(_ trial: Int, _ session: Int, start: Double) throws {
      _ = try store.addRequest(StoreFixture.request(start: start), session: session)
      try store.endTrial(
        trial, ended: StoreFixture.instant(start + 500), invalidReason: nil,
        sample: ResourceSample(at: StoreFixture.instant(start + 500)))
    }
    try finish(trial, session, start: 0)
    let second = try store.beginTrial(
      cell: cell, repetition: 1, orderIndex: 1, isWarmUp: false,
      started: StoreFixture.instant(1000), loadAverage: nil)
    try finish(
      second,
      try store.addSession(trial: second, number: 0, name: "assistant", prefixTokens: 200),
      start: 1000)
    try store.database.execute("UPDATE model SET name = 'it''s'")
    let database = try SQLiteDatabase(path: folder.path("l.sqlite"), mode: .readWrite)
    try database.execute(try store.llamaBenchSQL(runs: [run]))
    let found = try database.rows(
      "SELECT model_filename, n_prompt, n_gen, n_depth, avg_ns, stddev_ns FROM llama_bench")
    // 200 tokens of 240 in 99 ms, then four more of five in 40 ms.
    #expect(found.map { $0.string(0) } == ["it's.gguf", "it's.gguf"])
    #expect(
      found.map { row in (1..<6).map { row.int($0) } } == [
        [200, 0, 40, 99_000_000, 0], [0, 4, 240, 40_000_000, 0],
      ])
  }

  @Test func `gives times and rates as llama-bench does`() throws {
    let folder = try TemporaryFolder()
    let store = try BenchStore(writing: folder.path("r.sqlite"))
    let found = try rows(
      statement([:])
        + statement(["n_prompt": "0", "n_gen": "128", "n_depth": "64", "avg_ns": "1280000000"]))
    let result = try store.importLlamaBench(found)
    #expect(result.runs == [1] && result.tests == 2 && result.present == 0)
    let cells = try store.measuredCells(runs: [1])
    #expect(cells.map(\.variant) == ["pp512", "tg128@d64"])
    #expect(cells.map(\.device) == ["vulkan", "vulkan"])
    #expect(cells[0].trials.map { $0.values[.ttft] } == [256])
    #expect(cells[0].trials.map { $0.values[.prefillTPS] } == [2000])
    #expect(cells[1].trials.map { $0.values[.tpot] } == [10])
    #expect(cells[1].trials.map { $0.values[.decodeTPS] } == [100])
    #expect(try store.report(run: 1).model == "it's here, 'q'")
    let again = try store.importLlamaBench(found)
    #expect(again.runs.isEmpty && again.present == 1)
  }

  @Test func `repetitions of JSON are trials that can be judged`() throws {
    func line(_ commit: String, _ factor: Double) -> String {
      let samples = (0..<10).map { "\(1e8 * factor + Double($0) * 1e5)" }.joined(separator: ",")
      return #"{"build_commit":"\#(commit)","model_filename":"m.gguf","backends":"CPU","#
        + #""n_threads":2,"n_prompt":512,"n_gen":0,"n_depth":0,"avg_ns":1,"#
        + #""test_time":"2026-11-30T06:00:00Z","samples_ns":[\#(samples)]}"#
    }
    let folder = try TemporaryFolder()
    let store = try BenchStore(writing: folder.path("r.sqlite"))
    let result = try store.importLlamaBench(try rows(line("aaaa", 1) + "\n" + line("bbbb", 1.2)))
    #expect(result.runs == [1, 2])
    #expect(try rows("[\(line("aaaa", 1))]").map(\.samples.count) == [10])
    let comparison = RunComparison(
      axis: .commit, first: ("aaaa", try store.measuredCells(runs: [1])),
      second: ("bbbb", try store.measuredCells(runs: [2])))
    #expect(comparison.differences.isEmpty)
    #expect(comparison.outcome == .regression)
  }

  @Test func `a database that was fed from the SQL is read too`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("llama.sqlite")
    do {
      let database = try SQLiteDatabase(path: path, mode: .readWrite)
      try database.execute(
        """
        CREATE TABLE llama_bench (build_commit TEXT, n_prompt INTEGER, n_gen INTEGER, avg_ns INTEGER,
          avg_ts REAL);
        INSERT INTO llama_bench VALUES ('abc', 16, 0, 5000, 1.5);
        """)
    }
    let found = try LlamaBenchRow.read(path)
    #expect(found.map(\.test) == ["pp16"])
    #expect(found[0].samples == [5000])
  }

  @Test func `refuses what is none of its forms, and says where`() throws {
    for text in ["", "nothing\n", "[]", "{\"a\":", "[1,2]", "INSERT INTO llama_bench ("] {
      #expect(throws: ImportError.self, "\(text)") { try rows(text) }
    }
    let short = "INSERT INTO llama_bench (a, b) VALUES ('1');\n"
    #expect(throws: ImportError.self) { try rows(short) }
    for changes in [
      ["avg_ns": "-5"], ["avg_ns": "nan"], ["avg_ns": "1e40"], ["n_prompt": "0"],
      ["n_prompt": "99999999999"], ["avg_ns": ""],
    ] {
      #expect(throws: ImportError.self, "\(changes)") { try rows(statement(changes)) }
    }
    let reason = "No such file or directory"
    #expect(throws: ImportError.unreadable(path: "/no/such", reason: reason)) {
      try LlamaBenchRow.read("/no/such")
    }
    // Cut anywhere, it is read or refused, and nothing else.
    let whole = statement([:])
    for count in stride(from: 0, to: whole.utf8.count, by: 7) {
      _ = try? rows(String(whole.prefix(count)))
    }
  }
}
