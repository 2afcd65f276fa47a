import FMCore

/// What all questions of a review look at, found once.
struct ReviewFacts {
  let tree: TraceTree
  let thresholds: ReviewThresholds
  /// Every span's number among those of its kind.
  let numbers: [Int]
  let sessions: [Session]
  /// Model calls with their counts, in the order of time.
  let calls: [Call]
  /// Requests, and model calls that belong to none.
  let requests: [Int]

  /// A session that was asked something.
  struct Session {
    /// Nil for what belongs to no session.
    var span: Int?
    /// Indices of ``ReviewFacts/calls``.
    var calls: [Int] = []
    var requests: [Int] = []
    var toolCalls: [Int] = []
  }

  /// A call of a model.
  struct Call {
    var span: Int
    var promptTokens: Int
    var cachedTokens: Int
    var outputTokens: Int
    /// The session's context before it, as far as its calls tell.
    var knownTokens: Int
    /// Whether it is the first of its request.
    var isFirst: Bool
  }

  init(_ tree: TraceTree, _ thresholds: ReviewThresholds) {
    self.tree = tree
    self.thresholds = thresholds
    numbers = tree.numbers()
    var sessions: [Session] = []
    var places: [Int: Int] = [:]
    var calls: [Call] = []
    var requests: [Int] = []
    var started: Set<Int> = []
    for index in tree.order {
      let isCall = tree.isModelCall(index)
      let kind = tree[index].kind
      guard isCall || kind == .request || kind == .toolCall else { continue }
      let span = tree.nearest(.session, above: index)
      let place =
        places[span ?? -1]
        ?? {
          places[span ?? -1] = sessions.count
          sessions.append(Session(span: span))
          return sessions.count - 1
        }()
      let request = tree.nearest(.request, above: index)
      if kind == .request || (isCall && request == nil) {
        sessions[place].requests.append(index)
        requests.append(index)
      }
      if kind == .toolCall { sessions[place].toolCalls.append(index) }
      guard isCall, let prompt = tree[index].count("prompt_tokens"), prompt > 0 else { continue }
      // Calls without a session have nothing to do with each other.
      let previous = span == nil ? nil : sessions[place].calls.last.map { calls[$0] }
      sessions[place].calls.append(calls.count)
      calls.append(
        Call(
          span: index, promptTokens: prompt,
          cachedTokens: min(max(0, tree[index].count("cached_tokens") ?? 0), prompt),
          outputTokens: max(0, tree[index].count("output_tokens") ?? 0),
          knownTokens: previous.map { Self.sum($0.promptTokens, $0.outputTokens) } ?? 0,
          isFirst: started.insert(request ?? index).inserted))
    }
    self.sessions = sessions
    self.calls = calls
    self.requests = requests
  }

  /// Tokens the context of the session around `index` can hold.
  func window(_ index: Int) -> Int {
    var current: Int? = index
    while let span = current {
      if let size = tree[span].count("context_size"), size > 0 { return size }
      current = tree.parents[span]
    }
    return thresholds.windowTokens
  }

  /// `session 2`, `request 5`, `tool search`.
  func label(_ index: Int) -> String {
    let span = tree[index]
    switch span.kind {
    case .toolCall, .interval: return "\(span.kind.label) \(span.title)"
    default: return "\(span.kind.label) \(numbers[index])"
    }
  }

  /// Seconds during which any of the spans ran.
  func covered(_ spans: [Int]) -> Double {
    var total = 0.0
    var reach: MonotonicInstant?
    for index in spans.sorted(by: { tree[$0].begin < tree[$1].begin }) {
      let begin = max(tree[index].begin, reach ?? tree[index].begin)
      let end = tree.end(of: index)
      if end > begin { total += end.seconds(since: begin) }
      reach = max(end, reach ?? end)
    }
    return total
  }

  /// A sum that stops at the largest integer: counts come from files.
  static func sum(_ one: Int, _ other: Int) -> Int {
    let (sum, overflows) = one.addingReportingOverflow(other)
    return overflows ? .max : sum
  }

  /// The number with two digits after the point, or as many as asked for.
  static func fixed(_ value: Double, _ digits: Int = 2) -> String {
    guard value.isFinite, abs(value) < 1e12 else { return "\(value)" }
    let scale = digits == 0 ? 1.0 : digits == 1 ? 10.0 : 100.0
    let scaled = Int((abs(value) * scale).rounded())
    let sign = value < 0 && scaled > 0 ? "-" : ""
    guard digits > 0 else { return "\(sign)\(scaled)" }
    let rest = String(scaled % Int(scale))
    return "\(sign)\(scaled / Int(scale))."
      + String(repeating: "0", count: digits - rest.count) + rest
  }

  /// A share in whole percent.
  static func percent(_ share: Double) -> String { "\(fixed(share * 100, 0)) %" }
}
