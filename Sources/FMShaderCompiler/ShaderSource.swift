package import Foundation

/// The text of a shader with its includes put in, and where each line came from.
///
/// `#include "x.glsl"` names a file of the folder `include/`; a file is put in once, at the first
/// place that asks for it. Line numbers start again at each file, which glslang reports as
/// `file:line` numbers; see ``file(_:)``.
package struct ShaderSource: Sendable, Hashable {
  /// GLSL without includes.
  package private(set) var text = ""
  /// Paths from the folder above the shaders, by the number `#line` gives them.
  package private(set) var files: [String] = []

  private let folder: URL
  private static let maximumDepth = 16
  private static let maximumBytes = 1 << 20

  /// Reads `name.comp` of `folder`.
  ///
  /// - Throws: ``ShaderError`` for a file that cannot be read, a cycle, or nesting beyond 16 files.
  package init(name: String, folder: URL) throws(ShaderError) {
    self.folder = folder
    try append("\(name).comp", from: nil, stack: [])
  }

  /// The path of the file with a number of ``files``; the shader's own where there is none.
  package func file(_ number: Int) -> String {
    files.indices.contains(number) ? files[number] : files[0]
  }

  private mutating func append(
    _ path: String, from place: ShaderError.Place?, stack: [String]
  ) throws(ShaderError) {
    let shown = "\(folder.lastPathComponent)/\(path)"
    guard !stack.contains(shown) else {
      throw .includeCycle(files: stack + [shown], place: place)
    }
    guard stack.count < Self.maximumDepth else {
      throw .includeTooDeep(file: shown, limit: Self.maximumDepth, place: place)
    }
    guard !files.contains(shown) else { return }
    guard let contents = FileManager.default.contents(atPath: folder.appending(path: path).path),
      contents.count <= Self.maximumBytes, let code = String(validating: contents, as: UTF8.self)
    else { throw .unreadable(file: shown, place: place) }
    let number = files.count
    files.append(shown)
    // A #line before #version is not allowed, and the first file needs none.
    if number > 0 { text += "#line 1 \(number)\n" }
    for (index, line) in code.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      let here = ShaderError.Place(file: shown, line: index + 1)
      guard let included = try Self.included(by: line, at: here) else {
        text += line + "\n"
        continue
      }
      try append("include/\(included)", from: here, stack: stack + [shown])
      text += "#line \(index + 2) \(number)\n"
    }
  }

  /// The file an include line names; nil for every other line.
  private static func included(
    by line: Substring, at place: ShaderError.Place
  ) throws(ShaderError) -> Substring? {
    let code = line.drop { $0 == " " }
    guard code.hasPrefix("#include") else { return nil }
    let parts = code.dropFirst("#include".count).split(
      separator: "\"", omittingEmptySubsequences: false)
    guard parts.count >= 3, parts[0].allSatisfy({ $0 == " " }), !parts[1].isEmpty,
      !parts[1].contains("/")
    else { throw .malformedInclude(place: place) }
    return parts[1]
  }
}
