extension LanguageModelSession {
  /// The transcript of a new session: its instructions and tools, where there are any.
  private static func transcript(
    instructions: Instructions?, profile: ActiveProfile
  ) -> Transcript {
    let segments = instructions?.parts.segments ?? []
    guard !segments.isEmpty || !profile.tools.isEmpty else { return Transcript() }
    return Transcript(entries: [
      .instructions(
        Transcript.Instructions(segments: segments, toolDefinitions: profile.toolDefinitions))
    ])
  }

  /// A transcript to go on with, which describes the tools of the new session.
  private static func transcript(_ transcript: Transcript, profile: ActiveProfile) -> Transcript {
    guard !profile.tools.isEmpty else { return transcript }
    var result = transcript
    if case .instructions(var entry)? = result.first {
      entry.toolDefinitions = profile.toolDefinitions
      result[0] = .instructions(entry)
    } else {
      result.insert(
        .instructions(
          Transcript.Instructions(segments: [], toolDefinitions: profile.toolDefinitions)), at: 0)
    }
    return result
  }

  private convenience init(
    anyModel model: any LanguageModel, tools: [any Tool], anyInstructions: Instructions?
  ) {
    let profile = ActiveProfile(model: model, tools: tools)
    self.init(
      behavior: .fixed(profile),
      transcript: Self.transcript(instructions: anyInstructions, profile: profile))
  }

  private convenience init(
    anyModel model: any LanguageModel, tools: [any Tool], anyTranscript: Transcript
  ) {
    let profile = ActiveProfile(model: model, tools: tools)
    self.init(
      behavior: .fixed(profile), transcript: Self.transcript(anyTranscript, profile: profile))
  }
}

/// Sessions with the system's model.
extension LanguageModelSession {
  /// A session with instructions as a text.
  @_disfavoredOverload
  public convenience init(
    model: SystemLanguageModel = .default, tools: [any Tool] = [], instructions: String? = nil
  ) {
    self.init(
      anyModel: model, tools: tools, anyInstructions: instructions.map { Instructions($0) })
  }

  /// A session with instructions built of several pieces.
  public convenience init(
    model: SystemLanguageModel = .default, tools: [any Tool] = [],
    @InstructionsBuilder instructions: () throws -> Instructions
  ) rethrows {
    self.init(anyModel: model, tools: tools, anyInstructions: try instructions())
  }

  /// A session with instructions.
  public convenience init(
    model: SystemLanguageModel = .default, tools: [any Tool] = [],
    instructions: Instructions? = nil
  ) {
    self.init(anyModel: model, tools: tools, anyInstructions: instructions)
  }

  /// A session that goes on with a transcript.
  public convenience init(
    model: SystemLanguageModel = .default, tools: [any Tool] = [], transcript: Transcript
  ) {
    self.init(anyModel: model, tools: tools, anyTranscript: transcript)
  }
}

/// Sessions with any model.
extension LanguageModelSession {
  /// A session with instructions as a text.
  @_disfavoredOverload
  public convenience init(
    model: some LanguageModel, tools: [any Tool] = [], instructions: String? = nil
  ) {
    self.init(
      anyModel: model, tools: tools, anyInstructions: instructions.map { Instructions($0) })
  }

  /// A session with instructions.
  public convenience init(
    model: some LanguageModel, tools: [any Tool] = [], instructions: Instructions? = nil
  ) {
    self.init(anyModel: model, tools: tools, anyInstructions: instructions)
  }

  /// A session with instructions built of several pieces.
  public convenience init<Failure: Swift.Error>(
    model: some LanguageModel, tools: [any Tool] = [],
    @InstructionsBuilder instructions: () throws(Failure) -> Instructions
  ) throws(Failure) {
    self.init(anyModel: model, tools: tools, anyInstructions: try instructions())
  }

  /// A session that goes on with a transcript.
  public convenience init(
    model: some LanguageModel, tools: [any Tool] = [], transcript: Transcript
  ) {
    self.init(anyModel: model, tools: tools, anyTranscript: transcript)
  }

  /// A session whose model, instructions and tools a profile decides before every model call.
  public convenience init(
    profile: sending some DynamicProfile, history: some Collection<Transcript.Entry> = []
  ) {
    self.init(
      behavior: .dynamic(profile, defaultModel: SystemLanguageModel.default),
      transcript: Transcript(entries: history))
  }

  /// A session whose instructions and tools are read again before every model call.
  public convenience init(
    model: some LanguageModel = SystemLanguageModel.default,
    dynamicInstructions: sending some DynamicInstructions,
    history: some Collection<Transcript.Entry> = []
  ) {
    let profile = Profile { dynamicInstructions }
    self.init(
      behavior: .dynamic(profile, defaultModel: model), transcript: Transcript(entries: history))
  }
}
