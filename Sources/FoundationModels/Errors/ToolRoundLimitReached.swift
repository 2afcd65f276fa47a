// Extension: Apple's framework names no limit.

public import Foundation

extension LanguageModelSession {
  /// The model went on calling tools without end.
  public struct ToolRoundLimitReached: Swift.Error, Hashable, LocalizedError, Sendable {
    /// Rounds of tool calls that one request may have.
    public let limit: Int

    /// What is wrong, for people.
    public var errorDescription: String? {
      "The model called tools \(limit) times in a row without an answer."
    }
  }
}
