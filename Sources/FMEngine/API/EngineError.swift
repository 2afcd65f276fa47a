package import FMBackend
package import FMCore

/// What can go wrong with a request or with the engine's own calls.
package enum EngineError: Error, Equatable, Sendable {
  /// The prompt leaves no room for an answer; nothing was computed.
  case contextExceeded(promptTokens: Int, contextLength: Int)
  /// Every token is impossible at some position: logits not finite, or all banned.
  case noValidToken
  /// The request breaks a rule, said in words.
  case invalidRequest(String)
  /// A scripted or sampled token that the request's constraint does not allow.
  case constraintViolated(token: TokenID)
  /// The shortest answer the constraint allows has more tokens than may be generated.
  case budgetTooSmall(tokens: Int, needed: Int)
  /// As many requests as the configuration allows are waiting.
  case queueFull(limit: Int)
  /// KV blocks of a group ran out and nothing more could be evicted.
  case outOfBlocks(group: Int, needed: Int, free: Int)
  /// A sliding window no longer holds what position `position` needs.
  case windowGone(group: Int, position: Int)
  /// The sequence was freed or never made.
  case unknownSequence
  /// The awaiting task was cancelled.
  case cancelled
  /// The device failed.
  case backend(BackendError)
}

extension EngineError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .contextExceeded(let promptTokens, let contextLength):
      "the prompt has \(promptTokens) tokens and the context \(contextLength), which leaves no "
        + "room for an answer\nhint: shorten the prompt or load with a larger context"
    case .noValidToken:
      "no valid token: the model's logits are not finite, or every token is banned"
    case .invalidRequest(let reason):
      "invalid request: \(reason)"
    case .constraintViolated(let token):
      "token \(token) is not allowed at its place by the answer's grammar"
    case .budgetTooSmall(let tokens, let needed):
      "the answer may have \(tokens) tokens, and the shortest legal one has \(needed)"
        + "\nhint: raise the limit of response tokens or ask for less"
    case .queueFull(let limit):
      "the queue is full (\(limit) requests waiting)\nhint: try again later"
    case .outOfBlocks(let group, let needed, let free):
      "the KV cache is full: group \(group) needs \(needed) blocks, \(free) are free"
    case .windowGone(let group, let position):
      "the sliding window of group \(group) no longer holds what position \(position) needs"
    case .unknownSequence:
      "the sequence was freed or never made"
    case .cancelled:
      "cancelled"
    case .backend(let error):
      error.description
    }
  }
}
