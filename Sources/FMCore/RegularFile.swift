package import Glibc

/// Reads files that a user names whole; never a pipe, a terminal or another device, which may have no end.
package enum RegularFile {
  /// The bytes of the file at `path`; a link is followed.
  ///
  /// - Throws: ``RegularFileError``: it can't be opened, is none, or has more than `limit` bytes.
  package static func read(_ path: String, limit: Int) throws(RegularFileError) -> [UInt8] {
    // O_NONBLOCK: opening a FIFO without a writer would wait for one.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else { throw .inaccessible(code: errno) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .inaccessible(code: errno) }
    if let kind = kind(ofMode: status.st_mode) { throw .notRegular(kind: kind) }
    guard status.st_size <= limit else { throw .tooLong(limit: limit) }
    var result: [UInt8] = []
    result.reserveCapacity(Int(status.st_size))
    var buffer = [UInt8](repeating: 0, count: 1 << 18)
    while true {
      let count = buffer.withUnsafeMutableBytes {
        Glibc.read(descriptor, $0.baseAddress, $0.count)
      }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .inaccessible(code: errno) }
      guard count > 0 else { return result }
      // It may have grown, and files of /proc have no size.
      guard count <= limit - result.count else { throw .tooLong(limit: limit) }
      result += buffer[..<count]
    }
  }

  /// What is at `path` where it is there and no regular file: ``kind(ofMode:)``; else nil.
  package static func otherKind(at path: String) -> String? {
    var status = stat()
    return stat(path, &status) == 0 ? kind(ofMode: status.st_mode) : nil
  }

  /// `directory`, `pipe`, `socket`, `device`; nil for a regular file.
  package static func kind(ofMode mode: mode_t) -> String? {
    switch mode & S_IFMT {
    case S_IFREG: nil
    case S_IFDIR: "directory"
    case S_IFIFO: "pipe"
    case S_IFSOCK: "socket"
    case S_IFCHR, S_IFBLK: "device"
    default: "special file"
    }
  }
}

/// Why a file was not read.
package enum RegularFileError: Error, Equatable, Sendable {
  /// The system refused: its error number.
  case inaccessible(code: Int32)
  /// It is something else: ``RegularFile/kind(ofMode:)``.
  case notRegular(kind: String)
  /// It has more bytes than are taken.
  case tooLong(limit: Int)
}

extension RegularFileError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .inaccessible(let code): String(cString: strerror(code))
    case .notRegular(let kind): "it is a \(kind), not a file"
    case .tooLong(let limit): "it has more than \(limit) bytes"
    }
  }
}
