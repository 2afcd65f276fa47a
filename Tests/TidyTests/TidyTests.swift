import Foundation
import Testing

/// The rules of Documentation/STYLE.md that a program can check.
@Suite struct TidyTests {
  @Test func `no source file is longer than 600 lines`() {
    for file in SourceTree.files("swift", "c", "h", "glsl", "comp") {
      #expect(file.lines.count <= 601, "\(file.path) has \(file.lines.count) lines")
    }
  }

  @Test func `no function is longer than 70 lines`() {
    for file in SourceTree.files("swift", "c", "h") {
      for function in FunctionLengths.functions(in: file) where function.length > 70 {
        Issue.record("\(file.path):\(function.line) is \(function.length) lines long")
      }
    }
  }

  @Test func `C and shader lines are at most 120 columns, without tabs or trailing space`() {
    for file in SourceTree.files("c", "h", "glsl", "comp") {
      for (index, line) in file.lines.enumerated() {
        let place = "\(file.path):\(index + 1)"
        #expect(line.unicodeScalars.count <= 120, "\(place) is too wide")
        #expect(!line.contains("\t"), "\(place) has a tab")
        #expect(line.last != " ", "\(place) ends with a space")
      }
    }
  }

  @Test func `every unchecked promise of thread safety says why it holds`() {
    for file in SourceTree.files("swift") where !file.path.hasPrefix("Tests/TidyTests/") {
      for (index, line) in file.lines.enumerated()
      where line.contains("@unchecked Sendable") || line.contains("nonisolated(unsafe)") {
        let before = file.lines[max(0, index - 12)...min(index + 3, file.lines.count - 1)]
        #expect(
          before.contains { $0.contains("SAFETY:") },
          "\(file.path):\(index + 1) has no SAFETY: comment")
      }
    }
  }

  @Test func `types and files have names of the domain`() {
    let banned = ["Manager", "Helper", "Util", "Common", "Misc", "Info", "Processor"]
    let declarations = ["class ", "struct ", "enum ", "protocol ", "actor "]
    for file in SourceTree.files("swift") where !file.path.hasPrefix("Tests/TidyTests/") {
      let name = URL(filePath: file.path).deletingPathExtension().lastPathComponent
      for word in banned {
        #expect(!name.contains(word), "\(file.path) is named \(word)")
      }
      for (index, line) in file.lines.enumerated() {
        for declaration in declarations {
          guard let range = line.range(of: declaration),
            !line[..<range.lowerBound].contains("//"), !line[..<range.lowerBound].contains("\"")
          else { continue }
          let type = line[range.upperBound...].prefix { $0.isLetter || $0.isNumber }
          for word in banned where type.hasSuffix(word) || type.hasSuffix(word + "s") {
            Issue.record("\(file.path):\(index + 1) declares \(type)")
          }
        }
      }
    }
  }

  @Test func `nothing is left unfinished or switched off`() {
    let marks = [
      "TO" + "DO", "FIX" + "ME", "XX" + "X:", "fatal" + "Error(\"not", "un" + "implemented",
    ]
    for file in SourceTree.files("swift", "c", "h", "glsl", "comp", "py") {
      for (index, line) in file.lines.enumerated() {
        for mark in marks where line.contains(mark) {
          Issue.record("\(file.path):\(index + 1) has \(mark)")
        }
      }
    }
  }

  @Test func `no path of one machine is written down`() {
    let homes = ["/ro" + "ot/", "/ho" + "me/", "/wo" + "rk/", "/tm" + "p/"]
    for file in SourceTree.files("swift", "c", "h", "py", "sh", "md", "json") {
      for (index, line) in file.lines.enumerated() where index < 20_000 && line.count < 2_000 {
        for home in homes where line.contains("\"" + home) || line.contains(" " + home) {
          Issue.record("\(file.path):\(index + 1) names \(home)")
        }
      }
    }
  }

  @Test func `no tracked file is larger than one and a half megabytes`() throws {
    for path in SourceTree.paths where !path.hasPrefix("Results/") && !path.hasSuffix(".gguf") {
      let url = SourceTree.root.appending(path: path)
      let size = try url.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
      #expect(size <= 1_500_000, "\(path) has \(size) bytes")
    }
  }

  @Test func `a document has one main heading`() {
    for file in SourceTree.files("md") where !file.path.hasPrefix(".") {
      var isCode = false
      var headings = 0
      for line in file.lines {
        if line.hasPrefix("```") { isCode.toggle() }
        if !isCode, line.hasPrefix("# ") { headings += 1 }
      }
      #expect(headings == 1, "\(file.path) has \(headings) main headings")
    }
  }

  @Test(arguments: ["USER_REPORTS", "SESSION_CONTRACT", "CHECKLIST"])
  func `every test that a table of evidence names is there`(document: String) throws {
    let table = try #require(SourceTree.file("Documentation/\(document).md"))
    let code = SourceTree.files("swift", in: ["Tests"]).flatMap(\.lines)
      .filter { $0.contains("func `") || $0.contains("struct ") }
      .joined(separator: "\n")
    for line in table.lines where line.hasPrefix("| ") {
      let evidence = line.components(separatedBy: " | ").last ?? ""
      let names = evidence.split(separator: "\"", omittingEmptySubsequences: false)
      for (index, name) in names.enumerated() where index % 2 == 1 {
        #expect(code.contains("func `\(name)`"), "there is no test \"\(name)\"")
      }
      for suite in evidence.split(whereSeparator: { !$0.isLetter }) where suite.hasSuffix("Tests") {
        #expect(code.contains("struct \(suite)"), "there is no suite \(suite)")
      }
    }
  }

  @Test func `every declaration the package shares is documented`() {
    let starts = [
      "package func ", "package static func ", "package init", "package mutating func ",
    ]
    var missing: [String] = []
    for file in SourceTree.files("swift", in: ["Sources"]) {
      for (index, line) in file.lines.enumerated() {
        let code = line.drop { $0 == " " }
        let isType = ["struct", "enum", "class", "protocol", "actor", "final class"].contains {
          code.hasPrefix("package \($0) ")
        }
        guard isType || starts.dropLast(2).contains(where: code.hasPrefix) else { continue }
        let isOperator = code.contains("func <") || code.contains("func ==")
        if !isOperator, !isDocumented(file.lines, at: index) {
          missing.append("\(file.path):\(index + 1)")
        }
      }
    }
    #expect(missing.isEmpty, "undocumented: \(missing.prefix(20).joined(separator: ", "))")
  }

  private func isDocumented(_ lines: [String], at index: Int) -> Bool {
    var above = index - 1
    while above >= 0 {
      let line = lines[above].drop { $0 == " " }
      if line.hasPrefix("///") { return true }
      guard line.hasPrefix("@") else { return false }
      above -= 1
    }
    return false
  }
}
