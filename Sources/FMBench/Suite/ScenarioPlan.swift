/// A scenario's form with everything bound: what is played, still in token counts.
package struct ScenarioPlan: Sendable, Hashable {
  package var scenario: String
  package var variant: String
  package var leadIn: Scenario.LeadIn?
  /// Whether the sessions are played at the same time.
  package var isConcurrent: Bool
  package var sessions: [Session]

  /// One conversation.
  package struct Session: Sendable, Hashable {
    package var name: String
    package var prefix: [Segment]
    package var steps: [Step]
    package var prefixTokens: Int { prefix.reduce(0) { $0 + $1.tokens } }

    /// The session of a lane, which quotes that lane's sessions.
    fileprivate func copy(_ lane: Int) -> Session {
      func named(_ name: String) -> String { "\(name)-\(lane)" }
      var copy = self
      copy.name = named(name)
      for step in copy.steps.indices {
        for segment in copy.steps[step].append.indices {
          let source = copy.steps[step].append[segment].session
          copy.steps[step].append[segment].session = source.map(named)
        }
      }
      return copy
    }
  }

  /// One request; `turn` and `step` count from 0.
  package struct Step: Sendable, Hashable {
    package var turn: Int
    package var step: Int
    /// Whether the session's tokens are its prefix alone again before `append`.
    package var restarts: Bool
    package var append: [Segment]
    package var output: Output
    package var calls: [Scenario.Call]
    package var thinkMilliseconds: Double
  }

  /// Tokens that go into a prompt.
  package struct Segment: Sendable, Hashable {
    package var kind: String
    package var tokens: Int
    package var session: String?
    /// Whether every copy of the session has this text.
    package var isShared = false
  }

  /// What the model is made to produce.
  package struct Output: Sendable, Hashable {
    package var kind: OutputKind
    package var tokens: Int
    package var template: String?
  }

  /// Binds `variant` in `scenario`; nil stands for the one form of a scenario without variants.
  ///
  /// - Throws: ``SuiteError/invalid(scenario:reason:)``.
  package init(_ scenario: Scenario, variant: Scenario.Variant? = nil) throws(SuiteError) {
    let binder = Binder(scenario: scenario.name, bindings: variant?.bind ?? [:])
    self.scenario = scenario.name
    self.variant = variant?.name ?? ""
    leadIn = scenario.leadIn
    isConcurrent = scenario.concurrency != nil
    sessions = []
    for session in scenario.sessions { sessions.append(try binder.session(session)) }
    if let concurrency = scenario.concurrency {
      let lanes = try binder.lanes(concurrency)
      sessions = (1...lanes).flatMap { lane in sessions.map { $0.copy(lane) } }
    }
  }

  /// The plan of what is no scenario of a suite: its name alone.
  init(replayOf name: String) {
    scenario = name
    variant = ""
    isConcurrent = false
    sessions = []
  }

  /// Every form of `scenario`, in order.
  package static func all(of scenario: Scenario) throws(SuiteError) -> [ScenarioPlan] {
    guard let variants = scenario.variants, !variants.isEmpty else {
      return [try ScenarioPlan(scenario)]
    }
    var plans: [ScenarioPlan] = []
    for variant in variants { plans.append(try ScenarioPlan(scenario, variant: variant)) }
    return plans
  }

  /// Requests that are measured in one trial.
  package var measuredRequests: Int { sessions.reduce(0) { $0 + $1.steps.count } }

  /// Output tokens that are measured in one trial.
  package var measuredOutputTokens: Int {
    sessions.reduce(0) { sum, session in
      session.steps.reduce(sum) { $0 + $1.output.tokens }
    }
  }

  /// The longest sequence, a prompt with its output, of any session; a lead-in included.
  package var windowTokens: Int {
    let leadInTokens = leadIn.map { $0.prompt + $0.output } ?? 0
    return sessions.map { session in
      var tokens = session.prefixTokens + leadInTokens
      var most = tokens
      for step in session.steps {
        if step.restarts { tokens = session.prefixTokens }
        tokens = step.append.reduce(tokens + step.output.tokens) { $0 + $1.tokens }
        most = max(most, tokens)
      }
      return most
    }.max() ?? 0
  }
}

/// How an output is pinned.
package enum OutputKind: String, Sendable, Hashable, Codable {
  /// The model's own greedy words, its end-of-turn tokens banned until the count is reached.
  case text
  /// A forced JSON text, computed like sampled tokens are.
  case json
  /// A forced tool call.
  case call
}

/// Replaces names by what a variant binds to them.
private struct Binder {
  var scenario: String
  var bindings: [String: Binding]

  func session(_ session: Scenario.Session) throws(SuiteError) -> ScenarioPlan.Session {
    var bound = ScenarioPlan.Session(name: session.name, prefix: [], steps: [])
    for segment in session.prefix { bound.prefix.append(try self.segment(segment)) }
    var turns = 0
    for turn in session.turns {
      let repeats = turn.repeat ?? 1
      guard (1...1000).contains(repeats) else {
        throw .invalid(scenario: scenario, reason: "repeat is \(repeats)")
      }
      for _ in 0..<repeats {
        bound.steps += try steps(of: turn, number: turns)
        turns += 1
      }
    }
    return bound
  }

  /// Copies that are played at the same time.
  func lanes(_ concurrency: Bound<Int>) throws(SuiteError) -> Int {
    let lanes = try count(concurrency)
    guard lanes <= 64 else {
      throw .invalid(scenario: scenario, reason: "\(lanes) lanes, and 64 are possible")
    }
    return lanes
  }

  func steps(of turn: Scenario.Turn, number: Int) throws(SuiteError) -> [ScenarioPlan.Step] {
    var steps: [ScenarioPlan.Step] = []
    for (index, step) in turn.steps.enumerated() {
      var append: [ScenarioPlan.Segment] = []
      for segment in step.append { append.append(try self.segment(segment)) }
      steps.append(
        ScenarioPlan.Step(
          turn: number, step: index, restarts: step.restart ?? false, append: append,
          output: try output(step.output), calls: step.calls ?? [],
          thinkMilliseconds: index == 0 ? turn.thinkMilliseconds ?? 0 : 0))
    }
    return steps
  }

  func segment(_ segment: Scenario.Segment) throws(SuiteError) -> ScenarioPlan.Segment {
    let copies = try segment.copies.map { copies throws(SuiteError) in try string(copies) }
    guard copies == nil || copies == "same" || copies == "differ" else {
      throw .invalid(
        scenario: scenario, reason: "copies are 'same' or 'differ', not '\(copies ?? "")'")
    }
    return ScenarioPlan.Segment(
      kind: try string(segment.kind), tokens: try count(segment.tokens), session: segment.session,
      isShared: copies == "same")
  }

  private func output(_ output: Scenario.Output) throws(SuiteError) -> ScenarioPlan.Output {
    let name = try string(output.kind)
    guard let kind = OutputKind(rawValue: name) else {
      throw .invalid(scenario: scenario, reason: "there is no kind of output '\(name)'")
    }
    var template: String?
    if let bound = output.template, kind != .text { template = try string(bound) }
    return ScenarioPlan.Output(kind: kind, tokens: try count(output.tokens), template: template)
  }

  private func string(_ value: Bound<String>) throws(SuiteError) -> String {
    switch value {
    case .literal(let text): return text
    case .name(let name):
      guard case .string(let text)? = bindings[name] else {
        throw .invalid(scenario: scenario, reason: "no variant binds the text '$\(name)'")
      }
      return text
    }
  }

  private func count(_ value: Bound<Int>) throws(SuiteError) -> Int {
    let count: Int
    switch value {
    case .literal(let number): count = number
    case .name(let name):
      guard case .number(let number)? = bindings[name] else {
        throw .invalid(scenario: scenario, reason: "no variant binds the number '$\(name)'")
      }
      count = number
    }
    guard (1...1_000_000).contains(count) else {
      throw .invalid(scenario: scenario, reason: "a token count is \(count)")
    }
    return count
  }
}
