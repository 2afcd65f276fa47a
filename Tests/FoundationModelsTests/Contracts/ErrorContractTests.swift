import Foundation
import FoundationModels
import Testing

/// What sessions promise of errors: one type a generation, caught by name, with facts.
@Suite struct ErrorContractTests {
  private typealias Old = LanguageModelSession.GenerationError

  /// An error of today, and the case of the older type that stands for it.
  private static let pairs: [(error: any Error, older: String)] = [
    (
      LanguageModelError.contextSizeExceeded(
        .init(contextSize: 1, tokenCount: 2, debugDescription: "d")), "exceededContextWindowSize"
    ),
    (
      SystemLanguageModel.Error.assetsUnavailable(.init(debugDescription: "d")),
      "assetsUnavailable"
    ),
    (LanguageModelError.guardrailViolation(.init(debugDescription: "d")), "guardrailViolation"),
    (
      LanguageModelError.unsupportedGenerationGuide(
        .init(schemaName: "s", debugDescription: "d")), "unsupportedGuide"
    ),
    (
      LanguageModelError.unsupportedLanguageOrLocale(
        .init(languageCode: Locale.LanguageCode("de"), debugDescription: "d")),
      "unsupportedLanguageOrLocale"
    ),
    (
      GeneratedContent.ParsingError(
        rawContent: "{", underlyingError: nil, debugDescription: "d"), "decodingFailure"
    ),
    (
      LanguageModelError.rateLimited(.init(resetDate: nil, debugDescription: "d")), "rateLimited"
    ),
    (
      LanguageModelError.refusal(.init(explanation: "No.", debugDescription: "d")), "refusal"
    ),
  ]

  private func name(_ error: Old) -> (name: String, context: Old.Context) {
    switch error {
    case .exceededContextWindowSize(let context): ("exceededContextWindowSize", context)
    case .assetsUnavailable(let context): ("assetsUnavailable", context)
    case .guardrailViolation(let context): ("guardrailViolation", context)
    case .unsupportedGuide(let context): ("unsupportedGuide", context)
    case .unsupportedLanguageOrLocale(let context): ("unsupportedLanguageOrLocale", context)
    case .decodingFailure(let context): ("decodingFailure", context)
    case .rateLimited(let context): ("rateLimited", context)
    case .concurrentRequests(let context): ("concurrentRequests", context)
    case .refusal(_, let context): ("refusal", context)
    }
  }

  @Test(arguments: 0..<8)
  func `each error has its older name for code that catches those`(index: Int) async throws {
    let (error, older) = Self.pairs[index]
    let session = LanguageModelSession(model: ScriptedModel { _, _, _ in throw error })
    session.errorGeneration = .generationError
    do {
      _ = try await session.respond(to: "x")
      Issue.record("no error")
    } catch let thrown as Old {
      let (name, context) = name(thrown)
      #expect(name == older && context.debugDescription == "d")
    }
    #expect(session.transcript.isEmpty)
  }

  @Test(arguments: 0..<8)
  func `each error comes through as it is where nothing else was asked for`(index: Int)
    async throws
  {
    let error = Self.pairs[index].error
    let session = LanguageModelSession(model: ScriptedModel { _, _, _ in throw error })
    #expect(session.errorGeneration == .languageModel)
    await #expect { try await session.respond(to: "x") } throws: { thrown in
      type(of: thrown) == type(of: error)
        && thrown.localizedDescription == error.localizedDescription
    }
  }

  @Test func `errors without an older name stay what they are`() async throws {
    let errors: [LanguageModelError] = [
      .timeout(.init(debugDescription: "d")),
      .unsupportedCapability(.init(capability: .vision, debugDescription: "d")),
      .unsupportedTranscriptContent(.init(unsupportedContent: [], debugDescription: "d")),
    ]
    for error in errors {
      let session = LanguageModelSession(model: ScriptedModel { _, _, _ in throw error })
      session.errorGeneration = .generationError
      await #expect(throws: LanguageModelError.self) { try await session.respond(to: "x") }
    }
  }

  @Test func `each error carries notes of its provider, and none by itself`() {
    let bare = LanguageModelError.Timeout(debugDescription: "d")
    #expect(bare.metadata.isEmpty)
    let noted = LanguageModelError.RateLimited(
      resetDate: nil, debugDescription: "d", metadata: ["status": 429])
    #expect(noted.metadata["status"] as? Int == 429)
  }

  @Test func `a required call without a tool is refused by name`() async throws {
    let model = ScriptedModel(texts: ["x"], capabilities: [.toolCalling])
    let session = LanguageModelSession(model: model)
    await #expect {
      try await session.respond(to: "x", options: GenerationOptions(toolCallingMode: .required))
    } throws: { error in
      guard case LanguageModelError.unsupportedCapability(let facts) = error else { return false }
      return facts.capability == .toolCalling
    }
    #expect(model.log.requests.isEmpty)
  }
}
