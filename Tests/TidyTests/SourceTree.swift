import Foundation

/// The project's files, read once, as the tidy tests see them.
struct SourceTree {
  /// One text file: its path from the project's root and its lines.
  struct File: Sendable {
    var path: String
    var lines: [String]
  }

  /// The project's root folder.
  static let root: URL = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// Every project file below the root, path first; build products and local results left out.
  static let paths: [String] = {
    let skipped: Set<String> = [".build", ".git", ".cache", ".venv", "__pycache__"]
    var found: [String] = []
    func visit(_ folder: String) {
      let url = folder.isEmpty ? root : root.appending(path: folder)
      let names = (try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []
      for name in names.sorted() where !skipped.contains(name) {
        let path = folder.isEmpty ? name : "\(folder)/\(name)"
        var isFolder: ObjCBool = false
        let exists = FileManager.default.fileExists(
          atPath: root.appending(path: path).path, isDirectory: &isFolder)
        guard exists else { continue }
        if isFolder.boolValue { visit(path) } else { found.append(path) }
      }
    }
    visit("")
    return found
  }()

  /// The files with one of the extensions.
  static func files(_ extensions: String..., in folders: [String] = []) -> [File] {
    paths.filter { path in
      extensions.contains { path.hasSuffix(".\($0)") }
        && (folders.isEmpty || folders.contains { path.hasPrefix($0 + "/") })
    }.compactMap(file)
  }

  /// One file's lines; nil when it is not UTF-8 text.
  static func file(_ path: String) -> File? {
    guard let text = try? String(contentsOf: root.appending(path: path), encoding: .utf8) else {
      return nil
    }
    return File(
      path: path,
      lines: text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
  }
}
