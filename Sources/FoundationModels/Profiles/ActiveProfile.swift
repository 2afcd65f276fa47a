import Synchronization

/// What is in force for one model call: model, tools, instructions, options and hooks.
struct ActiveProfile: Sendable {
  var model: any LanguageModel
  var tools: [any Tool] = []
  var toolDefinitions: [Transcript.ToolDefinition] = []
  /// What the transcript's first entry is to say; nil leaves it as it is.
  var instructions: [Transcript.Segment]?
  var options = GenerationOptions()
  var reasoningLevel: ContextOptions.ReasoningLevel?
  var historyTransforms: [@Sendable ([Transcript.Entry]) -> [Transcript.Entry]] = []
  var policy: LanguageModelSession.TranscriptErrorHandlingPolicy?
  var hooks: [ProfileSetting] = []
  /// What hooks read and write by key.
  var properties: SessionPropertyValues?
  /// Tells profiles apart.
  var path = ""

  init(model: any LanguageModel, tools: [any Tool]) {
    self.model = model
    self.tools = tools
    toolDefinitions = tools.map { Transcript.ToolDefinition(tool: $0) }
  }

  init(_ collector: ProfileCollector, defaultModel: any LanguageModel) {
    self.init(model: defaultModel, tools: collector.instructions.tools)
    instructions = collector.instructions.parts.segments
    path = collector.path
    for setting in collector.settings { apply(setting) }
  }

  private mutating func apply(_ setting: ProfileSetting) {
    switch setting {
    case .model(let value): model = value
    case .temperature(let value): options.temperature = value
    case .samplingMode(let value): options.samplingMode = value
    case .maximumResponseTokens(let value): options.maximumResponseTokens = value
    case .reasoningLevel(let value): reasoningLevel = value
    case .toolCallingMode(let value): options.toolCallingMode = value
    case .historyTransform(let transform): historyTransforms.insert(transform, at: 0)
    case .policy(let value): policy = value
    case .onPrompt, .onResponse, .onReasoning, .onToolCall, .onToolOutput, .onActivate,
      .onDeactivate:
      hooks.append(setting)
    }
  }

  /// The options of a call: what the caller says counts more than the profile.
  func options(_ given: GenerationOptions) -> GenerationOptions {
    var result = given
    result.temperature = given.temperature ?? options.temperature
    result.samplingMode = given.samplingMode ?? options.samplingMode
    result.maximumResponseTokens = given.maximumResponseTokens ?? options.maximumResponseTokens
    result.toolCallingMode = given.toolCallingMode ?? options.toolCallingMode
    return result
  }

  /// The transcript with this profile's instructions in front.
  func instructed(_ transcript: Transcript) -> Transcript {
    guard let instructions else { return transcript }
    var result = transcript
    let isEmpty = instructions.isEmpty && toolDefinitions.isEmpty
    if case .instructions(var entry)? = result.first {
      if isEmpty {
        result.removeFirst()
        return result
      }
      // An entry that says the same stays the same, identity included.
      if entry.segments.map(\.description) != instructions.map(\.description) {
        entry.segments = instructions
      }
      entry.toolDefinitions = toolDefinitions
      result[0] = .instructions(entry)
    } else if !isEmpty {
      let entry = Transcript.Instructions(
        segments: instructions, toolDefinitions: toolDefinitions)
      result.insert(.instructions(entry), at: 0)
    }
    return result
  }

  /// The transcript as the model is to see it.
  func visible(_ transcript: Transcript) -> Transcript {
    var result = instructed(transcript)
    guard !historyTransforms.isEmpty else { return result }
    var entries = Array(result.history)
    for transform in historyTransforms { entries = transform(entries) }
    result.history = Transcript.HistoryView(entries: entries)
    return result
  }
}

/// Where a session's profile comes from.
enum SessionBehavior {
  case fixed(ActiveProfile)
  case dynamic(any LanguageModelSession.DynamicProfile, defaultModel: any LanguageModel)
}

extension LanguageModelSession {
  /// What is in force now.
  func resolveProfile() -> ActiveProfile {
    SessionPropertyValues.$current.withValue(properties) {
      SessionPropertyValues.$isHistoryReadOnly.withValue(true) { readProfile() }
    }
  }

  private func readProfile() -> ActiveProfile {
    behavior.withLock { behavior in
      switch behavior {
      case .fixed(let profile): return profile
      case .dynamic(let profile, let model):
        var collector = ProfileCollector()
        collector.collect(profile)
        var active = ActiveProfile(collector, defaultModel: model)
        active.properties = properties
        return active
      }
    }
  }
}
