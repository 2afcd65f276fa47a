import FMBench
import FMCore
import FMEngine
import FMTestSupport
import Synchronization
import Testing

/// A vocabulary for tests without text: every token is silent.
private struct SilentVocabulary: EngineVocabulary {
  var vocabularySize = 512
  var endOfGeneration: Set<TokenID> = [2, 3]

  func makeTextStream() -> any TokenTextStream { SilentTextStream() }
}

private struct SilentTextStream: TokenTextStream {
  mutating func append(_ token: TokenID) -> String { "" }
  mutating func finish() -> String { "" }
}

/// When an executor's steps began.
private final class StepClock: Sendable {
  private let times = Mutex<[MonotonicInstant]>([])

  var starts: [MonotonicInstant] { times.withLock { $0 } }

  func note() { times.withLock { $0.append(.now) } }
}

@Suite struct EngineTargetTests {
  private func target(seed: UInt64 = 4) -> EngineTarget {
    let vocabulary = SilentVocabulary()
    let executor = ScriptedExecutor(
      vocabularySize: vocabulary.vocabularySize, contextLength: 4096, blockCounts: [256],
      rule: ScriptedExecutor.random(seed: seed, vocabularySize: vocabulary.vocabularySize))
    return EngineTarget(engine: Engine(executor: executor, vocabulary: vocabulary))
  }

  @Test func `loads the model anew for every trial, and tells how long that took`() async throws {
    let folder = try TemporaryFolder()
    let store = try BenchStore(writing: folder.path("r.sqlite"))
    let suite = try Suite(folder: Suite.folder(program: nil))
    var options = RunOptions()
    options.scenarios = ["one-tool"]
    options.states = [.cold]
    options.effort = .trials(2)
    options.gapScale = 0
    let loads = StepClock()
    let load = TargetSource.loaded {
      loads.note()
      return .requests(target())
    }
    var style = PlayStyle()
    style.start = .model
    let arm = BenchArm(
      source: load, form: .tokens(contextLength: 4096),
      subject: RunSubject(model: StoreFixture.model, device: StoreFixture.device),
      encoding: WordEncoding(words: suite.texts.pad + suite.texts.filler), style: style)
    let runner = BenchRunner(store: store, arms: [arm], suite: suite, options: options)
    let result = try await runner.run(interruption: Interruption()) { _ in }
    #expect(result.status == .finished)
    #expect(loads.starts.count == 3)
    #expect(try store.lines("SELECT DISTINCT invalid_reason, load_ns > 0 FROM trial") == ["|1"])
    #expect(try store.lines("SELECT start FROM v_cell") == ["model"])
    let report = try store.report(run: 1)
    #expect(report.style == "engine level, model loaded anew")
    #expect(try #require(report.cells.first?.metrics[.load]).n == 2)
  }

  @Test func `a model that can't be loaded any more makes its trials invalid`() async throws {
    let folder = try TemporaryFolder()
    let store = try BenchStore(writing: folder.path("r.sqlite"))
    let suite = try Suite(folder: Suite.folder(program: nil))
    var options = RunOptions()
    options.scenarios = ["one-tool"]
    let arm = BenchArm(
      source: .loaded { throw FakeTarget.Failure() }, form: .tokens(contextLength: 4096),
      subject: RunSubject(model: StoreFixture.model, device: StoreFixture.device),
      encoding: WordEncoding(words: suite.texts.pad + suite.texts.filler), style: PlayStyle())
    let runner = BenchRunner(store: store, arms: [arm], suite: suite, options: options)
    #expect(try await runner.run(interruption: Interruption()) { _ in }.status == .failed)
    #expect(
      try store.lines("SELECT invalid_reason FROM trial")
        == Array(repeating: "failed: the device is gone", count: 3))
  }

  @Test func `plays scenarios on an engine with its counts and stamps`() async throws {
    let folder = try TemporaryFolder()
    let store = try BenchStore(writing: folder.path("r.sqlite"))
    let suite = try Suite(folder: Suite.folder(program: nil))
    var options = RunOptions()
    options.scenarios = ["one-tool", "planner-handoff"]
    options.effort = .trials(1)
    options.gapScale = 0
    // 400 ids are enough for the words of this tokenizer.
    let runner = BenchRunner(
      store: store, target: target(),
      subject: RunSubject(model: StoreFixture.model, device: StoreFixture.device),
      suite: suite, encoding: WordEncoding(words: suite.texts.pad + suite.texts.filler),
      options: options)
    let result = try await runner.run(interruption: Interruption()) { _ in }
    #expect(result.status == .finished)
    #expect(try store.lines("SELECT DISTINCT invalid_reason FROM trial") == [""])
    #expect(
      try store.lines(
        """
        SELECT state, session_name, n_prompt, n_cached, ideal_cached, n_output, finish
          FROM v_request WHERE scenario = 'planner-handoff' AND role = 'measured'
            AND phase = 'measured' ORDER BY state, request_id
        """) == [
          "cold|gather|270|0|0|30|length", "cold|gather|510|299|299|30|length",
          "cold|gather|680|539|539|180|length", "cold|plan|280|1|1|160|length",
          "prewarmed|gather|270|230|230|30|length", "prewarmed|gather|510|299|299|30|length",
          "prewarmed|gather|680|539|539|180|length", "prewarmed|plan|280|60|60|160|length",
          "warm|gather|330|289|289|30|length", "warm|gather|570|359|359|30|length",
          "warm|gather|740|599|599|180|length", "warm|plan|340|119|119|160|length",
        ])
    #expect(
      try store.lines(
        """
        SELECT COUNT(*) FROM request WHERE scheduled_ns > submitted_ns
          OR submitted_ns > prefill_start_ns OR prefill_start_ns > first_token_ns
          OR first_token_ns > last_token_ns OR last_token_ns > completed_ns
        """) == ["0"])
    #expect(
      try store.lines(
        "SELECT COUNT(*) FROM v_trial WHERE model_time_ms + tool_time_ms > task_wall_ms") == ["0"])
    // What the parts leave out is the benchmark's own work between requests.
    #expect(
      try store.lines(
        """
        SELECT COUNT(*) FROM request WHERE sampling_ns > completed_ns - submitted_ns
          OR sampling_ns IS NULL AND role <> 'prewarm'
        """) == ["0"])
  }

  @Test func `a model that wants to end is held to the asked length`() async throws {
    let vocabulary = SilentVocabulary()
    // Every position prefers token 2, which ends a turn.
    let executor = ScriptedExecutor(
      vocabularySize: vocabulary.vocabularySize, contextLength: 128, blockCounts: [8],
      rule: { _, _ in
        var logits = [Float](repeating: 0, count: 512)
        logits[2] = 10
        logits[7] = 5
        return logits
      })
    let target = EngineTarget(engine: Engine(executor: executor, vocabulary: vocabulary))
    let outcome = try await target.perform(
      ScriptedRequest(prompt: [5, 6], output: .natural(9)), interruption: Interruption())
    #expect(outcome.tokens == Array(repeating: 7, count: 9))
    #expect(outcome.finish == .length)
    let forced = try await target.perform(
      ScriptedRequest(prompt: [5, 6], output: .forced([9, 8, 7])), interruption: Interruption())
    #expect(forced.tokens == [9, 8, 7])
    #expect(forced.tokenStamps.count == 3)
  }

  @Test func `stamps agree with a clock outside the engine`() async throws {
    let vocabulary = SilentVocabulary()
    let executor = ScriptedExecutor(
      vocabularySize: vocabulary.vocabularySize, contextLength: 128, blockCounts: [8],
      rule: ScriptedExecutor.random(seed: 1, vocabularySize: vocabulary.vocabularySize))
    let steps = StepClock()
    executor.beforeStep = { _, _ in steps.note() }
    let target = EngineTarget(engine: Engine(executor: executor, vocabulary: vocabulary))
    let before = MonotonicInstant.now
    let outcome = try await target.perform(
      ScriptedRequest(prompt: Array(5..<45), output: .natural(6)), interruption: Interruption())
    let after = MonotonicInstant.now
    let starts = steps.starts
    // One step computes the prompt and gives the first token, each further one a token.
    try #require(starts.count == 6 && outcome.tokenStamps.count == 6)
    #expect(before <= outcome.submitted)
    #expect(outcome.submitted <= starts[0])
    #expect(outcome.completed <= after)
    for (index, stamp) in outcome.tokenStamps.enumerated() {
      #expect(starts[index] <= stamp)
      if index + 1 < starts.count { #expect(stamp <= starts[index + 1]) }
    }
  }

  @Test func `an interruption before the request cancels it`() async throws {
    let interruption = Interruption()
    interruption.request()
    let outcome = try await target().perform(
      ScriptedRequest(prompt: [5, 6], output: .natural(2000)), interruption: interruption)
    #expect(outcome.finish == .cancelled)
    #expect(outcome.tokens.count < 2000)
  }
}
