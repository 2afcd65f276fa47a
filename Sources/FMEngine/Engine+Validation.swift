import FMBackend
import FMCore

extension Engine {
  /// The most stop strings of a request, and the most bytes of each.
  private static let stopStringLimits = (count: 16, bytes: 1024)

  /// Why a request cannot be served, or nil.
  nonisolated func problem(with request: GenerationRequest) -> EngineError? {
    do {
      try checkTokens(request.prompt, limit: contextLength - 1)
      try checkTokens(request.forcedTokens ?? [0], limit: .max, name: "forcedTokens")
    } catch {
      return error
    }
    if let problem = request.sampling.problem { return .invalidRequest(problem) }
    if let maximum = request.maximumTokens, maximum < 1 {
      return .invalidRequest("maximumTokens is \(maximum), must be 1 or more")
    }
    guard request.stopStrings.count <= Self.stopStringLimits.count else {
      return .invalidRequest("more than \(Self.stopStringLimits.count) stop strings")
    }
    for string in request.stopStrings
    where string.isEmpty || string.utf8.count > Self.stopStringLimits.bytes {
      return .invalidRequest(
        "a stop string of \(string.utf8.count) bytes; 1...\(Self.stopStringLimits.bytes) are "
          + "possible")
    }
    for entry in request.bias
    where entry.token < 0 || Int(entry.token) >= vocabularySize || entry.bias.isNaN {
      return .invalidRequest("bias \(entry.bias) for token \(entry.token) is not possible")
    }
    return nil
  }

  /// Checks that there are tokens, that they fit and that the vocabulary has them.
  nonisolated func checkTokens(
    _ tokens: [TokenID], limit: Int, name: String = "prompt"
  ) throws(EngineError) {
    guard !tokens.isEmpty else { throw .invalidRequest("\(name) has no tokens") }
    guard tokens.count <= limit else {
      throw .contextExceeded(promptTokens: tokens.count, contextLength: contextLength)
    }
    for token in tokens where token < 0 || Int(token) >= vocabularySize {
      throw .invalidRequest(
        "\(name) has token \(token), the vocabulary ids 0..<\(vocabularySize)")
    }
  }
}
