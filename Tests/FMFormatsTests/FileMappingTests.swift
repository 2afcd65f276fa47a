import FMFormats
import FMTestSupport
import Foundation
import Testing

@Suite struct FileMappingTests {
  private static let page = Int(sysconf(Int32(_SC_PAGESIZE)))

  @Test func `released pages leave memory and read the same again`() throws {
    let pages = 256
    let contents = (0..<pages * Self.page).map { UInt8(truncatingIfNeeded: $0 / 7 ^ $0 >> 12) }
    let path = try temporaryPath("mapping")
    defer { try? FileManager.default.removeItem(atPath: path) }
    try Data(contents).write(to: URL(fileURLWithPath: path))
    let mapping = try FileMapping(path: path)
    #expect(mapping.bytes.elementsEqual(contents))
    let before = try #require(ResidentMemory.ofMapping(path))
    #expect(before >= contents.count)
    // From the middle of page 10 to the middle of page 209.
    mapping.release(10 * Self.page + 100..<209 * Self.page + 50)
    let after = try #require(ResidentMemory.ofMapping(path))
    #expect(before - after >= 198 * Self.page)
    #expect(mapping.bytes.elementsEqual(contents))
    mapping.release(0..<contents.count)
    mapping.release(-5..<0)
    mapping.release(contents.count - 1..<Int.max)
    mapping.release(contents.count..<contents.count + 1)
    #expect(mapping.bytes.elementsEqual(contents))
  }

  @Test func `an array in memory keeps its bytes`() {
    let contents = (0..<3 * Self.page).map { UInt8(truncatingIfNeeded: $0) }
    let mapping = FileMapping(contents: contents, name: "memory")
    mapping.release(0..<contents.count)
    #expect(mapping.bytes.elementsEqual(contents))
    FileMapping(contents: [], name: "nothing").release(0..<1)
  }
}
