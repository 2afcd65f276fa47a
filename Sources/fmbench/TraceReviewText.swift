import FMCommand
import FMCore
import FMTrace

/// The review of a trace for machines.
enum TraceReviewText {
  static func json(_ review: TraceReview, of trace: Trace) -> JSONValue {
    .object([
      ("program", .string(trace.header.program)), ("spans", .integer(trace.spans.count)),
      ("dropped", .integer(trace.droppedCount)), ("cut", .bool(trace.isCut)),
      ("answers", .array(review.answers.map(json))),
      ("numbers", .object(review.numbers.rows.map { ($0.kind.rawValue, json($0)) })),
      ("contexts", .array(review.numbers.contexts.map(json))),
    ])
  }

  private static func json(_ row: TraceNumbers.Row) -> JSONValue {
    .object([
      ("unit", .string(row.kind.unit)), ("count", .integer(row.count)),
      ("median", .optional(row.median) { .number($0) }),
      ("least", .optional(row.least) { .number($0) }),
      ("most", .optional(row.most) { .number($0) }),
    ])
  }

  private static func json(_ context: TraceNumbers.Context) -> JSONValue {
    .object([
      ("session", .string(context.label)), ("calls", .integer(context.calls)),
      ("first_tokens", .integer(context.firstTokens)),
      ("last_tokens", .integer(context.lastTokens)), ("window", .integer(context.window)),
    ])
  }

  private static func json(_ answer: ReviewAnswer) -> JSONValue {
    let outcome: (String, String?) =
      switch answer.outcome {
      case .found: ("found", nil)
      case .clear: ("clear", nil)
      case .unknown(let reason): ("unknown", reason)
      }
    return .object([
      ("question", .string(answer.question.rawValue)), ("title", .string(answer.question.title)),
      ("outcome", .string(outcome.0)), ("reason", .optional(outcome.1) { .string($0) }),
      ("threshold", .string(answer.threshold)), ("advice", .string(answer.question.advice)),
      ("findings", .array(answer.findings.map(json))), ("more", .integer(answer.more)),
    ])
  }

  static func json(_ finding: Finding) -> JSONValue {
    .object([
      ("message", .string(finding.message)),
      ("spans", .array(finding.spans.map { .integer(Int(clamping: $0.value)) })),
      ("numbers", .object(finding.numbers.map { ($0.key, json($0.value)) })),
    ])
  }

  private static func json(_ value: TraceValue) -> JSONValue {
    switch value {
    case .count(let count): .integer(count)
    case .measure(let measure): .number(measure)
    case .name(let name): .string(name)
    }
  }
}
