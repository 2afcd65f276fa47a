import FoundationModels
import Synchronization
import Testing

private final class Log: Sendable {
  private let list = Mutex<[String]>([])
  var all: [String] { list.withLock { $0 } }
  func add(_ event: String) { list.withLock { $0.append(event) } }
}

extension SessionPropertyValues {
  @SessionPropertyEntry fileprivate var isExpert: Bool = false
}

/// Makes the session an expert's, and tries to forget what was said.
private struct Promote: Tool {
  @SessionProperty(\.isExpert) var isExpert
  let name = "promote"
  let description = "Promotes"
  let log: Log
  let session: @Sendable () -> SessionPropertyValues?
  let parameters = Age.generationSchema
  func call(arguments: GeneratedContent) async throws -> String {
    isExpert = true
    session()?.history = []
    log.add("run")
    return "promoted"
  }
}

private struct Ranks: LanguageModelSession.DynamicProfile {
  @SessionProperty(\.isExpert) var isExpert
  let novice: ScriptedModel
  let expert: ScriptedModel
  let tool: Promote

  var body: some DynamicProfile {
    if isExpert {
      Profile { Instructions("Expert") }.model(expert)
    } else {
      Profile {
        Instructions("Novice")
        tool
      }
      .model(novice)
    }
  }
}

/// Holds a session's values once there is one.
private final class Slot: Sendable {
  private let value = Mutex<SessionPropertyValues?>(nil)
  var current: SessionPropertyValues? {
    get { value.withLock { $0 } }
    set { value.withLock { $0 = newValue } }
  }
}

/// What sessions promise of profiles, beside what `ProfileTests` shows.
@Suite struct ProfileContractTests {
  private let call = [(id: "1", name: "promote", arguments: #"{"years":1,"months":2}"#)]

  @Test func `a switch in the middle of a turn takes effect at the next call of the model`()
    async throws
  {
    let calls = call
    let novice = ScriptedModel { _, _, channel in await channel.call(calls) }
    let expert = ScriptedModel(texts: ["done"])
    let log = Log()
    let slot = Slot()
    let tool = Promote(log: log) { slot.current }
    let session = LanguageModelSession(
      profile: Ranks(novice: novice, expert: expert, tool: tool))
    slot.current = session.properties
    #expect(try await session.respond(to: "x").content == "done")
    #expect(novice.log.requests.count == 1 && expert.log.requests.count == 1)
    #expect(session.transcript[0].description == "Instructions: Expert")
    #expect(expert.log.requests[0].enabledToolDefinitions.isEmpty)
    // Nothing tells of the switch, and what the tool assigned to the history was dropped.
    #expect(
      kinds(session.transcript)
        == ["instructions", "prompt", "toolCalls", "toolOutput", "response"])
    #expect(log.all == ["run"])
  }

  @Test func `hooks of one kind add up, each where it belongs`() async throws {
    let calls = call
    let model = ScriptedModel { call, _, channel in
      if call == 0 { await channel.call(calls) } else { await channel.say("ok") }
    }
    let log = Log()
    let slot = Slot()
    let profile = LanguageModelSession.Profile { Promote(log: log) { nil } }
      .model(model)
      .onPrompt { prompt in
        let isThere = slot.current?.history.last == .prompt(prompt)
        log.add("prompt, in the transcript: \(isThere), calls: \(model.log.requests.count)")
      }
      .onPrompt { log.add("prompt again") }
      .onToolCall { log.add("call") }
      .onToolCall { log.add("call again") }
      .onToolOutput { log.add("output") }
      .onResponse { response in log.add("response \(response.segments.count)") }
    let session = LanguageModelSession(profile: profile)
    slot.current = session.properties
    _ = try await session.respond(to: "x")
    #expect(
      log.all == [
        "prompt again", "prompt, in the transcript: true, calls: 0", "call again", "call", "run",
        "output", "response 1",
      ])
  }

  @Test func `a profile goes on with a history, and its instructions come first`() async throws {
    let model = ScriptedModel(texts: ["x"])
    let history = [
      Transcript.Entry.prompt(.init(id: "p", segments: [.text(.init(content: "old"))]))
    ]
    let profiled = LanguageModelSession(
      profile: LanguageModelSession.Profile { Instructions("I") }.model(model), history: history)
    let dynamic = LanguageModelSession(
      model: model, dynamicInstructions: Instructions("I"), history: history)
    for session in [profiled, dynamic] {
      _ = try await session.respond(to: "new")
      #expect(kinds(session.transcript) == ["instructions", "prompt", "prompt", "response"])
      #expect(session.transcript[1].id == "p")
    }
  }

  @Test func `the nearest setting of every kind counts, and the call's own before all`()
    async throws
  {
    let model = ScriptedModel(texts: ["x"], capabilities: [.reasoning, .toolCalling])
    let profile = LanguageModelSession.Profile { Instructions("I") }
      .samplingMode(.greedy).maximumResponseTokens(5).reasoningLevel(.light)
      .samplingMode(.random(top: 2)).maximumResponseTokens(9).reasoningLevel(.deep)
      .model(model).model(ScriptedModel(texts: ["outer"]))
    let session = LanguageModelSession(profile: profile)
    #expect(try await session.respond(to: "x").content == "x")
    _ = try await session.respond(
      to: "x", options: GenerationOptions(samplingMode: .random(top: 7), maximumResponseTokens: 1),
      contextOptions: ContextOptions(reasoningLevel: .moderate))
    let options = model.log.requests.map(\.generationOptions)
    #expect(options.map(\.samplingMode) == [.greedy, .random(top: 7)])
    #expect(options.map(\.maximumResponseTokens) == [5, 1])
    #expect(model.log.requests.map(\.contextOptions.reasoningLevel) == [.light, .moderate])
  }

  @Test func `a session property has its default, is shared, and is each session's own`() {
    let sessions = (0..<2).map { _ in
      LanguageModelSession(model: ScriptedModel(texts: ["x"]))
    }
    #expect(!sessions[0].properties.isExpert)
    sessions[0].properties.isExpert = true
    #expect(sessions[0].properties.isExpert && !sessions[1].properties.isExpert)
  }
}
