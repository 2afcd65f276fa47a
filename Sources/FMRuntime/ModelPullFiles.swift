import FMCore
import Glibc

/// The file operations that pulling needs, with errors that say what was tried.
enum ModelPullFiles {
  /// The C library's text for an error number.
  static func message(_ code: Int32) -> String { String(cString: strerror(code)) }

  /// Creates `folder` and what is missing above it.
  static func createFolder(_ folder: String) throws(ModelPullError) {
    var path = folder.hasPrefix("/") ? "" : "."
    for part in folder.split(separator: "/") {
      path += "/\(part)"
      if mkdir(path, 0o755) != 0, errno != EEXIST {
        throw .fileSystem(action: "create", path: path, code: errno)
      }
    }
  }

  /// Bytes of the file at `path`; nil when there is none.
  static func size(_ path: String) -> Int? {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : nil
  }

  /// Bytes of all files below `folder`, for progress.
  static func sizeOfFiles(below folder: String) -> Int {
    guard let directory = opendir(folder) else { return 0 }
    defer { closedir(directory) }
    var sum = 0
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard name != ".", name != ".." else { continue }
      var status = stat()
      guard lstat("\(folder)/\(name)", &status) == 0 else { continue }
      if status.st_mode & S_IFMT == S_IFDIR {
        sum += sizeOfFiles(below: "\(folder)/\(name)")
      } else {
        sum += Int(status.st_size)
      }
    }
    return sum
  }

  /// Bytes that can still be written to the file system of `folder`; nil when it does not say.
  static func freeBytes(_ folder: String) -> Int? {
    var status = statvfs()
    guard statvfs(folder, &status) == 0 else { return nil }
    let (bytes, overflow) = Int(status.f_bavail).multipliedReportingOverflow(
      by: Int(status.f_frsize))
    return overflow ? nil : bytes
  }

  /// Removes a file; it is no error when there is none.
  static func remove(_ path: String) { unlink(path) }

  /// Puts a file's bytes on disk, then the file under `newPath`, then the folder's entry on disk.
  static func commit(_ path: String, as newPath: String) throws(ModelPullError) {
    try sync(path, flags: O_RDWR)
    guard rename(path, newPath) == 0 else {
      throw .fileSystem(action: "rename", path: path, code: errno)
    }
    let folder = newPath.split(separator: "/", omittingEmptySubsequences: false)
      .dropLast().joined(separator: "/")
    try sync(folder.isEmpty ? "/" : folder, flags: O_RDONLY | O_DIRECTORY)
  }

  private static func sync(_ path: String, flags: Int32) throws(ModelPullError) {
    let descriptor = open(path, flags | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw .fileSystem(action: "open", path: path, code: errno)
    }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else {
      throw .fileSystem(action: "write", path: path, code: errno)
    }
  }

  /// The SHA-256 of a file, read in pieces of a megabyte.
  ///
  /// `progress` gets the bytes done.
  static func sha256(
    _ path: String, progress: (Int) -> Void = { _ in }
  ) throws(ModelPullError) -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw .fileSystem(action: "open", path: path, code: errno)
    }
    defer { close(descriptor) }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 64)
    defer { buffer.deallocate() }
    var hash = SHA256()
    var done = 0
    while true {
      let count = read(descriptor, buffer.baseAddress, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else {
        throw .fileSystem(action: "read", path: path, code: errno)
      }
      if count == 0 { return hash.finish() }
      hash.update(UnsafeRawBufferPointer(rebasing: buffer[0..<count]))
      done += count
      progress(done)
    }
  }

  /// At most the last `limit` bytes of a file, on one line and without control characters.
  static func tail(of path: String, limit: Int = 600) -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return "" }
    defer { close(descriptor) }
    let size = lseek(descriptor, 0, SEEK_END)
    lseek(descriptor, max(0, size - limit), SEEK_SET)
    var bytes = [UInt8](repeating: 0, count: limit)
    let count = read(descriptor, &bytes, limit)
    let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    return text.split(whereSeparator: \.isNewline)
      .map { line in
        String(
          String.UnicodeScalarView(
            line.unicodeScalars.filter { $0.properties.generalCategory != .control }))
      }
      .filter { !$0.isEmpty }.joined(separator: "; ")
  }

  /// A file's first `limit` bytes as text; nil when there is no file.
  static func text(of path: String, limit: Int) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: limit)
    let count = read(descriptor, &bytes, limit)
    return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
  }
}
