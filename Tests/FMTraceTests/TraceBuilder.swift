import FMCore
import FMTrace

/// Builds traces for tests, with times in seconds from their start.
struct TraceBuilder {
  /// Fingerprints of a fixed salt, so that similarities are the same in every run.
  static let fingerprint = ContentFingerprint(salt: 7)

  private(set) var trace: Trace
  private var nextID: UInt64 = 0

  init(hasContent: Bool = false) {
    trace = Trace(
      header: TraceHeader(
        program: "app", processID: 42, start: Self.instant(0),
        startUnixNanoseconds: 1_700_000_000_000_000_000, hasContent: hasContent))
  }

  var tree: TraceTree { TraceTree(trace) }
  var review: TraceReview { TraceReview(tree) }

  static func instant(_ seconds: Double) -> MonotonicInstant {
    MonotonicInstant(nanoseconds: 5_000_000_000 + UInt64((seconds * 1e9).rounded()))
  }

  /// Adds a span; a `length` of nil leaves it open.
  @discardableResult
  mutating func span(
    _ kind: SpanKind, in parent: SpanID? = nil, at start: Double, length: Double?,
    _ attributes: [TraceAttribute] = [], content: [TraceContent] = []
  ) -> SpanID {
    nextID += 1
    let id = SpanID(value: nextID)
    trace.spans.append(
      TraceSpan(
        id: id, kind: kind, parent: parent, begin: Self.instant(start),
        end: length.map { Self.instant(start + $0) }, attributes: attributes, content: content))
    return id
  }

  mutating func event(
    _ name: String, in span: SpanID?, at time: Double, _ attributes: [TraceAttribute] = []
  ) {
    trace.events.append(
      TraceEvent(name: name, span: span, instant: Self.instant(time), attributes: attributes))
  }

  /// Adds what `record` tells a tracer as events of the trace.
  mutating func events(_ record: (any Tracer) -> Void) {
    let recorder = TraceRecorder()
    record(recorder)
    trace.events += recorder.events
  }

  @discardableResult
  mutating func session(
    at start: Double = 0, length: Double? = 1000, instructions: String? = "same",
    context: Int = 4096, in parent: SpanID? = nil
  ) -> SpanID {
    var attributes = [
      TraceAttribute("model", .name("tiny")), TraceAttribute("context_size", .count(context)),
    ]
    if let instructions {
      attributes.append(TraceAttribute("instructions", .name(instructions)))
    }
    return span(.session, in: parent, at: start, length: length, attributes)
  }

  /// Adds a model call with its counts.
  @discardableResult
  mutating func call(
    in parent: SpanID?, at start: Double, length: Double = 0.2, prompt: Int, cached: Int = 0,
    output: Int = 20, firstToken: Double = 0.05, bytes: Int? = nil
  ) -> SpanID {
    var attributes = [
      TraceAttribute("model", .name("tiny")), TraceAttribute("prompt_tokens", .count(prompt)),
      TraceAttribute("cached_tokens", .count(cached)),
      TraceAttribute("output_tokens", .count(output)),
      TraceAttribute("time_to_first_token", .measure(firstToken)),
    ]
    if let bytes { attributes.append(TraceAttribute("transcript_bytes", .count(bytes))) }
    return span(.inference, in: parent, at: start, length: length, attributes)
  }

  /// Adds a request with one model call.
  @discardableResult
  mutating func request(
    in session: SpanID?, at start: Double, length: Double = 0.3, prompt: Int, output: Int = 20,
    cached: Int = 0, _ attributes: [TraceAttribute] = []
  ) -> SpanID {
    let request = span(.request, in: session, at: start, length: length, attributes)
    call(in: request, at: start, length: length, prompt: prompt, cached: cached, output: output)
    return request
  }

  /// Adds a tool call with the fingerprints of its arguments.
  @discardableResult
  mutating func tool(
    _ name: String, in request: SpanID?, at start: Double, length: Double = 0.1, words: String,
    numbers: String = "", _ more: [TraceAttribute] = []
  ) -> SpanID {
    var attributes = [
      TraceAttribute("tool", .name(name)),
      TraceAttribute("arguments", .name(Self.fingerprint.hash(words + "|" + numbers))),
    ]
    if let sketch = Self.fingerprint.sketch(words) {
      attributes += [
        TraceAttribute("arguments_sketch", .name(sketch)),
        TraceAttribute("arguments_trigrams", .count(ContentFingerprint.trigramCount(words))),
      ]
    }
    if !numbers.isEmpty {
      attributes.append(
        TraceAttribute("arguments_numbers", .name(Self.fingerprint.hash(numbers))))
    }
    return span(.toolCall, in: request, at: start, length: length, attributes + more)
  }

  /// An agent's run: two sessions, tools that overlap, an interval, engine spans, an open span.
  static func agent(hasContent: Bool = false) -> TraceBuilder {
    var builder = TraceBuilder(hasContent: hasContent)
    builder.span(.load, at: 0, length: 0.5, [TraceAttribute("model", .name("tiny"))])
    builder.span(.interval, at: 0.4, length: 4, [TraceAttribute("name", .name("plan"))])
    builder.span(.interval, at: 1, length: 9, [TraceAttribute("name", .name("scroll"))])
    let gather = builder.session(at: 0.6, length: 2.2, instructions: "gather")
    let request = builder.span(
      .request, in: gather, at: 0.7, length: 2, [TraceAttribute("prompt_bytes", .count(40))],
      content: hasContent ? [TraceContent(key: "prompt", text: "Mail <ann@example.com> & go")] : [])
    let call = builder.call(in: request, at: 0.7, length: 0.5, prompt: 300)
    let generation = builder.span(
      .generation, in: call, at: 0.71, length: 0.48,
      [TraceAttribute("prompt_tokens", .count(299)), TraceAttribute("prompt_tokens", .count(300))])
    builder.span(.queue, in: generation, at: 0.71, length: 0.01)
    builder.span(.prefill, in: generation, at: 0.72, length: 0.07)
    builder.span(.decode, in: generation, at: 0.79, length: 0.4)
    builder.tool("search", in: request, at: 1.25, length: 0.6, words: "pizza rome")
    builder.tool("search", in: request, at: 1.3, length: 0.8, words: "museum opening hours")
    builder.call(in: request, at: 2.15, length: 0.5, prompt: 420, cached: 300)
    builder.event("first_token", in: request, at: 0.79)
    let answer = builder.session(at: 2.7, length: nil, instructions: "answer")
    builder.request(in: answer, at: 2.9, prompt: 200)
    builder.span(.request, in: answer, at: 4, length: nil)
    builder.event("preempted", in: nil, at: 4.1)
    return builder
  }
}
