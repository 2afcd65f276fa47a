package import Foundation

/// Finds committed test files and, where they were pulled, real models.
package enum Fixtures {
  /// The `Fixtures` folder beside the calling test file.
  package static func folder(file: String = #filePath) -> URL {
    URL(filePath: file).deletingLastPathComponent().appending(path: "Fixtures")
  }

  /// A file of the calling test target's `Fixtures` folder.
  package static func url(_ name: String, file: String = #filePath) -> URL {
    folder(file: file).appending(path: name)
  }

  /// The folder pulled models are in: `FM_MODELS`, else the XDG data folder's.
  package static var models: URL {
    let environment = ProcessInfo.processInfo.environment
    if let path = environment["FM_MODELS"], !path.isEmpty { return URL(filePath: path) }
    let data =
      environment["XDG_DATA_HOME"].flatMap { $0.isEmpty ? nil : URL(filePath: $0) }
      ?? URL(filePath: environment["HOME"] ?? "/root").appending(path: ".local/share")
    return data.appending(path: "foundation-models/models")
  }

  /// A pulled model's file, or nil when it is not there.
  package static func model(_ name: String) -> URL? {
    let url = models.appending(path: name)
    return FileManager.default.fileExists(atPath: url.path) ? url : nil
  }

  /// SmolLM2-135M-Instruct, Q4_1.
  package static var smolLM2: URL? { model("SmolLM2-135M-Instruct-Q4_1.gguf") }

  /// Gemma 3 270M (base), Q4_K_M.
  package static var gemma3: URL? { model("gemma-3-270m-Q4_K_M.gguf") }
}
