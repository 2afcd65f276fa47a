import FMCore
import FMTrace
import Foundation
import Testing

/// The rules of the OpenTelemetry protocol's JSON, and of the conventions for generative AI.
enum OTLPRules {
  struct Span {
    var traceID: String
    var id: String
    var parent: String?
    var name: String
    var start: UInt64
    var end: UInt64
    var attributes: [String: Any]
    var hasError: Bool
  }

  /// Names of the conventions that may be written; all others begin with `fm.`.
  static let names: Set<String> = [
    "gen_ai.operation.name", "gen_ai.provider.name", "gen_ai.conversation.id",
    "gen_ai.request.model", "gen_ai.request.max_tokens", "gen_ai.request.temperature",
    "gen_ai.response.finish_reasons", "gen_ai.response.time_to_first_chunk", "gen_ai.output.type",
    "gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens",
    "gen_ai.usage.cache_read.input_tokens", "gen_ai.usage.reasoning.output_tokens",
    "gen_ai.tool.name", "gen_ai.tool.type", "gen_ai.tool.call.arguments",
    "gen_ai.tool.call.result", "gen_ai.input.messages", "gen_ai.output.messages", "error.type",
  ]

  /// The spans of a request, and what breaks a rule.
  static func check(_ bytes: [UInt8]) throws -> (spans: [Span], problems: [String]) {
    let json = try JSONSerialization.jsonObject(with: Data(bytes))
    var problems: [String] = []
    var spans: [Span] = []
    guard let resources = (json as? [String: Any])?["resourceSpans"] as? [[String: Any]] else {
      return ([], ["no resourceSpans"])
    }
    for resource in resources {
      let attributes = (resource["resource"] as? [String: Any])?["attributes"]
      if values(attributes, &problems)["service.name"] == nil { problems.append("no service.name") }
      for scope in resource["scopeSpans"] as? [[String: Any]] ?? [] {
        for entry in scope["spans"] as? [[String: Any]] ?? [] {
          if let span = span(entry, &problems) { spans.append(span) }
        }
      }
    }
    return (spans, problems + relationProblems(spans))
  }

  private static func span(_ entry: [String: Any], _ problems: inout [String]) -> Span? {
    guard let trace = entry["traceId"] as? String, let id = entry["spanId"] as? String,
      let name = entry["name"] as? String, !name.isEmpty, entry["kind"] as? Int == 1,
      let start = (entry["startTimeUnixNano"] as? String).flatMap({ UInt64($0) }),
      let end = (entry["endTimeUnixNano"] as? String).flatMap({ UInt64($0) })
    else {
      problems.append("a span lacks what every span has: \(entry)")
      return nil
    }
    if !isHexadecimal(trace, 32) { problems.append("trace id \(trace)") }
    if !isHexadecimal(id, 16) { problems.append("span id \(id)") }
    if end < start { problems.append("\(name) ends before it starts") }
    for event in entry["events"] as? [[String: Any]] ?? [] {
      if event["name"] as? String == nil
        || (event["timeUnixNano"] as? String).flatMap({ UInt64($0) }) == nil
      {
        problems.append("an event of \(name)")
      }
    }
    return Span(
      traceID: trace, id: id, parent: entry["parentSpanId"] as? String, name: name, start: start,
      end: end, attributes: values(entry["attributes"], &problems),
      hasError: (entry["status"] as? [String: Any])?["code"] as? Int == 2)
  }

  private static func isHexadecimal(_ text: String, _ count: Int) -> Bool {
    text.utf8.count == count && text != String(repeating: "0", count: count)
      && text.allSatisfy { ("0"..."9").contains($0) || ("a"..."f").contains($0) }
  }

  private static func values(_ list: Any?, _ problems: inout [String]) -> [String: Any] {
    var result: [String: Any] = [:]
    for entry in list as? [[String: Any]] ?? [] {
      guard let key = entry["key"] as? String, let value = entry["value"] as? [String: Any],
        value.count == 1, let kind = value.keys.first
      else {
        problems.append("an attribute is none: \(entry)")
        continue
      }
      if result[key] != nil { problems.append("\(key) is there twice") }
      switch kind {
      case "intValue": result[key] = (value[kind] as? String).flatMap { Int($0) }
      case "stringValue": result[key] = value[kind] as? String
      case "doubleValue": result[key] = value[kind]
      case "arrayValue":
        let array = (value[kind] as? [String: Any])?["values"] as? [[String: Any]]
        result[key] = array?.compactMap { $0["stringValue"] as? String }
      default: break
      }
      if result[key] == nil { problems.append("\(key) has a value of no known form") }
    }
    return result
  }

  private static func relationProblems(_ spans: [Span]) -> [String] {
    var problems: [String] = []
    var traces: [String: String] = [:]
    for span in spans where traces.updateValue(span.traceID, forKey: span.id) != nil {
      problems.append("span id \(span.id) is there twice")
    }
    for span in spans {
      if let parent = span.parent, traces[parent] != span.traceID {
        problems.append("the parent of \(span.name) is not in its trace")
      }
      for key in span.attributes.keys where !key.hasPrefix("fm.") && !names.contains(key) {
        problems.append("\(key) is no name of the conventions")
      }
      let operation = span.attributes["gen_ai.operation.name"] as? String
      if let operation, !["chat", "execute_tool", "invoke_agent"].contains(operation) {
        problems.append("\(operation) is no operation")
      }
      if operation == "execute_tool", span.attributes["gen_ai.tool.name"] == nil {
        problems.append("\(span.name) has no tool")
      }
      if operation == "chat", span.attributes["gen_ai.provider.name"] == nil {
        problems.append("\(span.name) has no provider")
      }
      if operation != "chat", span.attributes["gen_ai.usage.input_tokens"] != nil {
        problems.append("\(span.name) counts tokens that a model call counts too")
      }
    }
    return problems
  }
}

@Suite struct OTLPRulesTests {
  @Test(arguments: [false, true])
  func `an agent's trace follows the rules`(hasContent: Bool) throws {
    let builder = TraceBuilder.agent(hasContent: hasContent)
    let (spans, problems) = try OTLPRules.check(TraceFormat.otlp.bytes(of: builder.trace))
    #expect(problems.isEmpty, "\(problems)")
    #expect(spans.count == builder.trace.spans.count)
    let calls = spans.filter { $0.attributes["gen_ai.operation.name"] as? String == "chat" }
    #expect(calls.map(\.name) == ["chat tiny", "chat tiny", "chat tiny"])
    #expect(calls.map { $0.attributes["gen_ai.usage.input_tokens"] as? Int } == [300, 420, 200])
    #expect(calls[1].attributes["gen_ai.usage.cache_read.input_tokens"] as? Int == 300)
    #expect(calls[0].start == 1_700_000_000_700_000_000)
    #expect(calls[0].end - calls[0].start == 500_000_000)
    let tools = spans.filter { $0.name == "execute_tool search" }
    #expect(tools.count == 2)
    #expect(tools.allSatisfy { $0.attributes["gen_ai.tool.name"] as? String == "search" })
    // Load, two intervals and two sessions are roots.
    #expect(Set(spans.map(\.traceID)).count == 5)
    let request = try #require(spans.first { $0.name == "invoke_agent" })
    let message = request.attributes["gen_ai.input.messages"] as? String
    #expect(
      message
        == (hasContent
          ? #"[{"role":"user","parts":[{"type":"text","content":"Mail \u003cann@example.com\u003e \u0026 go"}]}]"#
          : nil))
  }

  @Test func `names of the conventions are used where there is one`() throws {
    var builder = TraceBuilder()
    builder.span(
      .generation, at: 0, length: 1,
      [
        TraceAttribute("finish_reason", .name("length")), TraceAttribute("max_tokens", .count(9)),
        TraceAttribute("temperature", .measure(0.5)), TraceAttribute("reasoning_tokens", .count(3)),
        TraceAttribute("output_type", .name("json")), TraceAttribute("error", .name("timeout")),
        TraceAttribute("cache_miss_reason", .name("cold")),
      ])
    let (spans, problems) = try OTLPRules.check(TraceFormat.otlp.bytes(of: builder.trace))
    #expect(problems.isEmpty, "\(problems)")
    let attributes = try #require(spans.first?.attributes)
    #expect(attributes["gen_ai.response.finish_reasons"] as? [String] == ["length"])
    #expect(attributes["gen_ai.request.max_tokens"] as? Int == 9)
    #expect(attributes["gen_ai.request.temperature"] as? Double == 0.5)
    #expect(attributes["gen_ai.usage.reasoning.output_tokens"] as? Int == 3)
    #expect(attributes["gen_ai.output.type"] as? String == "json")
    #expect(attributes["error.type"] as? String == "timeout")
    #expect(attributes["fm.cache_miss_reason"] as? String == "cold")
    #expect(spans[0].hasError)
  }

  @Test func `any spans follow the rules of ids and times`() throws {
    var random = SplitMix(state: 3)
    for _ in 0..<50 {
      let trace = RandomTrace.make(using: &random)
      let (spans, problems) = try OTLPRules.check(TraceFormat.otlp.bytes(of: trace))
      // Spans of random kinds have no tool names.
      let rest = problems.filter { !$0.hasSuffix("has no tool") }
      #expect(rest.isEmpty, "\(rest.prefix(3))")
      #expect(spans.count == trace.spans.count)
    }
  }

  @Test func `a parent that was not kept is left out`() throws {
    var builder = TraceBuilder()
    builder.span(.request, at: 0, length: 1)
    builder.span(.prefill, in: SpanID(value: 1), at: 0, length: 1)
    var trace = builder.trace
    trace.spans.removeFirst()
    let (spans, problems) = try OTLPRules.check(TraceFormat.otlp.bytes(of: trace))
    #expect(problems.isEmpty && spans.count == 1 && spans[0].parent == nil)
  }
}
