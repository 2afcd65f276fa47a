import FMCore
import FMTrace
import Synchronization

/// What a session tells a tracer; there is one only where a trace is recorded.
final class SessionTrace: Sendable {
  let tracer: any Tracer
  private let began = MonotonicInstant.now
  private let parent = SpanContext.current
  private let state = Mutex<(span: SpanID?, requests: Int)>((nil, 0))

  /// The trace of a new session; nil where nobody records.
  static func ofNewSession() -> SessionTrace? {
    ProcessTracer.current.map { SessionTrace($0) }
  }

  private init(_ tracer: any Tracer) { self.tracer = tracer }

  deinit {
    let (span, requests) = state.withLock { $0 }
    guard let span else { return }
    tracer.end(span, at: .now, attributes: [TraceAttribute("requests", .count(requests))])
  }

  /// The session's span; begins with the first use, when model and instructions are known.
  func span(_ profile: ActiveProfile, _ transcript: Transcript) -> SpanID {
    state.withLock { state in
      if let span = state.span { return span }
      let span = SpanID.next()
      state.span = span
      var attributes = [
        TraceAttribute("model", .name(traceName(of: profile.model))),
        TraceAttribute("tool_count", .count(profile.tools.count)),
      ]
      let seen = profile.instructed(transcript)
      if case .instructions(let entry)? = seen.first {
        let fingerprint = ContentFingerprint.process
        let tools = entry.toolDefinitions.map { "\($0.name) \($0.description)" }
        attributes += [
          TraceAttribute("instructions", .name(fingerprint.hash(entry.segments.text))),
          TraceAttribute("instructions_bytes", .count(entry.segments.text.utf8.count)),
          TraceAttribute("tools", .name(fingerprint.hash(tools.joined(separator: "\n")))),
        ]
      } else {
        attributes.append(TraceAttribute("instructions", .name("none")))
      }
      tracer.begin(span, kind: .session, parent: parent, at: began, attributes: attributes)
      for tool in profile.toolDefinitions {
        let form = tool.showsParameters ? tool.parameters.jsonContent.jsonString : ""
        let bytes = tool.name.utf8.count + tool.description.utf8.count + form.utf8.count
        OfferedTool(name: tool.name, bytes: bytes).record(in: span, by: tracer)
      }
      if tracer.recordsContent, case .instructions(let entry)? = seen.first {
        tracer.content("instructions", entry.segments.text, in: span)
      }
      return span
    }
  }

  /// Begins the span of a request.
  func request(
    _ prompt: RequestPrompt, schema: GenerationSchema?, profile: ActiveProfile,
    transcript: Transcript
  ) -> RequestSpan {
    let session = span(profile, transcript)
    state.withLock { $0.requests += 1 }
    let span = SpanID.next()
    let text = prompt.segments.text
    var attributes = [
      TraceAttribute("prompt_bytes", .count(text.utf8.count)),
      TraceAttribute("entries", .count(transcript.count)),
    ]
    if let interval = SpanContext.interval {
      attributes.append(TraceAttribute("interval", .count(Int(clamping: interval.value))))
    }
    if let schema {
      let json = schema.jsonContent.jsonString
      let isInPrompt = prompt.contextOptions.includeSchemaInPrompt ?? true
      attributes += [
        TraceAttribute("schema", .name(ContentFingerprint.process.hash(json))),
        TraceAttribute("schema_bytes", .count(json.utf8.count)),
        TraceAttribute("schema_in_prompt", .count(isInPrompt ? 1 : 0)),
      ]
    }
    tracer.begin(span, kind: .request, parent: session, at: .now, attributes: attributes)
    if tracer.recordsContent { tracer.content("prompt", text, in: span) }
    return RequestSpan(tracer: tracer, span: span, session: session)
  }
}

/// The span of a request, and what is inside it.
struct RequestSpan: Sendable {
  let tracer: any Tracer
  let span: SpanID
  let session: SpanID

  /// Ends the request.
  func end(_ usage: LanguageModelSession.Usage, answer: String?, error: (any Error)?) {
    if let answer, tracer.recordsContent { tracer.content("answer", answer, in: span) }
    tracer.end(span, at: .now, attributes: usage.attributes + traceAttributes(of: error))
  }

  /// Notes that other instructions, tools or another model are in force.
  func noteProfileChange() {
    tracer.event("profile_changed", in: span, at: .now, attributes: [])
  }

  /// Begins the span of a model call.
  func call(_ request: LanguageModelExecutorGenerationRequest, profile: ActiveProfile) -> CallSpan {
    let call = SpanID.next()
    var bytes = 0
    for entry in request.transcript { bytes += entry.description.utf8.count }
    var attributes = [
      TraceAttribute("model", .name(traceName(of: profile.model))),
      TraceAttribute("entries", .count(request.transcript.count)),
      TraceAttribute("transcript_bytes", .count(bytes)),
      TraceAttribute("output_type", .name(request.schema == nil ? "text" : "json")),
    ]
    if let limit = request.generationOptions.maximumResponseTokens {
      attributes.append(TraceAttribute("max_tokens", .count(limit)))
    }
    if let temperature = request.generationOptions.temperature {
      attributes.append(TraceAttribute("temperature", .measure(temperature)))
    }
    let now = MonotonicInstant.now
    tracer.begin(call, kind: .inference, parent: span, at: now, attributes: attributes)
    return CallSpan(tracer: tracer, span: call, began: now)
  }

  /// Runs a tool inside a span of its own.
  ///
  /// A name that the model made up is content, and stays out; there is no `definition` for it.
  func tool(
    _ call: Transcript.ToolCall, _ definition: Transcript.ToolDefinition?,
    _ body: () async throws -> Transcript.ToolOutput
  ) async throws -> Transcript.ToolOutput {
    let span = SpanID.next()
    tracer.begin(
      span, kind: .toolCall, parent: self.span, at: .now,
      attributes: [TraceAttribute("tool", .name(definition?.name ?? "unknown"))]
        + ArgumentFacts(call.arguments, definition).attributes)
    if tracer.recordsContent { tracer.content("arguments", call.arguments.jsonString, in: span) }
    do {
      let output = try await SpanContext.$current.withValue(span) { try await body() }
      let text = output.segments.text
      if tracer.recordsContent { tracer.content("output", text, in: span) }
      tracer.end(
        span, at: .now, attributes: [TraceAttribute("output_bytes", .count(text.utf8.count))])
      return output
    } catch {
      tracer.end(span, at: .now, attributes: traceAttributes(of: error))
      throw error
    }
  }
}

/// The span of one model call.
struct CallSpan {
  let tracer: any Tracer
  let span: SpanID
  let began: MonotonicInstant
  private var firstToken: MonotonicInstant?
  /// Whether the call has come to its end.
  var isWhole = false

  init(tracer: any Tracer, span: SpanID, began: MonotonicInstant) {
    self.tracer = tracer
    self.span = span
    self.began = began
  }

  /// Takes down when the model first said something.
  mutating func noteEvent() {
    if firstToken == nil { firstToken = .now }
  }

  /// Ends the call.
  func end(_ usage: LanguageModelSession.Usage, contextSize: Int?) {
    var attributes = usage.attributes
    if let firstToken {
      attributes.append(
        TraceAttribute("time_to_first_token", .measure(firstToken.seconds(since: began))))
    }
    if let contextSize { attributes.append(TraceAttribute("context_size", .count(contextSize))) }
    if !isWhole { attributes.append(TraceAttribute("failed", .count(1))) }
    tracer.end(span, at: .now, attributes: attributes)
  }
}

extension LanguageModelSession.Usage {
  fileprivate var attributes: [TraceAttribute] {
    var result = [
      TraceAttribute("prompt_tokens", .count(input.totalTokenCount)),
      TraceAttribute("cached_tokens", .count(input.cachedTokenCount)),
      TraceAttribute("output_tokens", .count(output.totalTokenCount)),
    ]
    if output.reasoningTokenCount > 0 {
      result.append(TraceAttribute("reasoning_tokens", .count(output.reasoningTokenCount)))
    }
    return result
  }
}

/// What kind of error ended something: its type and case, never its text.
private func traceAttributes(of error: (any Error)?) -> [TraceAttribute] {
  guard let error else { return [] }
  var name = "\(type(of: error))"
  let mirror = Mirror(reflecting: error)
  if mirror.displayStyle == .enum, let label = mirror.children.first?.label {
    name += "." + label
  }
  return [TraceAttribute("error", .name(name))]
}
