import FMCore

/// A request to export spans of the OpenTelemetry protocol, in its JSON form.
///
/// Names are those of the semantic conventions for generative AI where they have one for the fact, and
/// begin with `fm.` otherwise. Ids are hexadecimal, 64-bit numbers decimal texts, as the protocol's JSON
/// has them. Token counts are on the span of the model call alone, so that sums count them once.
struct OTLPTrace {
  /// What our attributes of a model call are called there.
  static let modelCallNames = [
    "model": "gen_ai.request.model", "prompt_tokens": "gen_ai.usage.input_tokens",
    "cached_tokens": "gen_ai.usage.cache_read.input_tokens",
    "output_tokens": "gen_ai.usage.output_tokens",
    "reasoning_tokens": "gen_ai.usage.reasoning.output_tokens",
    "max_tokens": "gen_ai.request.max_tokens", "temperature": "gen_ai.request.temperature",
    "output_type": "gen_ai.output.type",
    "time_to_first_token": "gen_ai.response.time_to_first_chunk",
  ]
  /// What texts are called there, by the kind of their span.
  static let contentNames: [SpanKind: [String: String]] = [
    .toolCall: [
      "arguments": "gen_ai.tool.call.arguments", "output": "gen_ai.tool.call.result",
    ],
    .request: ["prompt": "gen_ai.input.messages", "answer": "gen_ai.output.messages"],
  ]

  private let tree: TraceTree
  private let seed: String

  init(_ tree: TraceTree) {
    self.tree = tree
    let header = tree.trace.header
    seed = "\(header.program) \(header.processID) \(header.startUnixNanoseconds)"
  }

  var bytes: [UInt8] {
    var output = JSONText()
    output.raw("{\"resourceSpans\":[{\"resource\":{\"attributes\":[")
    attribute("service.name", .name(tree.trace.header.program), to: &output)
    output.raw("]},\"scopeSpans\":[{\"scope\":{\"name\":\"fm\"},\"spans\":[")
    var events: [SpanID: [TraceEvent]] = [:]
    for event in tree.trace.events {
      if let span = event.span { events[span, default: []].append(event) }
    }
    let traceIDs = traceIDs()
    for (place, index) in tree.order.enumerated() {
      output.raw(place == 0 ? "\n" : ",\n")
      span(index, traceID: traceIDs[index], events[tree[index].id] ?? [], to: &output)
    }
    output.raw("\n]}]}]}\n")
    return output.bytes
  }

  /// A trace's id: 16 bytes that are the same for a root and all below it.
  private func traceIDs() -> [String] {
    var result = [String](repeating: "", count: tree.trace.spans.count)
    for root in tree.roots {
      let digest = SHA256.hexDigest(Array("\(seed) \(tree[root].id.value)".utf8))
      let id = String(digest.prefix(32))
      result[root] = id
      for index in tree.below(root, where: { _ in true }) { result[index] = id }
    }
    return result
  }

  /// A span's id: 8 bytes; ids begin at 1, so none is all zeros.
  private func spanID(_ id: SpanID) -> String {
    let digits = String(id.value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  // MARK: Spans

  private func span(
    _ index: Int, traceID: String, _ events: [TraceEvent], to output: inout JSONText
  ) {
    let span = tree[index]
    output.raw("{\"traceId\":\"\(traceID)\",\"spanId\":\"\(spanID(span.id))\"")
    if let parent = tree.parents[index] {
      output.raw(",\"parentSpanId\":\"\(spanID(tree[parent].id))\"")
    }
    output.raw(",\"name\":")
    output.string(name(index))
    // Internal: the work is done in the process that tells of it.
    output.raw(",\"kind\":1,\"startTimeUnixNano\":\"")
    output.number(tree.trace.header.unixNanoseconds(at: span.begin))
    output.raw("\",\"endTimeUnixNano\":\"")
    output.number(tree.trace.header.unixNanoseconds(at: tree.end(of: index)))
    output.raw("\",\"attributes\":[")
    attributes(index, to: &output)
    output.raw("]")
    if !events.isEmpty { self.events(events, to: &output) }
    if span.name("error") != nil || span.count("failed") != nil {
      output.raw(",\"status\":{\"code\":2}")
    }
    output.raw("}")
  }

  /// The operation, in the words of the conventions; nil for what they have none for.
  private func operation(_ index: Int) -> String? {
    switch tree[index].kind {
    case .request: "invoke_agent"
    case .toolCall: "execute_tool"
    case .inference, .generation: tree.isModelCall(index) ? "chat" : nil
    case .load, .session, .queue, .prefill, .decode, .prewarm, .interval: nil
    }
  }

  private func name(_ index: Int) -> String {
    let span = tree[index]
    guard let operation = operation(index) else { return span.title }
    let target = span.name(span.kind == .toolCall ? "tool" : "model")
    return target.map { "\(operation) \($0)" } ?? operation
  }

  private func attributes(_ index: Int, to output: inout JSONText) {
    let span = tree[index]
    attribute("fm.kind", .name(span.kind.rawValue), to: &output)
    func add(_ key: String, _ value: TraceValue) {
      output.raw(",")
      attribute(key, value, to: &output)
    }
    if let operation = operation(index) {
      add("gen_ai.operation.name", .name(operation))
      if span.kind != .toolCall {
        add("gen_ai.provider.name", .name(span.name("provider") ?? "foundation_models"))
      }
    }
    if let session = tree.nearest(.session, above: index) {
      add("gen_ai.conversation.id", .name(spanID(tree[session].id)))
    }
    if span.kind == .toolCall { add("gen_ai.tool.type", .name("function")) }
    for given in span.latestAttributes where given.key != "provider" && given.key != "kind" {
      if given.key == "finish_reason", tree.isModelCall(index), case .name(let reason) = given.value
      {
        output.raw(",{\"key\":\"gen_ai.response.finish_reasons\",\"value\":{\"arrayValue\":")
        output.raw("{\"values\":[{\"stringValue\":")
        output.string(reason)
        output.raw("}]}}}")
      } else {
        add(key(of: given.key, index), given.value)
      }
    }
    for item in span.content {
      let key = Self.contentNames[span.kind]?[item.key] ?? "fm.content.\(item.key)"
      add(key, .name(key.hasSuffix(".messages") ? message(item) : item.text))
    }
  }

  private func key(of key: String, _ index: Int) -> String {
    switch key {
    case "error": return "error.type"
    case "tool" where tree[index].kind == .toolCall: return "gen_ai.tool.name"
    case "model" where operation(index) != nil: return "gen_ai.request.model"
    default:
      let known = tree.isModelCall(index) ? Self.modelCallNames[key] : nil
      return known ?? "fm.\(key)"
    }
  }

  /// A text as the conventions have messages.
  private func message(_ item: TraceContent) -> String {
    var text = JSONText()
    text.raw(item.key == "prompt" ? "[{\"role\":\"user\"" : "[{\"role\":\"assistant\"")
    text.raw(",\"parts\":[{\"type\":\"text\",\"content\":")
    text.string(item.text)
    text.raw("}]}]")
    return text.text
  }

  private func events(_ events: [TraceEvent], to output: inout JSONText) {
    output.raw(",\"events\":[")
    for (place, event) in events.enumerated() {
      if place > 0 { output.raw(",") }
      output.raw("{\"timeUnixNano\":\"")
      output.number(tree.trace.header.unixNanoseconds(at: event.instant))
      output.raw("\",\"name\":")
      output.string(event.name)
      output.raw(",\"attributes\":[")
      for (number, given) in event.attributes.enumerated() {
        if number > 0 { output.raw(",") }
        attribute("fm.\(given.key)", given.value, to: &output)
      }
      output.raw("]}")
    }
    output.raw("]")
  }

  private func attribute(_ key: String, _ value: TraceValue, to output: inout JSONText) {
    output.raw("{\"key\":")
    output.string(key)
    output.raw(",\"value\":{")
    switch value {
    case .count(let count):
      output.raw("\"intValue\":\"")
      output.number(count)
      output.raw("\"")
    case .measure(let measure):
      output.raw("\"doubleValue\":")
      if measure.isFinite { output.number(measure) } else { output.raw("\"NaN\"") }
    case .name(let name):
      output.raw("\"stringValue\":")
      output.string(name)
    }
    output.raw("}}")
  }
}
