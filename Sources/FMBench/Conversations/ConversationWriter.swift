import FMText
import FoundationModels

/// Writes a plan's texts for sessions: the same texts as at engine level, in the form that sessions take.
struct ConversationWriter {
  let plan: ScenarioPlan
  let text: ExactText
  let material: SessionMaterial
  let style: PlayStyle
  /// How the model spells calls of tools.
  let toolForm: ToolCallForm

  /// - Throws: ``SuiteError`` where a text can't be made or a structure or tool is not known.
  func script() throws(SuiteError) -> ConversationScript {
    var sessions: [ConversationScript.Session] = []
    for (number, session) in plan.sessions.enumerated() {
      var lanes = ScriptTexts(plan: plan, text: text, number: number)
      sessions.append(try write(session, &lanes))
    }
    return ConversationScript(
      isConcurrent: plan.isConcurrent, sessions: sessions, windowTokens: plan.windowTokens)
  }

  private func write(
    _ session: ScenarioPlan.Session, _ lanes: inout ScriptTexts
  ) throws(SuiteError) -> ConversationScript.Session {
    var instructions: [String] = []
    var menuTokens = 0
    for segment in session.prefix {
      if segment.kind == "schema", style.promptForm == .native {
        menuTokens += segment.tokens
        continue
      }
      instructions.append(try lanes.text(segment))
    }
    let prefix = instructions.joined(separator: "\n")
    let names = session.steps.flatMap { $0.calls.map(\.tool) }
    for name in names where !material.tools.contains(where: { $0.name == name }) {
      throw .invalid(scenario: plan.scenario, reason: "there is no tool '\(name)'")
    }
    var leadIn: ConversationScript.Ask?
    if let exchange = plan.leadIn {
      let prompt = try lanes.text(kind: "user", count: exchange.prompt)
      leadIn = ConversationScript.Ask(
        turn: 0, prompt: [.text(prompt, tokens: exchange.prompt)], restarts: false,
        thinkMilliseconds: 0,
        steps: [
          ConversationScript.Step(
            kind: .text, output: .natural(exchange.output), outputTokens: exchange.output,
            calls: [])
        ])
    }
    return ConversationScript.Session(
      name: session.name, instructions: prefix,
      instructionTokens: text.encoding.tokens(of: prefix).count,
      tools: material.menu(calling: names, tokens: menuTokens, encoding: text.encoding),
      leadIn: leadIn, asks: try asks(session.steps, &lanes))
  }

  /// Groups steps into the requests an application makes: calls and what follows them are one.
  private func asks(
    _ steps: [ScenarioPlan.Step], _ lanes: inout ScriptTexts
  ) throws(SuiteError) -> [ConversationScript.Ask] {
    var asks: [ConversationScript.Ask] = []
    for (index, step) in steps.enumerated() {
      let isAnswer = index > 0 && !steps[index - 1].calls.isEmpty
      var written = try write(step)
      if !isAnswer {
        var prompt: [ConversationScript.Piece] = []
        for segment in step.append { prompt.append(try piece(segment, &lanes)) }
        asks.append(
          ConversationScript.Ask(
            turn: step.turn, prompt: prompt, restarts: step.restarts,
            thinkMilliseconds: step.thinkMilliseconds, steps: []))
      }
      if !step.calls.isEmpty, index + 1 < steps.count {
        var results: [String] = []
        for segment in steps[index + 1].append {
          if case .text(let text, _) = try piece(segment, &lanes) { results.append(text) }
        }
        written.calls = try calls(of: step, results: results.joined(separator: "\n"))
      }
      if step.output.kind == .json, style.promptForm == .native, let name = step.output.template {
        guard let schema = material.structures[name] else {
          throw .invalid(scenario: plan.scenario, reason: "'\(name)' has no schema")
        }
        asks[asks.count - 1].structure = schema
      }
      asks[asks.count - 1].steps.append(written)
    }
    return asks
  }

  private func piece(
    _ segment: ScenarioPlan.Segment, _ lanes: inout ScriptTexts
  ) throws(SuiteError) -> ConversationScript.Piece {
    if segment.kind == "quote" {
      let number = plan.sessions.firstIndex { $0.name == segment.session }
      return .quote(session: number ?? 0, tokens: segment.tokens)
    }
    return .text(try lanes.text(segment), tokens: segment.tokens)
  }

  // MARK: Answers

  private func write(_ step: ScenarioPlan.Step) throws(SuiteError) -> ConversationScript.Step {
    var written = ConversationScript.Step(
      kind: step.output.kind, output: .natural(step.output.tokens),
      outputTokens: step.output.tokens, calls: [])
    guard style.mode == .scripted else {
      written.output = .free
      written.outputTokens = nil
      return written
    }
    guard style.promptForm == .native, step.output.kind != .text, let name = step.output.template
    else { return written }
    let template = try template(name)
    // Grammars know one spelling of JSON, that which models are shown.
    let spelling =
      step.output.kind == .call
      ? try spelling(of: step, template: template) : JSONText.spaced(template) ?? template
    let answer = try text.text(filling: spelling, name: name, upTo: step.output.tokens)
    let isCall = step.output.kind == .call
    written.output = isCall ? .calls(answer) : .forced(answer)
    written.outputTokens =
      isCall
      ? text.encoding.tokens(ofAnswer: answer).count : text.encoding.tokens(of: answer).count
    return written
  }

  private func template(_ name: String) throws(SuiteError) -> String {
    guard let template = text.texts.templates[name] else {
      throw .cannotFill(kind: name, tokens: 0, reason: "there is no such template")
    }
    return template
  }

  /// A step's calls in the model's form, with the template's hole in the first.
  private func spelling(
    of step: ScenarioPlan.Step, template: String
  ) throws(SuiteError) -> String {
    var calls: [[UInt8]] = []
    for (index, call) in step.calls.enumerated() {
      let arguments = try arguments(of: call.tool, template: index == 0 ? template : nil)
      let head = toolForm.opener + toolForm.head(name: call.tool)
      let json = JSONText.spaced(arguments.jsonString) ?? arguments.jsonString
      calls.append(head + Array(json.utf8) + ToolCallForm.tail + toolForm.closer)
    }
    return String(decoding: Array(calls.joined(separator: toolForm.separator)), as: UTF8.self)
  }

  /// A call's arguments: those of the template where it calls the tool, else short ones.
  private func arguments(
    of tool: String, template: String?
  ) throws(SuiteError) -> GeneratedContent {
    var templates = template.map { [$0] } ?? []
    for name in text.texts.templates.keys.sorted() {
      templates.append((text.texts.templates[name] ?? "").replacing("<fill>", with: "tomorrow"))
    }
    for template in templates {
      guard let call = try? GeneratedContent(json: template),
        (try? call.value(String.self, forProperty: "name")) == tool,
        let arguments = try? call.value(GeneratedContent.self, forProperty: "arguments")
      else { continue }
      return arguments
    }
    throw .invalid(scenario: plan.scenario, reason: "no template calls the tool '\(tool)'")
  }

  private func calls(
    of step: ScenarioPlan.Step, results: String
  ) throws(SuiteError) -> [ConversationScript.Call] {
    let parts = Self.split(results, into: step.calls.count)
    var calls: [ConversationScript.Call] = []
    for (index, call) in step.calls.enumerated() {
      let arguments = try arguments(of: call.tool, template: nil)
      calls.append(
        ConversationScript.Call(
          tool: call.tool, arguments: arguments, milliseconds: call.milliseconds,
          result: parts[index], resultTokens: text.encoding.tokens(of: parts[index]).count))
    }
    return calls
  }

  /// Lines of a text dealt to so many, in order; who gets none has nothing to say.
  private static func split(_ text: String, into count: Int) -> [String] {
    guard count > 1 else { return [text] }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: true)
    let share = (lines.count + count - 1) / count
    return (0..<count).map { index in
      let part = lines.dropFirst(index * share).prefix(share)
      return part.isEmpty ? "Nothing was found." : part.joined(separator: "\n")
    }
  }
}

/// The texts of one session of a plan, numbered so that none is used twice.
private struct ScriptTexts {
  let plan: ScenarioPlan
  let text: ExactText
  let number: Int
  private var written = 0

  init(plan: ScenarioPlan, text: ExactText, number: Int) {
    self.plan = plan
    self.text = text
    self.number = number
  }

  mutating func text(_ segment: ScenarioPlan.Segment) throws(SuiteError) -> String {
    try text(kind: segment.kind, count: segment.tokens, isShared: segment.isShared)
  }

  mutating func text(
    kind: String, count: Int, isShared: Bool = false
  ) throws(SuiteError) -> String {
    written += 1
    let place = isShared ? "\(plan.scenario)/shared" : "\(plan.scenario)/\(number)"
    let tokens = try text.tokens(
      kind: kind, count: count, lane: TextLane.named("\(place)/\(written)"))
    return text.encoding.text(of: tokens)
  }
}
