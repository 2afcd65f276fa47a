import FMCore

/// Tool calls of a session that ask nearly the same as an earlier one.
enum RepeatedCalls {
  /// How many earlier calls of the same tool each call is compared with.
  private static let lookBack = 64

  /// A call, and the one it repeats.
  private struct Group {
    var first: Int
    var repeats: [Int] = []
    var similarity = 1.0
  }

  static func answer(_ facts: ReviewFacts) -> ReviewAnswer {
    var findings: [Finding] = []
    var canTell = false
    for session in facts.sessions {
      var groups: [Group] = []
      var byTool: [String: [Int]] = [:]
      for call in session.toolCalls {
        let tool = facts.tree[call].title
        canTell = canTell || facts.tree[call].name("arguments") != nil
        let known = byTool[tool, default: []].suffix(lookBack)
        let match = known.lazy.compactMap { place in
          similarity(facts.tree[groups[place].first], facts.tree[call]).map { (place, $0) }
        }.first { $0.1 >= facts.thresholds.similarity }
        if let (place, similarity) = match {
          groups[place].repeats.append(call)
          groups[place].similarity = min(groups[place].similarity, similarity)
        } else {
          byTool[tool, default: []].append(groups.count)
          groups.append(Group(first: call))
        }
      }
      findings += groups.filter { !$0.repeats.isEmpty }.map { finding($0, facts) }
    }
    let threshold =
      "the same tool in the same session, the same numbers, and words that are "
      + "\(ReviewFacts.percent(facts.thresholds.similarity)) alike"
    let hasCalls = facts.sessions.contains { !$0.toolCalls.isEmpty }
    return ReviewAnswer(
      .repeatedCalls, findings, threshold: threshold,
      unknown: canTell
        ? nil
        : hasCalls ? "the tool calls say nothing of their arguments" : "there is no tool call")
  }

  /// How alike two calls' arguments are; nil where the trace does not tell.
  ///
  /// Other numbers are other arguments: the next page is no repeat.
  private static func similarity(_ one: TraceSpan, _ other: TraceSpan) -> Double? {
    guard let hash = one.name("arguments"), let otherHash = other.name("arguments") else {
      return nil
    }
    if hash == otherHash { return 1 }
    guard one.name("arguments_numbers") == other.name("arguments_numbers"),
      let sketch = one.name("arguments_sketch"), let otherSketch = other.name("arguments_sketch")
    else { return nil }
    return ContentFingerprint.similarity(sketch, otherSketch)
  }

  private static func finding(_ group: Group, _ facts: ReviewFacts) -> Finding {
    let seconds = facts.covered(group.repeats)
    let count = group.repeats.count
    return Finding(
      .repeatedCalls,
      "\(facts.label(group.first)) was called \(count) more \(count == 1 ? "time" : "times") with "
        + (group.similarity == 1 ? "the same arguments" : "nearly the same arguments")
        + ", which took \(ReviewFacts.fixed(seconds)) s",
      spans: ([group.first] + group.repeats).map { facts.tree[$0].id },
      numbers: [
        TraceAttribute("repeats", .count(count)),
        TraceAttribute("similarity", .measure(group.similarity)),
        TraceAttribute("seconds", .measure(seconds)),
      ])
  }
}

/// Requests that take long, and which part of them does.
enum SlowParts {
  static func answer(_ facts: ReviewFacts) -> ReviewAnswer {
    let findings = facts.requests.compactMap { finding($0, facts) }
    let limits = facts.thresholds
    return ReviewAnswer(
      .slowToolOrModel, findings,
      threshold: "a request of \(ReviewFacts.fixed(limits.requestSeconds)) s, "
        + "\(ReviewFacts.percent(limits.dominantShare)) of it in tools, or in a model that takes "
        + "\(ReviewFacts.fixed(limits.firstTokenSeconds)) s to its first token or makes less than "
        + "\(ReviewFacts.fixed(limits.tokensPerSecond, 0)) tokens/s",
      unknown: facts.requests.isEmpty ? "there is no request in the trace" : nil)
  }

  private static func finding(_ request: Int, _ facts: ReviewFacts) -> Finding? {
    let tree = facts.tree
    let seconds = tree.seconds(of: request)
    guard seconds >= facts.thresholds.requestSeconds else { return nil }
    let tools = tree.below(request) { tree[$0].kind == .toolCall }
    var calls = tree.below(request) { tree.isModelCall($0) }
    if tree.isModelCall(request) { calls = [request] }
    let toolSeconds = facts.covered(tools)
    let modelSeconds = facts.covered(calls)
    let numbers = [
      TraceAttribute("seconds", .measure(seconds)),
      TraceAttribute("tool_seconds", .measure(toolSeconds)),
      TraceAttribute("model_seconds", .measure(modelSeconds)),
    ]
    if toolSeconds >= facts.thresholds.dominantShare * seconds {
      guard let slowest = tools.max(by: { tree.seconds(of: $0) < tree.seconds(of: $1) }) else {
        return nil
      }
      return Finding(
        .slowToolOrModel,
        "\(facts.label(request)) spent \(ReviewFacts.fixed(toolSeconds)) of "
          + "\(ReviewFacts.fixed(seconds)) s in tools, \(ReviewFacts.fixed(tree.seconds(of: slowest)))"
          + " s of it in one call of \(tree[slowest].title)",
        spans: [tree[request].id, tree[slowest].id], numbers: numbers)
    }
    guard modelSeconds >= facts.thresholds.dominantShare * seconds else { return nil }
    return model(request, calls, seconds: seconds, numbers: numbers, facts)
  }

  /// A finding where the model was slow, not merely long.
  private static func model(
    _ request: Int, _ calls: [Int], seconds: Double, numbers: [TraceAttribute], _ facts: ReviewFacts
  ) -> Finding? {
    let tree = facts.tree
    var wait = 0.0
    var tokens = 0
    var decoding = 0.0
    for call in calls {
      let first = firstToken(call, tree)
      wait += first ?? 0
      tokens = ReviewFacts.sum(tokens, max(0, (tree[call].count("output_tokens") ?? 0) - 1))
      if let first { decoding += max(0, tree.seconds(of: call) - first) }
    }
    let rate = decoding > 0 ? Double(tokens) / decoding : .infinity
    let isLate = wait >= facts.thresholds.firstTokenSeconds
    let isSlow = tokens > 0 && rate < facts.thresholds.tokensPerSecond
    guard isLate || isSlow else { return nil }
    let cause =
      !isSlow || (isLate && wait >= decoding)
      ? "\(ReviewFacts.fixed(wait)) s of it before first tokens"
      : "\(ReviewFacts.fixed(decoding)) s of it generating at \(ReviewFacts.fixed(rate, 1)) tokens/s"
    return Finding(
      .slowToolOrModel,
      "\(facts.label(request)) took \(ReviewFacts.fixed(seconds)) s in the model, \(cause)",
      spans: [tree[request].id] + calls.map { tree[$0].id },
      numbers: numbers + [
        TraceAttribute("first_token_seconds", .measure(wait)),
        TraceAttribute("tokens_per_second", .measure(rate)),
      ])
  }

  /// Seconds of a call to its first token, as it says itself or as its phases tell.
  static func firstToken(_ call: Int, _ tree: TraceTree) -> Double? {
    if let seconds = tree[call].measure("time_to_first_token"), seconds >= 0 { return seconds }
    let decode = tree.below(call) { tree[$0].kind == .decode }.first
    return decode.map { tree[$0].begin.seconds(since: tree[call].begin) }
  }
}
