import FMCore
import FMFormats
import FMTestSupport
import Foundation
import Testing

@Suite struct HostileGGUFTests {
  private static let folder = Fixtures.url("bad-gguf")

  private static let names: [String] = {
    let found = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return found.filter { $0.hasSuffix(".gguf") }.sorted()
  }()

  private static func open(_ name: String) throws(GGUFError) -> GGUFFile {
    try GGUFFile(path: folder.appending(path: name).path)
  }

  @Test func `the set of files is there`() {
    #expect(Self.names.count >= 50)
  }

  @Test(arguments: names.filter { $0.hasPrefix("ok") })
  func `opens the sound files`(name: String) throws {
    #expect(try Self.open(name).string("general.architecture") == "llama")
  }

  @Test(arguments: names.filter { !$0.hasPrefix("ok") })
  func `refuses a hostile file with a typed error in under a second`(name: String) {
    let start = MonotonicInstant.now
    #expect(throws: GGUFError.self) { try Self.open(name) }
    #expect(MonotonicInstant.now.seconds(since: start) < 1)
  }

  /// The case each file must be refused with, by the beginning of its text.
  @Test(arguments: [
    ("align_0", "general.alignment is 0"),
    ("align_3", "general.alignment is 3"),
    ("align_str", "general.alignment is a value of type string"),
    ("arr_2e63", "9223372036854775808 elements of k declared at byte 41"),
    ("nkv_2e63", "9223372036854775808 metadata keys declared at byte 16"),
    ("nt_2e63", "9223372036854775808 tensors declared at byte 8"),
    ("str_huge", "truncated at byte"),
    ("key_not_utf8", "the metadata key at byte 24 is not UTF-8"),
    ("type_13", "unknown value type 13"),
    ("nested_bomb", "arrays nested more than 4 deep"),
    ("bool_2", "a bool of 'k' at byte"),
    ("key_twice", "the key 'general.architecture' appears twice"),
    ("tensor_twice", "the tensor 't' appears twice"),
    ("dim_zero", "tensor 't' has dimensions [0]: a dimension is zero"),
    ("dims_five", "tensor 't' has dimensions []: there are 5, not 1 to 4"),
    ("dims_wrap", "tensor 't' has dimensions [4294967296, 4294967296]: the element count"),
    ("dims_one_past", "tensor 't' has 20266198323171840 bytes at offset 0"),
    ("off_past_eof", "tensor 't' has 32 bytes at offset 16777216"),
    ("off_wrap", "tensor 't' has 32 bytes at offset 18446744073709551584"),
    ("off_unaligned", "tensor 't' at offset 8 is not aligned to 32 bytes"),
    ("overlap", "tensors 't' and 'u' overlap"),
    ("big_endian", "a big-endian GGUF file"),
    ("version_1", "GGUF version 1; versions 2 and 3"),
    ("zip", "not a GGUF file: it begins with 50 4b 03 04"),
    ("empty", "the file is empty"),
  ])
  func `says what is wrong`(name: String, text: String) {
    do {
      _ = try Self.open("\(name).gguf")
      Issue.record("\(name) opened")
    } catch {
      #expect(error.message.contains(": \(text)"), "\(error)")
    }
  }

  @Test func `refuses what is not a regular file, without waiting`() throws {
    let fifo = try temporaryPath("pipe.gguf")
    #expect(mkfifo(fifo, 0o600) == 0)
    #expect(throws: GGUFError.notRegularFile(path: fifo, kind: "pipe")) {
      try GGUFFile(path: fifo)
    }
    #expect(throws: GGUFError.notRegularFile(path: "/", kind: "directory")) {
      try GGUFFile(path: "/")
    }
    #expect(throws: GGUFError.notRegularFile(path: "/dev/zero", kind: "device")) {
      try GGUFFile(path: "/dev/zero")
    }
    #expect(throws: GGUFError.cannotOpen(path: "/nowhere.gguf", code: ENOENT)) {
      try GGUFFile(path: "/nowhere.gguf")
    }
  }

  @Test func `refuses a file larger than the address space`() throws {
    let path = try temporaryPath("sparse.gguf")
    #expect(FileManager.default.createFile(atPath: path, contents: nil))
    // The largest sparse file that the file system makes; where it makes none that large, no check.
    guard truncate(path, 1 << 48) == 0 else { return }
    #expect(throws: GGUFError.self) { try GGUFFile(path: path) }
  }

  @Test func `refuses a sound file cut at any byte`() throws {
    let whole = try [UInt8](Data(contentsOf: Self.folder.appending(path: "ok.gguf")))
    #expect(whole.count == 160)
    for count in 0..<whole.count {
      #expect(throws: GGUFError.self) {
        try GGUFFile(contents: Array(whole.prefix(count)), name: "cut at \(count)")
      }
    }
    #expect(try GGUFFile(contents: whole, name: "whole").tensors.count == 1)
  }

  @Test func `escapes control characters of names in errors`() throws {
    var writer = GGUFWriter()
    writer.add("a\u{1B}[2Jb", .bool(true))
    writer.add("a\u{1B}[2Jb", .bool(true))
    let bytes = try writer.bytes()
    do {
      _ = try GGUFFile(contents: bytes, name: "escape")
      Issue.record("opened")
    } catch {
      #expect(error.message == "escape: the key 'a\\u{1b}[2Jb' appears twice")
    }
  }

  @Test func `gives hints for what is taken for a model by mistake`() throws {
    let pointer = Array("version https://git-lfs.github.com/spec/v1\noid sha256:0\n".utf8)
    #expect(try Self.hint(pointer)?.contains("Git LFS") == true)
    #expect(try Self.hint(Array("<!DOCTYPE html>".utf8))?.contains("web page") == true)
    #expect(
      try Self.hint([8, 0, 0, 0, 0, 0, 0, 0] + Array("{\"a\":1}".utf8))?.contains("safetensors")
        == true)
  }

  private static func hint(_ bytes: [UInt8]) throws -> String? {
    do {
      _ = try GGUFFile(contents: bytes, name: "x")
      return nil
    } catch {
      return error.hint
    }
  }
}
