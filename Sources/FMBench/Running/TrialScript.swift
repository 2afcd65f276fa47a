package import FMCore

/// A plan made into token ids for one model: what every trial of a cell plays, byte for byte.
package struct TrialScript: Sendable, Hashable {
  package var plan: ScenarioPlan
  package var sessions: [Session]

  /// One conversation.
  package struct Session: Sendable, Hashable {
    package var name: String
    /// Instructions and schemas, the token that begins sequences included.
    package var prefix: [TokenID]
    package var leadIn: [TokenID]
    package var leadInOutput: Int
    package var steps: [Step]
  }

  /// One request.
  package struct Step: Sendable, Hashable {
    package var turn: Int
    package var step: Int
    /// Whether the session's tokens are its prefix alone again before `append`.
    package var restarts: Bool
    package var append: [Piece]
    package var output: ScriptedRequest.Output
    package var kind: OutputKind
    package var calls: [Scenario.Call]
    package var thinkMilliseconds: Double
    /// Prompt tokens the plan says, without a lead-in that no restart has dropped.
    package var promptTokens: Int
  }

  /// Part of what a step appends.
  package enum Piece: Sendable, Hashable {
    case tokens([TokenID])
    /// The last answer of the session of that number.
    case quote(session: Int, tokens: Int)
  }

  /// Builds the script; the tokens depend on the plan's scenario, the seed and the tokenizer.
  ///
  /// Shared segments have the same text in every session that has them at the same place.
  ///
  /// Variants of a scenario get the same prompts, so that only what they bind differs.
  package init(_ plan: ScenarioPlan, text: ExactText) throws(SuiteError) {
    self.plan = plan
    sessions = []
    for (number, session) in plan.sessions.enumerated() {
      var writer = Writer(plan: plan, text: text, place: "\(plan.scenario)/\(number)")
      sessions.append(try writer.session(session))
    }
  }
}

/// Writes one session's tokens, numbering the texts so that none is used twice.
private struct Writer {
  let plan: ScenarioPlan
  let text: ExactText
  let place: String
  private var written = 0

  init(plan: ScenarioPlan, text: ExactText, place: String) {
    self.plan = plan
    self.text = text
    self.place = place
  }

  mutating func session(_ session: ScenarioPlan.Session) throws(SuiteError) -> TrialScript.Session {
    var prefix: [TokenID] = []
    for segment in session.prefix {
      var count = segment.tokens
      if prefix.isEmpty, let start = text.encoding.sequenceStart {
        // The model's own first token is one of the count.
        prefix.append(start)
        count -= 1
      }
      if count > 0 {
        prefix += try tokens(kind: segment.kind, count: count, isShared: segment.isShared)
      }
    }
    var leadIn: [TokenID] = []
    if let exchange = plan.leadIn { leadIn = try tokens(kind: "user", count: exchange.prompt) }
    var promptTokens = session.prefixTokens
    var steps: [TrialScript.Step] = []
    for step in session.steps {
      if step.restarts { promptTokens = session.prefixTokens }
      promptTokens += step.append.reduce(0) { $0 + $1.tokens }
      steps.append(try self.step(step, promptTokens: promptTokens))
      promptTokens += step.output.tokens
    }
    return TrialScript.Session(
      name: session.name, prefix: prefix, leadIn: leadIn,
      leadInOutput: plan.leadIn?.output ?? 0, steps: steps)
  }

  private mutating func step(
    _ step: ScenarioPlan.Step, promptTokens: Int
  ) throws(SuiteError) -> TrialScript.Step {
    var pieces: [TrialScript.Piece] = []
    for segment in step.append {
      if segment.kind == "quote" {
        let number = plan.sessions.firstIndex { $0.name == segment.session }
        pieces.append(.quote(session: number ?? 0, tokens: segment.tokens))
      } else {
        pieces.append(
          .tokens(
            try tokens(kind: segment.kind, count: segment.tokens, isShared: segment.isShared)))
      }
    }
    var output = ScriptedRequest.Output.natural(step.output.tokens)
    if step.output.kind != .text, let template = step.output.template {
      output = .forced(try text.tokens(template: template, count: step.output.tokens))
    }
    return TrialScript.Step(
      turn: step.turn, step: step.step, restarts: step.restarts, append: pieces, output: output,
      kind: step.output.kind,
      calls: step.calls, thinkMilliseconds: step.thinkMilliseconds, promptTokens: promptTokens)
  }

  private mutating func tokens(
    kind: String, count: Int, isShared: Bool = false
  ) throws(SuiteError) -> [TokenID] {
    written += 1
    let place = isShared ? "\(plan.scenario)/shared" : place
    return try text.tokens(kind: kind, count: count, lane: TextLane.named("\(place)/\(written)"))
  }
}
