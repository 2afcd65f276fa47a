import FMCore
import Foundation

/// What an import did.
package struct ImportResult: Sendable, Hashable {
  /// New runs, in the order of the file.
  package var runs: [Int] = []
  /// Runs that had been imported before.
  package var present = 0
  package var tests = 0
}

extension BenchStore {
  /// Stores tests of llama-bench as runs: one for tests in a row that differ in nothing but their lengths.
  ///
  /// A repetition becomes a trial of scenario `llama-bench`, its form the test's name. Reading a prompt is a
  /// request whose first token comes at the end (`ttft`, `prefill_tps`); generating n tokens is one
  /// of n + 1, the first at once (`tpot`, `decode_tps`); both together are only a whole (`task_wall`). The model is
  /// known by a hash of its name, size and number of weights, since its contents are not at hand.
  package func importLlamaBench(_ rows: [LlamaBenchRow]) throws(StoreError) -> ImportResult {
    var result = ImportResult()
    for group in Self.groups(rows) {
      let uuid = Self.uuid(of: group)
      guard try database.rows("SELECT id FROM run WHERE uuid = ?", [.text(uuid)]).isEmpty else {
        result.present += 1
        continue
      }
      let run = try database.transaction { () throws(StoreError) in
        try insert(group, uuid: uuid)
      }
      result.runs.append(run)
      result.tests += group.count
    }
    return result
  }

  private static let lengths: Set<String> = [
    "n_prompt", "n_gen", "n_depth", "test_time", "avg_ns", "stddev_ns", "avg_ts", "stddev_ts",
  ]

  private static func groups(_ rows: [LlamaBenchRow]) -> [[LlamaBenchRow]] {
    var groups: [[LlamaBenchRow]] = []
    for row in rows {
      func shared(_ row: LlamaBenchRow) -> [String: String] {
        row.columns.filter { !lengths.contains($0.key) }
      }
      if let last = groups.last, shared(last[0]) == shared(row),
        !last.contains(where: { $0.test == row.test })
      {
        groups[groups.count - 1].append(row)
      } else {
        groups.append([row])
      }
    }
    return groups
  }

  /// From the contents, so that a file that is imported twice is there once.
  private static func uuid(of group: [LlamaBenchRow]) -> String {
    var text = "llama-bench\n"
    for row in group {
      for (name, value) in row.columns.sorted(by: { $0.key < $1.key }) {
        text += "\(name)=\(value)\n"
      }
      text += row.samples.map { "\($0)" }.joined(separator: " ") + "\n"
    }
    let hex = Array(SHA256.hexDigest(text.utf8).prefix(32))
    return [hex[0..<8], hex[8..<12], hex[12..<16], hex[16..<20], hex[20..<32]]
      .map { String($0) }.joined(separator: "-")
  }

  private func insert(_ group: [LlamaBenchRow], uuid: String) throws(StoreError) -> Int {
    let row = group[0]
    let file = row.text("model_filename") ?? "unknown"
    let name = file.split(separator: "/").last.map(String.init) ?? file
    let sizes = "\(row.text("model_size") ?? "") \(row.text("model_n_params") ?? "")"
    let model = SHA256.hexDigest("llama-bench \(name) \(sizes)".utf8)
    try database.run(
      """
      INSERT OR IGNORE INTO model (sha256, name, quant, params, bytes) VALUES (?, ?, ?, ?, ?)
      """,
      [
        .text(model), .text(name.hasSuffix(".gguf") ? String(name.dropLast(5)) : name),
        .string(row.text("model_type")), .int(row.integer("model_n_params")),
        .int(row.integer("model_size")),
      ])
    let started = row.text("test_time") ?? Self.timestamp()
    let context = group.map { $0.depth + $0.prompt + $0.generated }.max() ?? 0
    let run = try database.run(
      """
      INSERT INTO run (uuid, started, ended, status, pid, tool_version, engine_commit, commit_source, build,
          label, argv, seed, gap_scale, suite, suite_sha, profile, level, mode, model_sha, context)
        VALUES (?, ?, ?, 'finished', 0, 'llama-bench', ?, 'none', 'release', 'llama-bench', '[]', 0, 0,
          'llama-bench', 'llama-bench', 'S', 'engine', 'scripted', ?, ?)
      """,
      [
        .text(uuid), .text(started), .string(group.last?.text("test_time") ?? started),
        .string(row.text("build_commit")), .text(model), .int(context),
      ])
    try database.run(
      "INSERT INTO environment (run_id, cpu, gpu, device_details) VALUES (?, ?, ?, '[]')",
      [.int(run), .string(row.text("cpu_info")), .string(row.text("gpu_info"))])
    for test in group { try insert(test, run: run) }
    return run
  }

  private func insert(_ test: LlamaBenchRow, run: Int) throws(StoreError) {
    let backend = (test.text("backends") ?? "CPU").split(separator: ",").first.map(String.init)
    let isCPU = backend == "CPU" || backend == "BLAS" || test.integer("n_gpu_layers") == 0
    let device = isCPU ? "cpu" : (backend ?? "unknown").lowercased()
    let deviceName = (isCPU ? test.text("cpu_info") : test.text("gpu_info")) ?? device
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let parameters = (try? encoder.encode(test.columns)) ?? Data("{}".utf8)
    let cell = try database.run(
      """
      INSERT INTO cell (run_id, scenario, variant, state, device, device_name, threads, ubatch, kv_type,
          masks, params, trials_planned, device_kind, scenario_sha, primary_family)
        VALUES (?, 'llama-bench', ?, 'cold', ?, ?, ?, ?, ?, 'off', ?, ?, ?, ?, 1)
      """,
      [
        .int(run), .text(test.test), .text(device), .text(deviceName),
        .int(test.integer("n_threads")), .int(test.integer("n_ubatch")),
        .string(test.text("type_k")), .text(String(decoding: parameters, as: UTF8.self)),
        .int(test.samples.count), isCPU ? .text("cpu") : .null,
        .text("llama-bench \(test.test)"),
      ])
    for (index, nanoseconds) in test.samples.enumerated() {
      try insert(trial: index, of: test, UInt64(nanoseconds), cell: cell)
    }
  }

  private func insert(
    trial index: Int, of test: LlamaBenchRow, _ nanoseconds: UInt64, cell: Int
  ) throws(StoreError) {
    let start = MonotonicInstant(nanoseconds: UInt64(index) &* 1_000_000_000_000_000)
    let end = MonotonicInstant(nanoseconds: start.nanoseconds &+ nanoseconds)
    let trial = try database.run(
      """
      INSERT INTO trial (cell_id, rep, order_index, phase, started, started_ns, ended_ns, valid)
        VALUES (?, ?, ?, 'measured', ?, ?, ?, 1)
      """,
      [
        .int(cell), .int(index), .int(index), .text(test.text("test_time") ?? Self.timestamp()),
        .unsigned(start.nanoseconds), .unsigned(end.nanoseconds),
      ])
    let session = try addSession(
      trial: trial, number: 0, name: "llama-bench", prefixTokens: test.depth)
    var request = RequestRow(
      number: 0, role: .measured, turn: 0, step: 0, outputKind: "none", scheduled: start,
      submitted: start, prefillStart: start, completed: end,
      promptTokens: test.depth + test.prompt, cachedTokens: test.depth, outputTokens: 0)
    if test.generated == 0 {
      request.firstToken = end
    } else if test.prompt == 0 {
      (request.firstToken, request.lastToken) = (start, end)
      request.outputTokens = test.generated + 1
    } else {
      request.outputTokens = test.generated
    }
    _ = try insert(request, session: session)
  }
}
