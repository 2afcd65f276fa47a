package import FMFormats

/// Why a model could not be pulled.
package enum ModelPullError: Error, Equatable, Sendable {
  case unknownModel(String)
  case badAddress(String)
  case badChecksum(String)
  /// A program that pulling needs is not installed.
  case toolMissing(String)
  /// A program failed; `output` is the end of what it said.
  case toolFailed(tool: String, status: Int32, output: String)
  case noSpace(folder: String, needed: Int, available: Int)
  /// The downloaded bytes are not those expected; they were removed.
  case checksumMismatch(name: String, expected: String, found: String)
  /// A file is there under the name, with other bytes.
  case differs(path: String, expected: String, found: String)
  /// What was downloaded is not a sound model; it was removed.
  case notAModel(GGUFError)
  case fileSystem(action: String, path: String, code: Int32)
  case interrupted
}

extension ModelPullError: CustomStringConvertible {
  /// The message and, where there is something to do, a second line that starts with `hint: `.
  package var description: String {
    switch self {
    case .unknownModel(let words):
      return "don't know the model '\(words)'\nhint: one of "
        + ModelCatalog.models.map(\.alias).joined(separator: ", ")
        + "; an http(s) address; or owner/repository/file.gguf of Hugging Face"
    case .badAddress(let address):
      return "can't pull from '\(address)'\nhint: an http(s) address whose path ends in .gguf"
    case .badChecksum(let text):
      return "'\(text)' is not a SHA-256\nhint: 64 hexadecimal digits"
    case .toolMissing(let tool):
      return "\(tool) is not installed\nhint: \(Self.hint(forMissing: tool))"
    case .toolFailed(let tool, let status, let output):
      return "\(tool) failed with status \(status)" + (output.isEmpty ? "" : ": \(output)")
        + "\nhint: what was downloaded is kept; the same command goes on from there"
    case .noSpace(let folder, let needed, let available):
      return "\(folder) has \(available) bytes free, \(needed) are needed"
        + "\nhint: free some, or set FM_MODELS to a folder on another disk"
    case .checksumMismatch(let name, let expected, let found):
      return "\(name): the SHA-256 is \(found), not \(expected); the download was removed"
        + "\nhint: try again; if it happens again, the file at the source has changed"
    case .differs(let path, let expected, let found):
      return "\(path) is there with SHA-256 \(found), not \(expected)"
        + "\nhint: remove it and pull again"
    case .notAModel(let error):
      return "what was downloaded is not a sound model and was removed: \(error.description)"
    case .fileSystem(let action, let path, let code):
      return "can't \(action) \(path): \(ModelPullFiles.message(code))"
    case .interrupted: return "interrupted\nhint: the same command goes on from there"
    }
  }

  private static func hint(forMissing tool: String) -> String {
    switch tool {
    case "python3 -m pip": "apt install python3 python3-pip"
    case "python3", "curl": "apt install \(tool)"
    default: "install it and try again"
    }
  }
}
