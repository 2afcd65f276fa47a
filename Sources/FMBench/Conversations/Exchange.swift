import FMCore
import FoundationModels

/// One request to a session, read to its end.
struct Exchange {
  let session: LanguageModelSession
  let style: PlayStyle
  /// When there was content to show first.
  private(set) var firstContent: MonotonicInstant?
  private(set) var answer = ""
  private(set) var error: (any Error)?

  /// The most tokens of an answer whose end the model decides.
  private static let liveLimit = 256

  init(session: LanguageModelSession, style: PlayStyle) {
    self.session = session
    self.style = style
  }

  mutating func run(_ prompt: String, structure: GenerationSchema?) async {
    var options = GenerationOptions(samplingMode: .greedy)
    if style.mode == .live {
      options.maximumResponseTokens = Self.liveLimit
      options.finishesWithinLimit = structure != nil
    }
    do {
      if let structure {
        try await read(prompt, structure, options)
      } else {
        try await read(prompt, options)
      }
    } catch {
      self.error = error
    }
  }

  private mutating func read(_ prompt: String, _ options: GenerationOptions) async throws {
    guard style.isStreaming else {
      answer = try await session.respond(to: prompt, options: options).content
      firstContent = .now
      return
    }
    for try await snapshot in session.streamResponse(to: prompt, options: options) {
      if firstContent == nil, !snapshot.content.isEmpty { firstContent = .now }
      answer = snapshot.content
    }
  }

  private mutating func read(
    _ prompt: String, _ structure: GenerationSchema, _ options: GenerationOptions
  ) async throws {
    guard style.isStreaming else {
      let response = try await session.respond(
        to: prompt, schema: structure, includeSchemaInPrompt: false, options: options)
      answer = response.content.jsonString
      firstContent = .now
      return
    }
    let stream = session.streamResponse(
      to: prompt, schema: structure, includeSchemaInPrompt: false, options: options)
    for try await snapshot in stream {
      if firstContent == nil, snapshot.rawContent.hasFields { firstContent = .now }
      answer = snapshot.rawContent.jsonString
    }
  }
}

extension GeneratedContent {
  /// Whether there is a member that a user could be shown.
  fileprivate var hasFields: Bool {
    if case .structure(let members, _) = kind { return !members.isEmpty }
    return true
  }
}
