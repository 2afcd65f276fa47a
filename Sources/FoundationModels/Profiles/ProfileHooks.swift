extension LanguageModelSession.DynamicProfile {
  /// Does something after a prompt was added and before the model is asked; what it throws ends the request.
  public func onPrompt(
    _ action: @escaping @Sendable (Transcript.Prompt) async throws -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    SettingProfile(content: self, setting: .onPrompt(action))
  }

  /// Does something after a prompt was added and before the model is asked; what it throws ends the request.
  public func onPrompt(
    _ action: @escaping @Sendable () async throws -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    SettingProfile(content: self, setting: .onPrompt { _ in try await action() })
  }

  /// Does something after the model has responded; what it throws ends the request.
  public func onResponse(
    _ action: @escaping @Sendable (Transcript.Response) async throws -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    SettingProfile(content: self, setting: .onResponse(action))
  }

  /// Does something after the model has responded; what it throws ends the request.
  public func onResponse(
    _ action: @escaping @Sendable () async throws -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    SettingProfile(content: self, setting: .onResponse { _ in try await action() })
  }

  /// Does something after the model has thought; what it throws ends the request.
  public func onReasoning(
    _ action: @escaping @Sendable (Transcript.Reasoning) async throws -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    SettingProfile(content: self, setting: .onReasoning(action))
  }

  /// Does something after the model has thought; what it throws ends the request.
  public func onReasoning(
    _ action: @escaping @Sendable () async throws -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    SettingProfile(content: self, setting: .onReasoning { _ in try await action() })
  }

  /// Does something before a tool is called; what it throws ends the request.
  public func onToolCall(
    _ action: @escaping @Sendable (Transcript.ToolCall) async throws -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    SettingProfile(content: self, setting: .onToolCall(action))
  }

  /// Does something before a tool is called; what it throws ends the request.
  public func onToolCall(
    _ action: @escaping @Sendable () async throws -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    SettingProfile(content: self, setting: .onToolCall { _ in try await action() })
  }

  /// Does something after a tool has answered; what it throws ends the request.
  public func onToolOutput(
    _ action: @escaping @Sendable (Transcript.ToolCall, Transcript.ToolOutput) async throws -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    SettingProfile(content: self, setting: .onToolOutput(action))
  }

  /// Does something after a tool has answered; what it throws ends the request.
  public func onToolOutput(
    _ action: @escaping @Sendable () async throws -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    SettingProfile(content: self, setting: .onToolOutput { _, _ in try await action() })
  }

  /// Does something when the profile becomes the active one.
  public func onActivate(
    _ action: @escaping @Sendable () async -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    SettingProfile(content: self, setting: .onActivate(action))
  }

  /// Does something when another profile becomes the active one.
  public func onDeactivate(
    _ action: @escaping @Sendable () async -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    SettingProfile(content: self, setting: .onDeactivate(action))
  }
}
