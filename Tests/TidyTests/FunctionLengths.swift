import Foundation

/// Measures functions by the layout that the formatter guarantees: the closing brace has the
/// indentation of the line that opened the declaration.
enum FunctionLengths {
  struct Function {
    var line: Int
    var length: Int
  }

  /// The functions and initializers of a file.
  static func functions(in file: SourceTree.File) -> [Function] {
    let isSwift = file.path.hasSuffix(".swift")
    var result: [Function] = []
    for (index, line) in file.lines.enumerated() {
      guard isSwift ? startsSwiftFunction(line) : startsCFunction(line) else { continue }
      let indent = line.prefix { $0 == " " }
      guard let end = closing(file.lines, after: index, indent: String(indent)) else { continue }
      result.append(Function(line: index + 1, length: end - index + 1))
    }
    return result
  }

  private static func closing(_ lines: [String], after start: Int, indent: String) -> Int? {
    if lines[start].hasSuffix("}") { return start }
    for index in (start + 1)..<max(start + 1, lines.count) {
      if lines[index] == indent + "}" { return index }
      // A declaration without a body ends where the next one of its level begins.
      if lines[index].isEmpty { if !hasBody(lines[start..<index]) { return nil } }
    }
    return nil
  }

  private static func hasBody(_ lines: ArraySlice<String>) -> Bool {
    lines.contains { $0.hasSuffix("{") || $0.hasSuffix(" in") }
  }

  private static func startsSwiftFunction(_ line: String) -> Bool {
    let code = line.drop { $0 == " " }
    if code.hasPrefix("//") { return false }
    for word in ["func ", "init(", "init<", "init?(", "deinit "] {
      guard let range = code.range(of: word) else { continue }
      let before = code[..<range.lowerBound]
      if before.allSatisfy({ $0.isLetter || "@() ".contains($0) }), !before.contains(".") {
        return true
      }
    }
    return false
  }

  private static func startsCFunction(_ line: String) -> Bool {
    guard let first = line.first, first.isLetter || first == "_" else { return false }
    return line.contains("(") && line.hasSuffix("{") && !line.hasPrefix("typedef")
      && !line.hasPrefix("struct") && !line.hasPrefix("enum")
  }
}
