import FMBackend
import FMCore
import FMTestSupport
import Foundation
import Testing

@Suite struct DequantizeTests {
  /// Blocks and elements of a format, as `Benchmarks/oracle/dequantize.py` wrote them.
  private struct Sample {
    let type: ElementType
    let bytes: [UInt8]
    let elements: [Float]
  }

  private func samples() throws -> [Sample] {
    let data = [UInt8](try Data(contentsOf: Fixtures.url("dequantize.bin")))
    var samples: [Sample] = []
    var offset = 0
    func word() -> Int {
      defer { offset += 4 }
      return Int(data.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self) })
    }
    while offset < data.count {
      let type = try #require(ElementType(ggufID: UInt32(word())))
      let (byteCount, count) = (word(), word())
      let bytes = Array(data[offset..<offset + byteCount])
      offset += byteCount
      let elements = (0..<count).map { index in
        data.withUnsafeBytes {
          $0.loadUnaligned(fromByteOffset: offset + index * 4, as: Float.self)
        }
      }
      offset += count * 4
      samples.append(Sample(type: type, bytes: bytes, elements: elements))
    }
    return samples
  }

  private func decoded(_ type: ElementType, _ bytes: [UInt8], count: Int) -> [Float] {
    var output = [Float](repeating: .nan, count: count)
    bytes.withUnsafeBytes { source in
      output.withUnsafeMutableBufferPointer {
        Dequantize.elements(type, from: source, into: $0)
      }
    }
    return output
  }

  @Test func `decodes every format to the bits PyPI gguf gives`() throws {
    let samples = try samples()
    #expect(
      Set(samples.map(\.type)) == Set(ElementType.allCases).subtracting([.f32, .f16]))
    for sample in samples {
      let found = decoded(sample.type, sample.bytes, count: sample.elements.count)
      let wrong = zip(found, sample.elements).enumerated().first { $1.0 != $1.1 }
      #expect(wrong == nil, "\(sample.type.rawValue): \(String(describing: wrong))")
    }
  }

  @Test func `decodes floats and halves`() {
    let floats: [Float] = [0, -1.5, 3.25e20, .infinity]
    let bytes = floats.flatMap { withUnsafeBytes(of: $0.bitPattern.littleEndian) { [UInt8]($0) } }
    #expect(decoded(.f32, bytes, count: 4) == floats)
    #expect(decoded(.f16, [0, 0x3C, 1, 0, 0, 0xC0], count: 3) == [1, 0x1p-24, -2])
  }
}
