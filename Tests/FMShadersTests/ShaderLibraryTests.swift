import FMShaderCompiler
import FMShaderList
import FMShaders
import Foundation
import Testing

/// What the build made of the shaders.
@Suite struct ShaderLibraryTests {
  /// Compiled once: the first compilation of a process costs a few hundred milliseconds.
  private static let folder = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Shaders")

  @Test func `names are unique and those of the list`() {
    #expect(ShaderLibrary.names == ShaderVariant.all.map(\.name))
    #expect(Set(ShaderLibrary.names).count == ShaderLibrary.names.count)
    #expect(!ShaderLibrary.names.isEmpty)
  }

  @Test func `every variant is a SPIR-V 1_5 module`() throws {
    for name in ShaderLibrary.names {
      let words = try #require(ShaderLibrary.spirv(name), "\(name)")
      #expect(words.count > 5)
      #expect(words[0] == 0x0723_0203, "\(name)")
      #expect(words[1] == 0x0001_0500, "\(name)")
    }
    #expect(ShaderLibrary.spirv("no such shader") == nil)
  }

  @Test func `the program holds what the compiler makes`() throws {
    var compiler = ShaderCompiler(folder: Self.folder)
    for variant in ShaderVariant.all.prefix(8) {
      #expect(try compiler.compile(variant) == ShaderLibrary.spirv(variant.name))
    }
  }

  @Test func `every shader file has a variant`() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
      .filter { $0.hasSuffix(".comp") }.map { String($0.dropLast(5)) }
    #expect(Set(files) == Set(ShaderVariant.all.map(\.source)))
  }

  @Test(.enabled(if: SPIRVValidator.path != nil, "spirv-val is not installed (spirv-tools)"))
  func `every variant is valid for Vulkan 1_2`() throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "spirv-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for name in ShaderLibrary.names {
      let words = try #require(ShaderLibrary.spirv(name))
      let file = folder.appending(path: "\(name).spv")
      try words.withUnsafeBytes { Data($0) }.write(to: file)
      let report = try SPIRVValidator.report(on: file)
      #expect(report == "", "\(name)")
    }
  }
}

/// The program `spirv-val`.
enum SPIRVValidator {
  static let path: String? = (ProcessInfo.processInfo.environment["PATH"] ?? "")
    .split(separator: ":").map { "\($0)/spirv-val" }
    .first { FileManager.default.isExecutableFile(atPath: $0) }

  /// What it says about a module; empty when it accepts it.
  static func report(on file: URL) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: try #require(path))
    process.arguments = ["--target-env", "vulkan1.2", file.path]
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return process.terminationStatus == 0 ? "" : "status \(process.terminationStatus): \(text)"
  }
}
