import FMBackend
import FMCore
import FMEngine
import FMTestSupport
import Testing

/// The step engine over random logits that depend on every cached token a row sees.
@Suite struct StepEngineTests {
  static func executor(
    windows: [Int?] = [nil], blocks: Int = 64, contextLength: Int = 512
  ) -> ScriptedExecutor {
    ScriptedExecutor(
      vocabularySize: 300, contextLength: contextLength, windows: windows,
      blockCounts: windows.map { _ in blocks },
      rule: ScriptedExecutor.random(seed: 1, vocabularySize: 300))
  }

  static func engine(
    _ executor: ScriptedExecutor, slack: Int = 32, cached: Bool = true
  ) -> StepEngine {
    StepEngine(
      executor: executor, windowSlackTokens: slack,
      makePrefixCache: cached ? { ChainPrefixCache(rules: $0, maximumChains: 8) } : nil)
  }

  /// Computes `tokens` in chunks and gives the best token after the last.
  static func extend(
    _ engine: StepEngine, _ id: SequenceID, _ tokens: [TokenID], chunk: Int = 256
  ) throws -> TokenID {
    var start = 0
    while start < tokens.count {
      let end = min(start + chunk, tokens.count)
      let rows = (start..<end).map { index in
        StepRow(
          sequence: id, token: tokens[index],
          output: index == tokens.count - 1 ? .candidates(count: 1) : nil)
      }
      try engine.step(rows)
      start = end
    }
    return engine.result.candidates[0].token
  }

  /// Extends by `tokens`, then by the best token `count` times; gives those.
  static func continuation(
    _ engine: StepEngine, _ id: SequenceID, _ tokens: [TokenID], count: Int, chunk: Int = 256
  ) throws -> [TokenID] {
    var next = try extend(engine, id, tokens, chunk: chunk)
    var all = [next]
    while all.count < count {
      next = try extend(engine, id, [next])
      all.append(next)
    }
    return all
  }

  /// The continuation by a fresh engine that does nothing else.
  static func solo(_ prompt: [TokenID], count: Int, windows: [Int?] = [nil]) throws -> [TokenID] {
    let engine = engine(executor(windows: windows), cached: false)
    return try continuation(engine, engine.makeSequence(), prompt, count: count)
  }

  static func prompt(_ count: Int, seed: UInt64) -> [TokenID] {
    let random = CounterRandom(seed: seed)
    return (0..<count).map { TokenID(random.bits(at: UInt64($0)) % 250) }
  }

  @Test(arguments: [[nil], [nil, 40], [8], [33, nil, 64]] as [[Int?]])
  func `two sequences interleaved give each its solo tokens`(windows: [Int?]) throws {
    let engine = Self.engine(Self.executor(windows: windows))
    let prompts = [Self.prompt(50, seed: 1), Self.prompt(71, seed: 2)]
    let ids = prompts.map { _ in engine.makeSequence() }
    var tokens = try zip(ids, prompts).map { try Self.extend(engine, $0, $1) }
    var answers = tokens.map { [$0] }
    for _ in 1..<60 {
      try engine.step(
        zip(ids, tokens).map {
          StepRow(sequence: $0, token: $1, output: .candidates(count: 1))
        })
      tokens = engine.result.candidates.map(\.token)
      for index in answers.indices { answers[index].append(tokens[index]) }
      #expect(engine.accountingProblem == nil)
    }
    for (prompt, answer) in zip(prompts, answers) {
      #expect(try answer == Self.solo(prompt, count: 60, windows: windows))
    }
  }

  @Test(arguments: [1, 7, 31, 32, 33, 100])
  func `chunks of a prompt do not change what follows`(chunk: Int) throws {
    let prompt = Self.prompt(100, seed: 3)
    let engine = Self.engine(Self.executor(windows: [nil, 20]))
    let answer = try Self.continuation(
      engine, engine.makeSequence(), prompt, count: 20, chunk: chunk)
    #expect(try answer == Self.solo(prompt, count: 20, windows: [nil, 20]))
  }

  @Test(arguments: [0, 1, 31, 32, 33, 63, 64, 99])
  func `truncation is as if the rest had never been`(length: Int) throws {
    let engine = Self.engine(Self.executor())
    let id = engine.makeSequence()
    let prompt = Self.prompt(100, seed: 4)
    _ = try Self.extend(engine, id, prompt)
    try engine.truncate(id, to: length)
    #expect(try engine.length(of: id) == length)
    #expect(engine.accountingProblem == nil)
    let other = Self.prompt(40, seed: 5)
    let answer = try Self.continuation(engine, id, other, count: 10)
    #expect(try answer == Self.solo(Array(prompt[..<length]) + other, count: 10))
  }

  @Test func `truncation past what a window holds is refused and changes nothing`() throws {
    let engine = Self.engine(Self.executor(windows: [nil, 40]), slack: 32)
    let id = engine.makeSequence()
    let prompt = Self.prompt(200, seed: 6)
    let next = try Self.extend(engine, id, prompt)
    // 200 tokens keep the blocks from position 200 - 40 + 1 - 32 = 129 on, so from 128 on.
    #expect(throws: EngineError.windowGone(group: 1, position: 160)) {
      try engine.truncate(id, to: 160)
    }
    #expect(try engine.length(of: id) == 200)
    try engine.truncate(id, to: 167)
    #expect(try Self.extend(engine, id, Array(prompt[167...])) == next)
    #expect(engine.accountingProblem == nil)
  }

  @Test func `a windowed group holds no more than its window and slack`() throws {
    let engine = Self.engine(Self.executor(windows: [nil, 40]), slack: 32, cached: false)
    let id = engine.makeSequence()
    _ = try Self.extend(engine, id, Self.prompt(400, seed: 8), chunk: 64)
    #expect(engine.pools.groups[0].usedCount == 13)
    #expect(engine.pools.groups[1].usedCount <= 4)
  }

  @Test func `a step that cannot have its blocks computes nothing`() throws {
    let engine = Self.engine(Self.executor(blocks: 3, contextLength: 512), cached: false)
    #expect(engine.contextLength == 96)
    let first = engine.makeSequence()
    let second = engine.makeSequence()
    _ = try Self.extend(engine, first, Self.prompt(64, seed: 1))
    let rows = Self.prompt(33, seed: 2).map { StepRow(sequence: second, token: $0) }
    #expect(throws: EngineError.outOfBlocks(group: 0, needed: 2, free: 1)) {
      try engine.step(rows)
    }
    #expect(try engine.length(of: second) == 0)
    #expect(engine.accountingProblem == nil)
    try engine.free(first)
    try engine.step(rows)
    #expect(try engine.length(of: second) == 33)
  }

  @Test func `a step past the context is refused with both counts`() throws {
    let engine = Self.engine(Self.executor(contextLength: 64))
    let id = engine.makeSequence()
    _ = try Self.extend(engine, id, Self.prompt(64, seed: 1))
    #expect(throws: EngineError.contextExceeded(promptTokens: 65, contextLength: 64)) {
      try engine.step([StepRow(sequence: id, token: 1)])
    }
  }

  @Test func `a failing device leaves sequences and blocks as they were`() throws {
    let executor = Self.executor()
    let engine = Self.engine(executor)
    let id = engine.makeSequence()
    let prompt = Self.prompt(30, seed: 1)
    _ = try Self.extend(engine, id, prompt)
    executor.beforeStep = { (number, _) throws(BackendError) in
      if number == 1 { throw .deviceLost("a test") }
    }
    #expect(throws: EngineError.backend(.deviceLost("a test"))) {
      try engine.step(Self.prompt(40, seed: 2).map { StepRow(sequence: id, token: $0) })
    }
    #expect(engine.accountingProblem == nil)
    #expect(try engine.length(of: id) == 30)
    executor.beforeStep = nil
    let answer = try Self.continuation(engine, id, Self.prompt(40, seed: 2), count: 5)
    #expect(try answer == Self.solo(prompt + Self.prompt(40, seed: 2), count: 5))
  }

  @Test func `freed ids and scattered rows are refused`() throws {
    let engine = Self.engine(Self.executor())
    let first = engine.makeSequence()
    let second = engine.makeSequence()
    try engine.free(first)
    let third = engine.makeSequence()
    #expect(throws: EngineError.unknownSequence) { try engine.length(of: first) }
    #expect(throws: EngineError.unknownSequence) { try engine.free(first) }
    #expect(throws: EngineError.self) {
      try engine.step(
        [second, third, second].map { StepRow(sequence: $0, token: 1) })
    }
    #expect(throws: EngineError.self) { try engine.step([]) }
    #expect(engine.accountingProblem == nil)
  }

  @Test func `sequences that share a partly filled block each get their own copy`() throws {
    let executor = Self.executor(windows: [nil, 24])
    let engine = Self.engine(executor)
    let prompt = Self.prompt(45, seed: 9)
    let origin = engine.makeSequence()
    _ = try Self.extend(engine, origin, prompt)
    try engine.remember(origin)
    try engine.free(origin)
    let suffixes = [[1, 2], [3, 4], [1, 5]] as [[TokenID]]
    let ids = suffixes.map { suffix in
      let (id, reuse) = engine.makeSequence(reusing: prompt + suffix, limit: 46, capacity: 0)
      #expect(reuse.tokens == 45)
      return id
    }
    var answers: [[TokenID]] = []
    for (id, suffix) in zip(ids, suffixes) {
      answers.append(try Self.continuation(engine, id, suffix, count: 40))
      #expect(engine.accountingProblem == nil)
    }
    #expect(executor.copyCount == 6)
    for (suffix, answer) in zip(suffixes, answers) {
      #expect(try answer == Self.solo(prompt + suffix, count: 40, windows: [nil, 24]))
    }
  }
}
