import FMCore
import FMFormats
import Testing

@Suite struct GGUFFileTests {
  /// A file with every metadata type and a few tensors.
  private static func sample() throws -> GGUFFile {
    var writer = GGUFWriter()
    writer.add("general.architecture", .string("llama"))
    writer.add("u8", .uint8(200))
    writer.add("i8", .int8(-100))
    writer.add("u16", .uint16(60_000))
    writer.add("i16", .int16(-30_000))
    writer.add("u32", .uint32(4_000_000_000))
    writer.add("i32", .int32(-2_000_000_000))
    writer.add("u64", .uint64(.max))
    writer.add("i64", .int64(.min))
    writer.add("f32", .float32(1.5))
    writer.add("f64", .float64(-0.1))
    writer.add("yes", .bool(true))
    writer.add("strings", .byteStrings([[], [0xFF, 0x00], Array("mot".utf8)]))
    writer.add("floats", .floats([1, -2.5, 0]))
    writer.add("ints", .int32s([3, -1]))
    writer.add("bools", .bools([true, false]))
    writer.add("nested", .arrays([.int32s([1, 2]), .strings(["a"]), .floats([])]))
    writer.addTensor("a", dimensions: [3, 2], floats: [1, 2, 3, 4, 5, 6])
    writer.addTensor("b", type: .q8_0, dimensions: [32], bytes: [UInt8](repeating: 7, count: 34))
    return try GGUFFile(contents: try writer.bytes(), name: "sample")
  }

  @Test func `reads every metadata type back`() throws {
    let file = try Self.sample()
    #expect(file.version == 3)
    #expect(file.keys.first == "general.architecture")
    #expect(file.keys.count == 17)
    #expect(file.string("general.architecture") == "llama")
    #expect(file.unsigned("u8") == 200)
    #expect(file.integer("i8") == -100)
    #expect(file.unsigned("u16") == 60_000)
    #expect(file.integer("i16") == -30_000)
    #expect(file.unsigned("u32") == 4_000_000_000)
    #expect(file.integer("i32") == -2_000_000_000)
    #expect(file.unsigned("u64") == .max)
    #expect(file.integer("u64") == nil)
    #expect(file.integer("i64") == .min)
    #expect(file.unsigned("i64") == nil)
    #expect(file.float("f32") == 1.5)
    #expect(file.double("f64") == -0.1)
    #expect(file.bool("yes") == true)
    #expect(file.string("u8") == nil)
    #expect(file.value("absent") == nil)
  }

  @Test func `gives array elements without reading the others`() throws {
    let file = try Self.sample()
    let strings = try #require(file.array("strings"))
    #expect(strings.count == 3)
    #expect(strings.bytes(at: 0) == [])
    #expect(strings.bytes(at: 1) == [0xFF, 0x00])
    #expect(strings.text(at: 2) == "mot")
    #expect(strings.integers() == nil)
    #expect(file.array("floats")?.floats() == [1, -2.5, 0])
    #expect(file.array("ints")?.integers() == [3, -1])
    #expect(file.array("ints")?.integer(at: 1) == -1)
    #expect(file.array("bools")?.value(at: 0).bool == true)
    let nested = try #require(file.array("nested"))
    #expect(nested.value(at: 0).array?.integers() == [1, 2])
    #expect(nested.value(at: 1).array?.strings() == ["a"])
    #expect(nested.value(at: 2).array?.floats() == [])
  }

  @Test func `gives tensors with their bytes`() throws {
    let file = try Self.sample()
    #expect(file.tensors.map(\.name) == ["a", "b"])
    let a = try #require(file.tensor(named: "a"))
    #expect(a.dimensions == [3, 2])
    #expect(a.elementCount == 6)
    #expect(a.type == .f32)
    #expect(a.byteRange.lowerBound % 32 == 0)
    let floats = file.bytes(of: a).withMemoryRebound(to: Float.self) { Array($0) }
    #expect(floats == [1, 2, 3, 4, 5, 6])
    let b = try #require(file.tensor(named: "b"))
    #expect(b.typeName == "Q8_0")
    #expect(Array(file.bytes(of: b)) == [UInt8](repeating: 7, count: 34))
    #expect(file.tensor(named: "c") == nil)
    #expect(file.elementCount == 38)
  }

  @Test func `keeps the file mapped while a view lives`() throws {
    let path = try temporaryPath("view.gguf")
    var writer = GGUFWriter()
    writer.add("words", .strings(["one", "two"]))
    try writer.write(to: path)
    let words = try #require(GGUFFile(path: path).array("words"))
    #expect(words.strings() == ["one", "two"])
  }

  @Test(arguments: [1, 2, 32, 64, 4096]) func `honours the alignment`(alignment: Int) throws {
    var writer = GGUFWriter(alignment: alignment)
    writer.addTensor("a", dimensions: [3], floats: [1, 2, 3])
    writer.addTensor("b", dimensions: [1], floats: [4])
    let file = try GGUFFile(contents: try writer.bytes(), name: "aligned")
    #expect(file.tensors.allSatisfy { $0.byteRange.lowerBound % alignment == 0 })
    let b = try #require(file.tensor(named: "b"))
    #expect(file.bytes(of: b).loadUnaligned(as: Float.self) == 4)
  }

  @Test func `copies metadata from one file to another`() throws {
    let file = try Self.sample()
    var writer = GGUFWriter()
    for key in file.keys {
      let value = try #require(file.value(key))
      writer.add(key, GGUFEncodedValue(copying: value))
    }
    let copy = try GGUFFile(contents: try writer.bytes(), name: "copy")
    #expect(copy.keys == file.keys)
    #expect(copy.array("strings")?.byteStrings() == file.array("strings")?.byteStrings())
    #expect(copy.array("nested")?.value(at: 1).array?.strings() == ["a"])
    #expect(copy.unsigned("u64") == .max)
  }

  @Test func `describes formats it does not compute with`() throws {
    var writer = GGUFWriter()
    writer.addTensor("x", typeID: 16, dimensions: [256], byteCount: 66) {
      [UInt8](repeating: 0, count: 66)
    }
    let file = try GGUFFile(contents: try writer.bytes(), name: "iq2")
    #expect(file.tensors[0].type == nil)
    #expect(file.tensors[0].typeName == "IQ2_XXS")
  }

  @Test func `opens a vocabulary of 262,144 tokens in well under half a second`() throws {
    let path = try temporaryPath("vocabulary.gguf")
    var writer = GGUFWriter()
    writer.add("tokenizer.ggml.tokens", .strings((0..<262_144).map { "token\($0)" }))
    writer.add("tokenizer.ggml.scores", .floats((0..<262_144).map { Float($0) }))
    writer.add("tokenizer.ggml.merges", .strings((0..<262_144).map { "tok en\($0)" }))
    try writer.write(to: path)
    var best = Double.infinity
    for _ in 0..<3 {
      let start = MonotonicInstant.now
      let file = try GGUFFile(path: path)
      best = min(best, MonotonicInstant.now.seconds(since: start))
      #expect(file.array("tokenizer.ggml.tokens")?.text(at: 262_143) == "token262143")
    }
    #expect(best < 0.5)
  }
}
