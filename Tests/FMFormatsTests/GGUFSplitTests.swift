import FMFormats
import Foundation
import Testing

@Suite struct GGUFSplitTests {
  /// Writes a model in `count` shards of one tensor each and returns their paths.
  private static func write(
    count: Int, name: String = "model", folder: String? = nil, total: Int? = nil,
    architecture: String = "llama", tensor: String = "t"
  ) throws -> [String] {
    let folder = try folder ?? temporaryPath("")
    return try (0..<count).map { index in
      var writer = GGUFWriter()
      if index == 0 { writer.add("general.architecture", .string(architecture)) }
      writer.add("split.no", .uint16(UInt16(index)))
      writer.add("split.count", .uint16(UInt16(count)))
      writer.add("split.tensors.count", .int32(Int32(total ?? count)))
      writer.addTensor("\(tensor)\(index)", dimensions: [2], floats: [Float(index), 1])
      let path = URL(filePath: folder)
        .appending(path: String(format: "\(name)-%05d-of-%05d.gguf", index + 1, count)).path
      try writer.write(to: path)
      return path
    }
  }

  @Test(arguments: [0, 1, 2]) func `opens the whole model from any shard`(index: Int) throws {
    let paths = try Self.write(count: 3)
    let file = try GGUFFile(path: paths[index])
    #expect(file.path == paths[index])
    #expect(file.paths == paths)
    #expect(file.string("general.architecture") == "llama")
    #expect(file.tensors.map(\.name) == ["t0", "t1", "t2"])
    for (number, tensor) in file.tensors.enumerated() {
      #expect(file.bytes(of: tensor).loadUnaligned(as: Float.self) == Float(number))
    }
  }

  @Test func `names the shards that are missing`() throws {
    let paths = try Self.write(count: 4)
    try FileManager.default.removeItem(atPath: paths[1])
    try FileManager.default.removeItem(atPath: paths[3])
    do {
      _ = try GGUFFile(path: paths[2])
      Issue.record("opened")
    } catch {
      #expect(error == .splitMissing(path: paths[2], missing: [paths[1], paths[3]], count: 4))
      #expect(error.message.contains("split model: missing 2 of 4"))
    }
  }

  @Test func `refuses a shard of another model`() throws {
    let paths = try Self.write(count: 3)
    let others = try Self.write(count: 3, total: 7, tensor: "u")
    try FileManager.default.removeItem(atPath: paths[2])
    try FileManager.default.copyItem(atPath: others[2], toPath: paths[2])
    #expect(throws: GGUFError.self) { try GGUFFile(path: paths[0]) }
  }

  @Test func `refuses a shard under another shard's name`() throws {
    let paths = try Self.write(count: 3)
    try FileManager.default.removeItem(atPath: paths[2])
    try FileManager.default.copyItem(atPath: paths[1], toPath: paths[2])
    #expect(throws: GGUFError.self) { try GGUFFile(path: paths[0]) }
  }

  @Test func `refuses a total that the tensors do not add up to`() throws {
    let paths = try Self.write(count: 2, total: 3)
    do {
      _ = try GGUFFile(path: paths[0])
      Issue.record("opened")
    } catch {
      #expect(error.message.contains("split.tensors.count should be 2, found 3"))
    }
  }

  @Test func `refuses a shard that was renamed`() throws {
    let paths = try Self.write(count: 2)
    let renamed = try temporaryPath("other.gguf")
    try FileManager.default.copyItem(atPath: paths[0], toPath: renamed)
    #expect(throws: GGUFError.self) { try GGUFFile(path: renamed) }
  }
}
