import FMCore
import Foundation
import Glibc
import Testing

@Suite struct RegularFileTests {
  /// A name in the folder for temporary files that nothing has.
  private func freePath() throws -> String {
    let folder = FileManager.default.temporaryDirectory.path
    var template = Array("\(folder)/regular-file-XXXXXX".utf8CString)
    let descriptor = mkstemp(&template)
    try #require(descriptor >= 0)
    close(descriptor)
    let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    unlink(path)
    return path
  }

  @Test(arguments: [0, 1, 262_143, 262_144, 262_145, 600_000])
  func `reads a file whole, up to a limit`(count: Int) throws {
    let path = try freePath()
    defer { unlink(path) }
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let descriptor = open(path, O_WRONLY | O_CREAT, 0o600)
    #expect(write(descriptor, bytes, count) == count)
    close(descriptor)
    #expect(try RegularFile.read(path, limit: count) == bytes)
    #expect(throws: RegularFileError.tooLong(limit: count - 1)) {
      try RegularFile.read(path, limit: count - 1)
    }
  }

  @Test func `reads a file that tells no size`() throws {
    #expect(try RegularFile.read("/proc/self/stat", limit: 4096).isEmpty == false)
    #expect(throws: RegularFileError.tooLong(limit: 3)) {
      try RegularFile.read("/proc/self/stat", limit: 3)
    }
  }

  @Test(.timeLimit(.minutes(1)))
  func `refuses a pipe that nobody writes to, devices and folders at once`() throws {
    let path = try freePath()
    #expect(mkfifo(path, 0o600) == 0)
    defer { unlink(path) }
    for (path, kind) in [
      (path, "pipe"), ("/dev/zero", "device"), ("/dev/tty", "device"), ("/", "directory"),
    ] {
      let found = #expect(throws: RegularFileError.self) {
        try RegularFile.read(path, limit: 1000)
      }
      // Without a terminal there is none to open.
      if path == "/dev/tty", case .inaccessible? = found { continue }
      #expect(found == .notRegular(kind: kind))
      #expect(RegularFile.otherKind(at: path) == kind)
    }
    #expect(throws: RegularFileError.inaccessible(code: ENOENT)) {
      try RegularFile.read("/no/such/file", limit: 1000)
    }
    #expect(RegularFile.otherKind(at: "/no/such/file") == nil)
    #expect(RegularFile.otherKind(at: "/proc/self/stat") == nil)
  }
}
