import FMCore
import FMEngine
import Testing

@Suite struct StopMatcherTests {
  /// The text before the first stop string to be complete; nil when there is none.
  private static func reference(_ text: String, _ stops: [String]) -> String? {
    let bytes = Array(text.utf8)
    for end in bytes.indices {
      let lengths = stops.map(\.utf8.count).filter { length in
        length <= end + 1
          && stops.contains {
            $0.utf8.count == length && bytes[(end + 1 - length)...end].elementsEqual($0.utf8)
          }
      }
      if let length = lengths.max() {
        return String(decoding: bytes[..<(end + 1 - length)], as: UTF8.self)
      }
    }
    return nil
  }

  @Test func `every split of a text gives the same result`() {
    let text = "Repeat: alpha beta gamma delta"
    for stops in [["beta gamma"], ["eat: a", "gamma"], ["a b", "pha beta"], ["zzz"]] {
      let expected = Self.reference(text, stops)
      let bytes = Array(text.utf8)
      for first in 0...bytes.count {
        for second in first...bytes.count {
          var matcher = StopMatcher(stops)
          var shown = ""
          for range in [0..<first, first..<second, second..<bytes.count] {
            shown += matcher.append(String(decoding: bytes[range], as: UTF8.self))
          }
          shown += matcher.finish()
          #expect(shown == expected ?? text)
          #expect(matcher.isStopped == (expected != nil))
        }
      }
    }
  }

  @Test func `random texts over few letters agree with a plain search`() {
    let random = CounterRandom(seed: 3)
    for round in 0..<400 {
      let letters = (0..<40).map { index in
        random.bits(at: UInt64(index), lane: UInt64(round)) % 3 == 0 ? "b" : "a"
      }
      let text = letters.joined()
      let stops = [
        letters[5..<8].joined() + "ab", "ba" + letters[20..<24].joined(),
        letters[3...3].joined() + "bb",
      ]
      var matcher = StopMatcher(stops)
      var shown = ""
      for letter in letters { shown += matcher.append(letter) }
      shown += matcher.finish()
      #expect(shown == Self.reference(text, stops) ?? text)
    }
  }

  @Test func `shown text never contains the beginning of what is found`() {
    var matcher = StopMatcher(["aab"])
    let pieces = "aaab".map { matcher.append(String($0)) }
    #expect(pieces == ["", "", "a", ""])
    #expect(matcher.isStopped)
    #expect(matcher.append("more") == "")
    #expect(matcher.finish() == "")
  }

  @Test func `without stop strings text passes at once`() {
    var matcher = StopMatcher([])
    #expect(matcher.append("text") == "text")
    #expect(matcher.finish() == "")
  }
}
