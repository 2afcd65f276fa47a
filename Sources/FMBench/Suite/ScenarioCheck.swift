/// Checks a scenario for what its form alone does not forbid.
struct ScenarioCheck {
  var scenario: Scenario
  var texts: TextSources

  func run() throws(SuiteError) {
    try require(!scenario.states.isEmpty, "it has no state")
    try require(Set(scenario.states).count == scenario.states.count, "a state is named twice")
    try require(
      !scenario.states.contains(.warm) || scenario.leadIn != nil,
      "the warm state needs a lead-in")
    if let leadIn = scenario.leadIn {
      try require(leadIn.prompt > 0 && leadIn.output > 0, "the lead-in is empty")
    }
    let trials = scenario.trials
    try require(
      trials.quick >= 0 && trials.standard >= 1 && trials.standard >= trials.quick
        && trials.release >= trials.standard,
      "trial counts must rise from quick to release")
    let names = (scenario.variants ?? []).map(\.name)
    try require(Set(names).count == names.count, "a variant is named twice")
    for plan in try ScenarioPlan.all(of: scenario) { try check(plan) }
  }

  private func check(_ plan: ScenarioPlan) throws(SuiteError) {
    try require(!plan.sessions.isEmpty, "it has no session")
    try require(
      plan.windowTokens <= scenario.contextTokens,
      "it needs \(plan.windowTokens) tokens of its \(scenario.contextTokens)")
    let names = plan.sessions.map(\.name)
    try require(Set(names).count == names.count, "two sessions have the same name")
    var answers: [String: Int] = [:]
    for session in plan.sessions {
      // What runs at the same time has not answered yet.
      if plan.isConcurrent { answers = [:] }
      try require(!session.steps.isEmpty, "session '\(session.name)' has no turn")
      try require(session.prefixTokens > 0, "session '\(session.name)' has no prefix")
      for segment in session.prefix {
        try check(segment, answers: [:])
      }
      try require(session.steps.first?.restarts != true, "a session cannot begin with a restart")
      for step in session.steps {
        try require(!step.append.isEmpty, "a step appends nothing")
        for segment in step.append {
          try check(segment, answers: answers)
        }
        try check(step)
        answers[session.name] = step.output.tokens
      }
    }
  }

  private func check(
    _ segment: ScenarioPlan.Segment, answers: [String: Int]
  ) throws(SuiteError) {
    guard segment.kind == "quote" else {
      try require(
        !(texts.sources[segment.kind] ?? []).isEmpty, "there is no text '\(segment.kind)'")
      return
    }
    let quoted = segment.session.flatMap { answers[$0] }
    try require(
      quoted == segment.tokens,
      "a quote of \(segment.tokens) tokens repeats an answer of \(quoted.map(String.init) ?? "none")"
    )
  }

  private func check(_ step: ScenarioPlan.Step) throws(SuiteError) {
    if step.output.kind != .text {
      let template = step.output.template ?? ""
      try require(texts.templates[template] != nil, "there is no template '\(template)'")
    }
    try require(step.calls.isEmpty == (step.output.kind != .call), "calls and a 'call' go together")
    try require((0...3_600_000).contains(step.thinkMilliseconds), "a think time is out of range")
    for call in step.calls {
      try require((0...3_600_000).contains(call.milliseconds), "a tool time is out of range")
    }
  }

  private func require(
    _ condition: Bool, _ reason: @autoclosure () -> String
  ) throws(SuiteError) {
    if !condition { throw .invalid(scenario: scenario.name, reason: reason()) }
  }
}
