// Extension: which generation of error types a session throws.

import Synchronization

extension LanguageModelSession {
  /// The types of errors that requests throw.
  public enum ErrorGeneration: Sendable, Hashable {
    /// ``GenerationError``, for code written for the first generation of the framework.
    case generationError
    /// ``LanguageModelError`` and its kin.
    case languageModel
  }

  /// The types of errors that this session's requests throw; ``ErrorGeneration/languageModel`` at first.
  public var errorGeneration: ErrorGeneration {
    get { state.withLock { $0.errorGeneration } }
    set { state.withLock { $0.errorGeneration = newValue } }
  }

  /// The error a request throws for `error`.
  func translated(_ error: any Swift.Error) -> any Swift.Error {
    guard errorGeneration == .generationError else { return error }
    func context(_ text: String) -> GenerationError.Context {
      GenerationError.Context(debugDescription: text)
    }
    switch error {
    case let error as LanguageModelError:
      let context = context(error.debugDescription)
      switch error {
      case .contextSizeExceeded: return GenerationError.exceededContextWindowSize(context)
      case .rateLimited: return GenerationError.rateLimited(context)
      case .guardrailViolation: return GenerationError.guardrailViolation(context)
      case .refusal(let refusal):
        let response = Transcript.Response(
          segments: [.text(Transcript.TextSegment(content: refusal.text))])
        return GenerationError.refusal(
          GenerationError.Refusal(transcriptEntries: [.response(response)]), context)
      case .unsupportedGenerationGuide: return GenerationError.unsupportedGuide(context)
      case .unsupportedLanguageOrLocale:
        return GenerationError.unsupportedLanguageOrLocale(context)
      case .unsupportedCapability, .unsupportedTranscriptContent, .timeout: return error
      }
    case Error.concurrentRequests:
      return GenerationError.concurrentRequests(context("one request at a time"))
    case SystemLanguageModel.Error.assetsUnavailable(let facts):
      return GenerationError.assetsUnavailable(context(facts.debugDescription))
    case let error as GeneratedContent.ParsingError:
      return GenerationError.decodingFailure(context(error.debugDescription))
    default: return error
    }
  }
}
