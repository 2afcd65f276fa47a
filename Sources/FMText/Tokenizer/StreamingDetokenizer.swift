package import FMCore

/// Decodes tokens as they come, never splitting a character.
///
/// The pieces joined equal the whole sequence decoded at once: bytes that may still become a
/// character are held (at most 3), ill-formed ones become U+FFFD.
package struct StreamingDetokenizer {
  private var decoding: TokenDecoding
  private let includingSpecial: Bool
  private var held: [UInt8] = []

  /// Starts a sequence; see ``Tokenizer/decode(_:includingSpecial:isContinuation:)``.
  package init(
    _ tokenizer: Tokenizer, includingSpecial: Bool = false, isContinuation: Bool = false
  ) {
    decoding = TokenDecoding(tokenizer, isContinuation: isContinuation)
    self.includingSpecial = includingSpecial
  }

  /// The text a token completes, often empty.
  package mutating func append(_ token: TokenID) -> String {
    held.append(contentsOf: decoding.next(token, includingSpecial: includingSpecial))
    let complete = held.count - ScalarDecoding.incompleteSuffix(held)
    guard complete > 0 else { return "" }
    let text = String(decoding: held[..<complete], as: UTF8.self)
    held.removeFirst(complete)
    return text
  }

  /// What was held, as U+FFFD, when no token follows.
  package mutating func finish() -> String {
    defer { held = [] }
    return String(decoding: held, as: UTF8.self)
  }
}
