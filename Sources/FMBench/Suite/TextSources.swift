import FMCore

/// The suite's texts: sentences with slots, words that fill them, and output templates.
package struct TextSources: Sendable, Hashable, Codable {
  /// Words by slot: `{person}` in a sentence takes one of `person`.
  package var words: [String: [String]]
  /// Short words that make up a token or two at the end of a text.
  package var pad: [String]
  /// Words that fill `<fill>` in a template, in order, again from the start when they run out.
  package var filler: [String]
  /// Sentences by kind of text.
  package var sources: [String: [String]]
  /// Forced outputs by name; each has one `<fill>`.
  package var templates: [String: String]

  /// Sentences of `kind` for ever, in an order that `random` and `lane` decide.
  ///
  /// Every sentence comes once before any comes again.
  func sentences(_ kind: String, random: CounterRandom, lane: UInt64) -> SentenceSequence? {
    guard let sentences = sources[kind], !sentences.isEmpty else { return nil }
    return SentenceSequence(
      sentences: sentences, words: words, separator: sentences[0].hasSuffix("\n") ? "" : " ",
      draws: DrawSequence(random: random, lane: lane))
  }
}

/// Random numbers in order, from one lane.
struct DrawSequence {
  var random: CounterRandom
  var lane: UInt64
  private var position: UInt64 = 0

  init(random: CounterRandom, lane: UInt64) {
    self.random = random
    self.lane = lane
  }

  /// A number in `0 ..< bound`.
  mutating func next(below bound: Int) -> Int {
    defer { position += 1 }
    let bits = random.bits(at: position, lane: lane)
    return Int(bits.multipliedFullWidth(by: UInt64(bound)).high)
  }
}

/// Endless filled-in sentences.
struct SentenceSequence: Sequence, IteratorProtocol {
  var sentences: [String]
  var words: [String: [String]]
  /// What stands between two sentences.
  var separator: String
  var draws: DrawSequence
  private var remaining: [Int] = []

  init(
    sentences: [String], words: [String: [String]], separator: String, draws: DrawSequence
  ) {
    self.sentences = sentences
    self.words = words
    self.separator = separator
    self.draws = draws
  }

  mutating func next() -> String? {
    if remaining.isEmpty { remaining = Array(sentences.indices) }
    let index = remaining.remove(at: draws.next(below: remaining.count))
    return filled(sentences[index])
  }

  /// Replaces each known `{slot}` by one of its words; other braces stay.
  private mutating func filled(_ sentence: String) -> String {
    var result = ""
    var rest = sentence[...]
    while let open = rest.firstIndex(of: "{") {
      result += rest[..<open]
      rest = rest[open...]
      guard let close = rest.firstIndex(of: "}"),
        let choices = words[String(rest[rest.index(after: open)..<close])], !choices.isEmpty
      else {
        result += "{"
        rest = rest.dropFirst()
        continue
      }
      result += choices[draws.next(below: choices.count)]
      rest = rest[rest.index(after: close)...]
    }
    return result + rest
  }
}
