import Foundation

/// Reads what a command is given to read, as bytes.
enum InputFile {
  /// The bytes of the file at `path`, or of standard input where it is `-`.
  static func read(_ path: String) throws -> [UInt8] {
    let handle: FileHandle
    if path == "-" {
      handle = .standardInput
    } else {
      guard let file = FileHandle(forReadingAtPath: path) else {
        throw InputFileError(path: path)
      }
      handle = file
    }
    return [UInt8](try handle.readToEnd() ?? Data())
  }
}

/// A file that cannot be read.
struct InputFileError: Error, CustomStringConvertible {
  var path: String
  var description: String {
    "cannot read '\(path)'; hint: give a readable file, or - for standard input"
  }
}
