import FMCore
import FMEngine

/// A vocabulary for tests: token t below 256 is the byte t; the ids after that are control tokens.
struct ByteVocabulary: EngineVocabulary {
  var vocabularySize = 300
  var endOfGeneration: Set<TokenID> = [256]

  func makeTextStream() -> any TokenTextStream { ByteTextStream() }

  /// The tokens of a text.
  static func tokens(_ text: String) -> [TokenID] { text.utf8.map(TokenID.init) }
}

/// Holds bytes until they are whole scalars.
struct ByteTextStream: TokenTextStream {
  private var held: [UInt8] = []

  mutating func append(_ token: TokenID) -> String {
    guard let byte = UInt8(exactly: token) else { return "" }
    held.append(byte)
    guard let text = String(validating: held, as: UTF8.self) else {
      return held.count < 4 ? "" : finish()
    }
    held.removeAll()
    return text
  }

  mutating func finish() -> String {
    defer { held.removeAll() }
    return String(decoding: held, as: UTF8.self)
  }
}

extension Engine {
  /// Runs a request to its end and gives all its events.
  nonisolated func events(of request: GenerationRequest) async throws -> [GenerationEvent] {
    var events: [GenerationEvent] = []
    for try await event in generate(request) { events.append(event) }
    return events
  }

  /// Runs a request to its end and gives the summary.
  nonisolated func summary(of request: GenerationRequest) async throws -> GenerationSummary {
    for try await event in generate(request) {
      if case .finished(let summary) = event { return summary }
    }
    throw EngineError.cancelled
  }
}
