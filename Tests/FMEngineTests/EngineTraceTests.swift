import FMBackend
import FMCore
import FMEngine
import FMTestSupport
import FMTrace
import Testing

@Suite struct EngineTraceTests {
  private static func attribute(_ key: String, of span: TraceRecorder.Span) -> TraceValue? {
    span.attributes.last { $0.key == key }?.value
  }

  @Test func `a request has queue, prefill and decode spans with counts`() async throws {
    let recorder = TraceRecorder()
    let engine = EngineGenerationTests.randomEngine(
      configuration: EngineConfiguration(tracer: recorder))
    let parent = SpanID.next()
    let request = GenerationRequest(
      prompt: StepEngineTests.prompt(40, seed: 1), maximumTokens: 6,
      ignoresEndOfGeneration: true, parentSpan: parent)
    let summary = try await engine.summary(of: request)
    let spans = recorder.spans
    #expect(spans.map(\.kind) == [.generation, .queue, .prefill, .decode])
    #expect(spans.allSatisfy { $0.end != nil })
    #expect(spans[0].parent == parent)
    #expect(spans[1...].allSatisfy { $0.parent == spans[0].id })
    #expect(spans[0].begin == summary.stamps.submitted)
    #expect(spans[1].end == summary.stamps.prefillStart)
    #expect(Self.attribute("prompt_tokens", of: spans[0]) == .count(40))
    #expect(Self.attribute("output_tokens", of: spans[0]) == .count(6))
    #expect(Self.attribute("cache_miss_reason", of: spans[0]) == .name("cold"))
    #expect(Self.attribute("finish_reason", of: spans[0]) == .name("length"))
    #expect(Self.attribute("computed_tokens", of: spans[2]) == .count(40))
    recorder.removeAll()
    _ = try await engine.summary(of: request)
    #expect(Self.attribute("cached_tokens", of: recorder.spans[0]) == .count(39))
    #expect(Self.attribute("computed_tokens", of: recorder.spans[2]) == .count(1))
  }

  @Test func `prewarms and failures end their spans`() async throws {
    let recorder = TraceRecorder()
    let executor = StepEngineTests.executor()
    executor.beforeStep = { (number, _) throws(BackendError) in
      if number == 1 { throw .deviceLost("a test") }
    }
    let engine = Engine(
      executor: executor, vocabulary: ByteVocabulary(),
      configuration: EngineConfiguration(tracer: recorder))
    _ = try await engine.prefill(StepEngineTests.prompt(40, seed: 1))
    _ = try? await engine.summary(
      of: GenerationRequest(prompt: StepEngineTests.prompt(50, seed: 1)))
    #expect(
      recorder.spans.map(\.kind) == [.prewarm, .queue, .prefill, .generation, .queue, .prefill])
    #expect(recorder.spans.allSatisfy { $0.end != nil })
    #expect(Self.attribute("failed", of: recorder.spans[3]) == .count(1))
  }

  @Test func `a recorder keeps no more than its limit`() {
    let recorder = TraceRecorder(limit: 2)
    let spans = (0..<3).map { _ in SpanID.next() }
    let now = MonotonicInstant.now
    for span in spans {
      recorder.begin(span, kind: .request, parent: nil, at: now, attributes: [])
      recorder.event("e", in: span, at: now, attributes: [])
      recorder.end(span, at: now, attributes: [])
    }
    #expect(recorder.spans.map(\.id) == Array(spans[..<2]))
    #expect(recorder.events.count == 2)
    #expect(recorder.droppedCount == 2)
  }
}
