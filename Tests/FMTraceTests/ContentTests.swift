import FMCore
import FMTrace
import Foundation
import Testing

@Suite struct RedactionTests {
  @Test(arguments: [
    ("write to ann.lee+x@mail.example.co.uk.", "write to [email]."),
    ("Ann <ann@example.com>, Bob", "Ann <[email]>, Bob"),
    ("call +44 20 7946 0958 now", "call [phone] now"),
    ("call (030) 1234-567", "call [phone]"), ("555-123-4567", "[phone]"),
    ("card 4111 1111 1111 1111.", "card [digits]."), ("account 123456789", "account [digits]"),
    ("key sk-abcdefghijklmnop1234", "key [key]"),
    ("AKIAIOSFODNN7EXAMPLE!", "[key]!"),
    ("Authorization: Bearer abc.def.ghi-123", "[key]"),
    ("password=hunter2, ok", "[key], ok"), (#"{"api_key": "xyz-123"}"#, #"{"[key]"}"#),
    ("0123456789abcdef0123456789abcdef", "[key]"),
  ])
  func `private forms are replaced`(text: String, expected: String) {
    #expect(TraceRedactor.builtIn.redact(text) == expected)
  }

  @Test(arguments: [
    "on 2026-11-30 at 12:30", "3.14159265358979", "room 12 floor 3", "1,234,567 people", "a@b",
    "v1.2.3-beta", "the token count is 512", "Sources/FMTrace/Content/TraceRedactor.swift",
    "a haiku has 17 syllables", "größte Straße @home", "x86_64-unknown-linux-gnu",
  ])
  func `other texts stay as they are`(text: String) {
    #expect(TraceRedactor.builtIn.redact(text) == text)
  }

  @Test func `patterns of the user's are replaced too`() throws {
    let redactor = try TraceRedactor(patterns: ["Project [A-Z]\\w+", "\\bAnn\\b"])
    #expect(
      redactor.redact("Ann leads Project Zebra 🙂 Ann") == "[pattern] leads [pattern] 🙂 [pattern]")
    #expect(redactor.counts(in: "Ann and a@b.com").map(\.rule) == [.email, .pattern])
    #expect(throws: TraceError.self) { try TraceRedactor(patterns: ["("]) }
  }

  @Test func `redacting again changes nothing`() {
    let text = "ann@example.com +44 20 7946 0958, 4111 1111 1111 1111 password=hunter2"
    let once = TraceRedactor.builtIn.redact(text)
    #expect(TraceRedactor.builtIn.redact(once) == once)
    #expect(TraceRedactor.builtIn.counts(in: once).map(\.count) == [1, 1, 1, 1])
  }

  @Test func `any bytes are redacted in time that grows with them`() {
    var random = SplitMix(state: 11)
    let alphabet = Array("a1 @.-+(/=\"é🙂".unicodeScalars)
    for _ in 0..<200 {
      var text = ""
      for _ in 0..<300 {
        text.unicodeScalars.append(alphabet[Int.random(in: 0..<alphabet.count, using: &random)])
      }
      let once = TraceRedactor.builtIn.redact(text)
      #expect(!once.isEmpty)
    }
    for part in ["1 ", "a@", "a.", "password ", "+", "1-"] {
      let long = String(repeating: part, count: 4000)
      #expect(!TraceRedactor.builtIn.redact(long).isEmpty)
    }
  }

  @Test func `a writer keeps texts redacted, and none unless it is asked to`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for keeps in [false, true] {
      let path = folder.appending(path: "\(keeps).jsonl").path(percentEncoded: false)
      let writer = try TraceFileWriter(path: path, recordsContent: keeps)
      let span = SpanID.next()
      writer.begin(span, kind: .request, parent: nil, at: .now, attributes: [])
      writer.content("prompt", "mail ann@example.com", in: span)
      writer.content(
        "answer", String(repeating: "x ", count: TraceFileWriter.textLimit), in: span)
      writer.end(span, at: .now, attributes: [])
      writer.finish()
      let text = try String(contentsOfFile: path, encoding: .utf8)
      #expect(!text.contains("ann@"))
      #expect(text.contains("mail [email]") == keeps)
      #expect(text.utf8.count < TraceFileWriter.textLimit + 1000)
    }
  }
}

@Suite struct FingerprintTests {
  private let fingerprint = ContentFingerprint(salt: 42)

  @Test func `hashes depend on the text and on the salt`() {
    #expect(fingerprint.hash("a") == fingerprint.hash("a"))
    #expect(fingerprint.hash("a") != fingerprint.hash("b"))
    #expect(fingerprint.hash("a") != ContentFingerprint(salt: 43).hash("a"))
    #expect(fingerprint.hash("a").utf8.count == 16)
  }

  @Test(arguments: [
    ("best pizza in Rome", "Best  pizza, in ROME!", 1.0, 1.0),
    ("best pizza in rome", "best pizza rome", 0.6, 0.9),
    ("weather in Paris", "weather in Rome", 0.2, 0.59),
    ("best pizza in rome", "museum opening hours", 0.0, 0.15),
  ])
  func `sketches of similar words are similar`(
    one: String, other: String, least: Double, most: Double
  ) throws {
    let left = try #require(fingerprint.sketch(one))
    let right = try #require(fingerprint.sketch(other))
    let similarity = try #require(ContentFingerprint.similarity(left, right))
    #expect((least...most).contains(similarity), "\(similarity)")
  }

  @Test func `a sketch tells about as much as the trigrams do`() throws {
    var random = SplitMix(state: 5)
    var sum = 0.0
    for _ in 0..<50 {
      let words = (0..<12).map { _ in
        String(UInt32.random(in: 0 ... .max, using: &random), radix: 36)
      }
      let changed =
        words.prefix(6)
        + (0..<6).map { _ in
          String(UInt32.random(in: 0 ... .max, using: &random), radix: 36)
        }
      let one = words.joined(separator: " ")
      let other = changed.joined(separator: " ")
      let left = try #require(fingerprint.sketch(one))
      let right = try #require(fingerprint.sketch(other))
      let estimate = try #require(ContentFingerprint.similarity(left, right))
      let error = estimate - Self.jaccard(one, other)
      #expect(abs(error) < 0.3)
      sum += error
    }
    #expect(abs(sum / 50) < 0.03)
  }

  private static func jaccard(_ one: String, _ other: String) -> Double {
    func trigrams(_ text: String) -> Set<String> {
      let letters = Array(" \(text) ")
      return Set((0...(letters.count - 3)).map { String(letters[$0..<$0 + 3]) })
    }
    let (left, right) = (trigrams(one), trigrams(other))
    return Double(left.intersection(right).count) / Double(left.union(right).count)
  }

  @Test func `nothing has no sketch, and other texts are no sketches`() {
    #expect(fingerprint.sketch("") == nil)
    #expect(fingerprint.sketch(" ,;") == nil)
    #expect(ContentFingerprint.similarity("", "") == nil)
    #expect(ContentFingerprint.similarity(String(repeating: "a", count: 128), "b") == nil)
  }
}
