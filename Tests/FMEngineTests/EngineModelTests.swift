import FMBackend
import FMBackendCPU
import FMCore
import FMEngine
import FMModels
import FMTestSupport
import Testing

/// The engine over small real programs on the CPU: what is beside a request changes no token of it.
@Suite struct EngineModelTests {
  enum Kind: CaseIterable {
    case llama, gemma3

    /// A model with random weights; the Gemma slides over 40 positions in two of three layers.
    var model: TinyModel {
      switch self {
      case .llama: return TinyModel.llama(type: .q8_0)
      case .gemma3: return TinyModel.gemma3(type: .q8_0, seed: 3)
      }
    }

    func engine(
      on backend: any Backend = CPUBackend(threads: 2),
      configuration: EngineConfiguration = EngineConfiguration()
    ) throws -> Engine {
      let model = model
      let blocks = KVPlan.blockCounts(
        layout: model.program.kv, contextLength: 512, sequences: 4, configuration: configuration)
      let executor = try backend.makeExecutor(
        program: model.program, weights: model.weights,
        configuration: ExecutorConfiguration(
          maximumRows: 256, maximumOutputs: 32, blockCounts: blocks))
      return Engine(
        executor: executor, vocabulary: ByteVocabulary(vocabularySize: 307),
        configuration: configuration)
    }
  }

  private static func request(_ prompt: [TokenID], seed: UInt64 = 0) -> GenerationRequest {
    GenerationRequest(
      prompt: prompt,
      sampling: seed == 0 ? .greedy : SamplingOptions(temperature: 0.9, topP: 0.95, seed: seed),
      maximumTokens: 24, ignoresEndOfGeneration: true)
  }

  @Test(arguments: Kind.allCases)
  func `concurrent requests with shared prefixes equal lone ones without a cache`(
    kind: Kind
  ) async throws {
    let shared = StepEngineTests.prompt(70, seed: 50)
    let requests = (0..<6).map { index in
      Self.request(
        shared + StepEngineTests.prompt(3 + index * 9, seed: UInt64(index)),
        seed: UInt64(index % 2))
    }
    let engine = try kind.engine(
      configuration: EngineConfiguration(maximumSequences: 3, prefillChunk: 48))
    _ = try await engine.prefill(shared)
    let answers = try await withThrowingTaskGroup(of: (Int, GenerationSummary).self) { group in
      for (index, request) in requests.enumerated() {
        group.addTask { (index, try await engine.summary(of: request)) }
      }
      return try await group.reduce(into: [Int: GenerationSummary]()) { $0[$1.0] = $1.1 }
    }
    let lone = try kind.engine(
      on: CPUBackend(threads: 1), configuration: EngineConfiguration(prefixCacheEnabled: false))
    for (index, request) in requests.enumerated() {
      let alone = try await lone.summary(of: request)
      #expect(answers[index]?.tokens == alone.tokens)
      #expect(answers[index].map { $0.cachedTokens >= 70 } == true)
    }
    #expect(await engine.accountingProblem() == nil)
  }

  @Test(arguments: Kind.allCases)
  func `a conversation with a cache equals one without`(kind: Kind) async throws {
    let engine = try kind.engine()
    var history = StepEngineTests.prompt(45, seed: 1)
    for turn in 0..<4 {
      let warm = try await engine.summary(of: Self.request(history))
      var request = Self.request(history)
      request.usesPrefixCache = false
      let cold = try await engine.summary(of: request)
      #expect(warm.tokens == cold.tokens)
      #expect(turn == 0 || warm.cachedTokens > 45)
      history += warm.tokens + StepEngineTests.prompt(10, seed: UInt64(turn + 20))
    }
  }

  @Test func `scores do not depend on their chunks`() async throws {
    let tokens = StepEngineTests.prompt(80, seed: 2)
    let one = try await Kind.gemma3.engine(configuration: EngineConfiguration(scoreChunk: 1))
      .scores(of: tokens, from: 1)
    let many = try await Kind.gemma3.engine(configuration: EngineConfiguration(scoreChunk: 32))
      .scores(of: tokens, from: 1)
    #expect(one == many)
    #expect(one.allSatisfy { $0 < 0 })
  }

  /// An engine over a model where the logit of token 5 is NaN at every position.
  private static func engineWithNaNLogit() throws -> Engine {
    var model = TinyModel.llama(type: .f32, layers: 1)
    model.fillRow(5, of: "token_embd.weight", with: 0xFF)
    return Engine(
      executor: try model.executor(on: CPUBackend(threads: 2)),
      vocabulary: ByteVocabulary(vocabularySize: 307))
  }

  @Test func `a NaN logit is an error for candidates as for all logits`() async throws {
    let engine = try Self.engineWithNaNLogit()
    let options: [SamplingOptions] = [
      .greedy, SamplingOptions(temperature: 1, topK: 3, seed: 1),
      SamplingOptions(temperature: 1, seed: 1), SamplingOptions(repetitionPenalty: 1.5),
    ]
    for sampling in options {
      let request = GenerationRequest(prompt: [1, 2, 3], sampling: sampling, maximumTokens: 4)
      await #expect(throws: EngineError.noValidToken) { try await engine.summary(of: request) }
    }
    // What a bias of minus infinity cannot help: NaN stays NaN.
    var banned = GenerationRequest(prompt: [1, 2, 3], sampling: .greedy, maximumTokens: 4)
    banned.bias = [TokenBias(token: 5, bias: -.infinity)]
    await #expect(throws: EngineError.noValidToken) { try await engine.summary(of: banned) }
    #expect(await engine.accountingProblem() == nil)
  }
}
