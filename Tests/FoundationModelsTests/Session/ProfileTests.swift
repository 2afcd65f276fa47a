import FoundationModels
import Observation
import Synchronization
import Testing

extension SessionPropertyValues {
  @SessionPropertyEntry var mood: String = "calm"
}

private final class Switch: Sendable {
  private let value = Mutex(false)
  var isOn: Bool {
    get { value.withLock { $0 } }
    set { value.withLock { $0 = newValue } }
  }
}

private struct Moody: DynamicInstructions {
  @SessionProperty(\.mood) var mood
  let flag: Switch
  var body: some DynamicInstructions {
    Instructions("You are \(mood)")
    if flag.isOn {
      "Loud"
      MoodTool()
    }
    ForEach(["a", "b"], id: \.self) { name in Instructions("Mind \(name)") }
  }
}

private struct MoodTool: Tool {
  @SessionProperty(\.mood) var mood
  let name = "mood"
  let description = "Sets the mood"
  @Generable struct Arguments { var mood: String }
  func call(arguments: Arguments) async throws -> String {
    mood = arguments.mood
    return "now \(mood)"
  }
}

private struct TwoProfiles: LanguageModelSession.DynamicProfile {
  let flag: Switch
  let quiet: ScriptedModel
  let loud: ScriptedModel
  let log: Events

  var body: some DynamicProfile {
    if flag.isOn {
      Profile { Instructions("Loud") }.model(loud).onActivate { log.add("loud on") }
    } else {
      Profile { Instructions("Quiet") }
        .temperature(0.1).temperature(0.9).model(quiet)
        .onDeactivate { log.add("quiet off") }
    }
  }
}

private final class Events: Sendable {
  private let list = Mutex<[String]>([])
  var all: [String] { list.withLock { $0 } }
  func add(_ event: String) { list.withLock { $0.append(event) } }
}

extension SessionPropertyValues {
  @SessionPropertyEntry var hasCalled: Bool = false
}

/// Has to call a tool once, and may not after that.
private struct OneCall: LanguageModelSession.DynamicProfile {
  @SessionProperty(\.hasCalled) var hasCalled
  let model: ScriptedModel
  var body: some DynamicProfile {
    Profile { MoodTool() }
      .model(model)
      .toolCallingMode(hasCalled ? .disallowed : .required)
      .onToolOutput { hasCalled = true }
  }
}

@Suite struct ProfileTests {
  @Test func `instructions and tools are read again before every call`() async throws {
    let flag = Switch()
    let model = ScriptedModel { call, _, channel in
      if call == 1 {
        await channel.call([("1", "mood", #"{"mood":"wild"}"#)])
      } else {
        await channel.say("ok")
      }
    }
    let session = LanguageModelSession(model: model, dynamicInstructions: Moody(flag: flag))
    _ = try await session.respond(to: "a")
    #expect(session.transcript[0].description == "Instructions: You are calm\nMind a\nMind b")
    flag.isOn = true
    _ = try await session.respond(to: "b")
    #expect(session.properties.mood == "wild")
    #expect(session.transcript[0].description == "Instructions: You are wild\nLoud\nMind a\nMind b")
    #expect(model.log.requests[0].enabledToolDefinitions.isEmpty)
    #expect(model.log.requests[1].enabledToolDefinitions.map(\.name) == ["mood"])
    #expect(model.log.requests[2].transcript[0].description.contains("wild"))
    #expect(kinds(session.transcript).filter { $0 == "instructions" }.count == 1)
  }

  @Test func `one profile is active at a time, and the nearer setting counts`() async throws {
    let flag = Switch()
    let log = Events()
    let quiet = ScriptedModel(texts: ["q"])
    let loud = ScriptedModel(texts: ["l"])
    let session = LanguageModelSession(
      profile: TwoProfiles(flag: flag, quiet: quiet, loud: loud, log: log))
    #expect(try await session.respond(to: "1").content == "q")
    #expect(quiet.log.requests[0].generationOptions.temperature == 0.1)
    _ = try await session.respond(to: "2", options: GenerationOptions(temperature: 0.5))
    #expect(quiet.log.requests[1].generationOptions.temperature == 0.5)
    flag.isOn = true
    #expect(try await session.respond(to: "3").content == "l")
    #expect(session.transcript[0].description == "Instructions: Loud")
    #expect(log.all == ["quiet off", "loud on"])
    #expect(session.transcript.count == 7)
  }

  @Test func `hooks fire in their places, and what they throw ends the turn`() async throws {
    struct Stop: Error {}
    let log = Events()
    let veto = Switch()
    let model = ScriptedModel { call, _, channel in
      if call % 2 == 0 {
        await channel.send(.reasoning(action: .appendText("hm", tokenCount: 1)))
        await channel.call([("1", "mood", #"{"mood":"x"}"#)])
      } else {
        await channel.say("ok")
      }
    }
    let profile = LanguageModelSession.Profile { MoodTool() }
      .model(model)
      .onPrompt { prompt in log.add("prompt \(prompt.segments[0])") }
      .onReasoning { log.add("reasoning") }
      .onToolCall { call in
        log.add("call \(call.toolName)")
        if veto.isOn { throw Stop() }
      }
      .onToolOutput { call, output in log.add("output \(call.id == output.id)") }
      .onResponse { log.add("response") }
    let session = LanguageModelSession(profile: profile)
    _ = try await session.respond(to: "a")
    #expect(log.all == ["prompt a", "reasoning", "call mood", "output true", "response"])
    veto.isOn = true
    let before = session.transcript
    await #expect(throws: Stop.self) { try await session.respond(to: "b") }
    #expect(session.transcript == before)
  }

  @Test func `a hook sets a session property, and the next call of the model goes by it`()
    async throws
  {
    let model = ScriptedModel { call, request, channel in
      if request.generationOptions.toolCallingMode == .required {
        await channel.call([("\(call)", "mood", #"{"mood":"wild"}"#)])
      } else {
        await channel.say("ok")
      }
    }
    let session = LanguageModelSession(profile: OneCall(model: model))
    #expect(try await session.respond(to: "a").content == "ok")
    #expect(
      model.log.requests.map(\.generationOptions.toolCallingMode) == [.required, .disallowed])
    #expect(session.properties.hasCalled)
  }

  @Test func `a history transform changes what the model sees and nothing else`() async throws {
    let model = ScriptedModel(texts: ["x"])
    let profile = LanguageModelSession.Profile { Instructions("I") }
      .model(model).historyTransform { Array($0.suffix(1)) }
    let session = LanguageModelSession(profile: profile)
    for _ in 0..<3 { _ = try await session.respond(to: "p") }
    #expect(kinds(model.log.requests[2].transcript) == ["instructions", "prompt"])
    #expect(session.transcript.count == 7)
    session.properties.history = []
    #expect(session.transcript.count == 1)
  }

  @Test func `modifiers of one's own wrap profiles`() async throws {
    struct Cool: LanguageModelSession.DynamicProfileModifier {
      func body(content: Content) -> some LanguageModelSession.DynamicProfile {
        content.temperature(0.2).maximumResponseTokens(5)
      }
    }
    let model = ScriptedModel(texts: ["x"])
    let session = LanguageModelSession(
      profile: LanguageModelSession.Profile { Instructions("I") }.model(model).modifier(Cool()))
    _ = try await session.respond(to: "p")
    #expect(model.log.requests[0].generationOptions.temperature == 0.2)
    #expect(model.log.requests[0].generationOptions.maximumResponseTokens == 5)
  }

  @Test func `a profile's policy keeps the entries of a failed request`() async throws {
    struct Broken: Error {}
    let model = ScriptedModel { _, _, _ in throw Broken() }
    let profile = LanguageModelSession.Profile { Instructions("I") }
      .model(model).transcriptErrorHandlingPolicy(.preserveTranscript)
    let session = LanguageModelSession(profile: profile)
    await #expect(throws: Broken.self) { try await session.respond(to: "p") }
    #expect(kinds(session.transcript) == ["instructions", "prompt"])
  }

  @Test func `observers are told of the transcript and of responding`() async throws {
    let session = LanguageModelSession(model: ScriptedModel(texts: ["x"]))
    let log = Events()
    withObservationTracking {
      _ = session.transcript
    } onChange: {
      log.add("transcript")
    }
    withObservationTracking {
      _ = session.isResponding
    } onChange: {
      log.add("isResponding")
    }
    _ = try await session.respond(to: "p")
    #expect(Set(log.all) == ["transcript", "isResponding"])
  }
}
