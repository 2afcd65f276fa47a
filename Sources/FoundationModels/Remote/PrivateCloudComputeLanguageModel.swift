public import Foundation
public import Observation

/// Apple's model on Apple's servers, which this machine can't reach.
///
/// Unavailable, unless it was given a server that takes its place.
public final class PrivateCloudComputeLanguageModel: LanguageModel, Observable, Sendable {
  let server: ChatCompletionsLanguageModel?
  private let serverContextSize: Int

  /// The model; unavailable here.
  public convenience init() { self.init(server: nil, contextSize: 0) }

  init(server: ChatCompletionsLanguageModel?, contextSize: Int) {
    self.server = server
    serverContextSize = contextSize
  }

  /// Whether the model can be used.
  @frozen
  public enum Availability: Sendable, Hashable {
    /// It can.
    case available
    /// It can't, for a reason.
    case unavailable(UnavailableReason)

    /// Why the model can't be used.
    public enum UnavailableReason: Sendable, Hashable {
      /// The machine is none of Apple's.
      case deviceNotEligible
      /// The system is not ready yet; never the case here.
      case systemNotReady
    }
  }

  /// Whether the model can be used.
  public var availability: Availability {
    server == nil ? .unavailable(.deviceNotEligible) : .available
  }

  /// Whether the model can be used.
  public var isAvailable: Bool { availability == .available }

  /// How much of what the user may ask is left; nobody counts here.
  public var quotaUsage: QuotaUsage {
    QuotaUsage(status: .belowLimit(QuotaUsage.BelowLimit(isApproachingLimit: false)))
  }

  /// Tokens a session can have.
  public var contextSize: Int {
    get async throws {
      guard server != nil else { throw Self.unavailable }
      return serverContextSize
    }
  }

  /// The languages the model was made for: English is all that is promised.
  public var supportedLanguages: Set<Locale.Language> {
    get async throws {
      guard server != nil else { throw Self.unavailable }
      return [Locale.Language(identifier: "en")]
    }
  }

  /// Whether the model was made for a locale's language.
  public func supportsLocale(_ locale: Locale = .current) async throws -> Bool {
    let code = locale.language.languageCode
    return try await supportedLanguages.contains { $0.languageCode == code }
  }

  /// What the server's model can do.
  public var capabilities: LanguageModelCapabilities {
    server?.capabilities ?? LanguageModelCapabilities([])
  }

  /// The server.
  public var executorConfiguration: Executor.Configuration {
    Executor.Configuration(server: server?.configuration)
  }

  private static var unavailable: Error {
    .serviceUnavailable(
      Error.ServiceUnavailable(debugDescription: "Private Cloud Compute is Apple's alone"))
  }

  /// Asks the server that takes the model's place.
  public struct Executor: LanguageModelExecutor {
    /// Which server it is.
    public struct Configuration: Hashable, Sendable {
      let server: ChatCompletionsLanguageModel.Executor.Configuration?
    }

    private let executor: ChatCompletionsLanguageModel.Executor?

    /// An executor of a server.
    public init(configuration: Configuration) throws {
      executor = try configuration.server.map {
        try ChatCompletionsLanguageModel.Executor(configuration: $0)
      }
    }

    /// Asks the server.
    public func respond(
      to request: LanguageModelExecutorGenerationRequest, model: PrivateCloudComputeLanguageModel,
      streamingInto channel: LanguageModelExecutorGenerationChannel
    ) async throws {
      guard let executor else { throw PrivateCloudComputeLanguageModel.unavailable }
      try await executor.respond(to: request, streamingInto: channel)
    }
  }
}

extension PrivateCloudComputeLanguageModel {
  /// How much of what the user may ask is left.
  public struct QuotaUsage: Sendable {
    /// Where the user stands.
    public enum Status: Sendable {
      /// There is some left.
      case belowLimit(BelowLimit)
      /// There is none left.
      case limitReached(LimitReached)
    }

    /// There is some left.
    public struct BelowLimit: Sendable {
      /// Whether it is little.
      public let isApproachingLimit: Bool
    }

    /// There is none left.
    public struct LimitReached: Sendable {}

    /// How to get more.
    public struct LimitIncreaseSuggestion: Sendable {
      /// Shows the suggestion; there is nothing to show it on here.
      public func show() {}
    }

    /// Where the user stands.
    public let status: Status
    /// How to get more, where that is possible.
    public var limitIncreaseSuggestion: LimitIncreaseSuggestion? { nil }
    /// When there is more again.
    public var resetDate: Date? { nil }
    /// Whether there is none left.
    public var isLimitReached: Bool { if case .limitReached = status { true } else { false } }
  }

  /// Why the model did not answer.
  public enum Error: Swift.Error, LocalizedError, Sendable {
    /// The servers can't be reached.
    case networkFailure(NetworkFailure)
    /// The user has asked as much as is allowed.
    case quotaLimitReached(QuotaLimitReached)
    /// The servers do not serve this machine.
    case serviceUnavailable(ServiceUnavailable)

    /// The servers can't be reached.
    public struct NetworkFailure: Sendable {
      /// What is wrong.
      public var debugDescription: String
    }

    /// The user has asked as much as is allowed.
    public struct QuotaLimitReached: Sendable {
      /// How to get more, where that is possible.
      public var limitIncreaseSuggestion: QuotaUsage.LimitIncreaseSuggestion?
      /// When there is more again.
      public var resetDate: Date?
      /// What is wrong.
      public var debugDescription: String
    }

    /// The servers do not serve this machine.
    public struct ServiceUnavailable: Sendable {
      /// What is wrong.
      public var debugDescription: String
    }

    /// What is wrong, for people.
    public var errorDescription: String? {
      switch self {
      case .networkFailure(let facts): "The servers can't be reached: \(facts.debugDescription)."
      case .quotaLimitReached(let facts): "There is no quota left: \(facts.debugDescription)."
      case .serviceUnavailable(let facts):
        "The model is not served here: \(facts.debugDescription)."
      }
    }
  }
}
