import FMBackend
import Foundation

/// One combination of scenario, form and state, for every arm.
struct PlannedCell {
  var plan: ScenarioPlan
  /// A script an arm, made with its own tokenizer.
  var scripts: [PlayScript]
  var state: CacheState
  /// Measured trials an arm gets, at most.
  var trials: Int
  /// Whether fewer may do, and how many there are at least.
  var leastTrials: Int
  var isPrimary: Bool
  /// The stored cells, in the order of the arms.
  var ids: [Int] = []
}

/// What a trial plays.
enum PlayScript {
  case tokens(TrialScript)
  case conversation(ConversationScript)
}

/// Lays out what a run plays and what is stored of it.
struct CellPlanner {
  let suite: Suite
  let options: RunOptions
  let arms: [BenchArm]

  /// Every cell, in the suite's order; the scenarios are those that all arms' devices can play.
  ///
  /// With the name of a variant only its cells.
  func cells(variant: String? = nil) throws(SuiteError) -> [PlannedCell] {
    if let transcript = options.transcript { return try cells(of: transcript) }
    var scenarios = try suite.scenarios(named: options.scenarios, on: arms[0].subject.device.kind)
    for arm in arms.dropFirst() {
      let playable = try suite.scenarios(named: options.scenarios, on: arm.subject.device.kind)
      scenarios = scenarios.filter { playable.contains($0) }
    }
    var cells: [PlannedCell] = []
    for scenario in scenarios {
      let trials = trials(of: scenario.trials)
      guard trials.most > 0 else { continue }
      let plans = try ScenarioPlan.all(of: scenario)
      for (number, plan) in plans.enumerated() where variant == nil || plan.variant == variant {
        let scripts = try scripts(of: plan)
        for state in scenario.states
        where options.states.isEmpty || options.states.contains(state) {
          cells.append(
            PlannedCell(
              plan: plan, scripts: scripts, state: state, trials: trials.most,
              leastTrials: trials.least,
              isPrimary: number == 0 && state == scenario.states.first
                && suite.primary.contains(scenario.name)))
        }
      }
    }
    return cells
  }

  /// The cells of a transcript that is played again: its states are cold, prewarmed or those asked for.
  private func cells(of transcript: ReplayedTranscript) throws(SuiteError) -> [PlannedCell] {
    var scripts: [PlayScript] = []
    for arm in arms {
      guard case .sessions(let available, let toolForm) = arm.form else {
        throw .invalid(
          scenario: transcript.scenario, reason: "transcripts are played at session level")
      }
      let script = try transcript.script(
        encoding: arm.encoding, style: arm.style, toolForm: toolForm)
      if let available, script.windowTokens > available {
        throw .windowTooSmall(
          scenario: transcript.scenario, needed: script.windowTokens, available: available)
      }
      scripts.append(.conversation(script))
    }
    let trials = trials(of: Self.replayTrials)
    var states: [CacheState] = []
    for state in options.states.isEmpty ? [.cold, .prewarmed] : options.states
    where !states.contains(state) {
      states.append(state)
    }
    guard !states.contains(.warm) else {
      throw .invalid(scenario: transcript.scenario, reason: "a transcript has no warm state")
    }
    let plan = ScenarioPlan(replayOf: transcript.scenario)
    return states.map {
      PlannedCell(
        plan: plan, scripts: scripts, state: $0, trials: trials.most, leastTrials: trials.least,
        isPrimary: $0 == states[0])
    }
  }

  private func scripts(of plan: ScenarioPlan) throws(SuiteError) -> [PlayScript] {
    var scripts: [PlayScript] = []
    for arm in arms {
      if let available = arm.form.contextLength, plan.windowTokens > available {
        throw .windowTooSmall(
          scenario: plan.scenario, needed: plan.windowTokens, available: available)
      }
      let text = ExactText(texts: suite.texts, encoding: arm.encoding, seed: options.seed)
      switch arm.form {
      case .tokens: scripts.append(.tokens(try TrialScript(plan, text: text)))
      case .sessions(_, let toolForm):
        let writer = ConversationWriter(
          plan: plan, text: text, material: suite.material, style: arm.style,
          toolForm: toolForm)
        scripts.append(.conversation(try writer.script()))
      }
    }
    return scripts
  }

  private func trials(of counts: Scenario.TrialCounts) -> (least: Int, most: Int) {
    switch options.effort {
    case .quick: (quick(counts), quick(counts))
    case .standard: (counts.standard, counts.standard)
    case .release: (counts.release, counts.release)
    case .trials(let count): (count, count)
    case .untilStable(let least, let most): (least, max(least, most))
    }
  }

  /// What the quick suite leaves out can still be asked for by name, with trials for a verdict.
  private func quick(_ counts: Scenario.TrialCounts) -> Int {
    max(counts.quick, options.scenarios.isEmpty ? 0 : Self.leastQuickTrials)
  }

  /// Of a transcript, as of most scenarios.
  private static let replayTrials = Scenario.TrialCounts(
    quick: leastQuickTrials, standard: 10, release: 20)

  /// With fewer pairs no p can pass Holm's adjustment over the twelve metrics of the quick suite.
  private static let leastQuickTrials = 9

  /// A row an arm; several arms share the name of their interleaving.
  func runRows() -> [RunRow] {
    let interleaving = arms.count > 1 ? UUID().uuidString.lowercased() : nil
    let build = BuildIdentity.current()
    return arms.enumerated().map { index, arm in
      RunRow(
        uuid: UUID().uuidString.lowercased(), build: build, label: options.label,
        arguments: options.arguments, seed: options.seed, gapScale: options.gapScale,
        suite: suite.name, suiteSHA: suite.sha, profile: suite.profile,
        modelSHA: arm.subject.model.sha256, context: arm.form.contextLength ?? 0,
        loadNanoseconds: arm.subject.loadNanoseconds, loadMemoryBytes: arm.subject.memoryBytes,
        interleaving: interleaving, arm: interleaving == nil ? nil : Self.name(ofArm: index),
        injected: arm.injected, style: arm.style, endpoint: arm.endpoint)
    }
  }

  /// `A` for the first.
  static func name(ofArm index: Int) -> String {
    String(UnicodeScalar(UInt8(ascii: "A") + UInt8(index)))
  }

  func row(of cell: PlannedCell, arm: Int) -> CellRow {
    let scenario = suite.scenarios.first { $0.name == cell.plan.scenario }
    let variant = scenario?.variants?.first { $0.name == cell.plan.variant }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let bindings = (try? encoder.encode(variant?.bind ?? [:])) ?? Data("{}".utf8)
    let subject = arms[arm].subject
    return CellRow(
      scenario: cell.plan.scenario, variant: cell.plan.variant, state: cell.state,
      scenarioSHA: options.transcript?.sha
        ?? suite.scenarioSHA(cell.plan.scenario, level: arms[arm].style.level),
      device: subject.device.selector,
      deviceName: subject.device.name, deviceKind: subject.device.kind.rawValue,
      threads: subject.threads, maximumRows: subject.maximumRows, kvType: subject.kvType,
      masks: arms[arm].style.hasMasks ? "on" : "off",
      parameters: String(decoding: bindings, as: UTF8.self),
      plannedTrials: cell.trials, isPrimary: cell.isPrimary)
  }
}
