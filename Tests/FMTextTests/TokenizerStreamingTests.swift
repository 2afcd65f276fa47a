import FMCore
import FMText
import Testing

struct TokenizerStreamingTests {
  private func tokenizer() throws -> Tokenizer {
    try Tokenizer(TokenizerFixtures.byteLevel(merges: ["a|b"], special: [("<eos>", .control)]))
  }

  private func stream(_ bytes: [UInt8], _ tokenizer: Tokenizer) -> [String] {
    var stream = StreamingDetokenizer(tokenizer)
    return bytes.map { stream.append(TokenID($0)) } + [stream.finish()]
  }

  @Test(arguments: ["赋😀é", "การคัดกรอง ห้าม สัปดาห์", "👩‍👩‍👧🇫🇷", "e\u{301}1️⃣"])
  func `holds a character until its last byte and shows no replacement`(text: String) throws {
    let parts = stream(Array(text.utf8), try tokenizer())
    #expect(parts.joined() == text)
    #expect(parts.joined().utf8.elementsEqual(text.utf8))
    #expect(!parts.joined().contains("\u{fffd}"))
    #expect(parts.filter { !$0.isEmpty }.count == text.unicodeScalars.count)
  }

  @Test func `equals the whole decode for any bytes`() throws {
    let tokenizer = try tokenizer()
    let random = CounterRandom(seed: 9)
    let likely: [UInt8] = [
      0x41, 0x80, 0xbf, 0xc2, 0xe0, 0xa0, 0xed, 0x9f, 0xf0, 0x90, 0xf4, 0x8f, 0xff,
    ]
    for trial in UInt64(0)..<3000 {
      let bytes = (0..<random.bits(at: trial) % 9).map {
        likely[Int(random.bits(at: $0, lane: trial + 1) % UInt64(likely.count))]
      }
      #expect(stream(bytes, tokenizer).joined() == String(decoding: bytes, as: UTF8.self))
    }
  }

  @Test func `replaces bytes as soon as they can't become a character`() throws {
    var stream = StreamingDetokenizer(try tokenizer())
    #expect(stream.append(0xe6) == "")
    #expect(stream.append(0x41) == "\u{fffd}A")
    #expect(stream.append(0xff) == "\u{fffd}")
    #expect(stream.append(0xf0) == "")
    #expect(stream.finish() == "\u{fffd}")
    #expect(stream.finish() == "")
  }

  @Test func `control tokens show only where asked`() throws {
    let tokenizer = try tokenizer()
    var hidden = StreamingDetokenizer(tokenizer)
    #expect(hidden.append(257) == "")
    var shown = StreamingDetokenizer(tokenizer, includingSpecial: true)
    #expect(shown.append(257) == "<eos>")
    #expect(tokenizer.decode([0x41, 257], includingSpecial: true) == Array("A<eos>".utf8))
    #expect(tokenizer.decode([0x41, 257]) == Array("A".utf8))
  }
}
