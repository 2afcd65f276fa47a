/// How an answer is generated; what is nil is the model's own default.
public struct GenerationOptions: Sendable, Equatable {
  /// How tokens are chosen.
  public var samplingMode: SamplingMode?
  /// How far the choice may stray from the likeliest, 0 or more.
  public var temperature: Double?
  /// The most tokens of an answer: a hard cut, wherever it falls.
  public var maximumResponseTokens: Int?
  /// Whether tools may be called; nil is `allowed`.
  public var toolCallingMode: ToolCallingMode?
  /// Extension: whether a structured answer is brought to its shortest legal end before
  /// `maximumResponseTokens` would cut it; without it a cut answer throws, as Apple's framework does.
  ///
  /// A limit below the shortest answer of the schema throws before anything is generated. Models that
  /// are not on this machine cut.
  public var finishesWithinLimit = false

  /// How tokens are chosen.
  @available(*, deprecated, renamed: "samplingMode")
  public var sampling: SamplingMode? {
    get { samplingMode }
    set { samplingMode = newValue }
  }

  /// Options; what is left out is the model's default.
  public init(
    samplingMode: SamplingMode? = nil, temperature: Double? = nil,
    maximumResponseTokens: Int? = nil
  ) {
    self.samplingMode = samplingMode
    self.temperature = temperature
    self.maximumResponseTokens = maximumResponseTokens
  }

  /// Options that say whether tools may be called.
  public init(
    samplingMode: SamplingMode? = nil, temperature: Double? = nil,
    maximumResponseTokens: Int? = nil, toolCallingMode: ToolCallingMode?
  ) {
    self.init(
      samplingMode: samplingMode, temperature: temperature,
      maximumResponseTokens: maximumResponseTokens)
    self.toolCallingMode = toolCallingMode
  }

  /// Options by their older names.
  @available(
    *, deprecated, renamed: "init(samplingMode:temperature:maximumResponseTokens:)"
  )
  public init(
    sampling: SamplingMode?, temperature: Double? = nil, maximumResponseTokens: Int? = nil
  ) {
    self.init(
      samplingMode: sampling, temperature: temperature,
      maximumResponseTokens: maximumResponseTokens)
  }
}

extension GenerationOptions {
  /// How tokens are chosen.
  public struct SamplingMode: Sendable, Equatable {
    /// The ways to choose.
    public enum Kind: Sendable, Equatable {
      /// The likeliest token every time.
      case greedy
      /// A draw from the `k` likeliest.
      case randomTopK(Int, seed: UInt64?)
      /// A draw from the fewest tokens whose probabilities reach the threshold.
      case randomProbabilityThreshold(Double, seed: UInt64?)
    }

    /// The way to choose.
    public let kind: Kind

    /// The likeliest token every time.
    public static var greedy: SamplingMode { SamplingMode(kind: .greedy) }

    /// A draw from the `k` likeliest tokens; the same seed draws the same.
    public static func random(top k: Int, seed: UInt64? = nil) -> SamplingMode {
      SamplingMode(kind: .randomTopK(k, seed: seed))
    }

    /// A draw from the fewest tokens whose probabilities reach the threshold, in 0...1.
    public static func random(
      probabilityThreshold: Double, seed: UInt64? = nil
    ) -> SamplingMode {
      SamplingMode(kind: .randomProbabilityThreshold(probabilityThreshold, seed: seed))
    }
  }

  /// Whether tools may be called.
  public struct ToolCallingMode: Sendable, Equatable {
    /// The possibilities.
    public enum Kind: Sendable, Equatable {
      /// The model decides.
      case allowed
      /// The model must call a tool.
      case required
      /// The model must answer without.
      case disallowed
    }

    /// Which it is.
    public var kind: Kind

    /// The model decides.
    public static let allowed = ToolCallingMode(kind: .allowed)
    /// The model must call a tool, again and again until a tool throws or the mode changes.
    public static let required = ToolCallingMode(kind: .required)
    /// The model must answer without.
    public static let disallowed = ToolCallingMode(kind: .disallowed)
  }
}

/// What a model is shown beside the transcript.
public struct ContextOptions: Sendable, Equatable {
  /// Whether the schema of the answer is described in the prompt.
  public var includeSchemaInPrompt: Bool?
  /// How long the model may think.
  public var reasoningLevel: ReasoningLevel?

  /// Options; what is left out is the model's default.
  public init(includeSchemaInPrompt: Bool? = nil, reasoningLevel: ReasoningLevel? = nil) {
    self.includeSchemaInPrompt = includeSchemaInPrompt
    self.reasoningLevel = reasoningLevel
  }

  /// How long a model may think.
  public enum ReasoningLevel: Sendable, Equatable {
    /// Briefly.
    case light
    /// As usual.
    case moderate
    /// Thoroughly.
    case deep
    /// A provider's own level.
    case custom(String)
  }
}
