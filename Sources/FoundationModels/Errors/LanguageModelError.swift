public import Foundation

/// Why a model did not answer, whichever model it is.
public enum LanguageModelError: LocalizedError, CustomDebugStringConvertible, Sendable {
  /// The transcript does not fit into the model's context.
  case contextSizeExceeded(ContextSizeExceeded)
  /// Too many requests; try again later.
  case rateLimited(RateLimited)
  /// A safety filter refused the prompt or the answer.
  case guardrailViolation(GuardrailViolation)
  /// The model declined to answer.
  case refusal(Refusal)
  /// The model lacks what the request needs.
  case unsupportedCapability(UnsupportedCapability)
  /// The model can't read some entries.
  case unsupportedTranscriptContent(UnsupportedTranscriptContent)
  /// The model can't follow a guide of the schema.
  case unsupportedGenerationGuide(UnsupportedGenerationGuide)
  /// The model does not know the language.
  case unsupportedLanguageOrLocale(UnsupportedLanguageOrLocale)
  /// The model took too long.
  case timeout(Timeout)

  /// What is wrong, with its numbers.
  public var debugDescription: String {
    switch self {
    case .contextSizeExceeded(let facts): facts.debugDescription
    case .rateLimited(let facts): facts.debugDescription
    case .guardrailViolation(let facts): facts.debugDescription
    case .refusal(let facts): facts.debugDescription
    case .unsupportedCapability(let facts): facts.debugDescription
    case .unsupportedTranscriptContent(let facts): facts.debugDescription
    case .unsupportedGenerationGuide(let facts): facts.debugDescription
    case .unsupportedLanguageOrLocale(let facts): facts.debugDescription
    case .timeout(let facts): facts.debugDescription
    }
  }

  /// What is wrong, for people.
  public var errorDescription: String? {
    switch self {
    case .contextSizeExceeded(let facts):
      "The session has \(facts.tokenCount) tokens, more than fit into the model's context of "
        + "\(facts.contextSize)."
    case .rateLimited(let facts):
      "The model has too many requests"
        + (facts.resetDate.map { " until \($0.formatted(.iso8601))" } ?? "") + "."
    case .guardrailViolation: "A safety filter stopped the request."
    case .refusal: "The model declined to answer."
    case .unsupportedCapability(let facts):
      "The model has no support for \(facts.capability.name)."
    case .unsupportedTranscriptContent:
      "The transcript has content that the model can't read: \(debugDescription)."
    case .unsupportedGenerationGuide(let facts):
      "The model can't follow a guide of the schema"
        + (facts.schemaName.map { " '\($0)'" } ?? "") + ": \(debugDescription)."
    case .unsupportedLanguageOrLocale(let facts):
      "The model does not support the language '\(facts.languageCode.identifier)'."
    case .timeout: "The model took too long: \(debugDescription)."
    }
  }

  /// The details.
  public var failureReason: String? { debugDescription }

  /// What to do about it.
  public var recoverySuggestion: String? {
    switch self {
    case .contextSizeExceeded:
      "Shorten the session's transcript, or start a session with a condensed one."
    case .rateLimited, .timeout: "Try again later."
    case .guardrailViolation, .refusal: "Ask in other words."
    case .unsupportedCapability, .unsupportedTranscriptContent, .unsupportedGenerationGuide,
      .unsupportedLanguageOrLocale:
      "Use another model, or do without."
    }
  }
}
