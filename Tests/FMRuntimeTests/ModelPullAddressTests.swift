import FMCore
import FMFormats
import FMRuntime
import FMTestSupport
import Foundation
import Testing

@Suite(.enabled(if: ModelPullServer.isAvailable, "needs python3 and curl"))
struct ModelPullAddressTests {
  /// A sound model of about 300 kB.
  private static func model(seed: UInt64 = 1) throws -> [UInt8] {
    var writer = GGUFWriter()
    writer.add("general.architecture", .string("llama"))
    let random = CounterRandom(seed: seed)
    writer.addTensor(
      "t", dimensions: [75_000], floats: (0..<75_000).map { Float(random.uniform(at: $0)) })
    return try writer.bytes()
  }

  /// Pulls until `limit` bytes have come, then cancels.
  private static func pullPart(
    _ pull: ModelPull, _ address: String, limit: Int
  ) async throws {
    let source = try ModelPullSource(address)
    let task = Task {
      try await pull.pull(source) { event in
        if case .downloading(let done, _) = event, done >= limit {
          withUnsafeCurrentTask { $0?.cancel() }
        }
      }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func `downloads, records and finds a model`() async throws {
    let server = try ModelPullServer()
    let bytes = try Self.model()
    try server.serve(bytes, as: "small.gguf")
    let store = ModelStore(folder: try temporaryFolder().path + "/new/folder")
    let pull = ModelPull(store: store)
    let source = try ModelPullSource(server.address("small.gguf?token=secret", mode: "moved"))
    let outcome = try await pull.pull(source)
    #expect(outcome.isNew)
    #expect(outcome.sha256 == SHA256.hexDigest(bytes))
    let model = try store.find("small")
    #expect(model.path == outcome.path)
    #expect(try [UInt8](Data(contentsOf: URL(filePath: model.path))) == bytes)
    let record = try #require(ModelRecord(ofFileAt: model.path))
    #expect(record.source == server.address("small.gguf", mode: "moved"))
    #expect(record.byteCount == bytes.count)
    #expect(ModelListing(model).verify() == .matches)
    let files = try FileManager.default.contentsOfDirectory(atPath: store.folder).sorted()
    #expect(files == [".small.lock", "small.gguf", "small.json"])

    // Again: no request is made.
    let before = server.requests.count
    #expect(try await pull.pull(source).isNew == false)
    #expect(server.requests.count == before)
  }

  @Test func `goes on after an interruption`() async throws {
    let server = try ModelPullServer()
    let bytes = try Self.model()
    try server.serve(bytes, as: "small.gguf")
    let store = ModelStore(folder: try temporaryFolder().path)
    let pull = ModelPull(store: store)
    let address = server.address("small.gguf", mode: "hold/40000")
    try await Self.pullPart(pull, address, limit: 40_000)
    #expect(ModelPath.size(store.path(forName: "small")) == nil)
    #expect(try store.models() == [])
    let outcome = try await pull.pull(try ModelPullSource(address))
    #expect(outcome.sha256 == SHA256.hexDigest(bytes))
    #expect(server.requests == ["200 0", "206 40000"])
  }

  @Test func `goes on when the server breaks off`() async throws {
    let server = try ModelPullServer()
    let bytes = try Self.model()
    try server.serve(bytes, as: "small.gguf")
    let pull = ModelPull(store: ModelStore(folder: try temporaryFolder().path))
    var events: [ModelPull.Event] = []
    let source = try ModelPullSource(server.address("small.gguf", mode: "cut/100000"))
    let outcome = try await pull.pull(source) { events.append($0) }
    #expect(outcome.sha256 == SHA256.hexDigest(bytes))
    #expect(events.contains(.resuming))
    #expect(
      server.requests == ["200 0", "206 100000"])
  }

  @Test func `begins again when the file has changed`() async throws {
    let server = try ModelPullServer()
    try server.serve(try Self.model(seed: 1), as: "small.gguf")
    let pull = ModelPull(store: ModelStore(folder: try temporaryFolder().path))
    let address = server.address("small.gguf", mode: "hold/40000")
    try await Self.pullPart(pull, address, limit: 40_000)
    let changed = try Self.model(seed: 2)
    try server.serve(changed, as: "small.gguf")
    var events: [ModelPull.Event] = []
    let outcome = try await pull.pull(try ModelPullSource(address)) { events.append($0) }
    #expect(events.contains(.restarting))
    #expect(outcome.sha256 == SHA256.hexDigest(changed))
  }

  @Test(arguments: ["weak", "none"])
  func `does not go on without a strong validator, unless the digest is known`(
    mode: String
  ) async throws {
    let server = try ModelPullServer()
    let bytes = try Self.model()
    try server.serve(bytes, as: "small.gguf")
    let store = ModelStore(folder: try temporaryFolder().path)
    let pull = ModelPull(store: store)
    let address = server.address("small.gguf", mode: mode)
    let source = try ModelPullSource(address)
    // What an interrupted pull of this address leaves.
    func leavePart() throws {
      let part = store.path(forName: "small") + ".part"
      try Data(bytes.prefix(50_000)).write(to: URL(filePath: part))
      let state = #"{"address":"\#(address)","total":\#(bytes.count)}"#
      try Data(state.utf8).write(to: URL(filePath: part + ".json"))
    }
    try leavePart()
    let outcome = try await pull.pull(source)
    #expect(outcome.sha256 == SHA256.hexDigest(bytes))
    #expect(server.requests == ["200 0"])

    try FileManager.default.removeItem(atPath: outcome.path)
    try leavePart()
    _ = try await pull.pull(source, sha256: SHA256.hexDigest(bytes))
    #expect(server.requests.last == "206 50000")
  }

  @Test func `begins again where the server knows no ranges`() async throws {
    let server = try ModelPullServer()
    let bytes = try Self.model()
    try server.serve(bytes, as: "small.gguf")
    let store = ModelStore(folder: try temporaryFolder().path)
    let address = server.address("small.gguf", mode: "noranges")
    let part = store.path(forName: "small") + ".part"
    try Data(bytes.prefix(1000)).write(to: URL(filePath: part))
    try Data(#"{"address":"\#(address)","total":\#(bytes.count)}"#.utf8)
      .write(to: URL(filePath: part + ".json"))
    let digest = SHA256.hexDigest(bytes)
    let outcome = try await ModelPull(store: store).pull(
      try ModelPullSource(address), sha256: digest)
    #expect(outcome.sha256 == digest)
  }

  @Test func `lets two pulls of one model take turns`() async throws {
    let server = try ModelPullServer()
    try server.serve(try Self.model(), as: "small.gguf")
    let pull = ModelPull(store: ModelStore(folder: try temporaryFolder().path))
    let source = try ModelPullSource(server.address("small.gguf"))
    async let first = pull.pull(source)
    async let second = pull.pull(source)
    let outcomes = try await [first, second]
    #expect(outcomes.filter(\.isNew).count == 1)
    #expect(server.requests.count == 1)
  }

  @Test func `removes what has the wrong digest and says so`() async throws {
    let server = try ModelPullServer()
    let bytes = try Self.model()
    try server.serve(bytes, as: "small.gguf")
    let store = ModelStore(folder: try temporaryFolder().path)
    let wrong = String(repeating: "0", count: 64)
    let source = try ModelPullSource(server.address("small.gguf"))
    let pull = ModelPull(store: store)
    await #expect(
      throws: ModelPullError.checksumMismatch(
        name: "small", expected: wrong, found: SHA256.hexDigest(bytes))
    ) { try await pull.pull(source, sha256: wrong) }
    let files = try FileManager.default.contentsOfDirectory(atPath: store.folder)
    #expect(files == [".small.lock"])
    await #expect(throws: ModelPullError.badChecksum("xyz")) {
      try await pull.pull(source, sha256: "xyz")
    }
  }

  @Test func `refuses what is not a model, and reports what the server says`() async throws {
    let server = try ModelPullServer()
    try server.serve(Array("<html>not here</html>".utf8), as: "page.gguf")
    let store = ModelStore(folder: try temporaryFolder().path)
    let pull = ModelPull(store: store)
    do {
      _ = try await pull.pull(try ModelPullSource(server.address("page.gguf")))
      Issue.record("pulled a web page")
    } catch let error as ModelPullError {
      guard case .notAModel(.notGGUF) = error else {
        Issue.record("\(error)")
        return
      }
    }
    #expect(ModelPath.size(store.path(forName: "page") + ".part") == nil)
    do {
      _ = try await pull.pull(try ModelPullSource(server.address("absent.gguf")))
      Issue.record("pulled nothing")
    } catch let error as ModelPullError {
      #expect(error.description.contains("404"))
    }
  }

  @Test func `gets every shard of a split model`() async throws {
    let server = try ModelPullServer()
    for index in 0..<2 {
      var writer = GGUFWriter()
      if index == 0 { writer.add("general.architecture", .string("llama")) }
      writer.add("split.no", .uint16(UInt16(index)))
      writer.add("split.count", .uint16(2))
      writer.add("split.tensors.count", .int32(2))
      writer.addTensor("t\(index)", dimensions: [4], floats: [1, 2, 3, 4])
      try server.serve(try writer.bytes(), as: "big-0000\(index + 1)-of-00002.gguf")
    }
    let store = ModelStore(folder: try temporaryFolder().path)
    let source = try ModelPullSource(server.address("big-00002-of-00002.gguf"))
    _ = try await ModelPull(store: store).pull(source)
    let model = try store.find("big")
    #expect(try GGUFFile(path: model.path).tensors.count == 2)
    #expect(ModelListing(model).verify() == .matches)
  }
}

/// File facts for tests.
enum ModelPath {
  static func size(_ path: String) -> Int? {
    (try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? Int
  }
}
