import Foundation

/// Transcripts and schemas that Apple's framework wrote; they are kept outside the project.
enum AppleFixtures {
  /// Why a test that reads them is skipped.
  static let reason =
    "needs files written by Apple's framework: set FM_APPLE_FIXTURES to their folder"

  /// Their folder: `FM_APPLE_FIXTURES`, else `shared/fixtures/apple` beside a folder above this file.
  static let folder: URL? = {
    let named = ProcessInfo.processInfo.environment["FM_APPLE_FIXTURES"].map { URL(filePath: $0) }
    if let named { return exists(named) ? named : nil }
    var place = URL(filePath: #filePath)
    while place.path != "/" {
      place = place.deletingLastPathComponent()
      let candidate = place.appending(path: "shared/fixtures/apple")
      if exists(candidate) { return candidate }
    }
    return nil
  }()

  private static func exists(_ url: URL) -> Bool {
    FileManager.default.fileExists(atPath: url.appending(path: "transcript.json").path)
  }

  /// The bytes of a file.
  static func data(_ name: String) throws -> Data {
    guard let folder else { throw CocoaError(.fileNoSuchFile) }
    return try Data(contentsOf: folder.appending(path: name))
  }
}

/// JSON as Foundation reads it, for comparing without regard to the order of keys.
func jsonObject(_ data: Data) throws -> NSObject? {
  try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed) as? NSObject
}

/// What a value encodes as, for comparing without regard to the order of keys.
func jsonObject(encoding value: some Encodable) throws -> NSObject? {
  try jsonObject(JSONEncoder().encode(value))
}
