import FMGrammar
import Testing

@Suite struct ByteAutomatonTests {
  /// `a*b`.
  private let sample = ByteAutomaton(
    classes: (0..<256).map { $0 == 0x61 ? 1 : $0 == 0x62 ? 2 : 0 }, classCount: 3,
    transitions: [-1, 0, 1, -1, -1, -1], accepting: [false, true])

  @Test func `words are accepted and others are not`() {
    #expect(sample.accepts(Array("b".utf8)))
    #expect(sample.accepts(Array("aaab".utf8)))
    #expect(!sample.accepts(Array("aaa".utf8)))
    #expect(!sample.accepts(Array("abb".utf8)))
    #expect(!sample.accepts([]))
  }

  @Test func `distances are the fewest bytes to acceptance`() {
    #expect(sample.distances == [1, 0])
  }
}
