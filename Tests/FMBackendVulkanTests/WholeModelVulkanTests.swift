import FMBackend
import FMBackendCPU
import FMBackendVulkan
import FMCore
import FMOpCases
import FMTestSupport
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

  @Test func `guards behind values stay whole`() throws {
    let model = TinyModel.gemma3(type: .f16)
    let poisoning = backend { $0.poisons = true }
    let executor = try #require(
      try model.executor(on: poisoning, maximumRows: 50) as? VulkanExecutor)
    _ = try executor.logits(of: model.randomTokens(50), chunk: 50)
    #expect(try executor.brokenGuard() == nil)
  }
}
