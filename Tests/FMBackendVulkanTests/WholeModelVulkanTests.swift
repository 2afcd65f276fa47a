import FMBackend
import FMBackendCPU
import FMBackendVulkan
import FMCore
import FMOpCases
import FMTestSupport
import Foundation
import Testing

/// Small models, whole, on the Vulkan back end.
@Suite(.enabled(if: VulkanTestDevice.isThere, VulkanTestDevice.absence))
struct WholeModelVulkanTests {
  private let device: VulkanDevice

  init() throws { device = try VulkanTestDevice.shared.get() }

  private func backend(_ change: (inout VulkanOptions) -> Void = { _ in }) -> VulkanBackend {
    var options = VulkanOptions()
    change(&options)
    return VulkanBackend(device, options: options)
  }

  /// Models of float weights: three query heads to a KV head, windows, one head of each kind.
  static let floatModels: [(name: String, model: TinyModel)] = [ElementType.f32, .f16].flatMap {
    [
      ("llama \($0.rawValue)", TinyModel.llama(type: $0)),
      ("gemma3 \($0.rawValue)", TinyModel.gemma3(type: $0)),
    ]
  }

  @Test(arguments: floatModels.indices)
  func `gives the processor's 48 greedy tokens with float weights`(index: Int) throws {
    let (name, model) = Self.floatModels[index]
    for length in [5, 70] {
      let prompt = model.randomTokens(length)
      let expected = try model.executor(on: CPUBackend(threads: 2))
        .greedyTokens(after: prompt, count: 48)
      let found = try model.executor(on: backend()).greedyTokens(after: prompt, count: 48)
      #expect(found == expected, "\(name), prompt of \(length)")
    }
  }

  @Test(arguments: ElementType.allCases.filter(\.isQuantized))
  func `agrees with the reference on quantized weights`(type: ElementType) throws {
    let model = TinyModel.llama(type: type)
    let tokens = model.randomTokens(40)
    let expected = try model.logits(of: tokens, on: ReferenceBackend(), chunk: 40)
    for chunk in [40, 1] {
      let found = try model.logits(of: tokens, on: backend(), chunk: chunk)
      #expect(normalizedError(found, expected) < 1e-6, "chunks of \(chunk)")
      #expect(clearMisses(found, expected) == 0)
    }
  }

  @Test func `a row has the same bits whatever rows are beside it`() throws {
    let model = TinyModel.llama(type: .q8_0)
    let tokens = model.randomTokens(100)
    let many = try model.logits(of: tokens, on: backend(), chunk: 100)
    for chunk in [9, 17, 33] {
      let found = try model.logits(of: tokens, on: backend(), chunk: chunk)
      // The last chunk may be of few rows, which are summed in another order.
      let whole = 100 / chunk * chunk
      let same = Array(found[..<whole]) == Array(many[..<whole])
      #expect(same, "chunks of \(chunk)")
    }
    let short = Array(tokens[..<40])
    let few = try model.logits(of: short, on: backend(), chunk: 1)
    for chunk in [2, 3, 5, 8] {
      let same = try model.logits(of: short, on: backend(), chunk: chunk) == few
      #expect(same, "chunks of \(chunk)")
    }
    #expect(normalizedError(Array(many[..<40]), few) < 1e-8)
  }

  @Test func `planned barriers give the bits that a barrier everywhere gives`() throws {
    for model in [TinyModel.llama(type: .q4_0), TinyModel.gemma3(type: .f16)] {
      let tokens = model.randomTokens(30)
      for chunk in [30, 1] {
        let planned = try model.logits(of: tokens, on: backend(), chunk: chunk)
        let everywhere = try model.logits(
          of: tokens, on: backend { $0.hasBarrierEverywhere = true }, chunk: chunk)
        let same = planned == everywhere
        #expect(same)
      }
    }
  }

  @Test func `every optional path turned off agrees with it on`() throws {
    for model in [TinyModel.llama(type: .q5_0), TinyModel.gemma3(type: .f32)] {
      let tokens = model.randomTokens(30)
      for chunk in [30, 1] {
        let on = try model.logits(of: tokens, on: backend(), chunk: chunk)
        let unfused = try model.logits(of: tokens, on: backend { $0.fuses = false }, chunk: chunk)
        #expect(normalizedError(unfused, on) < 1e-10)
        let half = try model.logits(of: tokens, on: backend { $0.halfTiles = true }, chunk: chunk)
        #expect(normalizedError(half, on) < 1e-5)
      }
    }
  }

  @Test(arguments: ElementType.allCases.filter(\.isQuantized))
  func `the packed integer dot agrees within what eight-bit activations cost`(
    type: ElementType
  ) throws {
    guard device.physical.features.integerDotProduct else { return }
    let model = TinyModel.llama(type: type)
    let tokens = model.randomTokens(30)
    for chunk in [30, 8, 1] {
      let exact = try model.logits(of: tokens, on: backend(), chunk: chunk)
      let found = try model.logits(of: tokens, on: backend { $0.integerDot = true }, chunk: chunk)
      let error = normalizedError(found, exact)
      #expect(error < 1e-3 && error > 0, "chunks of \(chunk)")
    }
  }

  @Test func `steady decoding records, allocates and compiles nothing`() throws {
    let model = TinyModel.llama(type: .q8_0)
    // A device of its own: the counters are a device's, and other tests run beside this one.
    let own = try VulkanDevice(instance: .shared(), physical: device.physical)
    let executor = try #require(try model.executor(on: VulkanBackend(own)) as? VulkanExecutor)
    var result = StepResult()
    var before = executor.counters
    for position in 0..<100 {
      if position == 8 { before = executor.counters }
      let step = Step(
        [.init(tokens: [TokenID(position % 7)], firstPosition: position)], program: model.program,
        outputs: [OutputRequest(row: 0, kind: .candidates(count: 1))])
      try executor.run(step, into: &result)
    }
    let after = executor.counters
    #expect(after.recordings == before.recordings)
    #expect(after.allocations == before.allocations)
    #expect(after.pipelines == before.pipelines)
    #expect(after.submissions == before.submissions + 92)
  }

  @Test func `decoding a Llama takes at most nine dispatches a layer`() throws {
    let model = TinyModel.llama(type: .q8_0, layers: 4)
    let executor = try #require(try model.executor(on: backend()) as? VulkanExecutor)
    let labels = try executor.dispatchLabels(position: 400)
    // Embedding before the layers; norm, head and two of candidates after them.
    #expect(labels.count == 1 + 4 * 9 + 4, "\(labels)")
  }

  @Test func `layers left to the processor give what the device alone gives`() throws {
    let model = TinyModel.gemma3(type: .f32)
    let tokens = model.randomTokens(50)
    let expected = try model.logits(of: tokens, on: backend(), chunk: 25)
    for layers in [1, 3] {
      let staged = StagedBackend(first: backend(), layers: layers, then: CPUBackend(threads: 2))
      let found = try model.logits(of: tokens, on: staged, chunk: 25)
      #expect(normalizedError(found, expected) < 1e-8)
      // The other way round, so that the device takes rows instead of tokens.
      let turned = StagedBackend(first: CPUBackend(threads: 2), layers: layers, then: backend())
      let other = try model.logits(of: tokens, on: turned, chunk: 25)
      #expect(normalizedError(other, expected) < 1e-8)
    }
  }

  @Test(arguments: [(outputs: 70, count: 3), (outputs: 1, count: 300), (outputs: 2, count: 200)])
  func `candidates are the best of the device's own logits`(outputs: Int, count: Int) throws {
    let model = TinyModel.llama(type: .f32)
    let tokens = model.randomTokens(70)
    let executor = try model.executor(on: backend())
    func run(_ kind: OutputRequest.Kind) throws -> StepResult {
      var result = StepResult()
      let requests = (70 - outputs..<70).map { OutputRequest(row: $0, kind: kind) }
      let step = Step([.init(tokens: tokens)], program: model.program, outputs: requests)
      try executor.run(step, into: &result)
      return result
    }
    let logits = try run(.logits)
    let found = try run(.candidates(count: count))
    #expect(found.entries.count == outputs)
    for (row, entry) in zip(logits.entries, found.entries) {
      let values = Array(logits.logits[row.range])
      let order = values.indices.sorted { (-values[$0], $0) < (-values[$1], $1) }
      #expect(
        found.candidates[entry.range].map(\.token) == order.prefix(count).map { TokenID($0) })
      let best = Double(values[order[0]])
      let sum = values.reduce(0) { $0 + exp(Double($1) - best) }
      #expect(abs(Double(entry.logSumExp) - best - log(sum)) < 1e-5 * max(1, abs(best)))
    }
  }

  @Test func `a sequence's rows are the same whatever other sequences the step has`() throws {
    let model = TinyModel.llama(type: .q4_0)
    let executor = try model.executor(on: backend(), sequences: 3)
    var result = StepResult()
    func run(_ sequences: [Step.Rows]) throws -> [[Float]] {
      var outputs: [OutputRequest] = []
      var row = -1
      for rows in sequences {
        row += rows.tokens.count
        outputs.append(OutputRequest(row: row, kind: .logits))
      }
      try executor.run(
        Step(sequences, program: model.program, outputs: outputs), into: &result)
      return result.entries.map { Array(result.logits[$0.range]) }
    }
    let first = Step.Rows(tokens: [5, 6], slot: 0)
    let second = Step.Rows(tokens: [9, 8, 7], slot: 1)
    let together = try run([first, second])
    #expect(try run([first]) == [together[0]])
    #expect(try run([second]) == [together[1]])
  }

  @Test func `blocks are copied, exported and restored`() throws {
    let model = TinyModel.gemma3(type: .f16)
    let executor = try model.executor(on: backend())
    let expected = try executor.logits(of: model.randomTokens(40), chunk: 40)
    let last = executor.configuration.blockCounts[1] - 1
    // Slot 0 counts its blocks down from 15.
    let bytes = try executor.exportBlock(group: 1, block: 15)
    #expect(bytes.contains { $0 != 0 })
    try executor.copyBlock(group: 1, from: 15, to: last)
    #expect(try executor.exportBlock(group: 1, block: last) == bytes)
    try executor.importBlock(group: 1, block: 15, bytes: bytes.map { _ in 0 })
    #expect(try executor.exportBlock(group: 1, block: 15).allSatisfy { $0 == 0 })
    try executor.importBlock(group: 1, block: 15, bytes: bytes)
    #expect(try executor.exportBlock(group: 1, block: 15) == bytes)
    #expect(try executor.logits(of: model.randomTokens(40), chunk: 40) == expected)
    #expect(throws: BackendError.self) { try executor.exportBlock(group: 2, block: 0) }
    #expect(throws: BackendError.self) { try executor.copyBlock(group: 0, from: 0, to: 9999) }
    #expect(throws: BackendError.self) {
      try executor.importBlock(group: 0, block: 0, bytes: [1, 2, 3])
    }
  }

  @Test func `a q8_0 cache gives what the reference's gives`() throws {
    for model in [TinyModel.llama(type: .f32), TinyModel.gemma3(type: .f32)] {
      let tokens = model.randomTokens(70)
      for chunk in [70, 1] {
        let expected = try model.executor(
          on: ReferenceBackend(), maximumRows: 70, kvElement: .q8_0
        ).logits(of: tokens, chunk: chunk)
        let executor = try model.executor(on: backend(), maximumRows: 70, kvElement: .q8_0)
        let found = try executor.logits(of: tokens, chunk: chunk)
        // A code on the edge between two may fall to either side.
        #expect(normalizedError(found, expected) < 1e-5, "chunks of \(chunk)")
        let bytes = try executor.exportBlock(group: 0, block: 15)
        try executor.copyBlock(group: 0, from: 15, to: 14)
        #expect(try executor.exportBlock(group: 0, block: 14) == bytes)
      }
    }
  }

  @Test func `guards behind values stay whole`() throws {
    let model = TinyModel.gemma3(type: .f16)
    let poisoning = backend { $0.poisons = true }
    let executor = try #require(
      try model.executor(on: poisoning, maximumRows: 50) as? VulkanExecutor)
    _ = try executor.logits(of: model.randomTokens(50), chunk: 50)
    #expect(try executor.brokenGuard() == nil)
  }
}
