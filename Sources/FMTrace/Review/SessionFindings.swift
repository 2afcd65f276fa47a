import FMCore

/// Sessions that follow each other with a gap, or only when the first is nearly full.
enum LateHandOff {
  static func answer(_ facts: ReviewFacts) -> ReviewAnswer {
    let sessions = facts.sessions.filter { $0.span != nil && !$0.requests.isEmpty }
    var findings: [Finding] = []
    for (number, next) in sessions.enumerated() where number > 0 {
      if let finding = finding(sessions[number - 1], next, facts) { findings.append(finding) }
    }
    let limits = facts.thresholds
    return ReviewAnswer(
      .lateHandOff, findings,
      threshold: "another session takes over \(ReviewFacts.fixed(limits.handOffSeconds)) to "
        + "\(ReviewFacts.fixed(limits.handOffLimitSeconds)) s after the last one's work, or when that "
        + "one's window is \(ReviewFacts.percent(limits.handOffShare)) full",
      unknown: sessions.count < 2 ? "there are no two sessions in the trace" : nil)
  }

  private static func finding(
    _ session: ReviewFacts.Session, _ next: ReviewFacts.Session, _ facts: ReviewFacts
  ) -> Finding? {
    let tree = facts.tree
    guard let gap = gap(session, next, facts), let from = session.span, let to = next.span,
      let last = session.requests.last, let first = next.requests.first
    else { return nil }
    let call = session.calls.last.map { facts.calls[$0] }
    let used = call.map { ReviewFacts.sum($0.promptTokens, $0.outputTokens) } ?? 0
    let share = Double(used) / Double(max(1, facts.window(from)))
    let isLate = gap >= facts.thresholds.handOffSeconds
    guard isLate || share >= facts.thresholds.handOffShare else { return nil }
    let cause =
      isLate
      ? "\(ReviewFacts.fixed(gap)) s after it"
      : "only when its window was \(ReviewFacts.percent(share)) full"
    return Finding(
      .lateHandOff, "\(facts.label(to)) took over from \(facts.label(from)) \(cause)",
      spans: [tree[last].id, tree[first].id],
      numbers: [
        TraceAttribute("gap_seconds", .measure(gap)),
        TraceAttribute("context_tokens", .count(used)),
        TraceAttribute("context_share", .measure(share)),
      ])
  }

  /// Seconds from one session's last work to the first of the next; nil where that is no hand-off.
  static func gap(
    _ session: ReviewFacts.Session, _ next: ReviewFacts.Session, _ facts: ReviewFacts
  ) -> Double? {
    let tree = facts.tree
    guard let from = session.span, let to = next.span, let last = session.requests.last,
      let first = next.requests.first, tree.parents[from] == tree.parents[to],
      NewSessionPerTurn.kind(from, tree) != NewSessionPerTurn.kind(to, tree)
    else { return nil }
    // A stored request begins when it is due; its work begins with the model's.
    let call = next.calls.first.map { tree[facts.calls[$0].span].begin }
    let begin = max(tree[first].begin, min(call ?? tree[first].begin, tree.end(of: first)))
    let gap = begin.seconds(since: tree.end(of: last))
    // One that begins before the other ends runs beside it; one much later is another matter, unless
    // the application says that both are one action.
    let interval = tree[last].count("interval")
    let isOneAction = interval != nil && interval == tree[first].count("interval")
    return gap >= 0 && (gap <= facts.thresholds.handOffLimitSeconds || isOneAction) ? gap : nil
  }
}

/// Sessions of one kind that are asked once each, one after another.
enum NewSessionPerTurn {
  /// What makes sessions of one kind: model, instructions and tools.
  static func kind(_ session: Int, _ tree: TraceTree) -> [String?] {
    [tree[session].name("model"), tree[session].name("instructions"), tree[session].name("tools")]
  }

  static func answer(_ facts: ReviewFacts) -> ReviewAnswer {
    let tree = facts.tree
    var groups: [[ReviewFacts.Session]] = []
    var places: [[String?]: Int] = [:]
    var canTell = false
    for session in facts.sessions {
      guard let span = session.span, session.requests.count == 1,
        tree[span].name("instructions") != nil
      else { continue }
      canTell = true
      // Sessions below different spans are of different matters: trials of a benchmark, for one.
      let key = kind(span, tree) + [tree.parents[span].map { "\(tree[$0].id.value)" }]
      if let place = places[key] {
        groups[place].append(session)
      } else {
        places[key] = groups.count
        groups.append([session])
      }
    }
    let findings = groups.filter {
      $0.count >= facts.thresholds.sessionCount && (paysAgain($0, facts) || repeats($0, facts))
    }.map { finding($0, facts) }
    let hasSession = facts.sessions.contains { $0.span != nil }
    return ReviewAnswer(
      .newSessionPerTurn, findings,
      threshold: "\(facts.thresholds.sessionCount) sessions with the same model, instructions and "
        + "tools are asked once each, and compute "
        + "\(ReviewFacts.percent(facts.thresholds.recomputedShare)) of what they begin with again, or have "
        + "prompts that grow to \(ReviewFacts.fixed(facts.thresholds.repeatedFactor, 0)) times the first",
      unknown: canTell || hasSession ? nil : "there is no session in the trace")
  }

  /// Whether the sessions after the first compute again what they all begin with.
  ///
  /// Sessions for requests that have nothing to do with each other are right, and cost nothing where
  /// instructions and tools are found in the cache. Without counts, they are taken to cost.
  private static func paysAgain(_ sessions: [ReviewFacts.Session], _ facts: ReviewFacts) -> Bool {
    let calls = sessions.dropFirst().compactMap { $0.calls.first.map { facts.calls[$0] } }
    guard !calls.isEmpty else { return true }
    var (beginning, computed) = (0.0, 0.0)
    for call in calls {
      // Where nothing tells a first call's parts apart, it counts whole.
      let prefix = Double(call.promptTokens - (PromptBloat.own(call, facts) ?? 0))
      beginning += prefix
      computed += max(0, prefix - Double(call.cachedTokens))
    }
    return computed > 0 && computed >= facts.thresholds.recomputedShare * beginning
  }

  /// Whether prompts grow from session to session, as they do where each repeats the conversation.
  private static func repeats(_ sessions: [ReviewFacts.Session], _ facts: ReviewFacts) -> Bool {
    let bytes = sessions.compactMap { session in
      session.requests.first.flatMap { facts.tree[$0].count("prompt_bytes") }
    }
    guard bytes.count == sessions.count, let first = bytes.first, let last = bytes.last else {
      return false
    }
    return zip(bytes, bytes.dropFirst()).allSatisfy { $0 <= $1 }
      && Double(last) >= facts.thresholds.repeatedFactor * Double(first)
  }

  private static func finding(_ sessions: [ReviewFacts.Session], _ facts: ReviewFacts) -> Finding {
    var computed = 0
    var cached = 0
    for session in sessions.dropFirst() {
      guard let call = session.calls.first.map({ facts.calls[$0] }) else { continue }
      computed = ReviewFacts.sum(computed, call.promptTokens - call.cachedTokens)
      cached = ReviewFacts.sum(cached, call.cachedTokens)
    }
    return Finding(
      .newSessionPerTurn,
      "\(sessions.count) sessions with the same instructions were asked once each; those after the "
        + "first computed \(computed) prompt tokens and found \(cached) cached",
      spans: sessions.compactMap { $0.span.map { facts.tree[$0].id } },
      numbers: [
        TraceAttribute("sessions", .count(sessions.count)),
        TraceAttribute("computed_tokens", .count(computed)),
        TraceAttribute("cached_tokens", .count(cached)),
      ])
  }
}

/// Recorded texts in which something looks private.
enum SensitiveContent {
  static func answer(_ facts: ReviewFacts, _ redactor: TraceRedactor) -> ReviewAnswer {
    let threshold = "any match of the redaction rules in a recorded text"
    guard facts.tree.trace.spans.contains(where: { !$0.content.isEmpty }) else {
      return ReviewAnswer(
        .sensitiveContent, [], threshold: threshold, unknown: "content was not recorded")
    }
    var findings: [Finding] = []
    for index in facts.tree.order where !facts.tree[index].content.isEmpty {
      var counts: [TraceRedactor.Rule: Int] = [:]
      for item in facts.tree[index].content {
        for (rule, count) in redactor.counts(in: item.text) { counts[rule, default: 0] += count }
      }
      let present = TraceRedactor.Rule.allCases.filter { counts[$0] != nil }
      guard !present.isEmpty else { continue }
      let list = present.map { "\(counts[$0] ?? 0) × \($0.rawValue)" }.joined(separator: ", ")
      findings.append(
        Finding(
          .sensitiveContent, "the texts of \(facts.label(index)) have \(list)",
          spans: [facts.tree[index].id],
          numbers: present.map { TraceAttribute($0.rawValue, .count(counts[$0] ?? 0)) }))
    }
    return ReviewAnswer(.sensitiveContent, findings, threshold: threshold)
  }
}
