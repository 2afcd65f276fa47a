public import Foundation

extension LanguageModelSession {
  /// Why a request failed, in the terms of the first generation of the framework.
  ///
  /// Thrown instead of ``LanguageModelError`` by sessions whose ``LanguageModelSession/errorGeneration``
  /// says so. The cases carry the same facts.
  public enum GenerationError: Swift.Error, LocalizedError, Sendable {
    /// The transcript does not fit into the model's context.
    case exceededContextWindowSize(Context)
    /// The model's files are not there.
    case assetsUnavailable(Context)
    /// A safety filter refused.
    case guardrailViolation(Context)
    /// The model can't follow a guide.
    case unsupportedGuide(Context)
    /// The model does not know the language.
    case unsupportedLanguageOrLocale(Context)
    /// The answer does not have the form that was asked for.
    case decodingFailure(Context)
    /// There were too many requests.
    case rateLimited(Context)
    /// The session is answering another request.
    case concurrentRequests(Context)
    /// The model declined to answer.
    case refusal(Refusal, Context)

    /// What happened, in words.
    public struct Context: Sendable {
      /// The details.
      public let debugDescription: String

      /// Takes the details.
      public init(debugDescription: String) { self.debugDescription = debugDescription }
    }

    /// What the model said when it declined.
    public struct Refusal: Sendable {
      private let transcriptEntries: [Transcript.Entry]

      /// Takes the entries of the request that was declined.
      public init(transcriptEntries: [Transcript.Entry]) {
        self.transcriptEntries = transcriptEntries
      }

      /// The last response of the entries, which is what the model said for its reason.
      public var explanation: Response<String> {
        get async throws { Response(explaining: text) }
      }

      /// The same as a stream of one snapshot.
      public var explanationStream: ResponseStream<String> { ResponseStream(explaining: text) }

      private var text: String {
        for case .response(let response) in transcriptEntries.reversed() {
          return response.segments.text
        }
        return ""
      }
    }

    private var context: Context {
      switch self {
      case .exceededContextWindowSize(let context), .assetsUnavailable(let context),
        .guardrailViolation(let context), .unsupportedGuide(let context),
        .unsupportedLanguageOrLocale(let context), .decodingFailure(let context),
        .rateLimited(let context), .concurrentRequests(let context), .refusal(_, let context):
        context
      }
    }

    /// What is wrong, for people.
    public var errorDescription: String? {
      let sentence =
        switch self {
        case .exceededContextWindowSize: "The session does not fit into the model's context"
        case .assetsUnavailable: "The model's files are not available"
        case .guardrailViolation: "A safety filter stopped the request"
        case .unsupportedGuide: "The model can't follow a guide of the schema"
        case .unsupportedLanguageOrLocale: "The model does not support the language"
        case .decodingFailure: "The model's answer does not have the requested form"
        case .rateLimited: "The model has too many requests"
        case .concurrentRequests: "The session is answering another request"
        case .refusal: "The model declined to answer"
        }
      return "\(sentence): \(context.debugDescription)"
    }

    /// The details.
    public var failureReason: String? { context.debugDescription }

    /// What to do about it.
    public var recoverySuggestion: String? {
      switch self {
      case .exceededContextWindowSize: "Start a session with a condensed transcript."
      case .assetsUnavailable: "Get a model with `fm pull`."
      case .concurrentRequests: "Wait for the answer, or use another session."
      case .rateLimited: "Try again later."
      case .guardrailViolation, .refusal: "Ask in other words."
      case .unsupportedGuide, .unsupportedLanguageOrLocale: "Use another model, or do without."
      case .decodingFailure: "Allow more tokens, or ask for less."
      }
    }
  }
}
