import FMCore
import FMText
import Testing

struct TokenizerPromptTests {
  private func prompt(_ spans: (String, Bool)...) -> RenderedPrompt {
    RenderedPrompt(
      spans: spans.map { RenderedPrompt.Span(bytes: Array($0.0.utf8), isTemplate: $0.1) })
  }

  private func tokenizer() throws -> Tokenizer {
    try Tokenizer(
      TokenizerFixtures.byteLevel(
        merges: ["h|i", "o|k", "i|o"],
        special: [("<s>", .control), ("<t>", .userDefined), ("<s><s>", .control)]))
  }

  @Test func `control tokens come from the template alone`() throws {
    let tokenizer = try tokenizer()
    let ids = tokenizer.encode(prompt(("<s>", true), ("hi<s>", false), ("<s>", true)))
    #expect(ids == [259, 256, 0x3c, 0x73, 0x3e, 259])
  }

  @Test func `a control token is not put together from two origins`() throws {
    let ids = try tokenizer().encode(prompt(("<", true), ("s>", false)))
    #expect(ids == [0x3c, 0x73, 0x3e])
  }

  @Test func `text between control tokens is one text`() throws {
    let tokenizer = try tokenizer()
    #expect(
      tokenizer.encode(prompt(("<s>h", true), ("i", false), ("ok", true))) == [259, 256, 257])
    #expect(tokenizer.encode(prompt(("h", false), ("iok", true))) == tokenizer.encode("hiok"))
  }

  @Test func `user-defined tokens are read from any origin, the longest control token first`()
    throws
  {
    let tokenizer = try tokenizer()
    #expect(tokenizer.encode(prompt(("<s><s><t>", true), ("<t>", false))) == [261, 260, 260])
    #expect(tokenizer.encode(prompt(("<t", true), (">", false))) == [260])
  }

  @Test func `puts a space before text after a control token where the model does`() throws {
    let tokenizer = try Tokenizer(
      TokenizerFixtures.sentencePiece(pieces: ["▁a", "a", "▁"]))
    let ids = tokenizer.encode(prompt(("<s>", true), ("a", false), ("</s>a", true)))
    #expect(ids == [1, 259, 2, 259])
  }
}
