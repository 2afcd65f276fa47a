import FMCore
import FMFormats
import Foundation
import Testing

@Suite struct GGUFFuzzTests {
  private static func seedFile() throws -> [UInt8] {
    var writer = GGUFWriter()
    writer.add("general.architecture", .string("llama"))
    writer.add("llama.block_count", .uint32(2))
    writer.add("tokens", .strings(["a", "b", "ab"]))
    writer.add("scores", .floats([1, 2, 3]))
    writer.add("nested", .arrays([.strings(["x"]), .arrays([.bools([true])])]))
    writer.addTensor("w", dimensions: [4, 2], floats: [Float](repeating: 1, count: 8))
    writer.addTensor(
      "q", type: .q4_0, dimensions: [32, 2], bytes: [UInt8](repeating: 3, count: 36))
    return try writer.bytes()
  }

  /// One mutation of `bytes`: bytes set, numbers replaced by extreme ones, or a part cut out.
  private static func mutated(_ bytes: [UInt8], _ random: CounterRandom) -> [UInt8] {
    var result = bytes
    let edits = 1 + Int(random.bits(at: 0) % 4)
    for edit in 0..<edits where !result.isEmpty {
      let at = UInt64(edit) * 4 + 1
      let place = Int(random.bits(at: at) % UInt64(result.count))
      switch random.bits(at: at + 1) % 4 {
      case 0: result[place] = UInt8(truncatingIfNeeded: random.bits(at: at + 2))
      case 1: result[place] ^= 1 << UInt8(random.bits(at: at + 2) % 8)
      case 2:
        let extremes: [UInt64] = [0, 1, 0x7FFF_FFFF, 1 << 32, 1 << 61, 1 << 63, .max, .max - 31]
        let number = extremes[Int(random.bits(at: at + 2) % UInt64(extremes.count))]
        for byte in 0..<min(8, result.count - place) {
          result[place + byte] = UInt8(truncatingIfNeeded: number >> UInt64(8 * byte))
        }
      default:
        let length = Int(random.bits(at: at + 2) % 16)
        result.removeSubrange(place..<min(result.count, place + length))
      }
    }
    return result
  }

  /// Reads everything a sound file gives access to.
  private static func touch(_ file: GGUFFile) -> Int {
    var sum = 0
    for key in file.keys {
      if let array = file.array(key) {
        for index in 0..<array.count { sum &+= array.integer(at: index) ?? 1 }
      }
      sum &+= file.string(key)?.utf8.count ?? 0
    }
    for tensor in file.tensors { for byte in file.bytes(of: tensor) { sum &+= Int(byte) } }
    return sum
  }

  /// `FM_FUZZ_RUNS` sets another number of mutations, for long runs by hand.
  @Test func `never traps on a mutated file`() throws {
    let runs =
      ProcessInfo.processInfo.environment["FM_FUZZ_RUNS"].flatMap { UInt64($0) } ?? 4000
    let seed = try Self.seedFile()
    var opened = 0
    for run in 0..<runs {
      let bytes = Self.mutated(seed, CounterRandom(seed: run))
      do {
        let file = try GGUFFile(contents: bytes, name: "mutation \(run)")
        _ = Self.touch(file)
        opened += 1
      } catch {
        #expect(!error.description.isEmpty)
      }
    }
    // Both outcomes must occur, or the mutations test nothing.
    #expect(opened > 0 && opened < runs)
  }
}
