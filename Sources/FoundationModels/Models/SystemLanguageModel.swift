import FMRuntime
public import Foundation
public import Observation

/// The model of this machine: the default one of the model store.
///
/// There is nothing to switch on and no eligible device to have: the model is available when a model file
/// was pulled (`fm pull`), and availability is looked up every time it is asked for.
public final class SystemLanguageModel: LanguageModel, Observable, Sendable {
  /// The model for everything.
  public static let `default` = SystemLanguageModel()

  /// The one engine that all system models share.
  private static let sharedHandle = EngineHandle(source: .systemDefault)

  let handle: EngineHandle

  /// The model for a purpose; all purposes have the same model here.
  public init(useCase: UseCase = .general, guardrails: Guardrails = .default) {
    handle = Self.sharedHandle
  }

  /// What a model is used for.
  public struct UseCase: Sendable, Hashable {
    private let name: String

    /// Anything.
    public static let general = UseCase(name: "general")
    /// Finding tags for content.
    public static let contentTagging = UseCase(name: "contentTagging")
  }

  /// What is filtered from prompts and answers; nothing is here, whatever is chosen.
  public struct Guardrails: Sendable, Hashable {
    private let name: String

    /// The usual.
    public static let `default` = Guardrails(name: "default")
    /// Less, for rewriting text.
    public static let permissiveContentTransformations = Guardrails(
      name: "permissiveContentTransformations")
  }

  /// Whether the model can be used.
  @frozen
  public enum Availability: Sendable, Hashable {
    /// It can.
    case available
    /// It can't, for a reason.
    case unavailable(UnavailableReason)

    /// Why a model can't be used.
    public enum UnavailableReason: Sendable, Hashable {
      /// The machine is not able to; never the case here.
      case deviceNotEligible
      /// It is switched off; never the case here.
      case appleIntelligenceNotEnabled
      /// There is no model file yet.
      case modelNotReady
    }
  }

  /// Which size of model it is.
  public struct Variant: Sendable, Hashable {
    /// The name for people.
    public let displayName: String

    /// The usual model.
    public static let core3 = Variant(displayName: "Core 3")
    /// The larger model.
    public static let coreAdvanced3 = Variant(displayName: "Core Advanced 3")
  }

  /// Whether the model can be used now.
  public var availability: Availability {
    guard let model = try? handle.model(),
      FileManager.default.isReadableFile(atPath: model.path)
    else { return .unavailable(.modelNotReady) }
    return .available
  }

  /// Whether the model can be used now.
  public var isAvailable: Bool { availability == .available }

  /// Tokens a session can have, at most 4,096.
  public var contextSize: Int { handle.contextSize }

  /// The model's size; named after the model file here.
  public var variant: Variant {
    (try? handle.model()).map { Variant(displayName: $0.name) } ?? .core3
  }

  /// The languages the model was made for; nobody records them, so English is all that is promised.
  public var supportedLanguages: Set<Locale.Language> {
    [Locale.Language(identifier: "en")]
  }

  /// Whether the model was made for a locale's language.
  public func supportsLocale(_ locale: Locale = .current) -> Bool {
    let language = locale.language.languageCode
    return supportedLanguages.contains { $0.languageCode == language }
  }

  /// It calls tools, and its answers can be kept to a schema.
  public var capabilities: LanguageModelCapabilities { EngineExecutor.capabilities }

  /// The engine.
  public var executorConfiguration: Executor.Configuration {
    Executor.Configuration(handle: handle)
  }
}

extension SystemLanguageModel {
  /// Answers on this machine.
  public struct Executor: LanguageModelExecutor, CancellableExecutor {
    /// Which engine it is.
    public struct Configuration: Hashable, Sendable {
      let handle: EngineHandle

      /// Whether both are the same engine.
      public static func == (left: Configuration, right: Configuration) -> Bool {
        left.handle === right.handle
      }

      /// Hashes the engine's identity.
      public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(handle))
      }
    }

    private let engine: EngineExecutor

    /// An executor of an engine.
    public init(configuration: Configuration) throws {
      engine = EngineExecutor(handle: configuration.handle)
    }

    /// Loads the model and computes the transcript in the background.
    public func prewarm(model: SystemLanguageModel, transcript: Transcript) {
      engine.prewarm(transcript: transcript)
    }

    /// Generates an answer.
    public func respond(
      to request: LanguageModelExecutorGenerationRequest, model: SystemLanguageModel,
      streamingInto channel: LanguageModelExecutorGenerationChannel
    ) async throws {
      try await engine.respond(to: request, streamingInto: channel)
    }

    func cancelPrewarming() { engine.cancelPrewarming() }
  }

  /// Why the system's model did not answer.
  public enum Error: Swift.Error, LocalizedError, Sendable {
    /// Its file is not there or can't be read.
    case assetsUnavailable(AssetsUnavailable)

    /// The model's file is not there or can't be read.
    public struct AssetsUnavailable: Sendable {
      /// What is wrong, and what to do.
      public var debugDescription: String

      /// Takes what is wrong.
      public init(debugDescription: String) { self.debugDescription = debugDescription }
    }

    /// What is wrong, for people.
    public var errorDescription: String? {
      switch self {
      case .assetsUnavailable(let facts):
        "The model's file is not available: \(facts.debugDescription)"
      }
    }
  }
}
