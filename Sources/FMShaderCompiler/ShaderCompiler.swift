internal import CGlslang
package import FMShaderList
package import Foundation

/// Compiles shader variants to SPIR-V; a build tool, not part of the programs.
package struct ShaderCompiler {
  private let folder: URL
  /// Expanded sources by name: variants of one file share the reading.
  private var sources: [String: ShaderSource] = [:]

  /// Compiles the shaders of `folder`, which holds `*.comp` and `include/*.glsl`.
  package init(folder: URL) { self.folder = folder }

  /// The words of one variant.
  ///
  /// - Throws: ``ShaderError`` with file and line.
  package mutating func compile(_ variant: ShaderVariant) throws(ShaderError) -> [UInt32] {
    let source = try expanded(variant.source)
    let preamble = variant.defines.map { "#define \($0.name) \($0.value)\n" }.joined()
    let result = fm_glslang_compile(source.text, preamble)
    defer { fm_glslang_free(result) }
    guard let words = result.words else {
      let log = result.log.map { String(cString: $0) } ?? ""
      throw .compilation(variant: variant.name, findings: Self.findings(log, in: source))
    }
    return Array(UnsafeBufferPointer(start: words, count: result.word_count))
  }

  /// A Swift file that holds every variant.
  ///
  /// - Throws: ``ShaderError``, the first that is found.
  package mutating func library(_ variants: [ShaderVariant]) throws(ShaderError) -> String {
    var names: Set<String> = []
    var index = ""
    var text = ""
    for variant in variants {
      guard Self.isValid(variant.name), names.insert(variant.name).inserted else {
        throw .invalidName(variant.name)
      }
      let words = try compile(variant)
      index += "\(variant.name) \(words.count)\n"
      text += words.withUnsafeBytes { Data($0) }.base64EncodedString()
    }
    return """
      // Made by fmshaderc from Shaders/.
      // Lines of a variant's name and its number of 32-bit words.
      let compiledShaderIndex: StaticString = \"\"\"
      \(index)\"\"\"
      // The modules in that order, each in base 64.
      let compiledShaderText: StaticString = "\(text)"

      """
  }

  private mutating func expanded(_ name: String) throws(ShaderError) -> ShaderSource {
    if let known = sources[name] { return known }
    let source = try ShaderSource(name: name, folder: folder)
    sources[name] = source
    return source
  }

  private static func isValid(_ name: String) -> Bool {
    !name.isEmpty
      && name.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }

  /// Turns `ERROR: 2:14: 'x' : reason` into `Shaders/include/y.glsl:14: error: 'x' : reason`.
  private static func findings(_ log: String, in source: ShaderSource) -> [String] {
    let lines = log.split(separator: "\n").compactMap { line -> String? in
      for (mark, word) in [("ERROR: ", "error"), ("WARNING: ", "warning")] {
        guard line.hasPrefix(mark) else { continue }
        let rest = line.dropFirst(mark.count)
        let parts = rest.split(separator: ":", maxSplits: 2)
        guard parts.count == 3, let file = Int(parts[0]), let number = Int(parts[1]) else {
          // Closing remarks such as the number of errors.
          return nil
        }
        return "\(source.file(file)):\(number): \(word):\(parts[2])"
      }
      return nil
    }
    return lines.isEmpty ? ["\(source.file(0)):1: error: \(log)"] : lines
  }
}
