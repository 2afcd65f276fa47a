import FMBackend
import FMCore
import FMEngine
import FMTestSupport
import Testing

@Suite struct PrefixReuseTests {
  private static func request(_ prompt: [TokenID], maximum: Int = 12, cache: Bool = true)
    -> GenerationRequest
  {
    GenerationRequest(
      prompt: prompt, maximumTokens: maximum, ignoresEndOfGeneration: true,
      usesPrefixCache: cache)
  }

  private static func prompt(_ count: Int, seed: UInt64 = 1) -> [TokenID] {
    StepEngineTests.prompt(count, seed: seed)
  }

  @Test(arguments: [1, 2, 31, 32, 33, 64, 100])
  func `the same prompt again gives the same answer and computes one token`(
    count: Int
  ) async throws {
    let engine = EngineGenerationTests.randomEngine()
    let prompt = Self.prompt(count)
    let cold = try await engine.summary(of: Self.request(prompt))
    #expect(cold.cachedTokens == 0)
    #expect(cold.cacheMissReason == (count == 1 ? .none : .cold))
    for _ in 0..<2 {
      let warm = try await engine.summary(of: Self.request(prompt))
      #expect(warm.tokens == cold.tokens)
      #expect(warm.cachedTokens == count - 1)
      #expect(warm.cacheMissReason == .none)
      #expect(await engine.accountingProblem() == nil)
    }
  }

  @Test func `prompts around a cached one reuse all they share`() async throws {
    let base = Self.prompt(70)
    let variants: [(prompt: [TokenID], cached: Int)] = [
      (Array(base[..<69]), 68), (Array(base[..<64]), 63), (Array(base[..<1]), 0),
      (base + [9, 9], 70), (Array(base[..<50]) + [251, 251], 50), ([251] + base, 0),
    ]
    for variant in variants {
      let engine = EngineGenerationTests.randomEngine()
      _ = try await engine.summary(of: Self.request(base))
      let warm = try await engine.summary(of: Self.request(variant.prompt))
      let cold = try await EngineGenerationTests.randomEngine().summary(
        of: Self.request(variant.prompt))
      #expect(warm.tokens == cold.tokens)
      #expect(warm.cachedTokens == variant.cached)
      #expect(await engine.accountingProblem() == nil)
    }
  }

  @Test func `a conversation reuses every turn before`() async throws {
    let engine = EngineGenerationTests.randomEngine()
    var history = Self.prompt(40)
    var expected = 0
    for turn in 0..<6 {
      let summary = try await engine.summary(of: Self.request(history))
      #expect(summary.cachedTokens == expected)
      // The answer's last token was chosen, not computed.
      expected = history.count + summary.tokens.count - 1
      history += summary.tokens + Self.prompt(7, seed: UInt64(turn + 10))
      #expect(try await engine.summary(of: Self.request(history, cache: false)).cachedTokens == 0)
    }
  }

  @Test func `reasons name the place where a prompt differs and what happened`() async throws {
    let engine = EngineGenerationTests.randomEngine(
      configuration: EngineConfiguration(prefixCacheChains: 1))
    let first = Self.prompt(64)
    let second = Self.prompt(64, seed: 2)
    _ = try await engine.summary(of: Self.request(first))
    let differs = try await engine.summary(of: Self.request(Array(first[..<20]) + second))
    #expect(differs.cacheMissReason == .prefixDiffers(at: 20))
    _ = try await engine.summary(of: Self.request(second))
    let evicted = try await engine.summary(of: Self.request(first))
    #expect(evicted.cacheMissReason == .evicted)
    let disabled = try await engine.summary(of: Self.request(first, cache: false))
    #expect(disabled.cacheMissReason == .disabled)
    await engine.clearPrefixCache()
    let cold = try await engine.summary(of: Self.request(first))
    #expect(cold.cacheMissReason == .cold)
    #expect(await engine.statistics().evictions > 0)
  }

  @Test func `an engine without a cache says so`() async throws {
    let engine = EngineGenerationTests.randomEngine(
      configuration: EngineConfiguration(prefixCacheEnabled: false))
    let prompt = Self.prompt(40)
    for _ in 0..<2 {
      let summary = try await engine.summary(of: Self.request(prompt))
      #expect(summary.cacheMissReason == .disabled)
      #expect(summary.cachedTokens == 0)
    }
    #expect(await engine.statistics().blocksInUse == [0])
  }

  @Test(arguments: [[40], [nil, 40], [16, nil]] as [[Int?]])
  func `windowed groups reuse only what their windows still hold`(
    windows: [Int?]
  ) async throws {
    let system = Self.prompt(50)
    let engine = EngineGenerationTests.randomEngine(windows: windows)
    let long = system + Self.prompt(110, seed: 2)
    let answer = try await engine.summary(of: Self.request(long, maximum: 150))
    // Going on from the end works: the window there is whole.
    let next = long + answer.tokens + Self.prompt(5, seed: 3)
    let warm = try await engine.summary(of: Self.request(next))
    #expect(warm.cachedTokens == long.count + answer.tokens.count - 1)
    let cold = try await EngineGenerationTests.randomEngine(windows: windows).summary(
      of: Self.request(next))
    #expect(warm.tokens == cold.tokens)
    // Going back to the shared beginning does not.
    let other = system + Self.prompt(60, seed: 4)
    let back = try await engine.summary(of: Self.request(other))
    #expect(back.cachedTokens == 0)
    #expect(back.cacheMissReason == .windowGone(at: 50))
    let fresh = try await EngineGenerationTests.randomEngine(windows: windows).summary(
      of: Self.request(other))
    #expect(back.tokens == fresh.tokens)
    #expect(await engine.accountingProblem() == nil)
  }

  @Test func `a prewarmed prefix is reused, under windows too`() async throws {
    for windows in [[nil], [nil, 24]] as [[Int?]] {
      let engine = EngineGenerationTests.randomEngine(windows: windows)
      let system = Self.prompt(77)
      let prewarm = try await engine.prefill(system)
      #expect(prewarm.tokens == 77)
      #expect(prewarm.cachedTokens == 0)
      let prompt = system + Self.prompt(20, seed: 2)
      let warm = try await engine.summary(of: Self.request(prompt))
      #expect(warm.cachedTokens == 77)
      let cold = try await EngineGenerationTests.randomEngine(windows: windows).summary(
        of: Self.request(prompt))
      #expect(warm.tokens == cold.tokens)
      #expect(try await engine.prefill(system).cachedTokens == 77)
    }
  }

  @Test func `random prompts with shared beginnings always equal cold runs`() async throws {
    let windows: [Int?] = [nil, 30]
    let engine = EngineGenerationTests.randomEngine(
      windows: windows, blocks: 40, configuration: EngineConfiguration(prefixCacheChains: 5))
    let random = CounterRandom(seed: 99)
    var texts: [[TokenID]] = [Self.prompt(90)]
    for round in 0..<60 {
      let base = texts[Int(random.bits(at: UInt64(round), lane: 1) % UInt64(texts.count))]
      let cut = 1 + Int(random.bits(at: UInt64(round), lane: 2) % UInt64(base.count))
      let more = Int(random.bits(at: UInt64(round), lane: 3) % 50)
      let prompt = Array(
        (Array(base[..<cut]) + Self.prompt(more, seed: UInt64(round))).prefix(300))
      let warm = try await engine.summary(of: Self.request(prompt))
      let cold = try await engine.summary(of: Self.request(prompt, cache: false))
      #expect(warm.tokens == cold.tokens)
      #expect(warm.cachedTokens < prompt.count)
      #expect(await engine.accountingProblem() == nil)
      texts.append(prompt + warm.tokens)
    }
    #expect(await engine.statistics().cachedTokens > 0)
  }
}
