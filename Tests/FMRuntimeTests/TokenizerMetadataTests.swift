import FMFormats
import FMRuntime
import FMText
import Testing

struct TokenizerMetadataTests {
  private func description(
    model: String?, _ fill: (inout GGUFWriter) -> Void = { _ in }
  ) throws -> TokenizerDescription {
    var writer = GGUFWriter()
    if let model { writer.add("tokenizer.ggml.model", .string(model)) }
    fill(&writer)
    let file = try GGUFFile(contents: writer.bytes(), name: "test.gguf")
    return try TokenizerDescription(gguf: file)
  }

  @Test func `reads a byte-level vocabulary`() throws {
    let description = try description(model: "gpt2") { writer in
      writer.add("tokenizer.ggml.pre", .string("smollm"))
      writer.add("tokenizer.ggml.tokens", .strings(["a", "b", "ab", "<e>"]))
      writer.add("tokenizer.ggml.token_type", .int32s([1, 1, 1, 3]))
      writer.add("tokenizer.ggml.merges", .strings(["a b"]))
      writer.add("tokenizer.ggml.eos_token_id", .uint32(3))
      writer.add("tokenizer.ggml.eot_token_id", .uint32(2))
      writer.add("tokenizer.ggml.add_bos_token", .bool(false))
    }
    #expect(description.model == .byteLevelBPE)
    #expect(description.preTokenizer == "smollm")
    #expect(description.kinds == [1, 1, 1, 3])
    #expect(description.end == 3)
    #expect(description.endsOfTurn == [2])
    #expect(description.addsBeginning == false)
    #expect(description.addsSpacePrefix == nil)
    let tokenizer = try Tokenizer(description)
    #expect(tokenizer.encode("abba") == [2, 1, 0])
    #expect(tokenizer.endOfGeneration == [2, 3])
  }

  @Test func `a Llama vocabulary that names no special ids has Llama's`() throws {
    let description = try description(model: "llama") { writer in
      writer.add("tokenizer.ggml.tokens", .byteStrings([[0x3c], [0xff, 0xfe], [0x62]]))
      writer.add("tokenizer.ggml.scores", .floats([0, 0, -1]))
    }
    #expect(description.beginning == 1)
    #expect(description.end == 2)
    #expect(description.unknown == 0)
    #expect(Array(description.tokens[1]) == [0xff, 0xfe])
    #expect(description.scores == [0, 0, -1])
  }

  @Test func `refuses what it can't read`() {
    #expect(throws: TokenizerMetadataError.missingModel) { try description(model: nil) }
    #expect(throws: TokenizerMetadataError.unsupportedModel("t5")) {
      try description(model: "t5")
    }
    let tokens = TokenizerMetadataError.invalidList(
      key: "tokenizer.ggml.tokens", expected: "strings")
    #expect(throws: tokens) { try description(model: "gpt2") }
    #expect(throws: tokens) {
      try description(model: "gpt2") { $0.add("tokenizer.ggml.tokens", .floats([1])) }
    }
    let scores = TokenizerMetadataError.invalidList(
      key: "tokenizer.ggml.scores", expected: "numbers")
    #expect(throws: scores) {
      try description(model: "llama") { writer in
        writer.add("tokenizer.ggml.tokens", .strings(["a"]))
        writer.add("tokenizer.ggml.scores", .strings(["a"]))
      }
    }
  }
}
