import FMCore
import FMTrace
import Testing

/// What a review says of traces that differ in the one thing a question is about.
@Suite struct ReviewTests {
  private func outcome(_ question: ReviewQuestion, _ builder: TraceBuilder)
    -> ReviewAnswer.Outcome?
  {
    builder.review.answer(to: question)?.outcome
  }

  private func findings(_ question: ReviewQuestion, _ builder: TraceBuilder) -> [Finding] {
    builder.review.answer(to: question)?.findings ?? []
  }

  @Test func `every question has an answer with a threshold`() {
    let answers = TraceBuilder.agent().review.answers
    #expect(answers.map(\.question) == ReviewQuestion.allCases)
    #expect(answers.allSatisfy { !$0.threshold.isEmpty && !$0.question.advice.isEmpty })
    #expect(answers.allSatisfy { ($0.outcome == .found) == !$0.findings.isEmpty })
    let ids = Set(TraceBuilder.agent().trace.spans.map(\.id))
    #expect(answers.flatMap(\.findings).allSatisfy { !$0.spans.isEmpty })
    #expect(answers.flatMap(\.findings).flatMap(\.spans).allSatisfy { ids.contains($0) })
  }

  @Test func `an empty trace answers that it can't tell`() {
    for answer in TraceBuilder().review.answers {
      guard case .unknown = answer.outcome else {
        Issue.record("\(answer.question) is \(answer.outcome)")
        continue
      }
    }
  }

  @Test func `everything in the prompt is found, a bounded tool is not`() {
    var dump = TraceBuilder()
    let session = dump.session()
    let request = dump.span(
      .request, in: session, at: 0, length: 1, [TraceAttribute("prompt_bytes", .count(9000))])
    let call = dump.call(in: request, at: 0, prompt: 2600, bytes: 10_000)
    #expect(findings(.promptBloat, dump).map(\.spans) == [[call]])
    #expect(
      findings(.promptBloat, dump).first?.numbers.first
        == TraceAttribute("added_tokens", .count(2340)))

    var bounded = TraceBuilder()
    let other = bounded.session()
    let asked = bounded.span(
      .request, in: other, at: 0, length: 2, [TraceAttribute("prompt_bytes", .count(200))])
    bounded.call(in: asked, at: 0, prompt: 1500, bytes: 6000)
    bounded.tool("search", in: asked, at: 0.3, words: "pizza")
    bounded.call(in: asked, at: 1, prompt: 1640, cached: 1500)
    #expect(outcome(.promptBloat, bounded) == .clear)
  }

  @Test func `a tool that returns everything is found`() {
    var builder = TraceBuilder()
    let request = builder.span(.request, in: builder.session(), at: 0, length: 2)
    builder.call(in: request, at: 0, prompt: 500, output: 20)
    builder.tool("dump", in: request, at: 0.3, words: "all")
    let second = builder.call(in: request, at: 1, prompt: 2020)
    #expect(findings(.promptBloat, builder).map(\.spans) == [[second]])
    #expect(findings(.promptBloat, builder).first?.message.hasPrefix("tool output") == true)
  }

  @Test func `one chatty session grows, a fresh one a request does not but pays each time`() {
    var chatty = TraceBuilder()
    let session = chatty.session()
    for turn in 0..<6 {
      chatty.request(in: session, at: Double(turn), prompt: 300 + turn * 400, cached: turn * 300)
    }
    #expect(outcome(.transcriptGrowth, chatty) == .found)
    #expect(
      findings(.transcriptGrowth, chatty).first?.numbers.map(\.value).prefix(3)
        == [.count(300), .count(2300), .count(400)])
    #expect(outcome(.newSessionPerTurn, chatty) == .clear)

    var fresh = TraceBuilder()
    for turn in 0..<6 {
      let session = fresh.session(at: Double(turn), length: 0.5)
      fresh.request(in: session, at: Double(turn), prompt: 300, cached: turn > 0 ? 100 : 0)
    }
    #expect(outcome(.transcriptGrowth, fresh) == .clear)
    #expect(outcome(.newSessionPerTurn, fresh) == .found)
    let finding = findings(.newSessionPerTurn, fresh).first
    #expect(finding?.spans.count == 6)
    #expect(finding?.numbers.map(\.value) == [.count(6), .count(1000), .count(500)])
  }

  @Test func `sessions of different kinds, or of different trials, are no habit`() {
    var kinds = TraceBuilder()
    for turn in 0..<4 {
      let session = kinds.session(at: Double(turn), instructions: "kind \(turn)")
      kinds.request(in: session, at: Double(turn), prompt: 300)
    }
    #expect(outcome(.newSessionPerTurn, kinds) == .clear)

    var trials = TraceBuilder()
    for trial in 0..<4 {
      let span = trials.span(.interval, at: Double(trial), length: 1)
      let session = trials.session(at: Double(trial), length: 1, in: span)
      trials.request(in: session, at: Double(trial), prompt: 300)
    }
    #expect(outcome(.newSessionPerTurn, trials) == .clear)
  }

  @Test func `searching until it is enough is found, a stop and a budget are not`() {
    var endless = TraceBuilder()
    let session = endless.session()
    let request = endless.span(.request, in: session, at: 0, length: 5)
    let first = endless.tool("search", in: request, at: 0, words: "best pizza in Rome")
    endless.tool("search", in: request, at: 1, words: "museum opening hours")
    let second = endless.tool("search", in: request, at: 2, words: "Best pizza Rome")
    let third = endless.tool("search", in: request, at: 3, words: "best pizza in Rome")
    #expect(findings(.repeatedCalls, endless).map(\.spans) == [[first, second, third]])
    #expect(findings(.repeatedCalls, endless).first?.numbers.first?.value == .count(2))

    var stopped = TraceBuilder()
    let other = stopped.span(.request, in: stopped.session(), at: 0, length: 5)
    for (number, words) in ["best pizza in Rome", "weather Paris", "opening hours"].enumerated() {
      stopped.tool("search", in: other, at: Double(number), words: words)
    }
    // The same words of another tool, and the next page, are other calls.
    stopped.tool("map", in: other, at: 4, words: "best pizza in Rome")
    stopped.tool("list", in: other, at: 4.1, words: "all restaurants", numbers: "1")
    stopped.tool("list", in: other, at: 4.2, words: "all restaurants", numbers: "2")
    #expect(outcome(.repeatedCalls, stopped) == .clear)
  }

  @Test func `a slow tool and a slow model are told apart`() {
    var tool = TraceBuilder()
    let request = tool.span(.request, in: tool.session(), at: 0, length: 5)
    tool.call(in: request, at: 0, length: 0.5, prompt: 100)
    let slow = tool.tool("crawl", in: request, at: 0.5, length: 4, words: "x")
    tool.tool("quick", in: request, at: 0.5, length: 0.1, words: "y")
    #expect(findings(.slowToolOrModel, tool).map(\.spans) == [[request, slow]])
    #expect(findings(.slowToolOrModel, tool).first?.message.contains("4.00 of 5.00 s") == true)

    var decode = TraceBuilder()
    let asked = decode.span(.request, in: decode.session(), at: 0, length: 10.2)
    decode.call(in: asked, at: 0, length: 10.1, prompt: 100, output: 51, firstToken: 0.1)
    #expect(findings(.slowToolOrModel, decode).first?.message.contains("5.0 tokens/s") == true)

    var prefill = TraceBuilder()
    let late = prefill.span(.request, in: prefill.session(), at: 0, length: 4)
    let call = prefill.span(
      .generation, in: late, at: 0, length: 4, [TraceAttribute("output_tokens", .count(30))])
    prefill.span(.prefill, in: call, at: 0, length: 3)
    prefill.span(.decode, in: call, at: 3, length: 1)
    #expect(
      findings(.slowToolOrModel, prefill).first?.message.contains("3.00 s of it before") == true)
  }

  @Test func `long answers at a good rate and short requests are not slow`() {
    var builder = TraceBuilder()
    let session = builder.session()
    let long = builder.span(.request, in: session, at: 0, length: 10)
    builder.call(in: long, at: 0, length: 10, prompt: 100, output: 1000, firstToken: 0.2)
    let short = builder.span(.request, in: session, at: 11, length: 1)
    builder.tool("crawl", in: short, at: 11, length: 1, words: "x")
    #expect(outcome(.slowToolOrModel, builder) == .clear)
  }

  @Test func `a gap between two sessions is found, a prompt hand-off is not`() {
    func pair(gap: Double, tokens: Int = 500, kind: String = "answer") -> TraceBuilder {
      var builder = TraceBuilder()
      let gather = builder.session(instructions: "gather")
      builder.request(in: gather, at: 0, length: 1, prompt: tokens)
      let answer = builder.session(at: 1 + gap, instructions: kind)
      builder.request(in: answer, at: 1 + gap, length: 1, prompt: 200)
      return builder
    }
    #expect(outcome(.lateHandOff, pair(gap: 0.1)) == .clear)
    #expect(outcome(.lateHandOff, pair(gap: 1.5)) == .found)
    #expect(findings(.lateHandOff, pair(gap: 1.5)).first?.numbers.first?.value == .measure(1.5))
    // Much later is another action; the same instructions are no hand-off.
    #expect(outcome(.lateHandOff, pair(gap: 60)) == .clear)
    #expect(outcome(.lateHandOff, pair(gap: 1.5, kind: "gather")) == .clear)
    #expect(outcome(.lateHandOff, pair(gap: 0.1, tokens: 3500)) == .found)
  }

  @Test func `sessions of one action hand over however late`() {
    var builder = TraceBuilder()
    let action = [TraceAttribute("interval", .count(1))]
    builder.span(.interval, at: 0, length: 30, [TraceAttribute("name", .name("plan"))])
    builder.request(in: builder.session(instructions: "gather"), at: 0, prompt: 100, action)
    builder.request(
      in: builder.session(at: 20, instructions: "answer"), at: 20, prompt: 100, action)
    #expect(outcome(.lateHandOff, builder) == .found)
  }

  @Test func `a schema sent with every prompt is found, one sent once is not`() {
    func requests(_ inPrompt: [Int]) -> TraceBuilder {
      var builder = TraceBuilder()
      let session = builder.session()
      for (turn, value) in inPrompt.enumerated() {
        builder.request(
          in: session, at: Double(turn), prompt: 100 + turn,
          [
            TraceAttribute("schema", .name("abc")), TraceAttribute("schema_bytes", .count(700)),
            TraceAttribute("schema_in_prompt", .count(value)),
          ])
      }
      return builder
    }
    #expect(outcome(.schemaResent, requests([1, 0, 0])) == .clear)
    #expect(
      findings(.schemaResent, requests([1, 1, 1])).first?.numbers.last?.value == .count(1400))
    var text = TraceBuilder()
    text.request(in: text.session(), at: 0, prompt: 100)
    #expect(outcome(.schemaResent, text) == .unknown("no request in the trace asks for a schema"))
  }

  @Test func `private texts are found by what they look like, and never shown`() {
    var builder = TraceBuilder(hasContent: true)
    let span = builder.span(
      .request, at: 0, length: 1,
      content: [TraceContent(key: "prompt", text: "Call +44 20 7946 0958 or ann@example.com")])
    builder.span(
      .request, at: 2, length: 1, content: [TraceContent(key: "prompt", text: "What is a haiku?")])
    let answer = findings(.sensitiveContent, builder)
    #expect(answer.map(\.spans) == [[span]])
    #expect(answer.first?.message.contains("1 × email, 1 × phone") == true)
    #expect(answer.first?.message.contains("ann") == false)
    #expect(
      outcome(.sensitiveContent, TraceBuilder.agent()) == .unknown("content was not recorded"))
  }

  @Test func `numbers from hostile files do not trap`() {
    var builder = TraceBuilder()
    let session = builder.session(context: 1)
    for turn in 0..<4 {
      let request = builder.span(
        .request, in: session, at: Double(turn), length: 0.5,
        [TraceAttribute("prompt_bytes", .count(.max))])
      builder.call(
        in: request, at: Double(turn), prompt: .max - (3 - turn), cached: .max, output: .max,
        firstToken: .infinity, bytes: .max)
    }
    builder.call(in: nil, at: 9, prompt: .min, cached: .min, output: .min, firstToken: -.infinity)
    #expect(builder.review.answers.count == ReviewQuestion.allCases.count)
  }
}
