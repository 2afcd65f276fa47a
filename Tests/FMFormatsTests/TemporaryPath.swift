import Foundation

/// A path of its own for a test's file; the folder is the system's temporary one.
func temporaryPath(_ name: String) throws -> String {
  let folder = FileManager.default.temporaryDirectory
    .appending(path: "fm-formats-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  return folder.appending(path: name).path
}
