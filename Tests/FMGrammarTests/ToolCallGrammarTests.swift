import FMGrammar
import FMText
import Testing

@Suite struct ToolCallAutomatonTests {
  @Test(arguments: ["a", "ab", "aab", "abab", "aabaaab", "abcabd", "<tool_call>", "é€"])
  func `a text avoids a pattern exactly if the pattern is not in it`(_ pattern: String) {
    let bytes = Array(pattern.utf8)
    let automaton = ByteAutomaton.avoiding(bytes)
    var random = SystemRandomNumberGenerator()
    let alphabet = bytes + Array("xa".utf8)
    for length in 0..<40 {
      for _ in 0..<20 {
        var text = (0..<length).compactMap { _ in alphabet.randomElement(using: &random) }
        if Bool.random(using: &random), let place = (0...length).randomElement(using: &random) {
          text.insert(contentsOf: bytes.dropLast(Int.random(in: 0...1)), at: place)
        }
        let isIn = text.indices.contains { text[$0...].starts(with: bytes) }
        #expect(automaton.accepts(text) == !isIn, "\(text)")
      }
    }
    #expect(automaton.stateCount == bytes.count)
  }

  @Test func `text of a form without an opener is all that the parser takes for text`() {
    let names = ["weather", "we", "look up", "q\"t", "{"]
    let automaton = ByteAutomaton.avoidingCalls(of: names, form: .llama)
    let parts = [
      "{", "}", "\"name\"", ":", " ", "\n", "\"weather\"", "\"we\"", "\"we", "a\"", "\"look up\"",
      "\"q\\\"t\"", "\"q", ",", "\"parameters\"", "x", "\"{\"",
    ]
    var random = SystemRandomNumberGenerator()
    var calls = 0
    for _ in 0..<20_000 {
      var text = (0..<Int.random(in: 0...4, using: &random)).compactMap { _ in
        parts.randomElement(using: &random)
      }.joined()
      if Bool.random(using: &random) { text = "{\"name\":" + text }
      var parser = ToolCallParser(form: .llama, toolNames: names)
      _ = parser.append(text)
      calls += parser.hasCalls ? 1 : 0
      #expect(automaton.accepts(text.utf8) == !parser.hasCalls, "\(text)")
    }
    #expect(calls > 100)
  }
}
