import Foundation

/// Every trial of some runs with its metrics, one row each, for other programs.
package struct TrialExport: Sendable {
  /// How rows are written.
  package enum Format: String, Sendable, CaseIterable {
    case csv, json, markdown
  }

  /// A value of a row; null is "not known".
  package enum Value: Sendable, Hashable {
    case null
    case text(String)
    case integer(Int)
    case number(Double)
  }

  package var columns: [String]
  package var rows: [[Value]]

  /// The rows as text.
  package func text(_ format: Format) throws -> String {
    switch format {
    case .csv: csv()
    case .json: try json()
    case .markdown: markdown()
    }
  }

  /// RFC 4180 with line feeds: quotes where a value has a comma, a quote or a line's end.
  private func csv() -> String {
    func field(_ text: String) -> String {
      let needsQuotes = text.utf8.contains { byte in
        byte == UInt8(ascii: ",") || byte == UInt8(ascii: "\"") || byte == 10 || byte == 13
      }
      return needsQuotes
        ? "\"" + text.replacingOccurrences(of: "\"", with: "\"\"") + "\"" : text
    }
    let lines = [columns] + rows.map { $0.map(Self.plain) }
    return lines.map { $0.map(field).joined(separator: ",") + "\n" }.joined()
  }

  /// An array of objects whose members are in the order of the columns.
  private func json() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.withoutEscapingSlashes]
    func literal(_ value: Value) throws -> String {
      switch value {
      case .text(let text): String(decoding: try encoder.encode(text), as: UTF8.self)
      case .null: "null"
      case .integer, .number: Self.plain(value)
      }
    }
    let names = try columns.map { try literal(.text($0)) }
    let objects = try rows.map { row in
      "  {"
        + (try zip(names, row).map { "\($0): \(try literal($1))" }.joined(separator: ", ")) + "}"
    }
    return objects.isEmpty ? "[]\n" : "[\n" + objects.joined(separator: ",\n") + "\n]\n"
  }

  private func markdown() -> String {
    func field(_ text: String) -> String {
      text.replacingOccurrences(of: "|", with: "\\|").replacingOccurrences(of: "\n", with: " ")
    }
    func line(_ fields: [String]) -> String {
      "| " + fields.joined(separator: " | ") + " |\n"
    }
    return line(columns) + line(columns.map { _ in "---" })
      + rows.map { line($0.map { field(Self.shown($0)) }) }.joined()
  }

  private static func plain(_ value: Value) -> String {
    switch value {
    case .null: ""
    case .text(let text): text
    case .integer(let number): String(number)
    case .number(let number): number.isFinite ? String(number) : ""
    }
  }

  private static func shown(_ value: Value) -> String {
    if case .number(let number) = value { return ComparisonText.significant(number) }
    return plain(value)
  }
}

extension BenchStore {
  /// The measured trials of runs, invalid ones too with their reason and without metrics.
  package func trialExport(runs: [Int]) throws(StoreError) -> TrialExport {
    let facts = [
      "run", "uuid", "started", "label", "model", "model_sha", "quant", "device", "device_name",
      "device_kind", "threads", "kv_type", "commit", "build", "suite_sha", "scenario", "variant",
      "state", "scenario_sha", "rep", "order_index", "valid", "invalid_reason",
      "level", "mode", "policy", "streaming", "prefix_edit", "prompt_form", "start", "masks",
      "context", "seed", "gap_scale", "endpoint",
    ]
    var rows: [[TrialExport.Value]] = []
    for run in runs {
      let cells = try database.rows("SELECT id FROM cell WHERE run_id = ? ORDER BY id", [.int(run)])
      for cell in cells.compactMap({ $0.int(0) }) {
        let trials = try numberedTrials(cell: cell)
        let found = try database.rows(
          """
          SELECT v.run_id, v.uuid, t.started, v.label, v.model, v.model_sha, v.quant, v.device,
              v.device_name, v.device_kind, v.threads, v.kv_type, v.engine_commit, v.build,
              v.suite_sha, v.scenario, v.variant, v.state, v.scenario_sha, t.rep, t.order_index,
              t.valid, t.invalid_reason, v.level, v.mode, v.policy, v.streaming, v.prefix_edit,
              v.prompt_form, v.start, v.masks, v.context, v.seed, v.gap_scale, v.endpoint
            FROM trial t JOIN v_cell v ON v.cell_id = t.cell_id
            WHERE t.cell_id = ? AND t.phase = 'measured' ORDER BY t.order_index
          """, [.int(cell)])
        for row in found {
          let values = trials.first { $0.repetition == row.int(19) }?.values ?? [:]
          rows.append(
            row.values.map(Self.exported)
              + Metric.allCases.map { values[$0].map { .number($0) } ?? .null })
        }
      }
    }
    let names = Metric.allCases.map { metric in
      metric.unit == "ms" ? metric.rawValue + "_ms" : metric.rawValue
    }
    return TrialExport(columns: facts + names, rows: rows)
  }

  private static func exported(_ value: SQLValue) -> TrialExport.Value {
    switch value {
    case .null, .blob: .null
    case .integer(let number): .integer(Int(number))
    case .real(let number): .number(number)
    case .text(let text): .text(text)
    }
  }
}
