import FMCore
import FMTrace
import Foundation
import FoundationModels
import Testing

private struct Search: Tool {
  let name = "search"
  let description = "Finds things"

  @Generable struct Arguments {
    var query: String
    var page: Int
  }

  func call(arguments: Arguments) async throws -> String { "found \(arguments.query)" }
}

private struct Look: Tool {
  let name = "look"
  let description = "Looks"

  @Generable struct Arguments {
    @Guide(description: "A short phrase, two to four words")
    var phrase: String
    var other: String
  }

  func call(arguments: Arguments) async throws -> String { "" }
}

private struct Broken: Tool {
  enum Failure: Error { case offline(String) }
  let name = "broken"
  let description = "Fails"
  func call(arguments: GeneratedContent) async throws -> String { throw Failure.offline("ann") }
  var parameters: GenerationSchema { Age.generationSchema }
}

/// What sessions tell a tracer.
@Suite struct SessionTraceTests {
  private func model(
    _ calls: [(id: String, name: String, arguments: String)], answer: String = "done"
  ) -> ScriptedModel {
    ScriptedModel { call, _, channel in
      if call == 0 { await channel.call(calls) } else { await channel.say(answer) }
    }
  }

  /// What a recorder keeps of `body`.
  private func trace(
    content: Bool = false, _ body: () async throws -> Void
  ) async throws -> Trace {
    let recorder = TraceRecorder(recordsContent: content)
    try await ProcessTracer.$override.withValue(recorder) { try await body() }
    return recorder.trace
  }

  @Test func `a request's model calls and tools are inside it, and it inside its session`()
    async throws
  {
    let trace = try await trace {
      let session = LanguageModelSession(
        model: model([
          ("1", "search", #"{"query":"the best pizza places in Rome","page":1}"#),
          ("2", "search", #"{"query":"best pizza places in Rome","page":1}"#),
        ]), tools: [Search()], instructions: "Help.")
      _ = try await session.respond(to: "Where is pizza?")
    }
    let tree = TraceTree(trace)
    let kinds = tree.order.map { tree[$0].kind }
    #expect(kinds.count == 6)
    #expect(tree.roots.map { tree[$0].kind } == [.session])
    let session = try #require(tree.roots.first)
    #expect(tree[session].end != nil)
    #expect(tree[session].count("requests") == 1)
    #expect(tree[session].count("tool_count") == 1)
    let request = try #require(tree.children[session].first)
    #expect(tree[request].kind == .request)
    #expect(tree[request].count("prompt_bytes") == 15)
    let inside = tree.children[request].map { tree[$0] }
    #expect(inside.map(\.kind) == [.inference, .toolCall, .toolCall, .inference])
    #expect(inside.allSatisfy { $0.end != nil })
    #expect(inside[1].name("tool") == "search")
    #expect(inside[1].name("arguments") != inside[2].name("arguments"))
    #expect(inside[1].name("arguments_numbers") == inside[2].name("arguments_numbers"))
    #expect(inside[3].count("prompt_tokens") == 10 && inside[3].count("cached_tokens") == 4)
    #expect(inside[3].measure("time_to_first_token") != nil)
    #expect(inside[3].name("model") == "ScriptedModel")
    #expect(TraceReview(tree).answer(to: .repeatedCalls)?.findings.count == 1)
    #expect(trace.spans.allSatisfy { $0.content.isEmpty })
  }

  @Test func `no text gets into a trace that is not to have content`() async throws {
    let trace = try await trace {
      let session = LanguageModelSession(
        model: model(
          [
            ("1", "search", #"{"query":"xyzzy","page":1}"#), ("2", "made-up-xyzzy", "{}"),
          ], answer: "xyzzy"), tools: [Search()], instructions: "xyzzy")
      _ = try await session.respond(to: "xyzzy")
    }
    let text = String(decoding: trace.lines, as: UTF8.self)
    #expect(!text.contains("xyzzy"))
    #expect(trace.spans.contains { $0.name("tool") == "unknown" })
  }

  @Test func `texts are where they belong when they are asked for`() async throws {
    let trace = try await trace(content: true) {
      let session = LanguageModelSession(
        model: model([("1", "search", #"{"query":"pizza","page":1}"#)], answer: "Go."),
        tools: [Search()], instructions: "Help.")
      _ = try await session.respond(to: "Where?")
    }
    let texts = trace.spans.flatMap(\.content).map { "\($0.key): \($0.text)" }
    #expect(
      texts == [
        "instructions: Help.", "prompt: Where?", "answer: Go.",
        #"arguments: {"query":"pizza","page":1}"#, "output: found pizza",
      ])
  }

  @Test func `an error leaves its kind and no text`() async throws {
    let trace = try await trace {
      let session = LanguageModelSession(
        model: model([("1", "broken", #"{"years":1,"months":1}"#)]), tools: [Broken()])
      _ = try? await session.respond(to: "x")
    }
    let tool = try #require(trace.spans.first { $0.kind == .toolCall })
    #expect(tool.name("error") == "ToolCallError")
    let request = try #require(trace.spans.first { $0.kind == .request })
    #expect(request.name("error") == "ToolCallError")
    #expect(trace.spans.allSatisfy { $0.end != nil })
    #expect(!String(decoding: trace.lines, as: UTF8.self).contains("ann"))
  }

  @Test(arguments: [nil, false])
  func `a schema that is sent again is told`(includes: Bool?) async throws {
    let trace = try await trace {
      let session = LanguageModelSession(model: ScriptedModel(texts: [#"{"years":1,"months":2}"#]))
      for turn in 0..<2 {
        _ = try await session.respond(
          to: "x", generating: Age.self, includeSchemaInPrompt: turn == 0 ? true : includes ?? true)
      }
    }
    let requests = trace.spans.filter { $0.kind == .request }
    #expect(requests.count == 2)
    #expect(requests[0].name("schema") == requests[1].name("schema"))
    #expect((requests[0].count("schema_bytes") ?? 0) > 20)
    let answer = TraceReview(TraceTree(trace)).answer(to: .schemaResent)
    #expect(answer?.outcome == (includes == nil ? .found : .clear))
  }

  @Test func `an application's interval knows the requests inside it`() async throws {
    let trace = try await trace {
      let session = LanguageModelSession(model: ScriptedModel(texts: ["a"]))
      try await withTraceInterval("plan trip", counts: ["notes": 3]) {
        _ = try await session.respond(to: "x")
        await withTraceInterval("inner") {}
      }
      let interval = TraceInterval.begin("scroll")
      interval.end(counts: ["rows": 7])
      interval.end()
    }
    let intervals = trace.spans.filter { $0.kind == .interval }
    #expect(intervals.map(\.title) == ["plan trip", "inner", "scroll"])
    #expect(intervals[0].count("notes") == 3 && intervals[2].count("rows") == 7)
    #expect(intervals[1].parent == intervals[0].id && intervals[2].parent == nil)
    #expect(intervals.allSatisfy { $0.end != nil })
    let request = try #require(trace.spans.first { $0.kind == .request })
    #expect(request.count("interval") == Int(clamping: intervals[0].id.value))
    #expect(request.begin >= intervals[0].begin)
  }

  @Test func `an action's declared tools are held against its calls`() async throws {
    func answer(
      _ expected: [ExpectedToolCall]?, _ query: String
    ) async throws -> ReviewAnswer.Outcome? {
      let trace = try await trace {
        let session = LanguageModelSession(
          model: model([("1", "search", #"{"query":"\#(query)","page":1}"#)]), tools: [Search()])
        try await withTraceInterval("plan", expecting: expected) {
          _ = try await session.respond(to: "x")
        }
      }
      #expect(!String(decoding: trace.lines, as: UTF8.self).contains("launch"))
      return TraceReview(TraceTree(trace)).answer(to: .unexpectedTool)?.outcome
    }
    let search = ExpectedToolCall("search", times: 1...2, about: "launch", mostWords: 2)
    #expect(try await answer([search], "launch tasks") == .clear)
    #expect(try await answer([search], "launch tasks of Monday") == .found)
    #expect(try await answer([search], "weather") == .found)
    #expect(try await answer([ExpectedToolCall("map")], "launch") == .found)
    #expect(try await answer([], "launch") == .found)
    #expect(try await answer(nil, "launch") == .unknown("nobody says which tools are expected"))
  }

  @Test func `a call says how long its texts are, against what its guides ask for`() async throws {
    let trace = try await trace {
      let session = LanguageModelSession(
        model: model([
          ("1", "look", #"{"phrase":"launch prep","other":"Who is in charge of it all?"}"#),
          ("2", "look", #"{"phrase":"what is there to do for it","other":"No question."}"#),
        ]), tools: [Look()])
      _ = try await session.respond(to: "x")
    }
    let calls = trace.spans.filter { $0.kind == .toolCall }
    #expect(calls.map { $0.count("arguments_words") } == [7, 7])
    #expect(calls.map { $0.count("phrase_words") } == [2, 7])
    #expect(calls.map { $0.count("question_words") } == [7, nil])
    let offered = trace.events.filter { $0.name == "tool_offered" }
    #expect(offered.count == 1 && offered.first?.span == trace.spans.first?.id)
  }

  @Test func `an interval passes on values and errors`() async throws {
    struct Odd: Error {}
    #expect(await withTraceInterval("x") { 5 } == 5)
    _ = try await trace {
      #expect(await withTraceInterval("x") { 5 } == 5)
      await #expect(throws: Odd.self) { try await withTraceInterval("x") { throw Odd() } }
    }
  }

  @Test func `a session made in a tool is inside the tool's span`() async throws {
    struct Asking: Tool {
      let name = "ask"
      let description = "Asks another session"
      var parameters: GenerationSchema { Age.generationSchema }
      func call(arguments: GeneratedContent) async throws -> String {
        try await LanguageModelSession(model: ScriptedModel(texts: ["inner"]))
          .respond(to: "y").content
      }
    }
    let trace = try await trace {
      let session = LanguageModelSession(
        model: model([("1", "ask", #"{"years":1,"months":1}"#)]), tools: [Asking()])
      _ = try await session.respond(to: "x")
    }
    let tool = try #require(trace.spans.first { $0.kind == .toolCall })
    let sessions = trace.spans.filter { $0.kind == .session }
    #expect(sessions.count == 2 && sessions[1].parent == tool.id)
  }

  @Test func `streams are traced like answers`() async throws {
    let trace = try await trace {
      let session = LanguageModelSession(model: ScriptedModel(texts: ["a stream of words"]))
      for try await _ in session.streamResponse(to: "x") {}
    }
    #expect(trace.spans.map(\.kind) == [.session, .request, .inference])
  }
}
