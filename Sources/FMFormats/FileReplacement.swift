import Glibc

/// A file written beside its final place and renamed there once it is whole and on disk.
///
/// Dropped without ``commit()``, it leaves nothing behind.
package final class FileReplacement {
  private let path: String
  private let temporaryPath: String
  private let descriptor: Int32
  private var isFinished = false

  /// Creates the temporary file `path.PID.tmp`.
  package init(path: String) throws(GGUFError) {
    self.path = path
    temporaryPath = "\(path).\(getpid()).tmp"
    descriptor = open(temporaryPath, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw .cannotWrite(path: path, code: errno) }
  }

  deinit {
    guard !isFinished else { return }
    close(descriptor)
    unlink(temporaryPath)
  }

  /// Writes `bytes` after what was written before.
  package func append(_ bytes: [UInt8]) throws(GGUFError) {
    var done = 0
    while done < bytes.count {
      let written = bytes.withUnsafeBytes {
        write(descriptor, $0.baseAddress?.advanced(by: done), $0.count - done)
      }
      if written < 0, errno == EINTR { continue }
      guard written > 0 else { throw .cannotWrite(path: path, code: errno) }
      done += written
    }
  }

  /// Puts the file on disk and under its final name.
  package func commit() throws(GGUFError) {
    guard fsync(descriptor) == 0, rename(temporaryPath, path) == 0 else {
      throw .cannotWrite(path: path, code: errno)
    }
    close(descriptor)
    isFinished = true
  }
}
