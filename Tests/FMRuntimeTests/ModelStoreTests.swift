import FMFormats
import FMRuntime
import Foundation
import Testing

@Suite struct ModelStoreTests {
  private static func store(_ files: [String]) throws -> ModelStore {
    let folder = try temporaryFolder()
    for file in files {
      var writer = GGUFWriter()
      writer.add("general.architecture", .string("llama"))
      writer.addTensor("t", dimensions: [2], floats: [1, 2])
      try writer.write(to: folder.appending(path: file).path)
    }
    return ModelStore(folder: folder.path)
  }

  @Test func `takes its folder from the environment`() {
    #expect(ModelStore(environment: ["FM_MODELS": "/a/b/", "HOME": "/h"]).folder == "/a/b")
    #expect(
      ModelStore(environment: ["FM_MODELS": "", "XDG_DATA_HOME": "/x", "HOME": "/h"]).folder
        == "/x/foundation-models/models")
    #expect(
      ModelStore(environment: ["HOME": "/h"]).folder
        == "/h/.local/share/foundation-models/models")
  }

  @Test func `lists models by name and nothing else`() throws {
    let store = try Self.store([
      "b.gguf", "a.gguf", "s-00001-of-00002.gguf", "s-00002-of-00002.gguf", ".hidden.gguf",
      "c.gguf.part", "d.json",
    ])
    #expect(try store.models().map(\.name) == ["a", "b", "s"])
    #expect(try ModelStore(folder: "/nonexistent/folder").models() == [])
  }

  @Test func `finds by exact name, beginning, alias and path`() throws {
    let store = try Self.store([
      "Small-Q4.gguf", "Small-Q4-more.gguf", "Other.gguf", "SmolLM2-135M-Instruct-Q4_1.gguf",
    ])
    #expect(try store.find("Small-Q4").name == "Small-Q4")
    #expect(try store.find("Small-Q4.gguf").name == "Small-Q4")
    #expect(try store.find("oth").name == "Other")
    #expect(try store.find("smollm2").name == "SmolLM2-135M-Instruct-Q4_1")
    #expect(try store.find("\(store.folder)/Other.gguf").name == "Other")
  }

  @Test func `takes anything that is there under a path`() throws {
    let store = try Self.store(["s-00001-of-00002.gguf", "s-00002-of-00002.gguf", "model.bin"])
    let shard = "\(store.folder)/s-00002-of-00002.gguf"
    #expect(try store.find(shard).path == shard)
    #expect(try store.find("\(store.folder)/model.bin").name == "model.bin")
    // What it is shows when it is opened.
    #expect(try store.find(store.folder).path == store.folder)
    #expect(try store.find("s").path == "\(store.folder)/s-00001-of-00002.gguf")
  }

  @Test func `says what there is when nothing fits`() throws {
    let store = try Self.store(["aa.gguf", "ab.gguf"])
    #expect(throws: ModelStoreError.ambiguous(name: "a", matches: ["aa", "ab"])) {
      try store.find("a")
    }
    #expect(
      throws: ModelStoreError.notFound(name: "x", available: ["aa", "ab"], pull: nil)
    ) { try store.find("x") }
    #expect(throws: ModelStoreError.noFile(path: "/no/x.gguf")) { try store.find("/no/x.gguf") }
    #expect(throws: ModelStoreError.self) { try store.find("") }
    let empty = ModelStore(folder: "/nonexistent")
    do {
      _ = try empty.find("gemma3-270m")
      Issue.record("found")
    } catch {
      #expect(
        error.description
          == "no model 'gemma3-270m'; there are none\nhint: get it with `fm pull gemma3-270m`")
    }
  }

  @Test func `verifies files against their records`() throws {
    let store = try Self.store(["a.gguf"])
    let model = try store.find("a")
    #expect(ModelListing(model).verify() == .noRecord)
    let record = #"{"source":"x","sha256":"\#(String(repeating: "0", count: 64))","byteCount":1}"#
    try Data(record.utf8).write(to: URL(filePath: ModelRecord.path(forFileAt: model.path)))
    #expect(ModelListing(model).verify() == .differs)
    try Data("not JSON".utf8).write(to: URL(filePath: ModelRecord.path(forFileAt: model.path)))
    #expect(ModelListing(model).verify() == .noRecord)
    try Data("broken".utf8).write(to: URL(filePath: model.path))
    let listing = ModelListing(model)
    #expect(listing.problem?.contains("not a GGUF file") == true)
    #expect(listing.verify().isBad)
  }
}
