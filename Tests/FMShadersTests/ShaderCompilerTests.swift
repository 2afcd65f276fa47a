import FMShaderCompiler
import FMShaderList
import Foundation
import Testing

/// The compiler on shaders written for the test.
@Suite struct ShaderCompilerTests {
  /// A folder `Shaders` with the given files, removed afterwards.
  private func withShaders<Result>(
    _ files: [String: String], _ body: (URL) throws -> Result
  ) throws -> Result {
    let root = FileManager.default.temporaryDirectory
      .appending(path: "shaders-\(UUID().uuidString)")
    let folder = root.appending(path: "Shaders")
    try FileManager.default.createDirectory(
      at: folder.appending(path: "include"), withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: root) }
    for (path, text) in files {
      try Data(text.utf8).write(to: folder.appending(path: path))
    }
    return try body(folder)
  }

  private func failure(_ files: [String: String], defines: [(String, String)] = []) throws -> String
  {
    try withShaders(files) { folder in
      var compiler = ShaderCompiler(folder: folder)
      do {
        _ = try compiler.compile(ShaderVariant("main", defines: defines))
        return "compiled"
      } catch { return "\(error)" }
    }
  }

  private static let good = "#version 460\nlayout(local_size_x = 1) in;\n"

  @Test func `an error names the file and the line`() throws {
    let text = try failure(["main.comp": Self.good + "void main() {\n  int x = missing;\n}\n"])
    #expect(text.hasPrefix("Shaders/main.comp:4: error:"))
    #expect(text.contains("missing"))
    #expect(text.hasSuffix("note: in the shader variant 'main'"))
  }

  @Test func `an error in an include names the include, one after it the shader`() throws {
    let include = "// one\n\nfloat f() { return wrong; }\n"
    let main = Self.good + "#include \"part.glsl\"\nvoid main() { also_wrong(); }\n"
    let text = try failure(["main.comp": main, "include/part.glsl": include])
    #expect(text.contains("Shaders/include/part.glsl:3: error:"))
    let second = try failure([
      "main.comp": main, "include/part.glsl": "float f() { return 1; }\n",
    ])
    #expect(second.contains("Shaders/main.comp:4: error:"))
  }

  @Test func `a file is included once`() throws {
    let files = [
      "main.comp": Self.good
        + "#include \"a.glsl\"\n#include \"b.glsl\"\nvoid main() { f(); }\n",
      "include/a.glsl": "#include \"b.glsl\"\nvoid g() { f(); }\n",
      "include/b.glsl": "void f() {}\n",
    ]
    #expect(try failure(files) == "compiled")
  }

  @Test func `includes in a circle are an error`() throws {
    let text = try failure([
      "main.comp": Self.good + "#include \"a.glsl\"\nvoid main() {}\n",
      "include/a.glsl": "\n#include \"b.glsl\"\n",
      "include/b.glsl": "#include \"a.glsl\"\n",
    ])
    #expect(text.hasPrefix("Shaders/include/b.glsl:1: error: include cycle:"))
  }

  @Test func `missing and malformed includes are errors at their place`() throws {
    for (line, reason) in [
      ("#include \"gone.glsl\"", "cannot read"), ("#include <a.glsl>", "expected #include"),
      ("#include \"../a.glsl\"", "expected #include"), ("#include", "expected #include"),
    ] {
      let text = try failure(["main.comp": Self.good + line + "\nvoid main() {}\n"])
      #expect(text.hasPrefix("Shaders/main.comp:3: error:"), "\(text)")
      #expect(text.contains(reason), "\(text)")
    }
  }

  @Test func `macros reach the shader`() throws {
    let main =
      Self.good + "#ifndef WIDTH\n#error no width\n#endif\nvoid main() { int x = WIDTH; }\n"
    #expect(try failure(["main.comp": main], defines: [("WIDTH", "3")]) == "compiled")
    #expect(try failure(["main.comp": main]).contains("no width"))
  }

  @Test func `two variants of one name are an error`() throws {
    try withShaders(["main.comp": Self.good + "void main() {}\n"]) { folder in
      var compiler = ShaderCompiler(folder: folder)
      #expect(throws: ShaderError.invalidName("main")) {
        _ = try compiler.library([ShaderVariant("main"), ShaderVariant("main")])
      }
      #expect(throws: ShaderError.invalidName("a b")) {
        _ = try compiler.library([ShaderVariant("a b", source: "main")])
      }
    }
  }
}
