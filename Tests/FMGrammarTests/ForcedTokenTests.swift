import FMCore
import FMGrammar
import FMText
import Testing

/// Tokens that need no model, with a byte-level tokenizer small enough to check by hand.
struct ForcedTokenTests {
  private static let merges = [
    "{ \"", "\" :", "Ġ \"", "\": Ġ\"", "a b", "\" ,", "b \"", "Ġ t", "r u", "ru e", "Ġt rue",
  ]

  /// 256 bytes in GPT-2's spelling, then the merges.
  private func tokenizer() throws -> Tokenizer {
    func stays(_ byte: Int) -> Bool {
      (33...126).contains(byte) || (161...172).contains(byte) || byte >= 174
    }
    var moved: UInt32 = 256
    let bytes = (0..<256).map { byte -> String in
      if stays(byte) { return String(Unicode.Scalar(UInt8(byte))) }
      defer { moved += 1 }
      return String(Unicode.Scalar(moved) ?? "?")
    }
    let merged = Self.merges.map { $0.split(separator: " ").joined() }
    var description = TokenizerDescription(
      model: .byteLevelBPE, tokens: ByteStringList(bytes + merged), preTokenizer: "smollm")
    description.merges = ByteStringList(Self.merges)
    return try Tokenizer(description)
  }

  @Test func `forced tokens are in the mask, and none is given that could be longer`() throws {
    let tokenizer = try tokenizer()
    let index = TokenIndex(tokenizer)
    var forcedCount = 0
    for seed in 1...200 as ClosedRange<UInt64> {
      var sample = RandomGrammar(seed: seed)
      guard let compiled = try? CompiledGrammar(sample.make(), index: index) else { continue }
      let followed = FollowedMatcher(compiled)
      var random = SampleRandom(seed: seed)
      for _ in 0..<8 {
        let forced = followed.forcedBytes()
        let tokens = followed.matcher.forcedTokens(using: tokenizer)
        var rest = forced[...]
        for token in tokens {
          let spelled = tokenizer.bytes(of: token)
          let allowed = followed.allowedTokens()
          #expect(allowed.contains(Int(token)), "seed \(seed)")
          #expect(rest.starts(with: spelled))
          for other in allowed {
            let longer = tokenizer.bytes(of: TokenID(other))
            #expect(longer.count <= rest.count || !longer.starts(with: rest), "seed \(seed)")
          }
          rest = rest.dropFirst(spelled.count)
          #expect(followed.accept(token))
          forcedCount += 1
        }
        let allowed = followed.allowedTokens()
        guard !allowed.isEmpty else { break }
        #expect(followed.accept(TokenID(allowed[random.below(allowed.count)])))
      }
    }
    #expect(forcedCount > 100)
  }

  @Test func `what is forced up to an opening quote stops before a token that goes on`() throws {
    let tokenizer = try tokenizer()
    var builder = GrammarBuilder()
    let word = builder.add(.string(StringRule()))
    let number = builder.literal("true")
    let object = builder.add(
      .object(
        ObjectRule(members: [
          GrammarBuilder.member("n", number), GrammarBuilder.member("s", word),
        ])))
    let compiled = try CompiledGrammar(builder.grammar(object), index: TokenIndex(tokenizer))
    let followed = FollowedMatcher(compiled)
    let forced = "{\"n\": true, \"s\": \""
    #expect(followed.forcedBytes() == Array(forced.utf8))
    let tokens = followed.matcher.forcedTokens(using: tokenizer)
    let text = tokens.flatMap { tokenizer.bytes(of: $0) }
    #expect(forced.utf8.starts(with: text) && text.count >= forced.utf8.count - 2)
    #expect(tokens.starts(with: tokenizer.encode("{\"n\": true")))
  }
}
