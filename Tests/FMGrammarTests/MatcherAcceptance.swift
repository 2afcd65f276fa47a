import FMGrammar

/// Asks the matcher of token masks whether a grammar allows a text, with a vocabulary of single bytes.
enum MatcherAcceptance {
  static let index = TokenIndex(tokens: (0..<256).map { [UInt8($0)] })

  static func compiled(_ grammar: Grammar) throws(GrammarError) -> CompiledGrammar {
    try CompiledGrammar(grammar, index: index)
  }

  static func accepts(_ grammar: CompiledGrammar, _ text: [UInt8]) -> Bool {
    var matcher = GrammarMatcher(grammar)
    return matcher.acceptBytes(text) && matcher.isAccepting
  }
}
