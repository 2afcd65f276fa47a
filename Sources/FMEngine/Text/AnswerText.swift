import FMCore

/// An answer's text as it grows: ids to UTF-8, stop strings found, the whole text kept.
struct AnswerText {
  private var stream: any TokenTextStream
  private var matcher: StopMatcher
  /// All text let out so far.
  private(set) var text = ""

  init(vocabulary: any EngineVocabulary, stopStrings: [String]) {
    stream = vocabulary.makeTextStream()
    matcher = StopMatcher(stopStrings)
  }

  /// Whether a stop string was found; the text ends just before it.
  var isStopped: Bool { matcher.isStopped }

  /// Takes a token and gives the text that may be shown now.
  mutating func append(_ token: TokenID) -> String {
    let piece = matcher.append(stream.append(token))
    text += piece
    return piece
  }

  /// Gives what was held back; a stop string can still be found in it.
  mutating func finish() -> String {
    guard !matcher.isStopped else { return "" }
    var piece = matcher.append(stream.finish())
    piece += matcher.finish()
    text += piece
    return piece
  }
}
