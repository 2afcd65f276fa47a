public import Foundation

extension LanguageModelError {
  /// The transcript does not fit into the model's context.
  public struct ContextSizeExceeded: Sendable {
    /// Tokens the context has room for.
    public var contextSize: Int
    /// Tokens the transcript has.
    public var tokenCount: Int
    /// What is wrong, in words.
    public var debugDescription: String
    /// What the model's maker adds.
    public var metadata: [String: any Sendable]

    /// Describes the failure.
    public init(
      contextSize: Int, tokenCount: Int, debugDescription: String,
      metadata: [String: any Sendable] = [:]
    ) {
      self.contextSize = contextSize
      self.tokenCount = tokenCount
      self.debugDescription = debugDescription
      self.metadata = metadata
    }
  }

  /// There were too many requests.
  public struct RateLimited: Sendable {
    /// When requests are possible again, where that is known.
    public var resetDate: Date?
    /// What is wrong, in words.
    public var debugDescription: String
    /// What the model's maker adds.
    public var metadata: [String: any Sendable]

    /// Describes the failure.
    public init(
      resetDate: Date?, debugDescription: String, metadata: [String: any Sendable] = [:]
    ) {
      self.resetDate = resetDate
      self.debugDescription = debugDescription
      self.metadata = metadata
    }
  }

  /// A safety filter refused.
  public struct GuardrailViolation: Sendable {
    /// What is wrong, in words.
    public var debugDescription: String
    /// What the model's maker adds.
    public var metadata: [String: any Sendable]

    /// Describes the failure.
    public init(
      debugDescription: String, metadata: [String: any Sendable] = [:]
    ) {
      self.debugDescription = debugDescription
      self.metadata = metadata
    }
  }

  /// The model lacks what the request needs.
  public struct UnsupportedCapability: Sendable {
    /// What it lacks.
    public var capability: LanguageModelCapabilities.Capability
    /// What is wrong, in words.
    public var debugDescription: String
    /// What the model's maker adds.
    public var metadata: [String: any Sendable]

    /// Describes the failure.
    public init(
      capability: LanguageModelCapabilities.Capability, debugDescription: String,
      metadata: [String: any Sendable] = [:]
    ) {
      self.capability = capability
      self.debugDescription = debugDescription
      self.metadata = metadata
    }
  }

  /// The model can't read some entries.
  public struct UnsupportedTranscriptContent: Sendable {
    /// The entries it can't read.
    public var unsupportedContent: [Transcript.Entry]
    /// What is wrong, in words.
    public var debugDescription: String
    /// What the model's maker adds.
    public var metadata: [String: any Sendable]

    /// Describes the failure.
    public init(
      unsupportedContent: [Transcript.Entry], debugDescription: String,
      metadata: [String: any Sendable] = [:]
    ) {
      self.unsupportedContent = unsupportedContent
      self.debugDescription = debugDescription
      self.metadata = metadata
    }
  }

  /// The model can't follow a guide.
  public struct UnsupportedGenerationGuide: Sendable {
    /// The schema that has the guide.
    public var schemaName: String?
    /// What is wrong, in words.
    public var debugDescription: String
    /// What the model's maker adds.
    public var metadata: [String: any Sendable]

    /// Describes the failure.
    public init(
      schemaName: String?, debugDescription: String, metadata: [String: any Sendable] = [:]
    ) {
      self.schemaName = schemaName
      self.debugDescription = debugDescription
      self.metadata = metadata
    }
  }

  /// The model does not know the language.
  public struct UnsupportedLanguageOrLocale: Sendable {
    /// The language.
    public var languageCode: Locale.LanguageCode
    /// What is wrong, in words.
    public var debugDescription: String
    /// What the model's maker adds.
    public var metadata: [String: any Sendable]

    /// Describes the failure.
    public init(
      languageCode: Locale.LanguageCode, debugDescription: String,
      metadata: [String: any Sendable] = [:]
    ) {
      self.languageCode = languageCode
      self.debugDescription = debugDescription
      self.metadata = metadata
    }
  }

  /// The model took too long.
  public struct Timeout: Sendable {
    /// What is wrong, in words.
    public var debugDescription: String
    /// What the model's maker adds.
    public var metadata: [String: any Sendable]

    /// Describes the failure.
    public init(
      debugDescription: String, metadata: [String: any Sendable] = [:]
    ) {
      self.debugDescription = debugDescription
      self.metadata = metadata
    }
  }
}
