import FMCore
import FMTrace

/// A number of a played form that its other form is compared by.
package struct TraceFigure: Sendable, Hashable {
  package var name: String
  /// `tokens`, `bytes`, `s`, or nothing for plain counts.
  package var unit: String
  package var value: Double

  /// The figures of a trace, the same ones in the same order for every trace.
  static func all(of tree: TraceTree, _ numbers: TraceNumbers) -> [TraceFigure] {
    let spans = tree.trace.spans
    func total(_ kind: SpanKind, _ key: String) -> Double {
      Double(spans.reduce(0) { $1.kind == kind ? $0 + ($1.count(key) ?? 0) : $0 })
    }
    func most(_ kind: SpanKind, _ key: String) -> Double {
      Double(spans.compactMap { $0.kind == kind ? $0.count(key) : nil }.max() ?? 0)
    }
    func count(_ kind: SpanKind) -> Double { Double(spans.count { $0.kind == kind }) }
    let prompt = total(.inference, "prompt_tokens")
    let schemas = spans.reduce(0) { sum, span in
      (span.count("schema_in_prompt") ?? 0) > 0 ? sum + (span.count("schema_bytes") ?? 0) : sum
    }
    func longest(_ kind: TraceNumbers.Kind) -> Double {
      numbers.rows.first { $0.kind == kind }?.most ?? 0
    }
    return [
      TraceFigure(name: "sessions", unit: "", value: count(.session)),
      TraceFigure(name: "requests", unit: "", value: count(.request)),
      TraceFigure(name: "model calls", unit: "", value: count(.inference)),
      TraceFigure(name: "tool calls", unit: "", value: count(.toolCall)),
      TraceFigure(name: "prompt", unit: "tokens", value: prompt),
      TraceFigure(
        name: "computed", unit: "tokens", value: prompt - total(.inference, "cached_tokens")),
      TraceFigure(name: "longest prompt", unit: "tokens", value: most(.inference, "prompt_tokens")),
      TraceFigure(name: "schemas sent", unit: "bytes", value: Double(schemas)),
      TraceFigure(name: "tool output", unit: "bytes", value: total(.toolCall, "output_bytes")),
      TraceFigure(
        name: "longest argument", unit: "words", value: most(.toolCall, "arguments_words")),
      TraceFigure(name: "slowest tool", unit: "s", value: longest(.tool)),
      TraceFigure(name: "slowest request", unit: "s", value: longest(.request)),
      TraceFigure(name: "longest wait for an answer", unit: "s", value: longest(.answer)),
      TraceFigure(name: "longest hand-off", unit: "s", value: longest(.handOff)),
    ]
  }
}
