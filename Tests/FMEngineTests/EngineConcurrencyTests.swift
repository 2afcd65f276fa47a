import FMBackend
import FMCore
import FMEngine
import FMTestSupport
import Glibc
import Synchronization
import Testing

@Suite struct EngineConcurrencyTests {
  private static func requests(_ count: Int, shared: Int = 0) -> [GenerationRequest] {
    (0..<count).map { index in
      let prompt =
        StepEngineTests.prompt(shared, seed: 77)
        + StepEngineTests.prompt(5 + index * 13, seed: UInt64(index))
      return GenerationRequest(
        prompt: prompt,
        sampling: index % 2 == 0
          ? .greedy : SamplingOptions(topP: 0.9, repetitionPenalty: 1.1, seed: UInt64(index)),
        maximumTokens: 20 + index * 3, ignoresEndOfGeneration: true)
    }
  }

  /// Runs all at once and gives the summaries in the order of the requests.
  private static func together(
    _ requests: [GenerationRequest], on engine: Engine
  ) async throws -> [GenerationSummary] {
    try await withThrowingTaskGroup(of: (Int, GenerationSummary).self) { group in
      for (index, request) in requests.enumerated() {
        group.addTask { (index, try await engine.summary(of: request)) }
      }
      var summaries: [Int: GenerationSummary] = [:]
      for try await (index, summary) in group { summaries[index] = summary }
      return requests.indices.compactMap { summaries[$0] }
    }
  }

  private static func alone(
    _ request: GenerationRequest, windows: [Int?] = [nil]
  ) async throws -> [TokenID] {
    let engine = EngineGenerationTests.randomEngine(windows: windows)
    return try await engine.summary(of: request).tokens
  }

  @Test(arguments: [
    EngineConfiguration(), EngineConfiguration(maximumSequences: 3, prefillChunk: 16),
    EngineConfiguration(prefillChunk: 7, stepRows: 9, prefixCacheEnabled: false),
  ])
  func `eight requests together equal eight alone`(
    configuration: EngineConfiguration
  ) async throws {
    let windows: [Int?] = [nil, 40]
    let engine = EngineGenerationTests.randomEngine(
      windows: windows, configuration: configuration)
    let requests = Self.requests(8)
    let summaries = try await Self.together(requests, on: engine)
    for (request, summary) in zip(requests, summaries) {
      #expect(try await summary.tokens == Self.alone(request, windows: windows))
    }
    #expect(await engine.accountingProblem() == nil)
    let statistics = await engine.statistics()
    #expect(statistics.finishedRequests == 8)
    #expect(statistics.activeRequests == 0)
    #expect(statistics.queuedRequests == 0)
  }

  @Test func `of requests that begin alike one computes the beginning for all`() async throws {
    let requests = Self.requests(8, shared: 200)
    let engine = EngineGenerationTests.randomEngine(contextLength: 512, blocks: 128)
    let summaries = try await Self.together(requests, on: engine)
    for (request, summary) in zip(requests, summaries) {
      #expect(try await summary.tokens == Self.alone(request))
    }
    // Whoever came first found nothing, everybody else what is shared of its whole blocks.
    let cached = summaries.map(\.cachedTokens).sorted()
    #expect(cached[0] == 0 && cached.dropFirst().allSatisfy { (192...200).contains($0) })
    #expect(await engine.accountingProblem() == nil)
    let statistics = await engine.statistics()
    #expect(statistics.cachedTokens == cached.reduce(0, +))
    #expect(statistics.queuedRequests == 0)
  }

  @Test func `a request waits for a prewarm that is under way`() async throws {
    let prefix = StepEngineTests.prompt(300, seed: 77)
    let engine = EngineGenerationTests.randomEngine(contextLength: 512, blocks: 128)
    let request = GenerationRequest(
      prompt: prefix + [9, 8, 7], maximumTokens: 4, ignoresEndOfGeneration: true)
    async let prewarm = engine.prefill(prefix)
    async let answer = engine.summary(of: request)
    let (prewarmed, summary) = (try await prewarm, try await answer)
    #expect(try await summary.tokens == Self.alone(request))
    // Either may have come first, and neither computed what the other did.
    #expect(summary.cachedTokens + prewarmed.cachedTokens >= 288)
  }

  @Test(arguments: [[40], [nil, 40]] as [[Int?]])
  func `nobody waits for what a window will have passed`(windows: [Int?]) async throws {
    let requests = Self.requests(4, shared: 200)
    let engine = EngineGenerationTests.randomEngine(
      windows: windows, contextLength: 512, blocks: 128)
    let summaries = try await Self.together(requests, on: engine)
    for (request, summary) in zip(requests, summaries) {
      #expect(try await summary.tokens == Self.alone(request, windows: windows))
    }
    #expect(await engine.accountingProblem() == nil)
  }

  @Test func `who waits for a beginning goes on when its request is cancelled`() async throws {
    let engine = EngineGenerationTests.randomEngine(contextLength: 512, blocks: 128)
    let requests = Self.requests(4, shared: 200)
    let cancellation = GenerationCancellation()
    var first = requests[0]
    first.cancellation = cancellation
    cancellation.cancel()
    let summaries = try await Self.together([first] + requests.dropFirst(), on: engine)
    #expect(summaries[0].finishReason == .cancelled)
    for (request, summary) in zip(requests, summaries).dropFirst() {
      #expect(try await summary.tokens == Self.alone(request))
    }
    #expect(await engine.statistics().queuedRequests == 0)
  }

  @Test func `requests share steps`() async throws {
    let engine = EngineGenerationTests.randomEngine()
    let requests = Self.requests(6)
    let summaries = try await Self.together(requests, on: engine)
    let statistics = await engine.statistics()
    let tokens = summaries.reduce(0) { $0 + $1.tokens.count }
    #expect(statistics.generatedTokens == tokens)
    #expect(statistics.steps < tokens)
  }

  @Test func `few blocks delay requests and change no token`() async throws {
    // 10 blocks hold 320 positions; the eight requests want up to 137 each.
    let engine = EngineGenerationTests.randomEngine(contextLength: 300, blocks: 10)
    let requests = Self.requests(8)
    let summaries = try await Self.together(requests, on: engine)
    for (request, summary) in zip(requests, summaries) {
      #expect(try await summary.tokens == Self.alone(request))
    }
    #expect(await engine.accountingProblem() == nil)
  }

  @Test func `a request sent back for want of blocks gives the same tokens`() async throws {
    // Each prompt fits at first, both answers do not.
    let engine = EngineGenerationTests.randomEngine(contextLength: 200, blocks: 7)
    let requests = [1, 2, 3].map { seed in
      GenerationRequest(
        prompt: StepEngineTests.prompt(20, seed: seed), maximumTokens: 150,
        ignoresEndOfGeneration: true)
    }
    let summaries = try await Self.together(requests, on: engine)
    for (request, summary) in zip(requests, summaries) {
      #expect(try await summary.tokens == Self.alone(request))
    }
    #expect(await engine.statistics().preemptions > 0)
    #expect(await engine.accountingProblem() == nil)
  }

  @Test func `a full queue refuses with a typed error`() async throws {
    let gate = Gate()
    let executor = StepEngineTests.executor(blocks: 64)
    executor.beforeStep = { (_, _) throws(BackendError) in gate.wait() }
    let engine = Engine(
      executor: executor, vocabulary: ByteVocabulary(),
      configuration: EngineConfiguration(maximumSequences: 1, queueLimit: 2))
    let request = Self.requests(1)[0]
    let accepted = (0..<3).map { _ in engine.generate(request) }
    await #expect(throws: EngineError.queueFull(limit: 2)) {
      _ = try await engine.summary(of: request)
    }
    gate.open()
    for stream in accepted {
      var last: GenerationEvent?
      for try await event in stream { last = event }
      guard case .finished = last else {
        Issue.record("an accepted request did not finish")
        return
      }
    }
    _ = try await engine.summary(of: request)
  }

  @Test func `one request's impossible logits leave the others alone`() async throws {
    for fault in [Float.nan, .infinity, -.infinity] {
      let executor = StepEngineTests.executor(blocks: 64)
      executor.tamper = { token, position, logits in
        // Only the request whose prompt ends in 251 has this token at this position.
        guard token == 251, position == 20 else { return }
        if fault == -.infinity {
          logits = logits.map { _ in fault }
        } else {
          logits[5] = fault
        }
      }
      let engine = Engine(executor: executor, vocabulary: ByteVocabulary())
      let bad = GenerationRequest(
        prompt: StepEngineTests.prompt(20, seed: 3) + [251], maximumTokens: 10)
      let good = Self.requests(3)
      let failure = Task { try await engine.summary(of: bad) }
      async let success = Self.together(good, on: engine)
      await #expect(throws: EngineError.noValidToken) { try await failure.value }
      for (request, summary) in zip(good, try await success) {
        #expect(try await summary.tokens == Self.alone(request))
      }
      #expect(await engine.accountingProblem() == nil)
      #expect(await engine.statistics().failedRequests == 1)
    }
  }

  @Test func `a lost device ends what ran with its error`() async throws {
    let executor = StepEngineTests.executor()
    executor.beforeStep = { (number, _) throws(BackendError) in
      if number >= 5 { throw .deviceLost("a test") }
    }
    let engine = Engine(executor: executor, vocabulary: ByteVocabulary())
    await #expect(throws: EngineError.backend(.deviceLost("a test"))) {
      try await engine.summary(of: Self.requests(1)[0])
    }
    #expect(await engine.accountingProblem() == nil)
    #expect(await engine.statistics().activeRequests == 0)
  }

  @Test func `the engine goes away when nobody holds it`() async throws {
    weak var observed: Engine?
    do {
      let engine = EngineGenerationTests.randomEngine()
      observed = engine
      _ = try await engine.summary(of: Self.requests(1)[0])
    }
    // The engine's thread may hold it a moment longer, for the step that ends.
    var patience = 1_000_000
    while observed != nil, patience > 0 {
      await Task.yield()
      patience -= 1
    }
    #expect(observed == nil)
  }

  @Test func `a stream keeps its engine alive`() async throws {
    let stream = EngineGenerationTests.randomEngine().generate(Self.requests(1)[0])
    var finished = false
    for try await event in stream { if case .finished = event { finished = true } }
    #expect(finished)
  }
}

/// Holds a thread until it is opened; then it stays open.
final class Gate: Sendable {
  private let isOpen = Atomic<Bool>(false)

  func open() { isOpen.store(true, ordering: .releasing) }

  func wait() { while !isOpen.load(ordering: .acquiring) { sched_yield() } }
}
