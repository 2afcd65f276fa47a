/// What a modifier says; those nearer to the profile come later and count more.
enum ProfileSetting: Sendable {
  case model(any LanguageModel)
  case temperature(Double)
  case samplingMode(GenerationOptions.SamplingMode)
  case maximumResponseTokens(Int)
  case reasoningLevel(ContextOptions.ReasoningLevel)
  case toolCallingMode(GenerationOptions.ToolCallingMode)
  case historyTransform(@Sendable ([Transcript.Entry]) -> [Transcript.Entry])
  case policy(LanguageModelSession.TranscriptErrorHandlingPolicy)
  case onPrompt(@Sendable (Transcript.Prompt) async throws -> Void)
  case onResponse(@Sendable (Transcript.Response) async throws -> Void)
  case onReasoning(@Sendable (Transcript.Reasoning) async throws -> Void)
  case onToolCall(@Sendable (Transcript.ToolCall) async throws -> Void)
  case onToolOutput(@Sendable (Transcript.ToolCall, Transcript.ToolOutput) async throws -> Void)
  case onActivate(@Sendable () async -> Void)
  case onDeactivate(@Sendable () async -> Void)
}

/// A profile with one more setting; nil sets nothing.
struct SettingProfile<Content: LanguageModelSession.DynamicProfile>:
  LanguageModelSession.DynamicProfile, ProfileNode
{
  let content: Content
  let setting: ProfileSetting?

  var body: Never { preconditionFailure("a setting has no body") }

  func collect(into collector: inout ProfileCollector) {
    if let setting { collector.settings.append(setting) }
    collector.collect(content)
  }
}

extension LanguageModelSession.DynamicProfile {
  /// Changes the profile.
  public func modifier<Modifier: LanguageModelSession.DynamicProfileModifier>(
    _ modifier: Modifier
  ) -> some LanguageModelSession.DynamicProfile {
    LanguageModelSession.ModifiedDynamicProfile(content: self, modifier: modifier)
  }

  /// Sets the model.
  public func model(_ model: any LanguageModel) -> some LanguageModelSession.DynamicProfile {
    SettingProfile(content: self, setting: .model(model))
  }

  /// Sets how far the choice of tokens may stray from the likeliest.
  public func temperature(_ temperature: Double?) -> some LanguageModelSession.DynamicProfile {
    SettingProfile(content: self, setting: temperature.map(ProfileSetting.temperature))
  }

  /// Sets how tokens are chosen.
  public func samplingMode(
    _ mode: GenerationOptions.SamplingMode?
  ) -> some LanguageModelSession.DynamicProfile {
    SettingProfile(content: self, setting: mode.map(ProfileSetting.samplingMode))
  }

  /// Sets the most tokens of an answer.
  public func maximumResponseTokens(_ count: Int?) -> some LanguageModelSession.DynamicProfile {
    SettingProfile(content: self, setting: count.map(ProfileSetting.maximumResponseTokens))
  }

  /// Sets how long the model may think.
  public func reasoningLevel(
    _ level: ContextOptions.ReasoningLevel?
  ) -> some LanguageModelSession.DynamicProfile {
    SettingProfile(content: self, setting: level.map(ProfileSetting.reasoningLevel))
  }

  /// Sets whether tools may be called.
  public func toolCallingMode(
    _ mode: GenerationOptions.ToolCallingMode?
  ) -> some LanguageModelSession.DynamicProfile {
    SettingProfile(content: self, setting: mode.map(ProfileSetting.toolCallingMode))
  }

  /// Changes what the model sees of the history; the transcript stays as it is.
  public func historyTransform(
    _ transform: @escaping @Sendable ([Transcript.Entry]) -> [Transcript.Entry]
  ) -> some LanguageModelSession.DynamicProfile {
    SettingProfile(content: self, setting: .historyTransform(transform))
  }

  /// Sets what becomes of a request's entries when it fails.
  public func transcriptErrorHandlingPolicy(
    _ policy: LanguageModelSession.TranscriptErrorHandlingPolicy?
  ) -> some LanguageModelSession.DynamicProfile {
    SettingProfile(content: self, setting: policy.map(ProfileSetting.policy))
  }
}
