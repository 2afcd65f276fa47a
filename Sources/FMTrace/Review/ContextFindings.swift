import FMCore

/// A prompt, or a tool's output, that takes a large part of the window at once.
enum PromptBloat {
  static func answer(_ facts: ReviewFacts) -> ReviewAnswer {
    let share = facts.thresholds.addedShare
    var findings: [Finding] = []
    for call in facts.calls {
      let window = facts.window(call.span)
      let added = added(call, facts)
      guard Double(added) >= share * Double(window) else { continue }
      let request = facts.tree.nearest(.request, above: call.span) ?? call.span
      let what = call.isFirst ? "its prompt" : "tool output"
      findings.append(
        Finding(
          .promptBloat,
          "\(what) of \(facts.label(request)) added about \(added) tokens, "
            + "\(ReviewFacts.percent(Double(added) / Double(window))) of a window of \(window)",
          spans: [facts.tree[call.span].id],
          numbers: [
            TraceAttribute("added_tokens", .count(added)),
            TraceAttribute("prompt_tokens", .count(call.promptTokens)),
            TraceAttribute("context_size", .count(window)),
          ]))
    }
    return ReviewAnswer(
      .promptBloat, findings,
      threshold: "one prompt or tool output adds \(ReviewFacts.percent(share)) of the window",
      unknown: facts.calls.isEmpty ? "no model call in the trace says its tokens" : nil)
  }

  /// Tokens that came new with a call, without the instructions as far as the trace tells them apart.
  private static func added(_ call: ReviewFacts.Call, _ facts: ReviewFacts) -> Int {
    guard call.knownTokens == 0 else { return max(0, call.promptTokens - call.knownTokens) }
    return own(call, facts) ?? call.promptTokens
  }

  /// About how many tokens of a session's first call are its prompt; nil where the trace does not tell.
  static func own(_ call: ReviewFacts.Call, _ facts: ReviewFacts) -> Int? {
    let request = facts.tree.nearest(.request, above: call.span)
    guard let request, let prompt = facts.tree[request].count("prompt_bytes"),
      let all = facts.tree[call.span].count("transcript_bytes"), prompt >= 0, all > 0, prompt <= all
    else { return nil }
    let part = Double(call.promptTokens) * Double(prompt) / Double(all)
    return Int(exactly: part.rounded())
  }
}

/// A session whose calls read more and more.
enum TranscriptGrowth {
  static func answer(_ facts: ReviewFacts) -> ReviewAnswer {
    let limits = facts.thresholds
    var findings: [Finding] = []
    for session in facts.sessions {
      guard let span = session.span, session.requests.count >= limits.grownRequests,
        let first = session.calls.first.map({ facts.calls[$0] }),
        let last = session.calls.last.map({ facts.calls[$0] })
      else { continue }
      let window = facts.window(last.span)
      guard Double(last.promptTokens) >= limits.grownFactor * Double(first.promptTokens),
        Double(last.promptTokens) >= limits.grownShare * Double(window)
      else { continue }
      let each = (last.promptTokens - first.promptTokens) / max(1, session.requests.count - 1)
      let left = max(0, window - last.promptTokens) / max(1, each)
      findings.append(
        Finding(
          .transcriptGrowth,
          "\(facts.label(span)) grew from \(first.promptTokens) to \(last.promptTokens) tokens in "
            + "\(session.requests.count) requests, about \(each) each; its window of \(window) is "
            + "full after about \(left) more",
          spans: [facts.tree[span].id, facts.tree[first.span].id, facts.tree[last.span].id],
          numbers: [
            TraceAttribute("first_tokens", .count(first.promptTokens)),
            TraceAttribute("last_tokens", .count(last.promptTokens)),
            TraceAttribute("tokens_per_request", .count(each)),
            TraceAttribute("requests_left", .count(left)),
            TraceAttribute("context_size", .count(window)),
          ]))
    }
    return ReviewAnswer(
      .transcriptGrowth, findings,
      threshold: "from the \(limits.grownRequests)rd request on, a session reads "
        + "\(ReviewFacts.fixed(limits.grownFactor, 0)) times what it began with and "
        + "\(ReviewFacts.percent(limits.grownShare)) of its window",
      unknown: unknown(facts))
  }

  private static func unknown(_ facts: ReviewFacts) -> String? {
    if facts.calls.isEmpty { return "no model call in the trace says its tokens" }
    return facts.sessions.contains { $0.span != nil } ? nil : "there is no session in the trace"
  }
}

/// A schema that was described in a session's prompt before.
enum SchemaResent {
  static func answer(_ facts: ReviewFacts) -> ReviewAnswer {
    var findings: [Finding] = []
    var hasSchema = false
    for session in facts.sessions {
      var seen: [String: [Int]] = [:]
      var order: [String] = []
      for request in session.requests {
        guard let schema = facts.tree[request].name("schema") else { continue }
        hasSchema = true
        guard (facts.tree[request].count("schema_in_prompt") ?? 0) > 0 else { continue }
        if seen[schema] == nil { order.append(schema) }
        seen[schema, default: []].append(request)
      }
      for schema in order {
        let requests = seen[schema] ?? []
        guard requests.count > 1, let span = session.span else { continue }
        let bytes = facts.tree[requests[0]].count("schema_bytes") ?? 0
        let again = bytes.multipliedReportingOverflow(by: requests.count - 1)
        findings.append(
          Finding(
            .schemaResent,
            "\(facts.label(span)) sent one schema of \(bytes) bytes with \(requests.count) requests",
            spans: requests.map { facts.tree[$0].id },
            numbers: [
              TraceAttribute("schema", .name(schema)),
              TraceAttribute("schema_bytes", .count(bytes)),
              TraceAttribute("sent", .count(requests.count)),
              TraceAttribute("repeated_bytes", .count(again.overflow ? .max : again.partialValue)),
            ]))
      }
    }
    return ReviewAnswer(
      .schemaResent, findings,
      threshold: "a session describes the same schema in more than one prompt",
      unknown: hasSchema ? nil : "no request in the trace asks for a schema")
  }
}
