import FMCore
import FMEngine

/// Allows one of some words, byte by byte of a byte vocabulary; for tests of what the engine does.
final class WordConstraint: TokenConstraint {
  private let words: [[TokenID]]
  private let tellsForced: Bool
  private var taken: [TokenID] = []

  init(_ words: [String], tellsForced: Bool = true) {
    self.words = words.map(ByteVocabulary.tokens)
    self.tellsForced = tellsForced
  }

  /// A constraint to be put on a request.
  static func words(
    _ words: String..., ending: GenerationConstraint.Ending = .cut, tellsForced: Bool = true
  ) -> GenerationConstraint {
    GenerationConstraint(ending: ending) { WordConstraint(words, tellsForced: tellsForced) }
  }

  private func next(_ taken: [TokenID]) -> [TokenID] {
    words.filter { $0.count > taken.count && $0.starts(with: taken) }.map { $0[taken.count] }
  }

  func fill(_ mask: inout [UInt64]) {
    for word in mask.indices { mask[word] = 0 }
    for token in next(taken) { mask[Int(token) / 64] |= 1 << UInt64(token % 64) }
  }

  var mayEnd: Bool { words.contains(taken) }

  var mustEnd: Bool { mayEnd && next(taken).isEmpty }

  func accept(_ token: TokenID) -> Bool {
    guard next(taken).contains(token) else { return false }
    taken.append(token)
    return true
  }

  func rollBack(_ count: Int) { taken.removeLast(count) }

  func forcedTokens() -> [TokenID] {
    guard tellsForced else { return [] }
    var path = taken
    while !words.contains(path), let token = next(path).first,
      next(path).allSatisfy({ $0 == token })
    {
      path.append(token)
    }
    return Array(path.dropFirst(taken.count))
  }

  var remainingBytes: Int { shortestEnding()?.count ?? 0 }

  func shortestEnding() -> [TokenID]? {
    let endings = words.filter { $0.starts(with: taken) }.map { $0.dropFirst(taken.count) }
    return Array(endings.min { $0.count < $1.count } ?? [])
  }
}
