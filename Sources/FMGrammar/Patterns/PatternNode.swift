/// A pattern's syntax tree; groups are gone, as all that matters is the language.
indirect enum PatternNode: Sendable {
  /// One scalar of a set.
  case scalar(ScalarSet)
  case sequence([PatternNode])
  case choice([PatternNode])
  case repetition(PatternNode, minimum: Int, maximum: Int?)
  case assertion(PatternAssertion)

  static let empty = PatternNode.sequence([])
}

/// A condition on what stands before and behind a place.
enum PatternAssertion: Hashable, Sendable {
  case textStart, textEnd
  case lineStart, lineEnd
  case wordBoundary, noWordBoundary
}

/// What the flags `i`, `m` and `s` change.
struct PatternFlags: Equatable {
  var ignoresCase = false
  var anchorsMatchLines = false
  var dotMatchesLineEnds = false
}
