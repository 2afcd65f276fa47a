import FMCore

/// The numbers of a trace that explain nothing when they are added up: each has a cause of its own.
package struct TraceNumbers: Sendable, Hashable {
  /// What is told apart.
  package enum Kind: String, Sendable, CaseIterable {
    case firstToken, answer, rate, request, tool, handOff

    /// What people call it.
    package var title: String {
      switch self {
      case .firstToken: "time to first token"
      case .answer: "wait for the answer"
      case .rate: "generation rate"
      case .request: "total latency"
      case .tool: "tool latency"
      case .handOff: "hand-off time"
      }
    }

    /// What one value is of.
    package var subject: String {
      switch self {
      case .firstToken, .answer, .request: "requests"
      case .rate: "model calls"
      case .tool: "tool calls"
      case .handOff: "hand-offs"
      }
    }

    /// `s`, or `tokens/s`.
    package var unit: String { self == .rate ? "tokens/s" : "s" }
  }

  /// One number over the whole trace.
  package struct Row: Sendable, Hashable {
    package var kind: Kind
    /// How many values there are; the others are nil where there is none.
    package var count: Int
    package var median: Double?
    package var least: Double?
    package var most: Double?
  }

  /// How full a session's context was.
  package struct Context: Sendable, Hashable {
    /// `session 2`.
    package var label: String
    package var calls: Int
    /// Tokens of the first call's prompt, and of the last one's with its answer.
    package var firstTokens: Int
    package var lastTokens: Int
    package var window: Int
  }

  /// In the order of ``Kind``.
  package let rows: [Row]
  /// The sessions whose calls say their tokens, in the order of time.
  package let contexts: [Context]

  init(_ facts: ReviewFacts) {
    let tree = facts.tree
    var values: [Kind: [Double]] = [:]
    for request in facts.requests {
      values[.request, default: []].append(tree.seconds(of: request))
      let calls =
        tree.isModelCall(request) ? [request] : tree.below(request) { tree.isModelCall($0) }
      // The first token may be one of a tool call; what a user sees comes with the last model call.
      for (kind, call) in [(Kind.firstToken, calls.first), (.answer, calls.last)] {
        guard let call, let seconds = SlowParts.firstToken(call, tree) else { continue }
        values[kind, default: []].append(
          seconds + tree[call].begin.seconds(since: tree[request].begin))
      }
    }
    for call in facts.calls where call.outputTokens > 1 {
      guard let first = SlowParts.firstToken(call.span, tree) else { continue }
      let decoding = tree.seconds(of: call.span) - first
      guard decoding > 0 else { continue }
      values[.rate, default: []].append(Double(call.outputTokens - 1) / decoding)
    }
    for index in tree.order where tree[index].kind == .toolCall {
      values[.tool, default: []].append(tree.seconds(of: index))
    }
    let sessions = facts.sessions.filter { $0.span != nil && !$0.requests.isEmpty }
    for (session, next) in zip(sessions, sessions.dropFirst()) {
      if let gap = LateHandOff.gap(session, next, facts) {
        values[.handOff, default: []].append(gap)
      }
    }
    rows = Kind.allCases.map { kind in
      let sorted = values[kind, default: []].filter(\.isFinite).sorted()
      return Row(
        kind: kind, count: sorted.count, median: Self.median(sorted), least: sorted.first,
        most: sorted.last)
    }
    contexts = facts.sessions.compactMap { session in
      guard let span = session.span, let first = session.calls.first, let last = session.calls.last
      else { return nil }
      let call = facts.calls[last]
      return Context(
        label: facts.label(span), calls: session.calls.count,
        firstTokens: facts.calls[first].promptTokens,
        lastTokens: ReviewFacts.sum(call.promptTokens, call.outputTokens),
        window: facts.window(call.span))
    }
  }

  private static func median(_ sorted: [Double]) -> Double? {
    guard !sorted.isEmpty else { return nil }
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }

  /// The numbers as lines for people: one a number, then one a session, at most twenty of them.
  package var lines: [String] {
    var result = rows.map { row in
      let name = row.kind.title.padded(to: 20)
      guard let median = row.median, let least = row.least, let most = row.most else {
        return "  \(name)  none: no \(row.kind.subject) that tell"
      }
      let range = ", \(Self.text(least, row.kind)) to \(Self.text(most, row.kind))"
      let subject = row.count == 1 ? String(row.kind.subject.dropLast()) : row.kind.subject
      return "  \(name)  median \(Self.text(median, row.kind)) of \(row.count) \(subject)"
        + (row.count == 1 ? "" : range)
    }
    for context in contexts.prefix(Self.contextLimit) {
      let share = Double(context.lastTokens) / Double(max(1, context.window))
      result.append(
        "  \("context".padded(to: 20))  \(context.label): \(context.firstTokens) tokens at first, "
          + "\(context.lastTokens) of \(context.window) in the end (\(ReviewFacts.percent(share))), "
          + "\(context.calls) model \(context.calls == 1 ? "call" : "calls")")
    }
    if contexts.count > Self.contextLimit {
      result.append("  and \(contexts.count - Self.contextLimit) more sessions")
    }
    return result
  }

  /// The most sessions whose context is told.
  private static let contextLimit = 20

  private static func text(_ value: Double, _ kind: Kind) -> String {
    kind == .rate ? "\(ReviewFacts.fixed(value, 1)) tokens/s" : TextTrace.duration(value)
  }
}

extension String {
  /// With blanks up to a width in bytes; only for words of our own.
  fileprivate func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - utf8.count))
  }
}
