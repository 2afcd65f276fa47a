// Extension: what can go wrong with a server and has no name in Apple's framework.

public import Foundation

/// A server of chat completions did not do what was asked.
public enum ChatCompletionsError: Error, Hashable, LocalizedError, Sendable {
  /// It answered with a status that is no success.
  case status(Int, message: String, endpoint: String)
  /// It could not be reached, or the connection broke.
  case connection(reason: String)
  /// It closed the connection without an answer.
  case noAnswer(endpoint: String)
  /// It sent more than is read.
  case tooLarge(what: String, limitBytes: Int)
  /// It sent something else than chat completions have.
  case malformed(reason: String)
  /// It reported an error in the middle of an answer.
  case reported(message: String)

  /// What is wrong, for people.
  public var errorDescription: String? {
    switch self {
    case .status(let status, let message, let endpoint):
      "The server at \(endpoint) answered with status \(status)"
        + (message.isEmpty ? " and no text." : ": \(message)")
    case .connection(let reason): "The connection to the server failed: \(reason)"
    case .noAnswer(let endpoint):
      "The server at \(endpoint) closed the connection without an answer."
    case .tooLarge(let what, let limit): "The server sent a \(what) of more than \(limit) bytes."
    case .malformed(let reason): "The server's answer is no chat completion: \(reason)."
    case .reported(let message): "The server reported an error while it answered: \(message)"
    }
  }

  /// What to do about it.
  public var recoverySuggestion: String? {
    switch self {
    case .status(401, _, _), .status(403, _, _): "Check the key that the server is sent."
    case .status(404, _, _):
      "Check the address, which ends before /chat/completions, and the model's name."
    case .status(429, _, _), .status(500..., _, _), .reported: "The server's own log says more."
    case .connection, .noAnswer: "Check that the server is running and is the one at this address."
    case .malformed: "Check that the address is one of chat completions."
    case .status, .tooLarge: nil
    }
  }
}
