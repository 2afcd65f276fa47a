import FMBackend
import FMCore
import FMEngine
import FMTestSupport
import Synchronization
import Testing

@Suite struct EngineCancellationTests {
  private static func request(
    _ count: Int, seed: UInt64, cancellation: GenerationCancellation? = nil
  ) -> GenerationRequest {
    GenerationRequest(
      prompt: StepEngineTests.prompt(count, seed: seed), maximumTokens: 200,
      ignoresEndOfGeneration: true, cancellation: cancellation)
  }

  @Test func `a cancelled answer ends with its summary and the tokens so far`() async throws {
    let cancellation = GenerationCancellation()
    let executor = StepEngineTests.executor()
    executor.beforeStep = { (number, _) throws(BackendError) in
      if number == 10 { cancellation.cancel() }
    }
    let engine = Engine(executor: executor, vocabulary: ByteVocabulary())
    let summary = try await engine.summary(
      of: Self.request(20, seed: 1, cancellation: cancellation))
    #expect(summary.finishReason == .cancelled)
    // Step 10 was running when the flag rose; its token is the last.
    #expect(summary.tokens.count == 11)
    #expect(await engine.statistics().steps == 11)
    #expect(await engine.statistics().cancelledRequests == 1)
  }

  @Test func `a switch that was not thrown serves several requests`() async throws {
    let cancellation = GenerationCancellation()
    let engine = EngineGenerationTests.randomEngine()
    for seed in 1...2 {
      var request = Self.request(20, seed: UInt64(seed), cancellation: cancellation)
      request.maximumTokens = 3
      #expect(try await engine.summary(of: request).finishReason == .length)
    }
  }

  @Test func `cancelling a prefill stops before the next chunk`() async throws {
    let cancellation = GenerationCancellation()
    let executor = StepEngineTests.executor()
    executor.beforeStep = { (number, rows) throws(BackendError) in
      if number == 2 { cancellation.cancel() }
    }
    let engine = Engine(
      executor: executor, vocabulary: ByteVocabulary(),
      configuration: EngineConfiguration(prefillChunk: 32))
    let summary = try await engine.summary(
      of: Self.request(400, seed: 1, cancellation: cancellation))
    #expect(summary.finishReason == .cancelled)
    #expect(summary.tokens.isEmpty)
    let statistics = await engine.statistics()
    #expect(statistics.steps == 3)
    #expect(statistics.rows == 96)
    // What was computed is good, and the next request with that prompt uses it.
    let again = try await engine.summary(of: Self.request(400, seed: 1))
    #expect(again.cachedTokens == 96)
  }

  @Test func `a waiting request can be cancelled`() async throws {
    let gate = Gate()
    let executor = StepEngineTests.executor()
    executor.beforeStep = { (_, _) throws(BackendError) in gate.wait() }
    let engine = Engine(
      executor: executor, vocabulary: ByteVocabulary(),
      configuration: EngineConfiguration(maximumSequences: 1))
    let first = engine.generate(Self.request(20, seed: 1))
    let cancellation = GenerationCancellation()
    let second = engine.generate(Self.request(20, seed: 2, cancellation: cancellation))
    cancellation.cancel()
    gate.open()
    for try await event in second {
      guard case .finished(let summary) = event else { continue }
      #expect(summary.finishReason == .cancelled)
      #expect(summary.tokens.isEmpty)
    }
    for try await _ in first {}
    #expect(await engine.accountingProblem() == nil)
  }

  @Test func `a dropped stream stops its request`() async throws {
    let engine = EngineGenerationTests.randomEngine()
    var seen = 0
    for try await event in engine.generate(Self.request(20, seed: 1)) {
      if case .token = event { seen += 1 }
      if seen == 2 { break }
    }
    await Self.settle(engine)
    let statistics = await engine.statistics()
    #expect(statistics.cancelledRequests + statistics.finishedRequests >= 1)
    #expect(statistics.activeRequests == 0)
    #expect(await engine.accountingProblem() == nil)
  }

  @Test func `a cancelled task stops prewarming and scoring`() async throws {
    let engine = EngineGenerationTests.randomEngine()
    let task = Task { try await engine.scores(of: StepEngineTests.prompt(400, seed: 1), from: 1) }
    task.cancel()
    await #expect(throws: EngineError.cancelled) { try await task.value }
    let prewarm = Task { try await engine.prefill(StepEngineTests.prompt(400, seed: 1)) }
    prewarm.cancel()
    await #expect(throws: EngineError.cancelled) { try await prewarm.value }
    #expect(await engine.accountingProblem() == nil)
  }

  @Test func `cancelling at random moments leaves every block accounted for`() async throws {
    let windows: [Int?] = [nil, 40]
    let engine = EngineGenerationTests.randomEngine(
      windows: windows, blocks: 60,
      configuration: EngineConfiguration(maximumSequences: 4, prefillChunk: 32))
    let random = CounterRandom(seed: 5)
    for round in 0..<50 {
      // Four at a time: dropped streams, cancelled tasks, flags, and one that goes on.
      await withTaskGroup(of: Void.self) { group in
        for lane in 0..<4 {
          let bits = random.bits(at: UInt64(round), lane: UInt64(lane))
          let stopAfter = Int(bits % 23)
          let prompt = 1 + Int(bits >> 8 % 97)
          group.addTask { await Self.runAndStop(engine, lane, prompt % 200 + 1, stopAfter) }
        }
      }
      #expect(await engine.accountingProblem() == nil)
    }
    await Self.settle(engine)
    let request = Self.request(100, seed: 1)
    let after = try await engine.summary(of: request)
    let alone = try await EngineGenerationTests.randomEngine(windows: windows).summary(of: request)
    #expect(after.tokens == alone.tokens)
    await engine.clearPrefixCache()
    #expect(await engine.statistics().blocksInUse == [0, 0])
    #expect(await engine.accountingProblem() == nil)
  }

  private static func runAndStop(
    _ engine: Engine, _ lane: Int, _ promptLength: Int, _ stopAfter: Int
  ) async {
    let cancellation = GenerationCancellation()
    let request = request(promptLength, seed: UInt64(lane % 2), cancellation: cancellation)
    let task = Task {
      var events = 0
      for try await _ in engine.generate(request) {
        events += 1
        if events > stopAfter {
          if lane == 0 { return }
          if lane == 1 { cancellation.cancel() }
          if lane == 2 { withUnsafeCurrentTask { $0?.cancel() } }
        }
        if lane == 3, events > 40 { return }
      }
    }
    _ = try? await task.value
  }

  /// Waits until the engine has ended every request.
  private static func settle(_ engine: Engine) async {
    while true {
      let statistics = await engine.statistics()
      if statistics.activeRequests == 0, statistics.queuedRequests == 0 { return }
      await Task.yield()
    }
  }
}
