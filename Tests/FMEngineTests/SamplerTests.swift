import FMBackend
import FMCore
import FMEngine
import FMTestSupport
import Glibc
import Testing

@Suite struct SamplerTests {
  /// Draws at positions 0 ..< count and counts the tokens.
  private static func counts(
    _ logits: [Float], _ options: SamplingOptions, draws: Int = 2000, recent: [TokenID] = [],
    mask: [UInt64]? = nil
  ) throws -> [Int] {
    var sampler = Sampler(options: options)
    var counts = [Int](repeating: 0, count: logits.count)
    for position in 0..<draws {
      let token = try sampler.choose(
        logits: logits[...], recent: recent[...], bias: [], mask: mask, position: position)
      counts[Int(token)] += 1
    }
    return counts
  }

  private static func choose(
    _ logits: [Float], _ options: SamplingOptions, recent: [TokenID] = [], bias: [TokenBias] = [],
    mask: [UInt64]? = nil, position: Int = 0
  ) throws -> TokenID {
    var sampler = Sampler(options: options)
    return try sampler.choose(
      logits: logits[...], recent: recent[...], bias: bias, mask: mask, position: position)
  }

  @Test func `top-p looks at probabilities before temperature`() throws {
    let counts = try Self.counts(
      [3, 2, 1], SamplingOptions(temperature: 0.5, topP: 0.8, seed: 1))
    #expect(counts[1] > 0)
    #expect(counts[2] == 0)
    // Two tokens at temperature 0.5: exp(2 * 3) : exp(2 * 2).
    #expect(abs(Double(counts[0]) / 2000 - 0.881) < 0.03)
  }

  @Test func `draws follow the softmax`() throws {
    let counts = try Self.counts([0, 1, 2], SamplingOptions(seed: 5), draws: 20_000)
    for (count, share) in zip(counts, [0.0900, 0.2447, 0.6652]) {
      #expect(abs(Double(count) / 20_000 - share) < 0.012)
    }
  }

  @Test func `temperature sharpens and flattens`() throws {
    let sharp = try Self.counts([0, 1], SamplingOptions(temperature: 0.25, seed: 5))
    let flat = try Self.counts([0, 1], SamplingOptions(temperature: 4, seed: 5))
    #expect(abs(Double(sharp[1]) / 2000 - 0.982) < 0.02)
    #expect(abs(Double(flat[1]) / 2000 - 0.562) < 0.04)
  }

  @Test func `top-k keeps k tokens, at equal logits the lowest ids`() throws {
    let logits: [Float] = [1, 5, 5, 5, 2]
    let counts = try Self.counts(logits, SamplingOptions(topK: 2, seed: 3))
    #expect(counts[1] > 900)
    #expect(counts[2] > 900)
    #expect(counts[1] + counts[2] == 2000)
  }

  @Test func `min-p keeps tokens near the best one's probability`() throws {
    // exp(-1) = 0.37, exp(-3) = 0.05.
    let counts = try Self.counts([3, 2, 0], SamplingOptions(minP: 0.2, seed: 3))
    #expect(counts[1] > 0)
    #expect(counts[2] == 0)
  }

  @Test(arguments: [
    SamplingOptions(temperature: 0.7, topK: 20, seed: 11),
    SamplingOptions(temperature: 1.3, topK: 50, topP: 0.7, seed: 12),
    SamplingOptions(temperature: 1, topK: 8, topP: 0.95, minP: 0.1, seed: 13),
    SamplingOptions(temperature: 0),
  ])
  func `candidates from the device give the same token as all logits`(
    options: SamplingOptions
  ) throws {
    let random = CounterRandom(seed: 4)
    for round in 0..<200 {
      let logits = (0..<500).map {
        // Coarse steps, so that there are ties.
        Float(random.bits(at: UInt64($0), lane: UInt64(round)) % 40) / 4
      }
      let bias = [TokenBias(token: 17, bias: 2), TokenBias(token: 18, bias: -.infinity)]
      let whole = try Self.choose(logits, options, bias: bias, position: round)
      var sampler = Sampler(options: options)
      guard case .candidates(let count) = sampler.outputKind else {
        Issue.record("candidates suffice for \(options)")
        return
      }
      let (best, sum) = StepAnswers.candidates(
        logits: logits, count: count, mask: nil, bias: bias)
      let chosen = try sampler.choose(candidates: best[...], logSumExp: sum, position: round)
      #expect(chosen == whole)
    }
  }

  @Test func `top-p over all logits keeps exactly the nucleus`() throws {
    let random = CounterRandom(seed: 8)
    let logits = (0..<1000).map { Float(random.uniform(at: UInt64($0)) * 6) }
    for topP in [0.01, 0.3, 0.9, 0.999] as [Float] {
      let sorted = logits.indices.sorted { logits[$0] > logits[$1] }
      let total = logits.reduce(0.0) { $0 + exp(Double($1)) }
      var nucleus: Set<Int> = []
      var sum = 0.0
      for token in sorted where sum < Double(topP) * total {
        nucleus.insert(token)
        sum += exp(Double(logits[token]))
      }
      let counts = try Self.counts(
        logits, SamplingOptions(temperature: 50, topP: topP, seed: 2), draws: 1500)
      let drawn = Set(counts.indices.filter { counts[$0] > 0 })
      #expect(drawn.isSubset(of: nucleus))
      #expect(drawn.count > nucleus.count / 3)
    }
  }

  @Test func `the draw is a function of seed and position`() throws {
    let logits = [Float](repeating: 0, count: 1000)
    let draws = { (seed: UInt64) in
      try (0..<50).map { try Self.choose(logits, SamplingOptions(seed: seed), position: $0) }
    }
    #expect(try draws(42) == draws(42))
    #expect(try draws(42) != draws(43))
  }

  @Test func `greedy takes the lowest of equal tokens`() throws {
    #expect(try Self.choose([1, 3, 3, 3], .greedy) == 1)
    #expect(try Self.choose([.init(-2), -2], .greedy) == 0)
  }

  @Test func `penalties and masks hold at temperature zero as near zero`() throws {
    let logits: [Float] = [4, 3.9, -1, 3.8]
    let mask: [UInt64] = [0b1101]
    for temperature in [0, 1e-6] as [Float] {
      let options = SamplingOptions(temperature: temperature, repetitionPenalty: 1.5)
      #expect(try Self.choose(logits, options, recent: [0]) == 1)
      #expect(try Self.choose(logits, options, recent: [0], mask: mask) == 3)
      #expect(try Self.choose(logits, options, recent: [0, 3], mask: mask) == 0)
    }
  }

  @Test func `repetition divides positive and multiplies negative logits`() throws {
    var options = SamplingOptions(temperature: 0, repetitionPenalty: 2)
    #expect(try Self.choose([3, 2], options, recent: [0]) == 1)
    #expect(try Self.choose([-1, -1.5], options, recent: [0]) == 1)
    options.repetitionPenalty = 0.5
    #expect(try Self.choose([3, 2], options, recent: [1]) == 1)
  }

  @Test func `presence counts once and frequency every time, within the window`() throws {
    var options = SamplingOptions(temperature: 0, presencePenalty: 1)
    #expect(try Self.choose([3, 1.5], options, recent: [0, 0, 0]) == 0)
    options = SamplingOptions(temperature: 0, frequencyPenalty: 1)
    #expect(try Self.choose([3, 1.5], options, recent: [0]) == 0)
    #expect(try Self.choose([3, 1.5], options, recent: [0, 0]) == 1)
    options.penaltyWindow = 1
    #expect(try Self.choose([3, 1.5], options, recent: [0, 0]) == 0)
    options.penaltyWindow = 0
    #expect(!options.hasPenalties)
  }

  @Test(
    arguments: [
      [-Float.infinity, -.infinity], [1, .infinity], [.nan, .nan], [1, .nan], [.nan, 1],
    ] as [[Float]],
    [
      .greedy, SamplingOptions(seed: 1), SamplingOptions(topK: 1, seed: 1),
      SamplingOptions(topP: 0.5, seed: 1), SamplingOptions(minP: 0.5, seed: 1),
      SamplingOptions(temperature: 0, repetitionPenalty: 2),
    ] as [SamplingOptions])
  func `logits that are no logits give a typed error`(
    logits: [Float], options: SamplingOptions
  ) {
    #expect(throws: EngineError.noValidToken) { try Self.choose(logits, options) }
    let (best, sum) = StepAnswers.candidates(logits: logits, count: 2, mask: nil, bias: [])
    #expect(throws: EngineError.noValidToken) {
      var sampler = Sampler(options: options)
      _ = try sampler.choose(candidates: best[...], logSumExp: sum, position: 0)
    }
  }

  @Test func `a mask that leaves nothing gives a typed error`() {
    #expect(throws: EngineError.noValidToken) {
      try Self.choose([1, 2, 3], .greedy, mask: [0])
    }
    #expect(throws: EngineError.noValidToken) {
      try Self.choose([1, 2, 3], SamplingOptions(), mask: [])
    }
    let (best, sum) = StepAnswers.candidates(logits: [1, 2], count: 2, mask: [0], bias: [])
    #expect(throws: EngineError.noValidToken) {
      var sampler = Sampler(options: .greedy)
      _ = try sampler.choose(candidates: best[...], logSumExp: sum, position: 0)
    }
  }

  @Test func `banned tokens are never drawn`() throws {
    var sampler = Sampler(options: SamplingOptions(temperature: 10, seed: 1))
    let bias = [TokenBias(token: 1, bias: -.infinity)]
    for position in 0..<500 {
      let token = try sampler.choose(
        logits: [0, 9, 0], recent: [], bias: bias, mask: nil, position: position)
      #expect(token != 1)
    }
  }

  @Test func `options out of range are named`() {
    let wrong = [
      SamplingOptions(temperature: -1), SamplingOptions(temperature: .nan),
      SamplingOptions(topK: 0), SamplingOptions(topP: 0), SamplingOptions(topP: 1.1),
      SamplingOptions(minP: -0.1), SamplingOptions(repetitionPenalty: 0),
      SamplingOptions(presencePenalty: .infinity), SamplingOptions(penaltyWindow: -1),
    ]
    for options in wrong { #expect(options.problem != nil) }
    #expect(SamplingOptions().problem == nil)
    #expect(SamplingOptions.greedy.problem == nil)
  }
}
