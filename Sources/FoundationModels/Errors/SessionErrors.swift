public import Foundation

extension LanguageModelSession {
  /// How a session was used wrongly.
  public enum Error: Swift.Error, Hashable, LocalizedError, Sendable {
    /// The session is answering another request.
    case concurrentRequests
    /// The transcript was changed while the session was answering.
    case transcriptMutationWhileResponding

    /// What is wrong, for people.
    public var errorDescription: String? {
      switch self {
      case .concurrentRequests:
        "The session is answering another request; wait for it, or use another session."
      case .transcriptMutationWhileResponding:
        "The transcript was changed while the session was answering."
      }
    }
  }

  /// A tool threw; the request it was called in has ended.
  public struct ToolCallError: Swift.Error, LocalizedError {
    /// The tool.
    public var tool: any Tool
    /// What it threw.
    public var underlyingError: any Swift.Error

    /// A tool and what it threw.
    public init(tool: any Tool, underlyingError: any Swift.Error) {
      self.tool = tool
      self.underlyingError = underlyingError
    }

    /// What is wrong, for people.
    public var errorDescription: String? {
      "The tool '\(tool.name)' failed: \(underlyingError.localizedDescription)"
    }
  }

  /// What becomes of a request's entries when it fails or is cancelled.
  public struct TranscriptErrorHandlingPolicy: Sendable, Hashable {
    private let isPreserving: Bool

    /// The transcript is again what it was before the request.
    public static let revertTranscript = TranscriptErrorHandlingPolicy(isPreserving: false)
    /// The entries stay; the last one may be only partly generated.
    public static let preserveTranscript = TranscriptErrorHandlingPolicy(isPreserving: true)
  }
}
