import FMCommand
import Foundation
import Testing

/// What commands are given to read.
@Suite struct InputTests {
  private static let folder = FileManager.default.temporaryDirectory.path

  /// Writes `bytes` to a file of its own and hands its path over.
  private func withFile<Result>(
    _ bytes: [UInt8], _ body: (String) throws -> Result
  ) throws -> Result {
    var template = Array((Self.folder + "/input-XXXXXX").utf8CString)
    let descriptor = mkstemp(&template)
    try #require(descriptor >= 0)
    let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    defer { unlink(path) }
    #expect(write(descriptor, bytes, bytes.count) == bytes.count)
    close(descriptor)
    return try body(path)
  }

  private func lines(_ bytes: [UInt8], limit: Int = InputLines.byteLimit) throws -> [String] {
    try withFile(bytes) { path in
      let descriptor = open(path, O_RDONLY)
      defer { close(descriptor) }
      var input = InputLines(descriptor: descriptor, limit: limit)
      var result: [String] = []
      while let line = try input.next() { result.append(line) }
      return result
    }
  }

  @Test(arguments: [0, 1, 65_535, 65_536, 65_537, 300_000])
  func `reads a file whole`(count: Int) throws {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    #expect(try withFile(bytes) { try InputFile.read($0) } == bytes)
  }

  @Test func `refuses more bytes than the limit, and what has no end`() throws {
    let bytes = [UInt8](repeating: 65, count: 1000)
    #expect(try withFile(bytes) { try InputFile.read($0, limit: 1000) } == bytes)
    try withFile(bytes) { path -> Void in
      #expect(throws: InputError.tooLong(name: path, limit: 999)) {
        try InputFile.read(path, limit: 999)
      }
    }
    #expect(throws: InputError.tooLong(name: "/dev/zero", limit: 1 << 20)) {
      try InputFile.read("/dev/zero", limit: 1 << 20)
    }
  }

  @Test func `says why a file cannot be read`() throws {
    #expect(throws: InputError.unreadable(name: Self.folder, code: EISDIR)) {
      try InputFile.read(Self.folder)
    }
    #expect(throws: InputError.unreadable(name: "/none/such", code: ENOENT)) {
      try InputFile.read("/none/such")
    }
    let text = InputError.unreadable(name: "a/b", code: EISDIR).description
    #expect(text.hasPrefix("cannot read a/b: Is a directory\nhint: "))
  }

  @Test func `cuts lines at line feeds only`() throws {
    #expect(try lines([]) == [])
    #expect(try lines(Array("one\n\ntwo\r\nthree".utf8)) == ["one", "", "two\r", "three"])
    #expect(try lines(Array("end\n".utf8)) == ["end"])
    #expect(try lines([0x61, 0xff, 0x00, 0x0a]) == ["a\u{FFFD}\0"])
  }

  @Test func `a line may be longer than one read`() throws {
    let long = String(repeating: "é", count: 100_000)
    #expect(try lines(Array("\(long)\nx\n\(long)".utf8)) == [long, "x", long])
  }

  @Test func `a line without an end is refused`() throws {
    let line = [UInt8](repeating: 65, count: 100)
    #expect(try lines(line, limit: 100).count == 1)
    #expect(throws: InputError.tooLong(name: "a line", limit: 99)) { try lines(line, limit: 99) }
    #expect(throws: InputError.tooLong(name: "a line", limit: 99)) {
      try lines(line + [0x0a], limit: 99)
    }
    let descriptor = open("/dev/zero", O_RDONLY)
    defer { close(descriptor) }
    var endless = InputLines(descriptor: descriptor, limit: 1 << 20)
    #expect(throws: InputError.tooLong(name: "a line", limit: 1 << 20)) { try endless.next() }
  }
}
