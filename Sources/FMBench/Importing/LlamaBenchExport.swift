import Foundation

extension BenchStore {
  /// Runs as `llama-bench -o sql` writes its tests, for programs that read its table.
  ///
  /// Of each cell's first requests: reading what was not in the cache, at the depth of what was (`pp`), and
  /// generating all tokens but the first, at the depth of the prompt (`tg`), averaged over valid trials; requests
  /// of other lengths are tests of their own. Unlike llama-bench's its times hold sampling and detokenizing. Columns
  /// that mean nothing here have llama-bench's defaults. Values are quoted as SQL wants it.
  package func llamaBenchSQL(runs: [Int]) throws(StoreError) -> String {
    var text = "CREATE TABLE IF NOT EXISTS llama_bench (\n"
    text += Self.llamaBenchColumns.map { "  \($0.name) \($0.type)" }.joined(separator: ",\n")
    text += "\n);\n"
    let names = Self.llamaBenchColumns.map(\.name).joined(separator: ", ")
    for run in runs {
      for test in try llamaBenchTests(run: run) {
        let values = Self.llamaBenchColumns.map { column in
          "'" + (test[column.name] ?? column.usual).replacingOccurrences(of: "'", with: "''") + "'"
        }
        text +=
          "INSERT INTO llama_bench (\(names)) VALUES (" + values.joined(separator: ", ") + ");\n"
      }
    }
    return text
  }

  /// Names, types and what stands in a column where nothing here says otherwise.
  private static let llamaBenchColumns: [(name: String, type: String, usual: String)] = [
    ("build_commit", "TEXT", "unknown"), ("build_number", "INTEGER", "0"), ("cpu_info", "TEXT", ""),
    ("gpu_info", "TEXT", ""), ("backends", "TEXT", ""), ("model_filename", "TEXT", ""),
    ("model_type", "TEXT", ""), ("model_size", "INTEGER", "0"), ("model_n_params", "INTEGER", "0"),
    ("n_batch", "INTEGER", "512"), ("n_ubatch", "INTEGER", "512"), ("n_threads", "INTEGER", "0"),
    ("cpu_mask", "TEXT", "0x0"), ("cpu_strict", "INTEGER", "0"), ("poll", "INTEGER", "50"),
    ("type_k", "TEXT", "f16"), ("type_v", "TEXT", "f16"), ("n_gpu_layers", "INTEGER", "0"),
    ("n_cpu_moe", "INTEGER", "0"), ("split_mode", "TEXT", "layer"), ("main_gpu", "INTEGER", "0"),
    ("no_kv_offload", "INTEGER", "0"), ("flash_attn", "INTEGER", "1"), ("devices", "TEXT", "auto"),
    ("tensor_split", "TEXT", "0.00"), ("tensor_buft_overrides", "TEXT", "none"),
    ("load_mode", "TEXT", "mmap"), ("use_mmap", "INTEGER", "1"), ("embeddings", "INTEGER", "0"),
    ("no_op_offload", "INTEGER", "0"), ("no_host", "INTEGER", "0"), ("fit_target", "INTEGER", "0"),
    ("fit_min_ctx", "INTEGER", "0"), ("n_prompt", "INTEGER", "0"), ("n_gen", "INTEGER", "0"),
    ("n_depth", "INTEGER", "0"), ("test_time", "TEXT", ""), ("avg_ns", "INTEGER", "0"),
    ("stddev_ns", "INTEGER", "0"), ("avg_ts", "REAL", "0"), ("stddev_ts", "REAL", "0"),
  ]

  /// One test of one length with the times of its trials.
  private struct LlamaBenchTest {
    var prompt = 0
    var generated = 0
    var depth: Int
    var nanoseconds: [Double]

    func isAlike(_ other: LlamaBenchTest) -> Bool {
      (prompt, generated, depth) == (other.prompt, other.generated, other.depth)
    }

    var columns: [String: String] {
      let rates = nanoseconds.map { Double(prompt + generated) * 1e9 / $0 }
      return [
        "n_prompt": "\(prompt)", "n_gen": "\(generated)", "n_depth": "\(depth)",
        "avg_ns": "\(Int(Self.mean(nanoseconds)))",
        "stddev_ns": "\(Int(Self.deviation(nanoseconds)))", "avg_ts": "\(Self.mean(rates))",
        "stddev_ts": "\(Self.deviation(rates))",
      ]
    }

    private static func mean(_ values: [Double]) -> Double {
      values.reduce(0, +) / Double(max(1, values.count))
    }

    private static func deviation(_ values: [Double]) -> Double {
      guard values.count > 1 else { return 0 }
      let center = mean(values)
      let squares = values.reduce(0) { $0 + ($1 - center) * ($1 - center) }
      return (squares / Double(values.count - 1)).squareRoot()
    }
  }

  private func llamaBenchTests(run: Int) throws(StoreError) -> [[String: String]] {
    let cells = try database.rows(
      """
      SELECT v.cell_id, COALESCE(v.engine_commit, 'unknown'), COALESCE(v.cpu, ''), COALESCE(v.gpu, ''),
          v.device, v.device_kind, v.model || '.gguf', COALESCE(m.arch || ' ', '') || COALESCE(m.quant, ''),
          COALESCE(m.bytes, 0), COALESCE(m.params, 0), COALESCE(v.ubatch, 512), COALESCE(v.threads, 0),
          COALESCE(v.kv_type, 'f16'), substr(v.started, 1, 19) || 'Z'
        FROM v_cell v JOIN model m ON m.sha256 = v.model_sha WHERE v.run_id = ? ORDER BY v.cell_id
      """, [.int(run)])
    var tests: [[String: String]] = []
    for cell in cells {
      func text(_ column: Int) -> String { cell.string(column) ?? "" }
      func number(_ column: Int) -> String { "\(cell.int(column) ?? 0)" }
      let isProcessor = cell.string(5) == "cpu"
      let facts = [
        "build_commit": text(1), "cpu_info": text(2), "gpu_info": text(3),
        "backends": isProcessor ? "CPU" : "Vulkan", "model_filename": text(6),
        "model_type": text(7), "model_size": number(8), "model_n_params": number(9),
        "n_batch": number(10), "n_ubatch": number(10), "n_threads": number(11),
        "type_k": text(12), "type_v": text(12), "n_gpu_layers": isProcessor ? "0" : "99",
        "devices": text(4), "test_time": text(13),
      ]
      for test in try llamaBenchTests(cell: cell.int(0) ?? 0) {
        tests.append(facts.merging(test.columns) { $1 })
      }
    }
    return tests
  }

  private func llamaBenchTests(cell: Int) throws(StoreError) -> [LlamaBenchTest] {
    let rows = try database.rows(
      """
      SELECT r.n_prompt, r.n_cached, r.n_output, r.first_token_ns - r.prefill_start_ns,
          r.last_token_ns - r.first_token_ns
        FROM trial t JOIN session s ON s.trial_id = t.id AND s.number = 0
          JOIN request r ON r.session_id = s.id AND r.role = 'measured'
        WHERE t.cell_id = ? AND t.phase = 'measured' AND t.valid = 1 AND r.cache_reported = 1
          AND r.number = (SELECT MIN(x.number) FROM request x
            WHERE x.session_id = s.id AND x.role = 'measured')
        ORDER BY t.order_index
      """, [.int(cell)])
    var found: [LlamaBenchTest] = []
    for row in rows {
      guard let prompt = row.int(0), let cached = row.int(1), let output = row.int(2) else {
        continue
      }
      let reading = LlamaBenchTest(
        prompt: prompt - cached, depth: cached, nanoseconds: [row.double(3) ?? 0])
      let writing = LlamaBenchTest(
        generated: output - 1, depth: prompt, nanoseconds: [row.double(4) ?? 0])
      for test in [reading, writing]
      where test.prompt + test.generated > 0 && test.nanoseconds[0] > 0 {
        if let place = found.firstIndex(where: { $0.isAlike(test) }) {
          found[place].nanoseconds += test.nanoseconds
        } else {
          found.append(test)
        }
      }
    }
    return found
  }
}
