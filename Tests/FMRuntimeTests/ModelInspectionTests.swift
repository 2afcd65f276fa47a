import FMCore
import FMFormats
import FMRuntime
import FMTestSupport
import Foundation
import Testing

@Suite struct ModelInspectionTests {
  private static func llama() -> GGUFWriter {
    var writer = GGUFWriter()
    writer.add("general.architecture", .string("llama"))
    writer.add("general.name", .string("Tiny"))
    writer.add("general.file_type", .uint32(2))
    writer.add("llama.context_length", .uint32(4096))
    writer.add("llama.block_count", .uint32(3))
    writer.add("llama.embedding_length", .uint32(64))
    writer.add("llama.attention.head_count", .uint32(4))
    writer.add("llama.attention.head_count_kv", .uint32(2))
    writer.add("tokenizer.ggml.model", .string("gpt2"))
    writer.add("tokenizer.ggml.pre", .string("smollm"))
    writer.add("tokenizer.ggml.tokens", .strings(["<s>", "a", "b"]))
    writer.add("tokenizer.ggml.bos_token_id", .uint32(0))
    writer.add("tokenizer.ggml.eos_token_id", .uint32(77))
    writer.add("tokenizer.chat_template", .string("\n  \n{% for m in messages %}\nmore"))
    writer.addTensor(
      "a", type: .q4_0, dimensions: [32, 2], bytes: [UInt8](repeating: 0, count: 36))
    writer.addTensor("b", dimensions: [3], floats: [1, 2, 3])
    return writer
  }

  private static func inspect(
    _ writer: GGUFWriter, context: Int? = nil
  ) throws -> ModelInspection {
    ModelInspection(try GGUFFile(contents: try writer.bytes(), name: "test"), context: context)
  }

  @Test func `gathers what a file says`() throws {
    let inspection = try Self.inspect(Self.llama())
    #expect(inspection.architecture == "llama")
    #expect(inspection.isSupported)
    #expect(inspection.name == "Tiny")
    #expect(inspection.parameterCount == 67)
    #expect(inspection.quantization == "Q4_0")
    #expect(inspection.contextLength == 4096)
    #expect(inspection.types.map(\.type) == ["Q4_0", "F32"])
    #expect(inspection.types.map(\.tensorCount) == [1, 1])
    #expect(inspection.types.map(\.elementCount) == [64, 3])
    #expect(inspection.types.map(\.byteCount) == [36, 12])
    #expect(inspection.template?.firstLine == "{% for m in messages %}")
    #expect(inspection.tokenizer?.vocabularySize == 3)
    let special = try #require(inspection.tokenizer?.special)
    #expect(special.map(\.role) == ["bos", "eos"])
    #expect(special.map(\.id) == [0, 77])
    #expect(special.map(\.text) == ["<s>", nil])
  }

  @Test func `counts the cache of all layers at any context`() throws {
    let writer = Self.llama()
    // 3 layers × 2 KV heads × (16 + 16) × 2 bytes a position.
    #expect(try Self.inspect(writer).memory.cacheBytes == 4096 * 384)
    #expect(try Self.inspect(writer, context: 32).memory.cacheBytes == 32 * 384)
    #expect(try Self.inspect(writer, context: 1).memory.cacheBytes == 32 * 384)
    #expect(try Self.inspect(writer, context: 32).memory.totalBytes == 32 * 384 + 48)
  }

  @Test func `counts windows and per-layer heads`() throws {
    var writer = GGUFWriter()
    writer.add("general.architecture", .string("gemma3"))
    writer.add("gemma3.context_length", .uint32(1024))
    writer.add("gemma3.block_count", .uint32(6))
    writer.add("gemma3.embedding_length", .uint32(64))
    writer.add("gemma3.attention.head_count", .uint32(4))
    writer.add("gemma3.attention.head_count_kv", .int32s([1, 1, 1, 1, 1, 2]))
    writer.add("gemma3.attention.key_length", .uint32(8))
    writer.add("gemma3.attention.value_length", .uint32(8))
    writer.add("gemma3.attention.sliding_window", .uint32(64))
    // Five layers keep 64 positions of one head, the sixth 1024 of two; 16 elements of 2 bytes each.
    #expect(try Self.inspect(writer).memory.cacheBytes == 5 * 64 * 32 + 1024 * 64)
    writer.add(
      "gemma3.attention.sliding_window_pattern",
      .bools([false, true, true, true, true, true]))
    #expect(
      try Self.inspect(writer).memory.cacheBytes == 1024 * 32 + 4 * 64 * 32 + 64 * 64)
  }

  @Test func `leaves out what makes no sense`() throws {
    var empty = GGUFWriter()
    empty.add("x", .bool(true))
    let nothing = try Self.inspect(empty)
    #expect(nothing.architecture == nil)
    #expect(!nothing.isSupported)
    #expect(nothing.tokenizer == nil && nothing.template == nil)
    #expect(nothing.memory.cacheBytes == nil && nothing.memory.totalBytes == nil)
    #expect(nothing.quantization == nil)

    let hostile: [(String, GGUFEncodedValue)] = [
      ("block_count", .uint32(0)), ("block_count", .uint32(.max)), ("block_count", .string("3")),
      ("attention.head_count", .uint32(0)), ("attention.head_count_kv", .int32s([1])),
      ("embedding_length", .uint32(0)), ("context_length", .uint64(.max)),
    ]
    for (key, value) in hostile {
      var writer = GGUFWriter()
      writer.add("general.architecture", .string("odd"))
      writer.add("odd.\(key)", value)
      let sound: [(String, GGUFEncodedValue)] = [
        ("block_count", .uint32(2)), ("attention.head_count", .uint32(4)),
        ("embedding_length", .uint32(64)), ("context_length", .uint32(64)),
      ]
      for (other, number) in sound where other != key { writer.add("odd.\(other)", number) }
      let inspection = try Self.inspect(writer)
      #expect(inspection.memory.cacheBytes == nil || key.hasSuffix("head_count_kv"), "\(key)")
      #expect(!inspection.isSupported)
    }
  }

  @Test(.enabled(if: Fixtures.smolLM2 != nil, "needs SmolLM2-135M-Instruct; run `fm pull`"))
  func `describes SmolLM2`() throws {
    let file = try GGUFFile(path: try #require(Fixtures.smolLM2).path)
    let inspection = ModelInspection(file)
    #expect(inspection.parameterCount == 134_515_008)
    #expect(inspection.quantization == "Q4_1")
    #expect(inspection.contextLength == 8192)
    #expect(inspection.tokenizer?.vocabularySize == 49_152)
    // 30 layers × 3 KV heads × 128 × 2 bytes.
    #expect(inspection.memory.cacheBytes == 8192 * 23_040)
  }
}
