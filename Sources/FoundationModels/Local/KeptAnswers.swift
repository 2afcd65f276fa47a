import FMCore
import FMEngine

/// The ids that answers were generated as, by their text.
struct KeptAnswers: Sendable {
  private var ids: [[UInt8]: [TokenID]] = [:]
  private var order: [[UInt8]] = []
  /// Answers remembered, the oldest forgotten first.
  private static let limit = 512

  /// The ids of an answer with these bytes.
  func ids(of bytes: [UInt8]) -> [TokenID]? { ids[bytes] }

  /// Remembers an answer, unless its ids say more than its text.
  mutating func keep(_ summary: GenerationSummary) {
    guard summary.finishReason != .stopString, !summary.tokens.isEmpty else { return }
    let bytes = Array(summary.text.utf8)
    guard !bytes.isEmpty else { return }
    if ids.updateValue(summary.tokens, forKey: bytes) == nil { order.append(bytes) }
    if order.count > Self.limit { ids[order.removeFirst()] = nil }
  }
}
