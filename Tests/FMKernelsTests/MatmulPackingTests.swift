import CFMKernels
import FMCore
import FMTestSupport
import Testing

@Suite struct MatmulPackingTests {
  @Test func `every type has a kernel in every instruction set, and no other number has`() {
    for type in ElementType.allCases {
      #expect(fm_matmul_supports(type.ggufID) == 1)
      #expect(
        fm_matmul_quantizes(type.kernel) == (type.isQuantized ? 1 : 0), "\(type.rawValue)")
      for isa in availableInstructionSets {
        #expect(fm_matmul_kernel_for(isa, type.kernel) != nil)
      }
    }
    let known = Set(ElementType.allCases.map(\.ggufID))
    for id in (0..<300).map({ UInt32($0) }) + [0xFFFF_FFFF] where !known.contains(id) {
      #expect(fm_matmul_supports(id) == 0)
    }
  }

  @Test(arguments: MatmulProduct.types)
  func `sizes follow the format`(type: ElementType) {
    #expect(fm_block_columns(type.kernel) == type.blockElements)
    for columns in MatmulProduct.columnCounts(type) {
      let rowBytes = fm_row_bytes(type.kernel, columns)
      #expect(rowBytes == type.byteCount(elements: columns))
      let group = fm_packed_group_bytes(type.kernel, columns)
      #expect(group % 64 == 0)
      #expect(group >= rowBytes * 16)
      // At most 4 % and the padding more than the file has.
      #expect(group <= rowBytes * 16 * 104 / 100 + 63)
    }
  }

  @Test(arguments: MatmulProduct.types)
  func `packing in ranges writes the same bytes and no others`(type: ElementType) throws {
    let columns = 512
    let outputs = 40
    let weights = WeightRows.random(
      type, rows: outputs, columns: columns, scales: .ordinary, seed: 5)
    let groupBytes = fm_packed_group_bytes(type.kernel, columns)
    let whole = AlignedBytes(count: 3 * groupBytes)
    fm_pack_groups(type.kernel, weights, outputs, columns, 0, 3, whole.pointer)
    let parts = AlignedBytes(count: 3 * groupBytes)
    fm_pack_groups(type.kernel, weights, outputs, columns, 1, 2, parts.pointer)
    let untouched = UnsafeRawBufferPointer(start: parts.pointer, count: groupBytes)
    #expect(untouched.allSatisfy { $0 == 0xEE })
    fm_pack_groups(type.kernel, weights, outputs, columns, 2, 3, parts.pointer)
    fm_pack_groups(type.kernel, weights, outputs, columns, 0, 1, parts.pointer)
    #expect(
      UnsafeRawBufferPointer(start: parts.pointer, count: parts.count)
        .elementsEqual(UnsafeRawBufferPointer(start: whole.pointer, count: whole.count)))
  }

  @Test func `every instruction set quantizes activations to the same bytes`() {
    let random = CounterRandom(seed: 3)
    var blocks: [[Float]] = [
      Array(repeating: 0, count: 32),
      Array(repeating: -0.0, count: 32),
      Array(repeating: .leastNonzeroMagnitude, count: 32),
      [0x1p-140, -0x1p-140, 0, 0x1p-145] + Array(repeating: 0, count: 28),
      Array(repeating: .greatestFiniteMagnitude, count: 32),
      [.greatestFiniteMagnitude, 1, -1] + Array(repeating: 0, count: 29),
      (0..<32).map { Float($0) - 15.5 },
      // Ties: 2032 / 2032 is 1, so halves are exact.
      [2032, -2032] + (0..<30).map { Float($0) + 0.5 },
      [2032] + (0..<31).map { -Float($0) - 0.5 },
      [2032] + (0..<31).map { Float($0) * 131 - 2031.5 },
      [.nan] + Array(repeating: 1, count: 31),
      Array(repeating: 1, count: 31) + [-.infinity],
      [.infinity, .nan] + Array(repeating: 2, count: 30),
    ]
    for block in 0..<200 {
      let size = Float(sign: .plus, exponent: block - 120, significand: 1)
      blocks.append(
        (0..<32).map {
          Float(random.uniform(at: UInt64($0), lane: UInt64(block)) * 2 - 1) * size
        })
    }
    let row = blocks.flatMap { $0 }
    let expected = quantize(row, FM_ISA_SCALAR)
    for isa in availableInstructionSets { #expect(quantize(row, isa) == expected) }
  }

  @Test func `activations are rounded half to even`() {
    let ties: [Float] = [
      2032, -2032, 0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 2030.5, -2031.5, 15.5, -16.5,
    ]
    let bytes = quantize(ties + Array(repeating: 0, count: 32 - ties.count), FM_ISA_SCALAR)
    let expected = [2032, -2032, 0, 2, 2, 0, -2, -2, 2030, -2032, 16, -16]
    for (index, quant) in expected.enumerated() {
      let high = Int(Int8(bitPattern: bytes[16 + index]))
      let low = Int(Int8(bitPattern: bytes[48 + index]))
      #expect(16 * high + low == quant)
      #expect((-127...127).contains(high) && (0...15).contains(low))
    }
    let scale = bytes.withUnsafeBytes { $0.load(as: Float.self) }
    #expect(scale == 1)
    let sum = bytes.withUnsafeBytes { $0.load(fromByteOffset: 8, as: Int32.self) }
    #expect(sum == 2030 - 2032)
  }

  private func quantize(_ row: [Float], _ isa: fm_isa) -> [UInt8] {
    let bytes = AlignedBytes(count: fm_activation_bytes(row.count))
    fm_quantize_row(isa, row, row.count, bytes.pointer)
    return Array(UnsafeRawBufferPointer(start: bytes.pointer, count: bytes.count))
  }
}
