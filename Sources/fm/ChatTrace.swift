import FMCore
import FMRuntime
import FMTrace

/// What a conversation tells the tracer of the process; there is one only where a trace is recorded.
final class ChatTrace {
  private let tracer: any Tracer
  private let session = SpanID.next()
  private var requests = 0

  /// Begins the conversation's span; nil where nobody records.
  init?(model: LoadedModel) {
    guard let tracer = ProcessTracer.current else { return nil }
    self.tracer = tracer
    tracer.begin(
      session, kind: .session, parent: nil, at: .now,
      attributes: [
        TraceAttribute("model", .name(model.description.name)),
        TraceAttribute("context_size", .count(model.description.contextLength)),
      ])
  }

  deinit {
    tracer.end(session, at: .now, attributes: [TraceAttribute("requests", .count(requests))])
  }

  /// Answers inside the span of a request.
  func request<Answer>(
    _ text: String, _ body: () async throws -> Answer
  ) async throws -> Answer {
    let span = SpanID.next()
    requests += 1
    tracer.begin(
      span, kind: .request, parent: session, at: .now,
      attributes: [TraceAttribute("prompt_bytes", .count(text.utf8.count))])
    if tracer.recordsContent { tracer.content("prompt", text, in: span) }
    do {
      let answer = try await SpanContext.$current.withValue(span) { try await body() }
      tracer.end(span, at: .now, attributes: [])
      return answer
    } catch {
      tracer.end(
        span, at: .now, attributes: [TraceAttribute("error", .name("\(type(of: error))"))])
      throw error
    }
  }
}
