import FMCore

/// Tool calls beside what an action declares to expect.
enum UnexpectedTool {
  /// The calls of an action, and what it declares.
  private struct Action {
    /// The interval; nil where the declaration is the reviewer's.
    var span: Int?
    var expected: [ExpectedCall]
    var calls: [Int] = []
  }

  /// Looks at every action that declares something; calls outside them are held against `expected`.
  static func answer(_ facts: ReviewFacts, _ expected: [ExpectedCall]?) -> ReviewAnswer {
    let actions = actions(facts, expected)
    return ReviewAnswer(
      .unexpectedTool, actions.flatMap { findings($0, facts) },
      threshold: "an action calls a tool it does not declare, a declared one more or less often, "
        + "about something else, or with more words",
      unknown: actions.isEmpty ? "nobody says which tools are expected" : nil)
  }

  private static func actions(_ facts: ReviewFacts, _ expected: [ExpectedCall]?) -> [Action] {
    let tree = facts.tree
    var declared: [SpanID: [ExpectedCall]] = [:]
    for event in tree.trace.events {
      guard let span = event.span, let call = ExpectedCall(event) else { continue }
      declared[span, default: []].append(call)
    }
    var actions: [Action] = []
    var places: [Int: Int] = [:]
    var intervals: [Int: Int] = [:]
    for index in tree.order where tree[index].kind == .interval {
      intervals[Int(clamping: tree[index].id.value)] = index
      guard tree[index].count(ExpectedCall.countKey) != nil else { continue }
      places[index] = actions.count
      actions.append(Action(span: index, expected: declared[tree[index].id] ?? []))
    }
    var rest = Action(span: nil, expected: expected ?? [])
    for call in tree.order where tree[call].kind == .toolCall {
      let request = tree.nearest(.request, above: call)
      var current =
        request.flatMap { tree[$0].count("interval") }.flatMap { intervals[$0] }
        ?? tree.nearest(.interval, above: call)
      while let interval = current, places[interval] == nil { current = tree.parents[interval] }
      if let place = current.flatMap({ places[$0] }) {
        actions[place].calls.append(call)
      } else {
        rest.calls.append(call)
      }
    }
    if expected != nil, !tree.order.isEmpty { actions.append(rest) }
    return actions
  }

  private static func findings(_ action: Action, _ facts: ReviewFacts) -> [Finding] {
    let names = action.expected.map(\.tool)
    var byTool: [String: [Int]] = [:]
    var others: [String] = []
    for call in action.calls {
      let tool = facts.tree[call].title
      if byTool[tool] == nil, !names.contains(tool) { others.append(tool) }
      byTool[tool, default: []].append(call)
    }
    let label = action.span.map { facts.label($0) } ?? "the trace"
    let list = names.isEmpty ? "no tool" : names.joined(separator: ", ")
    var result = others.map { tool in
      let calls = byTool[tool] ?? []
      return finding(
        "tool \(tool) was \(times(calls.count)); \(label) expects \(list)", calls, facts)
    }
    for expected in action.expected {
      let calls = byTool[expected.tool] ?? []
      if !expected.calls.contains(calls.count) {
        let spans = calls.isEmpty ? [action.span ?? facts.tree.roots[0]] : calls
        result.append(
          finding(
            "tool \(expected.tool) was \(times(calls.count)); \(label) expects "
              + range(expected.calls), spans, calls: calls.count, facts))
      }
      let strays = calls.filter { expected.fits(facts.tree[$0], facts.thresholds) == false }
      if !strays.isEmpty {
        result.append(
          finding(
            "tool \(expected.tool) was \(times(strays.count)) about something else than "
              + "\(label) expects", strays, facts))
      }
      let most = expected.mostWords ?? .max
      let long = calls.filter { (facts.tree[$0].count("arguments_words") ?? 0) > most }
      if !long.isEmpty {
        result.append(
          finding(
            "tool \(expected.tool) was \(times(long.count)) with more than \(most) words",
            long, facts))
      }
    }
    return result
  }

  private static func times(_ count: Int) -> String {
    count == 0 ? "never called" : count == 1 ? "called once" : "called \(count) times"
  }

  private static func range(_ calls: ClosedRange<Int>) -> String {
    if calls.upperBound == .max { return "at least \(calls.lowerBound)" }
    return calls.lowerBound == calls.upperBound
      ? "\(calls.lowerBound)" : "\(calls.lowerBound) to \(calls.upperBound)"
  }

  private static func finding(
    _ message: String, _ spans: [Int], calls: Int? = nil, _ facts: ReviewFacts
  ) -> Finding {
    Finding(
      .unexpectedTool, message, spans: spans.map { facts.tree[$0].id },
      numbers: [TraceAttribute("calls", .count(calls ?? spans.count))])
  }
}

/// Texts that are long where the tool asks for short ones, or whole questions where it asks for none.
enum LongArguments {
  static func answer(_ facts: ReviewFacts) -> ReviewAnswer {
    let limit = facts.thresholds.phraseWords
    var findings: [Finding] = []
    var canTell = false
    for session in facts.sessions {
      var order: [String] = []
      var byTool: [String: [Int]] = [:]
      for call in session.toolCalls {
        canTell = canTell || facts.tree[call].count("arguments_words") != nil
        guard words(facts.tree[call]) > limit else { continue }
        let tool = facts.tree[call].title
        if byTool[tool] == nil { order.append(tool) }
        byTool[tool, default: []].append(call)
      }
      for tool in order {
        let calls = byTool[tool] ?? []
        let most = calls.map { words(facts.tree[$0]) }.max() ?? 0
        findings.append(
          Finding(
            .longArguments,
            "tool \(tool) was called \(calls.count == 1 ? "once" : "\(calls.count) times") with up to "
              + "\(most) words in a text that is to be short",
            spans: calls.map { facts.tree[$0].id },
            numbers: [
              TraceAttribute("calls", .count(calls.count)),
              TraceAttribute("words", .count(most)),
            ]))
      }
    }
    return ReviewAnswer(
      .longArguments, findings,
      threshold: "more than \(limit) words where the argument's guide asks for a short text, or in "
        + "a question where neither guide nor tool asks for one",
      unknown: canTell ? nil : "no tool call in the trace says how many words it has")
  }

  private static func words(_ call: TraceSpan) -> Int {
    max(call.count("phrase_words") ?? 0, call.count("question_words") ?? 0)
  }
}

/// Tools that sessions describe to their model and never see called.
enum UnusedTools {
  /// Bytes of a description that make about one token.
  private static let bytesPerToken = 4

  /// Sessions with the same model, instructions and tools, and what becomes of the tools.
  private struct Kind {
    var sessions: [Int] = []
    var requests = 0
    var offered: [(tool: String, bytes: Int)]
    var called: Set<String> = []
  }

  static func answer(_ facts: ReviewFacts) -> ReviewAnswer {
    let kinds = kinds(facts)
    let share = facts.thresholds.unusedShare
    return ReviewAnswer(
      .unusedTools, kinds.compactMap { finding($0, facts) },
      threshold: "the descriptions of tools that are never called take "
        + "\(ReviewFacts.percent(share)) of the window, in sessions that call a tool or are asked "
        + "\(facts.thresholds.grownRequests) times",
      unknown: kinds.isEmpty ? "no session in the trace says which tools it offers" : nil)
  }

  private static func kinds(_ facts: ReviewFacts) -> [Kind] {
    var offered: [SpanID: [(tool: String, bytes: Int)]] = [:]
    for event in facts.tree.trace.events where event.name == OfferedTool.eventName {
      guard let span = event.span, let tool = OfferedTool(event) else { continue }
      offered[span, default: []].append((tool.name, tool.bytes))
    }
    var kinds: [Kind] = []
    var places: [[String?]: Int] = [:]
    for session in facts.sessions {
      guard let span = session.span, let tools = offered[facts.tree[span].id] else { continue }
      let key = NewSessionPerTurn.kind(span, facts.tree)
      let place = places[key] ?? kinds.count
      if places[key] == nil {
        places[key] = place
        kinds.append(Kind(offered: tools))
      }
      kinds[place].sessions.append(span)
      kinds[place].requests += session.requests.count
      for call in session.toolCalls { kinds[place].called.insert(facts.tree[call].title) }
    }
    return kinds
  }

  private static func finding(_ kind: Kind, _ facts: ReviewFacts) -> Finding? {
    guard let session = kind.sessions.first,
      !kind.called.isEmpty || kind.requests >= facts.thresholds.grownRequests
    else { return nil }
    let unused = kind.offered.filter { !kind.called.contains($0.tool) }
    let bytes = unused.reduce(0) { ReviewFacts.sum($0, max(0, $1.bytes)) }
    let tokens = bytes / bytesPerToken
    let window = facts.window(session)
    guard tokens > 0, Double(tokens) >= facts.thresholds.unusedShare * Double(window) else {
      return nil
    }
    return Finding(
      .unusedTools,
      "\(facts.label(session)) describes \(unused.count) tools of \(kind.offered.count) that are never "
        + "called, about \(tokens) tokens with every prompt",
      spans: kind.sessions.map { facts.tree[$0].id },
      numbers: [
        TraceAttribute("unused", .count(unused.count)),
        TraceAttribute("offered", .count(kind.offered.count)),
        TraceAttribute("unused_tokens", .count(tokens)),
        TraceAttribute("context_size", .count(window)),
      ])
  }
}
