import FMCore
import FMGrammar

/// A matcher by reference, so that expectations can go on with it.
final class FollowedMatcher {
  var matcher: GrammarMatcher

  init(_ matcher: GrammarMatcher) { self.matcher = matcher }

  convenience init(_ grammar: CompiledGrammar) { self.init(GrammarMatcher(grammar)) }

  var isAccepting: Bool { matcher.isAccepting }
  var isFinished: Bool { matcher.isFinished }
  var configurationCount: Int { matcher.configurationCount }
  var minimumRemainingBytes: Int { matcher.minimumRemainingBytes }

  func copy() -> FollowedMatcher { FollowedMatcher(matcher.copy()) }
  func accept(_ token: TokenID) -> Bool { matcher.accept(token) }
  func acceptBytes(_ bytes: [UInt8]) -> Bool { matcher.acceptBytes(bytes) }
  func acceptText(_ text: String) -> Bool { matcher.acceptBytes(Array(text.utf8)) }
  func rollBack(tokens count: Int) { matcher.rollBack(tokens: count) }
  func forcedBytes() -> [UInt8] { matcher.forcedBytes() }
  func shortestEnding(limit: Int = 65_536) -> [UInt8]? { matcher.shortestEnding(limit: limit) }

  /// The tokens of the mask, by rising id.
  func allowedTokens() -> [Int] {
    var mask: [UInt64] = []
    matcher.fillMask(&mask)
    return (0..<mask.count * 64).filter { mask[$0 / 64] >> UInt64($0 % 64) & 1 != 0 }
  }
}
