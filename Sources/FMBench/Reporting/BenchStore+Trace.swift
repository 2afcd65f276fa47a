import FMCore
package import FMTrace
import Foundation

extension BenchStore {
  /// The most requests of a run that are made into a trace.
  static let traceRequestLimit = 100_000

  /// A stored run as a trace: trial › session › request (a user's turn) › engine request and tool calls.
  ///
  /// Times are the stored stamps. There are no texts, and of arguments the hash alone. A run with more
  /// than ``traceRequestLimit`` requests is cut, and the rest counted as dropped.
  package func trace(run id: Int) throws(StoreError) -> Trace {
    let runs = try database.rows(
      """
      SELECT n.started, n.pid, n.context, m.name, n.status,
          (SELECT t.started FROM trial t JOIN cell c ON c.id = t.cell_id
            WHERE c.run_id = n.id ORDER BY t.started_ns LIMIT 1),
          (SELECT MIN(t.started_ns) FROM trial t JOIN cell c ON c.id = t.cell_id
            WHERE c.run_id = n.id)
        FROM run n JOIN model m ON m.sha256 = n.model_sha WHERE n.id = ?
      """, [.int(id)])
    guard let run = runs.first else { throw .noSuchRun(String(id)) }
    let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true, timeZone: .gmt)
    let wall = (run.string(5) ?? run.string(0)).flatMap { try? style.parse($0) }
    let header = TraceHeader(
      program: "fmbench run \(id)", processID: run.int(1) ?? 0,
      start: StoredTrace.instant(run.int(6)) ?? MonotonicInstant(nanoseconds: 0),
      startUnixNanoseconds: UInt64(max(0, (wall?.timeIntervalSince1970 ?? 0) * 1e9)))
    var builder = StoredTrace(
      header: header, model: run.string(3) ?? "", context: run.int(2).flatMap { $0 > 0 ? $0 : nil },
      tools: try toolCalls(run: id))
    let requests = try database.rows(
      """
      SELECT t.id, c.scenario, c.variant, c.state, t.phase, t.rep, s.id, s.number, s.name,
          s.prefix_tokens, r.id, r.role, r.turn, r.output_kind, r.scheduled_ns, r.submitted_ns,
          r.prefill_start_ns, r.first_token_ns, r.last_token_ns, r.completed_ns, r.n_prompt,
          CASE WHEN r.cache_reported = 1 THEN r.n_cached END, r.n_output, r.ideal_cached, r.miss_reason, r.finish, r.error IS NOT NULL
        FROM request r JOIN session s ON s.id = r.session_id JOIN trial t ON t.id = s.trial_id
          JOIN cell c ON c.id = t.cell_id
        WHERE c.run_id = ? ORDER BY t.order_index, t.id, s.number, s.id, r.number LIMIT ?
      """, [.int(id), .int(Self.traceRequestLimit + 1)])
    for row in requests.prefix(Self.traceRequestLimit) { builder.add(row) }
    var trace = builder.finish()
    trace.isCut = run.string(4) == "running"
    trace.droppedCount = max(0, requests.count - Self.traceRequestLimit)
    return trace
  }

  private func toolCalls(run id: Int) throws(StoreError) -> [Int: [StoredTrace.ToolCall]] {
    let rows = try database.rows(
      """
      SELECT x.request_id, x.name, x.args_hash, x.started_ns, x.ended_ns, x.out_tokens
        FROM tool_call x JOIN request r ON r.id = x.request_id JOIN session s ON s.id = r.session_id
          JOIN trial t ON t.id = s.trial_id JOIN cell c ON c.id = t.cell_id
        WHERE c.run_id = ? ORDER BY x.request_id, x.number
      """, [.int(id)])
    var result: [Int: [StoredTrace.ToolCall]] = [:]
    for row in rows {
      guard let request = row.int(0), let begin = StoredTrace.instant(row.int(3)),
        let end = StoredTrace.instant(row.int(4)), end >= begin
      else { continue }
      result[request, default: []].append(
        StoredTrace.ToolCall(
          name: row.string(1) ?? "", arguments: row.string(2), begin: begin, end: end,
          outputTokens: row.int(5)))
    }
    return result
  }
}

/// Makes spans of rows that come in the order of trials, sessions and requests.
struct StoredTrace {
  /// A tool call of a request.
  struct ToolCall {
    var name: String
    var arguments: String?
    var begin: MonotonicInstant
    var end: MonotonicInstant
    var outputTokens: Int?
  }

  private var trace: Trace
  private let model: String
  private let context: Int?
  private let tools: [Int: [ToolCall]]
  private var nextID: UInt64 = 0
  /// Where the spans of the trial, the session and the turn are, and which they are in the database.
  private var trial: (row: Int, span: Int)?
  private var session: (row: Int, span: Int)?
  private var turn: (row: Int?, span: Int)?

  init(header: TraceHeader, model: String, context: Int?, tools: [Int: [ToolCall]]) {
    trace = Trace(header: header)
    self.model = model
    self.context = context
    self.tools = tools
  }

  /// The trace of all rows so far.
  consuming func finish() -> Trace { trace }

  /// A stored stamp; nil for what is none.
  static func instant(_ nanoseconds: Int?) -> MonotonicInstant? {
    nanoseconds.flatMap { UInt64(exactly: $0) }.map { MonotonicInstant(nanoseconds: $0) }
  }

  mutating func add(_ row: SQLRow) {
    guard let trialRow = row.int(0), let sessionRow = row.int(6), let request = row.int(10),
      let scheduled = Self.instant(row.int(14)), let submitted = Self.instant(row.int(15)),
      let completed = Self.instant(row.int(19)), submitted <= completed
    else { return }
    let begin = min(scheduled, submitted)
    if trial?.row != trialRow {
      trial = (trialRow, append(.interval, in: nil, begin, completed, trialAttributes(row)))
      session = nil
    }
    guard let trial else { return }
    if session?.row != sessionRow {
      session = (
        sessionRow, append(.session, in: trial.span, begin, completed, sessionAttributes(row))
      )
      turn = nil
    }
    guard let session else { return }
    if row.string(11) == "prewarm" {
      turn = nil
      append(.prewarm, in: session.span, submitted, completed, counts(row))
    } else {
      let number = row.int(12)
      if turn == nil || number == nil || turn?.row != number {
        let role = TraceAttribute("role", .name(row.string(11) ?? ""))
        turn = (number, append(.request, in: session.span, begin, completed, [role]))
      }
      addCall(row, submitted, completed)
      for tool in tools[request] ?? [] { add(tool) }
    }
    if let turn { extend(session.span, to: trace.spans[turn.span].end ?? completed) }
    extend(session.span, to: completed)
    if let end = trace.spans[session.span].end { extend(trial.span, to: end) }
  }

  private mutating func addCall(
    _ row: SQLRow, _ submitted: MonotonicInstant, _ completed: MonotonicInstant
  ) {
    guard let turn else { return }
    extend(turn.span, to: completed)
    var attributes = [TraceAttribute("model", .name(model))] + counts(row)
    if row.int(16) == nil, let token = Self.instant(row.int(17)) {
      // Servers tell no prefill, whose end would say it.
      attributes.append(
        TraceAttribute("time_to_first_token", .measure(token.seconds(since: submitted))))
    }
    let call = append(.generation, in: turn.span, submitted, completed, attributes)
    let stamps = [
      submitted, Self.instant(row.int(16)), Self.instant(row.int(17)), Self.instant(row.int(18)),
    ]
    for (kind, number) in [(SpanKind.queue, 0), (.prefill, 1), (.decode, 2)] {
      guard let from = stamps[number], let to = stamps[number + 1], from <= to else { continue }
      append(kind, in: call, from, to, [])
    }
  }

  private mutating func add(_ tool: ToolCall) {
    guard let turn else { return }
    var attributes = [TraceAttribute("tool", .name(tool.name))]
    if let hash = tool.arguments { attributes.append(TraceAttribute("arguments", .name(hash))) }
    if let tokens = tool.outputTokens {
      attributes.append(TraceAttribute("output_tokens", .count(tokens)))
    }
    append(.toolCall, in: turn.span, tool.begin, tool.end, attributes)
    extend(turn.span, to: tool.end)
  }

  @discardableResult
  private mutating func append(
    _ kind: SpanKind, in parent: Int?, _ begin: MonotonicInstant, _ end: MonotonicInstant,
    _ attributes: [TraceAttribute]
  ) -> Int {
    nextID += 1
    trace.spans.append(
      TraceSpan(
        id: SpanID(value: nextID), kind: kind, parent: parent.map { trace.spans[$0].id },
        begin: begin, end: end, attributes: attributes))
    return trace.spans.count - 1
  }

  private mutating func extend(_ span: Int, to end: MonotonicInstant) {
    if let known = trace.spans[span].end, known < end { trace.spans[span].end = end }
  }

  // MARK: Attributes

  private func trialAttributes(_ row: SQLRow) -> [TraceAttribute] {
    let words = [row.string(1) ?? "", row.string(2) ?? "", row.string(3) ?? ""]
    let name = words.filter { !$0.isEmpty }.joined(separator: " ")
    return [
      TraceAttribute("name", .name("\(name) #\(row.int(5) ?? 0)")),
      TraceAttribute("phase", .name(row.string(4) ?? "")),
    ]
  }

  private func sessionAttributes(_ row: SQLRow) -> [TraceAttribute] {
    var result = [
      TraceAttribute("model", .name(model)),
      TraceAttribute("session", .name(row.string(8) ?? "")),
      // Sessions of one name begin with the same instructions.
      TraceAttribute("instructions", .name(row.string(8) ?? "")),
      TraceAttribute("prefix_tokens", .count(row.int(9) ?? 0)),
    ]
    if let context { result.append(TraceAttribute("context_size", .count(context))) }
    return result
  }

  private func counts(_ row: SQLRow) -> [TraceAttribute] {
    var result = [
      TraceAttribute("prompt_tokens", .count(row.int(20) ?? 0)),
      TraceAttribute("output_tokens", .count(row.int(22) ?? 0)),
    ]
    if let cached = row.int(21) {
      result.insert(TraceAttribute("cached_tokens", .count(cached)), at: 1)
    }
    if let ideal = row.int(23) { result.append(TraceAttribute("ideal_cached", .count(ideal))) }
    if let reason = row.string(24) {
      result.append(TraceAttribute("cache_miss_reason", .name(reason)))
    }
    if let finish = row.string(25) { result.append(TraceAttribute("finish_reason", .name(finish))) }
    if row.string(13) == "json" { result.append(TraceAttribute("output_type", .name("json"))) }
    if row.bool(26) == true { result.append(TraceAttribute("failed", .count(1))) }
    return result
  }
}
