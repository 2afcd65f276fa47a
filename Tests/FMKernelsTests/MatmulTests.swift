import CFMKernels
import FMCore
import FMTestSupport
import Testing

@Suite struct MatmulTests {
  @Test(arguments: MatmulProduct.types)
  func `the product is near the exact one`(type: ElementType) {
    for columns in MatmulProduct.columnCounts(type) where columns <= 1056 || type == .q6_K {
      let product = MatmulProduct(type, outputs: 33, columns: columns, rows: 3)
      let exact = WeightRows.product(
        type, weights: product.weights, outputs: 33, columns: columns,
        activations: product.activations, rows: 3)
      for isa in availableInstructionSets {
        let error = WeightRows.normalizedError(product.dense(isa), exact)
        #expect(error < (type.isQuantized ? 3e-7 : 1e-10), "\(columns) columns")
      }
    }
  }

  @Test(arguments: MatmulProduct.types)
  func `instruction sets agree to the bit for every shape`(type: ElementType) {
    for columns in MatmulProduct.columnCounts(type) {
      for (outputs, rows) in [(1, 9), (15, 4), (16, 3), (17, 17), (33, 5), (64, 6)] {
        for scales in [WeightRows.Scales.ordinary, .extreme] {
          let product = MatmulProduct(
            type, outputs: outputs, columns: columns, rows: rows, scales: scales,
            seed: UInt64(columns * 100 + outputs))
          let expected = bits(product.outputs(FM_ISA_SCALAR))
          for isa in availableInstructionSets {
            #expect(
              bits(product.outputs(isa)) == expected,
              "\(columns) columns, \(outputs) outputs, \(rows) rows, \(scales)")
          }
        }
      }
    }
  }

  @Test(arguments: MatmulProduct.types)
  func `greatest activations against greatest weights stay exact`(type: ElementType) {
    let columns = 512
    for pattern in 0..<4 {
      let activations = (0..<5 * columns).map { index -> Float in
        switch pattern {
        case 0: 1
        case 1: -1
        case 2: index % 2 == 0 ? 1 : -1
        default: index % 32 < 16 ? 1 : -1
        }
      }
      let product = MatmulProduct(
        type, outputs: 32, columns: columns, rows: 5, scales: .extreme, activations: activations)
      let expected = bits(product.outputs(FM_ISA_SCALAR))
      for isa in availableInstructionSets {
        #expect(bits(product.outputs(isa)) == expected, "pattern \(pattern)")
      }
    }
  }

  @Test(arguments: MatmulProduct.types)
  func `a row is the same to the bit whatever rows are beside it`(type: ElementType) {
    let columns = type.blockElements == 256 ? 512 : 160
    let counts = [1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 17, 33, 64]
    let product = MatmulProduct(type, outputs: 33, columns: columns, rows: 64)
    for isa in availableInstructionSets where isa != FM_ISA_SCALAR {
      let alone = bits(product.outputs(isa, parts: (0..<64).map { .init(rows: $0..<$0 + 1) }))
      for count in counts {
        let parts = stride(from: 0, to: 64, by: count).map {
          MatmulProduct.Part(rows: $0..<min($0 + count, 64))
        }
        #expect(bits(product.outputs(isa, parts: parts)) == alone, "\(count) rows together")
      }
    }
  }

  @Test(arguments: MatmulProduct.types)
  func `more rows than a panel holds give the same bits`(type: ElementType) {
    let columns = 1024
    let product = MatmulProduct(type, outputs: 17, columns: columns, rows: 150)
    let isa = fm_isa_best()
    let parts = stride(from: 0, to: 150, by: 7).map {
      MatmulProduct.Part(rows: $0..<min($0 + 7, 150))
    }
    #expect(bits(product.outputs(isa)) == bits(product.outputs(isa, parts: parts)))
  }

  @Test(arguments: MatmulProduct.types)
  func `groups computed apart give the whole`(type: ElementType) {
    let product = MatmulProduct(type, outputs: 100, columns: 256, rows: 5)
    for isa in availableInstructionSets {
      let whole = product.outputs(isa)
      #expect(whole.count == 5 * 103)
      let parts = [0..<1, 1..<3, 3..<6, 6..<7].map { MatmulProduct.Part(groups: $0) }
      #expect(bits(product.outputs(isa, parts: parts)) == bits(whole))
      // Only what was asked for is written, and nothing beyond the real outputs.
      let some = product.outputs(isa, parts: [.init(rows: 1..<3, groups: 6..<7)])
      for index in some.indices {
        let (row, output) = index.quotientAndRemainder(dividingBy: 103)
        let isWritten = (1..<3).contains(row) && (96..<100).contains(output)
        #expect((some[index].bitPattern == whole[index].bitPattern) == (isWritten || output >= 100))
        if !isWritten { #expect(some[index] == -1) }
      }
    }
  }

  @Test(arguments: MatmulProduct.types)
  func `bias and then residual are added to the finished product`(type: ElementType) {
    let product = MatmulProduct(type, outputs: 20, columns: 256, rows: 6)
    let bias = (0..<20).map { Float($0) * 0.37 - 3 }
    let residual = (0..<120).map { Float($0) * 0.11 - 5 }
    for isa in availableInstructionSets {
      let plain = product.dense(isa)
      let expected = plain.enumerated().map { ($1 + bias[$0 % 20]) + residual[$0] }
      let found = product.dense(isa, parts: [.init(bias: bias, residual: residual)])
      #expect(bits(found) == bits(expected))
      let biased = product.dense(isa, parts: [.init(bias: bias)])
      #expect(bits(biased) == bits(plain.enumerated().map { $1 + bias[$0 % 20] }))
    }
  }

  @Test(arguments: MatmulProduct.types)
  func `NaN and infinity reach the outputs of their row only`(type: ElementType) {
    let columns = 256
    for bad in [Float.nan, .infinity, -.infinity] {
      var activations = (0..<3 * columns).map { Float($0 % 13) - 6 }
      activations[columns + 37] = bad
      let product = MatmulProduct(
        type, outputs: 16, columns: columns, rows: 3, activations: activations)
      let expected = product.dense(FM_ISA_SCALAR)
      #expect(expected[16..<32].allSatisfy { !$0.isFinite })
      #expect(expected[0..<16].allSatisfy { $0.isFinite })
      #expect(expected[32..<48].allSatisfy { $0.isFinite })
      for isa in availableInstructionSets {
        #expect(bits(product.dense(isa)) == bits(expected))
      }
    }
  }
}
