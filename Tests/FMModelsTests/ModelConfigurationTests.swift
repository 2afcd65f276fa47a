import FMBackend
import FMCore
import FMFormats
import FMModels
import FMTestSupport
import Testing

/// A model file with changed metadata or tensors, without bytes.
private struct FakeSource: ModelSource {
  var values: [String: MetadataValue]
  var shapes: [(name: String, shape: [Int])]

  init(_ model: TinyModel) throws {
    let file = try GGUFFile(contents: model.file().bytes(), name: "tiny")
    values = Dictionary(
      uniqueKeysWithValues: file.keys.compactMap { key in file.metadata(key).map { (key, $0) } })
    shapes = file.tensors.map { ($0.name, $0.dimensions) }
  }

  func metadata(_ key: String) -> MetadataValue? { values[key] }
  var tensorNames: [String] { shapes.map(\.name) }
  func shape(ofTensor name: String) -> [Int]? { shapes.first { $0.name == name }?.shape }
  func unreadableType(ofTensor name: String) -> String? { nil }
}

@Suite struct ModelConfigurationTests {
  private func failure(
    _ model: TinyModel = .llama(), contextLength: Int? = nil, _ change: (inout FakeSource) -> Void
  ) throws -> ModelError? {
    var source = try FakeSource(model)
    change(&source)
    do throws(ModelError) {
      _ = try ModelRegistry.build(source: source, contextLength: contextLength)
      return nil
    } catch { return error }
  }

  @Test func `builds the program the file's own metadata describes`() throws {
    for model in [TinyModel.llama(), .gemma3(), .llama(type: .q4_K), .gemma3(type: .q6_K)] {
      let file = try GGUFFile(contents: model.file().bytes(), name: "tiny")
      let built = try ModelRegistry.build(source: file)
      #expect(built.program == model.program)
      #expect(built.warnings.isEmpty)
    }
  }

  @Test(arguments: [
    ("block_count", [0, 513, 100_000, 0xFFFF_FFFF]),
    ("attention.head_count", [0, 4, 7, 0xFFFF_FFFF]),
    ("attention.head_count_kv", [0, 4, 0xFFFF_FFFF]),
    ("embedding_length", [0, 191, 0xFFFF_FFFF]),
    ("feed_forward_length", [0, 0xFFFF_FFFF]),
    ("context_length", [0, 0xFFFF_FFFF]),
    ("rope.dimension_count", [0, 1, 31, 64, 0xFFFF_FFFF]),
    ("attention.key_length", [0, 1, 0xFFFF_FFFF]),
    ("vocab_size", [0, 306, 308]),
  ])
  func `refuses a size out of range`(key: String, sizes: [UInt64]) throws {
    for size in sizes {
      let found = try failure { $0.values["llama." + key] = .unsigned(size) }
      #expect(found != nil, "\(key) = \(size)")
      if size == 0 || size == 0xFFFF_FFFF {
        guard case .badMetadata(let named, let value, _) = found else {
          Issue.record("\(key) = \(size): \(String(describing: found))")
          continue
        }
        #expect(named == "llama." + key && value == "\(size)")
      }
    }
  }

  @Test func `refuses values of other kinds`() throws {
    let key = "llama.block_count"
    for value in [
      MetadataValue.string("two"), .signed(-1), .float(2), .bool(true),
      .array(count: 0, elements: []), .array(count: 4_000_000, elements: []),
    ] {
      let found = try failure { $0.values[key] = value }
      guard case .badMetadata(let named, _, _) = found, named == key else {
        Issue.record("\(value): \(String(describing: found))")
        continue
      }
    }
    for value in [MetadataValue.float(.nan), .float(0), .float(-1), .float(.infinity)] {
      #expect(try failure { $0.values["llama.rope.freq_base"] = value } != nil, "\(value)")
      #expect(
        try failure { $0.values["llama.attention.layer_norm_rms_epsilon"] = value } != nil,
        "\(value)")
    }
  }

  @Test func `accepts a per-layer array only where layers agree`() throws {
    let key = "llama.attention.head_count_kv"
    let same = MetadataValue.array(count: 2, elements: [.unsigned(2), .unsigned(2)])
    let mixed = MetadataValue.array(count: 2, elements: [.unsigned(2), .unsigned(1)])
    #expect(try failure { $0.values[key] = same } == nil)
    let found = try failure { $0.values[key] = mixed }
    guard case .unsupported(let named, _, _) = found, named == key else {
      Issue.record("\(String(describing: found))")
      return
    }
  }

  @Test func `names missing keys and unknown architectures`() throws {
    #expect(
      try failure { $0.values["llama.block_count"] = nil }
        == .missingMetadata(key: "llama.block_count"))
    #expect(
      try failure { $0.values["general.architecture"] = nil }
        == .missingMetadata(key: "general.architecture"))
    #expect(
      try failure { $0.values["general.architecture"] = .string("rwkv7") }
        == .unknownArchitecture(found: "rwkv7", known: ["llama", "gemma3"]))
    let scaled = try failure { $0.values["llama.rope.scaling.type"] = .string("yarn") }
    guard case .unsupported("llama.rope.scaling.type", _, _) = scaled else {
      Issue.record("\(String(describing: scaled))")
      return
    }
  }

  @Test func `lists missing tensors together`() throws {
    let found = try failure { source in
      source.shapes.removeAll { $0.name.hasPrefix("blk.1.") || $0.name == "output_norm.weight" }
    }
    guard case .missingTensors(let names, let count) = found else {
      Issue.record("\(String(describing: found))")
      return
    }
    #expect(count == 10)
    #expect(names.count == 10)
    #expect(names.first == "blk.1.attn_norm.weight")
    #expect(
      try failure { $0.shapes.removeAll { $0.name == "token_embd.weight" } }
        == .missingTensors(names: ["token_embd.weight"], count: 1))
  }

  @Test func `compares tensors with the metadata`() throws {
    func set(_ name: String, _ shape: [Int]) throws -> ModelError? {
      try failure { source in
        for index in source.shapes.indices where source.shapes[index].name == name {
          source.shapes[index].shape = shape
        }
      }
    }
    #expect(
      try set("blk.0.ffn_up.weight", [352, 192])
        == .tensorShape(name: "blk.0.ffn_up.weight", expected: [192, 352], found: [352, 192]))
    #expect(
      try set("blk.1.attn_k.weight", [192, 64, 2])
        == .tensorShape(name: "blk.1.attn_k.weight", expected: [192, 64], found: [192, 64, 2]))
    #expect(
      try set("output_norm.weight", [191])
        == .tensorShape(name: "output_norm.weight", expected: [192], found: [191]))
    #expect(
      try set("token_embd.weight", [100, 307])
        == .tensorShape(name: "token_embd.weight", expected: [192, 307], found: [100, 307]))
    #expect(try set("output_norm.weight", [192, 1]) == nil)
    let vocabulary = try failure {
      $0.values["tokenizer.ggml.tokens"] = .array(count: 300, elements: [])
    }
    #expect(
      vocabulary
        == .badMetadata(
          key: "tokenizer.ggml.tokens", found: "300 tokens",
          allowed: "307, the rows of token_embd.weight"))
  }

  @Test func `warns of tensors nothing reads`() throws {
    var source = try FakeSource(.llama())
    source.shapes.append(("blk.9.extra.weight", [4]))
    let built = try ModelRegistry.build(source: source)
    #expect(built.warnings == ["1 tensors are not used: blk.9.extra.weight"])
  }

  @Test func `takes the context asked for, up to the trained one`() throws {
    let source = try FakeSource(.llama())
    func length(_ asked: Int?) throws -> Int {
      try ModelRegistry.build(source: source, contextLength: asked).program.contextLength
    }
    #expect(try length(nil) == 512)
    #expect(try length(100) == 100)
    #expect(try length(100_000) == 512)
    #expect(try failure(contextLength: 0) { _ in } != nil)
    #expect(try failure(contextLength: -5) { _ in } != nil)
  }

  @Test func `survives any value in any key`() throws {
    let hostile: [MetadataValue] = [
      .unsigned(0), .unsigned(1), .unsigned(.max), .signed(.min), .signed(-1), .float(.nan),
      .float(-.infinity), .float(.leastNonzeroMagnitude), .bool(true), .string(""), .unsigned(513),
      .unsigned(512),
      .array(count: .max, elements: []), .array(count: 1, elements: [.unsigned(.max)]),
      .unsigned(1 << 20), .unsigned(1 << 31), .array(count: 4, elements: [.bool(true)]),
    ]
    for model in [TinyModel.llama(), .gemma3()] {
      let source = try FakeSource(model)
      for key in source.values.keys.sorted() {
        for value in hostile {
          var changed = source
          changed.values[key] = value
          // Whether it is refused depends on the key; it must not trap or take long.
          if let built = try? ModelRegistry.build(source: changed) {
            try built.program.validate()
          }
        }
      }
    }
  }
}
