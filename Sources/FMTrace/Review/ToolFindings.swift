import FMCore

/// Tool calls of a session that ask nearly the same as an earlier one.
enum RepeatedCalls {
  /// How many earlier calls of the same tool each call is compared with.
  private static let lookBack = 64

  /// Calls of a tool that ask the same, nearly the same, or variants of it.
  fileprivate struct Group {
    var calls: [Int]
    var repeats = 0
    var variants = 0
    var similarity = 1.0
  }

  /// How a call stands to an earlier one.
  fileprivate enum Likeness {
    case near(Double)
    /// The words of one are among those of the other.
    case variant(Double)
  }

  static func answer(_ facts: ReviewFacts) -> ReviewAnswer {
    let limits = facts.thresholds
    var findings: [Finding] = []
    var canTell = false
    for session in facts.sessions {
      var groups: [Group] = []
      var byTool: [String: [(call: Int, group: Int)]] = [:]
      for call in session.toolCalls {
        let tool = facts.tree[call].title
        canTell = canTell || facts.tree[call].name("arguments") != nil
        let match = match(call, byTool[tool, default: []].suffix(lookBack), facts)
        let place = match?.group ?? groups.count
        if let match {
          groups[place].add(call, match.likeness)
        } else {
          groups.append(Group(calls: [call]))
        }
        byTool[tool, default: []].append((call, place))
      }
      findings += groups.filter { $0.repeats > 0 || $0.variants >= limits.variantCount }.map {
        finding($0, facts)
      }
    }
    let threshold =
      "the same tool in the same session, the same numbers, and words that are "
      + "\(ReviewFacts.percent(limits.similarity)) alike, or \(limits.variantCount) more calls whose "
      + "words have those of another, or are among them"
    let hasCalls = facts.sessions.contains { !$0.toolCalls.isEmpty }
    return ReviewAnswer(
      .repeatedCalls, findings, threshold: threshold,
      unknown: canTell
        ? nil
        : hasCalls ? "the tool calls say nothing of their arguments" : "there is no tool call")
  }

  /// The earlier call that a call is most like, where it is like one: near ones before variants.
  private static func match(
    _ call: Int, _ known: ArraySlice<(call: Int, group: Int)>, _ facts: ReviewFacts
  ) -> (group: Int, likeness: Likeness)? {
    var variant: (group: Int, likeness: Likeness)?
    for earlier in known {
      switch likeness(facts.tree[earlier.call], facts.tree[call], facts.thresholds) {
      case .near(let similarity): return (earlier.group, .near(similarity))
      case .variant(let similarity):
        if variant == nil { variant = (earlier.group, .variant(similarity)) }
      case nil: continue
      }
    }
    return variant
  }

  /// How alike two calls' arguments are; nil where they are not, or the trace does not tell.
  ///
  /// Other numbers are other arguments: the next page is no repeat.
  private static func likeness(
    _ one: TraceSpan, _ other: TraceSpan, _ limits: ReviewThresholds
  ) -> Likeness? {
    guard let hash = one.name("arguments"), let otherHash = other.name("arguments") else {
      return nil
    }
    if hash == otherHash { return .near(1) }
    guard one.name("arguments_numbers") == other.name("arguments_numbers"),
      let sketch = one.name("arguments_sketch"), let otherSketch = other.name("arguments_sketch"),
      let similarity = ContentFingerprint.similarity(sketch, otherSketch)
    else { return nil }
    if similarity >= limits.similarity { return .near(similarity) }
    guard let size = one.count("arguments_trigrams"),
      let otherSize = other.count("arguments_trigrams"),
      ContentFingerprint.containment(similarity: similarity, trigrams: size, otherSize)
        >= limits.containment
    else { return nil }
    return .variant(similarity)
  }

  private static func finding(_ group: Group, _ facts: ReviewFacts) -> Finding {
    let seconds = facts.covered(Array(group.calls.dropFirst()))
    let count = group.calls.count - 1
    let kind =
      group.variants > group.repeats
      ? "variants of the same words"
      : group.similarity == 1 ? "the same arguments" : "nearly the same arguments"
    return Finding(
      .repeatedCalls,
      "\(facts.label(group.calls[0])) was called \(count) more \(count == 1 ? "time" : "times") with "
        + "\(kind), which took \(ReviewFacts.fixed(seconds)) s",
      spans: group.calls.map { facts.tree[$0].id },
      numbers: [
        TraceAttribute("repeats", .count(count)),
        TraceAttribute("similarity", .measure(group.similarity)),
        TraceAttribute("seconds", .measure(seconds)),
      ])
  }
}

extension RepeatedCalls.Group {
  fileprivate mutating func add(_ call: Int, _ likeness: RepeatedCalls.Likeness) {
    calls.append(call)
    switch likeness {
    case .near(let value):
      repeats += 1
      similarity = min(similarity, value)
    case .variant(let value):
      variants += 1
      similarity = min(similarity, value)
    }
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
