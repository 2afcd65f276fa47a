// Extension: what can go wrong in a model on this machine and has no name in Apple's framework.

public import Foundation

/// A model on this machine failed while it answered.
public struct LocalModelFailure: Error, Hashable, LocalizedError, Sendable {
  /// What went wrong, with its numbers.
  public let reason: String

  /// What is wrong, for people.
  public var errorDescription: String? { "The model failed: \(reason)." }
}
