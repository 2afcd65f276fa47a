import FMFormats
import Foundation

/// The folder pulled models are kept in, one file each with a record beside it.
///
/// A model's name is its file's name without `.gguf`; a split model goes by the part before
/// `-00001-of-000NN`.
package struct ModelStore: Sendable, Hashable {
  package let folder: String

  /// A store in any folder, which need not exist yet.
  package init(folder: String) { self.folder = folder }

  /// The store the environment names.
  ///
  /// `FM_MODELS`, else `$XDG_DATA_HOME/foundation-models/models`, else
  /// `~/.local/share/foundation-models/models`.
  package init(environment: [String: String] = ProcessInfo.processInfo.environment) {
    if let folder = Self.path(environment["FM_MODELS"]) {
      self.init(folder: folder)
      return
    }
    let home = Self.path(environment["HOME"]) ?? NSHomeDirectory()
    let data = Self.path(environment["XDG_DATA_HOME"]) ?? "\(home)/.local/share"
    self.init(folder: "\(data)/foundation-models/models")
  }

  private static func path(_ text: String?) -> String? {
    guard var text, !text.isEmpty else { return nil }
    while text.count > 1, text.hasSuffix("/") { text.removeLast() }
    return text
  }

  /// The path a model called `name` has, whether it is there or not.
  package func path(forName name: String) -> String { "\(folder)/\(name).gguf" }

  /// All models of the folder by name; none when there is no folder.
  package func models() throws(ModelStoreError) -> [StoredModel] {
    let files: [String]
    do {
      files = try FileManager.default.contentsOfDirectory(atPath: folder)
    } catch CocoaError.fileReadNoSuchFile {
      return []
    } catch {
      throw .cannotList(folder: folder, reason: error.localizedDescription)
    }
    return
      files
      .compactMap { StoredModel(path: "\(folder)/\($0)") }
      .sorted { $0.name < $1.name }
  }

  /// Finds a model by path, exact name, catalogue alias, or a beginning that only one name has.
  ///
  /// Anything with a slash, and any file that is there under the words given, is a path.
  /// - Throws: ``ModelStoreError`` that lists what there is.
  package func find(_ words: String) throws(ModelStoreError) -> StoredModel {
    let hasSlash = words.contains("/")
    var isFolder: ObjCBool = false
    // A folder that happens to be called like a model is not meant, unless it is written as a path.
    if FileManager.default.fileExists(atPath: words, isDirectory: &isFolder),
      hasSlash || !isFolder.boolValue
    {
      return StoredModel(anyFileAt: words)
    }
    if hasSlash { throw .noFile(path: words) }
    let all = try models()
    let name = words.hasSuffix(".gguf") ? String(words.dropLast(5)) : words
    if let exact = all.first(where: { $0.name == name }) { return exact }
    let alias = ModelCatalog.model(named: words)?.name
    if let alias, let model = all.first(where: { $0.name == alias }) { return model }
    let matches = all.filter { $0.name.lowercased().hasPrefix(name.lowercased()) }
    guard !name.isEmpty, let match = matches.first else {
      throw .notFound(name: words, available: all.map(\.name), pull: alias.map { _ in words })
    }
    guard matches.count == 1 else {
      throw .ambiguous(name: words, matches: matches.map(\.name))
    }
    return match
  }
}

/// A model of the store, or any other model file: its name and where it is.
package struct StoredModel: Sendable, Hashable {
  package let name: String
  /// The file, or a split model's first one.
  package let path: String

  /// Whatever is at `path`: any shard, and any file that may turn out to be a model.
  package init(anyFileAt path: String) {
    let file = path.split(separator: "/").last.map(String.init) ?? path
    name = file.hasSuffix(".gguf") ? String(file.dropLast(5)) : file
    self.path = path
  }

  /// A model of a store's folder.
  ///
  /// Nil for files that are no models: other names, hidden files, later shards of split models.
  package init?(path: String) {
    guard path.hasSuffix(".gguf") else { return nil }
    let file = path.split(separator: "/").last.map(String.init) ?? ""
    guard !file.hasPrefix("."), file != ".gguf" else { return nil }
    if let shard = GGUFSplitName(path: file), shard.count > 1 {
      guard shard.number == 1 else { return nil }
      name = shard.prefix
    } else {
      name = String(file.dropLast(5))
    }
    self.path = path
  }
}

/// Why a model was not found.
package enum ModelStoreError: Error, Equatable, Sendable {
  case cannotList(folder: String, reason: String)
  case noFile(path: String)
  /// `pull` is what `fm pull` would take to get it.
  case notFound(name: String, available: [String], pull: String?)
  case ambiguous(name: String, matches: [String])
}

extension ModelStoreError: CustomStringConvertible {
  /// The message, and a second line that starts with `hint: `.
  package var description: String {
    switch self {
    case .cannotList(let folder, let reason):
      return "can't list \(folder): \(reason)\nhint: FM_MODELS names another folder"
    case .noFile(let path):
      return "no file at \(path)\nhint: `fm models` lists the models that are there"
    case .notFound(let name, let available, let pull):
      let there =
        available.isEmpty ? "there are none" : "there are " + available.joined(separator: ", ")
      return "no model '\(name)'; \(there)\nhint: get it with `fm pull"
        + (pull.map { " \($0)`" } ?? "` (no argument: a small default model)")
    case .ambiguous(let name, let matches):
      return "'\(name)' could be \(matches.joined(separator: ", "))\nhint: give more of the name"
    }
  }
}
