import Foundation
import Testing

/// What must not compile, shown by the compiler itself.
@Suite(.serialized) struct CompilerRefusalTests {
  /// The folder of the build that this test belongs to.
  private static let products: URL = {
    let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    return URL(filePath: own).deletingLastPathComponent()
  }()

  private static let compiler: URL? = {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    return folders.map { URL(filePath: String($0)).appending(path: "swiftc") }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }()

  /// What the compiler says of a source; nil where it has nothing against it.
  private func complaint(about source: String) throws -> String? {
    let folder = FileManager.default.temporaryDirectory.appending(path: "fm-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "Source.swift")
    try Data(("import FoundationModels\n" + source).utf8).write(to: file)
    let output = folder.appending(path: "output")
    try Data().write(to: output)
    var arguments = [
      "-typecheck", "-swift-version", "6", "-I", Self.products.appending(path: "Modules").path,
    ]
    for name in try FileManager.default.contentsOfDirectory(atPath: Self.products.path).sorted()
    where name.hasSuffix(".build") && !name.hasSuffix("-tool.build") {
      let map = Self.products.appending(path: name).appending(path: "module.modulemap").path
      guard FileManager.default.fileExists(atPath: map) else { continue }
      arguments += ["-Xcc", "-fmodule-map-file=\(map)"]
    }
    let process = Process()
    process.executableURL = Self.compiler
    process.arguments = arguments + [file.path]
    process.standardError = try FileHandle(forWritingTo: output)
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    let text = String(decoding: try Data(contentsOf: output), as: UTF8.self)
    return process.terminationStatus == 0 ? nil : text
  }

  private static func profile(_ body: String) -> String {
    """
    struct Some: LanguageModelSession.DynamicProfile {
      let flag: Bool
      var body: some DynamicProfile {
        \(body)
      }
    }
    """
  }

  private static let one = #"Profile { Instructions("A") }"#

  @Test(.enabled(if: compiler != nil, "there is no swiftc on the PATH"))
  func `one profile, or a choice of one, compiles`() throws {
    #expect(try complaint(about: Self.profile(Self.one)) == nil)
    let choice = "if flag { \(Self.one) } else { \(Self.one) }"
    #expect(try complaint(about: Self.profile(choice)) == nil)
  }

  @Test(.enabled(if: compiler != nil, "there is no swiftc on the PATH"))
  func `two profiles in a body do not compile`() throws {
    let text = try #require(try complaint(about: Self.profile("\(Self.one)\n\(Self.one)")))
    #expect(text.contains("error:"), "\(text)")
  }

  @Test(.enabled(if: compiler != nil, "there is no swiftc on the PATH"))
  func `a profile under an if without else does not compile`() throws {
    let text = try #require(try complaint(about: Self.profile("if flag { \(Self.one) }")))
    #expect(text.contains("error:"), "\(text)")
  }

  @Test(
    .enabled(if: compiler != nil, "there is no swiftc on the PATH"), arguments: ["String", "Int"])
  func `a tool whose arguments are a bare value does not compile`(type: String) throws {
    let source = """
      struct Bare: Tool {
        let name = "bare"
        let description = "Takes one value"
        func call(arguments: \(type)) async throws -> String { "" }
      }
      """
    #expect(try #require(try complaint(about: source)).contains("error:"))
  }

  @Test(.enabled(if: compiler != nil, "there is no swiftc on the PATH"))
  func `a part of a prompt that stands for nothing does not compile`() throws {
    func prompt(_ part: String) -> String { "struct Mute {}\nlet some = Prompt { \"a\"; \(part) }" }
    #expect(try complaint(about: prompt("5")) == nil)
    let text = try #require(try complaint(about: prompt("Mute()")))
    #expect(text.contains("error:"), "\(text)")
  }
}
