import FMCore
import FMTrace
import Testing

/// What a review says of tools: those expected, those offered, and what they are called with.
@Suite struct CallReviewTests {
  private func findings(
    _ question: ReviewQuestion, _ builder: TraceBuilder, expected: [ExpectedCall]? = nil
  ) -> [Finding] {
    TraceReview(builder.tree, expected: expected).answer(to: question)?.findings ?? []
  }

  private func expecting(_ calls: [ExpectedCall]) -> (TraceBuilder, request: SpanID) {
    var builder = TraceBuilder()
    let interval = builder.span(
      .interval, at: 0, length: 9,
      [
        TraceAttribute("name", .name("plan")),
        TraceAttribute(ExpectedCall.countKey, .count(calls.count)),
      ])
    builder.events { tracer in for call in calls { call.record(in: interval, by: tracer) } }
    let request = builder.span(
      .request, in: builder.session(), at: 0, length: 8,
      [TraceAttribute("interval", .count(Int(clamping: interval.value)))])
    return (builder, request)
  }

  private func call(_ calls: ClosedRange<Int> = 1...2, words: Int? = nil) -> ExpectedCall {
    ExpectedCall(
      tool: "search", calls: calls, about: "launch", mostWords: words,
      fingerprint: TraceBuilder.fingerprint)
  }

  @Test func `the expected tool with the expected arguments is no finding`() {
    var (builder, request) = expecting([call(words: 3)])
    builder.tool(
      "search", in: request, at: 1, words: "launch tasks",
      [TraceAttribute("arguments_words", .count(2))])
    #expect(builder.review.answer(to: .unexpectedTool)?.outcome == .clear)
  }

  @Test func `the wrong tool is found, and that the expected one was not called`() {
    var (builder, request) = expecting([call()])
    let wrong = builder.tool("web", in: request, at: 1, words: "launch")
    let found = findings(.unexpectedTool, builder)
    #expect(
      found.map(\.message) == [
        "tool web was called once; interval plan expects search",
        "tool search was never called; interval plan expects 1 to 2",
      ])
    #expect(found.first?.spans == [wrong])
  }

  @Test func `arguments about something else, too many words and too many calls are found`() {
    var (builder, request) = expecting([call(words: 3)])
    for (number, words) in ["launch", "launch tasks", "weather in Paris"].enumerated() {
      builder.tool(
        "search", in: request, at: Double(number), words: words,
        [TraceAttribute("arguments_words", .count(number * 2))])
    }
    let found = findings(.unexpectedTool, builder).map(\.message)
    #expect(
      found == [
        "tool search was called 3 times; interval plan expects 1 to 2",
        "tool search was called once about something else than interval plan expects",
        "tool search was called once with more than 3 words",
      ])
  }

  @Test func `an action that declares no tool expects none`() {
    var (builder, request) = expecting([])
    #expect(findings(.unexpectedTool, builder).isEmpty)
    builder.tool("search", in: request, at: 1, words: "x y z")
    #expect(findings(.unexpectedTool, builder).count == 1)
  }

  @Test func `calls inside an inner interval belong to the action that declares`() {
    var (builder, _) = expecting([call()])
    let outer = builder.trace.spans[0].id
    let inner = builder.span(
      .interval, in: outer, at: 1, length: 1, [TraceAttribute("name", .name("inner"))])
    let request = builder.span(
      .request, in: builder.session(), at: 1, length: 1,
      [TraceAttribute("interval", .count(Int(clamping: inner.value)))])
    builder.tool("search", in: request, at: 1, words: "launch")
    #expect(findings(.unexpectedTool, builder).isEmpty)
  }

  @Test func `a reviewer's expectation counts where the trace declares nothing`() {
    var builder = TraceBuilder()
    let request = builder.span(.request, in: builder.session(), at: 0, length: 1)
    builder.tool("web", in: request, at: 0, words: "x y z")
    #expect(
      builder.review.answer(to: .unexpectedTool)?.outcome
        == .unknown("nobody says which tools are expected"))
    let expected = [ExpectedCall(tool: "web")]
    #expect(findings(.unexpectedTool, builder, expected: expected).isEmpty)
    #expect(
      findings(.unexpectedTool, builder, expected: [ExpectedCall(tool: "map")]).map(\.message) == [
        "tool web was called once; the trace expects map",
        "tool map was never called; the trace expects at least 1",
      ])
  }

  @Test func `variants of the same words are repeats from the third call on`() {
    func searches(_ words: [String]) -> TraceBuilder {
      var builder = TraceBuilder()
      let request = builder.span(.request, in: builder.session(), at: 0, length: 9)
      for (number, text) in words.enumerated() {
        builder.tool("search", in: request, at: Double(number), words: text)
      }
      return builder
    }
    let launch = findings(
      .repeatedCalls, searches(["launch", "launch prep", "launch tasks"]))
    #expect(launch.map(\.spans.count) == [3])
    #expect(launch.first?.message.contains("variants of the same words") == true)
    // One refinement is how people search, and other places are other searches.
    #expect(findings(.repeatedCalls, searches(["launch", "launch prep"])).isEmpty)
    let places = searches(["weather in Rome", "weather in Paris", "weather in Berlin"])
    #expect(findings(.repeatedCalls, places).isEmpty)
  }

  @Test func `long texts are found where short ones are asked for`() {
    func calls(_ key: String, _ words: [Int]) -> TraceBuilder {
      var builder = TraceBuilder()
      let request = builder.span(.request, in: builder.session(), at: 0, length: 9)
      for (number, count) in words.enumerated() {
        builder.tool(
          "search", in: request, at: Double(number), words: "words \(number)",
          [TraceAttribute("arguments_words", .count(count)), TraceAttribute(key, .count(count))])
      }
      return builder
    }
    for key in ["phrase_words", "question_words"] {
      #expect(findings(.longArguments, calls(key, [2, 8])).isEmpty)
      let found = findings(.longArguments, calls(key, [2, 9, 17]))
      #expect(found.first?.numbers.map(\.value) == [.count(2), .count(17)])
    }
    // A letter's body may be long: nothing says that it is to be short.
    #expect(findings(.longArguments, calls("other", [400])).isEmpty)
  }

  @Test func `tools that nobody calls are found where their descriptions are large`() {
    func session(tools: Int, called: Bool) -> TraceBuilder {
      var builder = TraceBuilder()
      let session = builder.session()
      builder.events { tracer in
        for number in 0..<tools {
          OfferedTool(name: "tool\(number)", bytes: 400).record(in: session, by: tracer)
        }
      }
      let request = builder.request(in: session, at: 0, prompt: 900)
      if called { builder.tool("tool0", in: request, at: 0, words: "x y z") }
      return builder
    }
    let found = findings(.unusedTools, session(tools: 12, called: true))
    #expect(
      found.first?.numbers.map(\.value) == [.count(11), .count(12), .count(1100), .count(4096)])
    #expect(findings(.unusedTools, session(tools: 4, called: true)).isEmpty)
    // One request that needs no tool says nothing of those it could have called.
    #expect(findings(.unusedTools, session(tools: 12, called: false)).isEmpty)
    #expect(
      TraceBuilder.agent().review.answer(to: .unusedTools)?.outcome
        == .unknown("no session in the trace says which tools it offers"))
  }

  @Test func `fresh sessions that find their beginning cached are no habit unless prompts grow`() {
    func sessions(cached: Int, bytes: (Int) -> Int) -> TraceBuilder {
      var builder = TraceBuilder()
      for turn in 0..<4 {
        let session = builder.session(at: Double(turn), length: 0.5)
        let request = builder.span(
          .request, in: session, at: Double(turn), length: 0.3,
          [TraceAttribute("prompt_bytes", .count(bytes(turn)))])
        builder.call(
          in: request, at: Double(turn), prompt: 300, cached: turn == 0 ? 0 : cached, bytes: 1200)
      }
      return builder
    }
    #expect(findings(.newSessionPerTurn, sessions(cached: 200) { _ in 400 }).isEmpty)
    #expect(findings(.newSessionPerTurn, sessions(cached: 60) { _ in 400 }).count == 1)
    #expect(findings(.newSessionPerTurn, sessions(cached: 200) { 400 + 200 * $0 }).count == 1)
  }

  @Test func `times and rates are told one by one`() {
    let numbers = TraceBuilder.agent().review.numbers
    #expect(numbers.rows.map(\.kind) == TraceNumbers.Kind.allCases)
    #expect(numbers.rows.map(\.count) == [2, 2, 3, 3, 2, 1])
    func most(_ kind: TraceNumbers.Kind) -> Double {
      ((numbers.rows.first { $0.kind == kind }?.most ?? .nan) * 1e6).rounded() / 1e6
    }
    #expect(most(.firstToken) == 0.05)
    // The call that answers begins 1.45 s after its request, behind two tools.
    #expect(most(.answer) == 1.5)
    #expect(most(.tool) == 0.8 && most(.handOff) == 0.2)
    #expect(numbers.contexts.map(\.firstTokens) == [300, 200])
    #expect(numbers.contexts.map(\.lastTokens) == [440, 220])
    let text = TextTrace(TraceBuilder.agent().tree, review: TraceBuilder.agent().review).text
    for title in TraceNumbers.Kind.allCases.map(\.title) { #expect(text.contains("  \(title) ")) }
    #expect(text.contains("tool latency          median 700.00 ms of 2 tool calls"))
    #expect(TraceBuilder().review.numbers.rows.allSatisfy { $0.count == 0 && $0.median == nil })
  }

  @Test func `a hand-off ends when the model of the next session begins`() {
    var builder = TraceBuilder()
    builder.request(in: builder.session(instructions: "gather"), at: 0, length: 1, prompt: 200)
    let request = builder.span(
      .request, in: builder.session(at: 1, instructions: "answer"), at: 1, length: 3)
    builder.call(in: request, at: 1.75, prompt: 200)
    #expect(findings(.lateHandOff, builder).first?.numbers.first?.value == .measure(0.75))
  }

  @Test func `declarations from hostile files do not trap`() {
    var (builder, request) = expecting([call()])
    let interval = builder.trace.spans[0].id
    for (least, most) in [(Int.min, Int.max), (Int.max, Int.min), (0, Int.max - 1)] {
      builder.event(
        "expected_tool", in: interval, at: 1,
        [
          TraceAttribute("tool", .name("search")), TraceAttribute("calls_least", .count(least)),
          TraceAttribute("calls_most", .count(most)),
          TraceAttribute("words_most", .count(.min)),
          TraceAttribute("arguments_sketch", .name("zz")),
          TraceAttribute("arguments_trigrams", .count(.min)),
        ])
      builder.event(
        "tool_offered", in: builder.trace.spans.last?.id, at: 1,
        [
          TraceAttribute("tool", .name("x")), TraceAttribute("definition_bytes", .count(most)),
        ])
    }
    builder.event("expected_tool", in: nil, at: 1)
    builder.tool(
      "search", in: request, at: 1, words: "launch",
      [
        TraceAttribute("arguments_trigrams", .count(.max)),
        TraceAttribute("phrase_words", .count(.max)),
      ])
    #expect(builder.review.answers.count == ReviewQuestion.allCases.count)
  }

  @Test func `declarations pass through a file unchanged`() throws {
    var (builder, request) = expecting([call(words: 3)])
    builder.tool("web", in: request, at: 1, words: "launch")
    let trace = try TraceReader.read(builder.trace.lines, path: "x.jsonl")
    #expect(
      TraceReview(TraceTree(trace)).answer(to: .unexpectedTool)?.findings
        == findings(.unexpectedTool, builder))
  }
}
