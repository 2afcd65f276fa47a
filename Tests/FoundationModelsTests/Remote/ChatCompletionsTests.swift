import Foundation
import FoundationModels
import Testing

private struct City: Tool {
  let description = "Tells about a city"
  @Generable struct Arguments { var name: String }
  func call(arguments: Arguments) async throws -> String { "\(arguments.name) is old" }
}

@Suite(.timeLimit(.minutes(10))) struct ChatCompletionsTests {
  private func model(_ server: ScriptedServer, headers: [String: String] = [:])
    -> ChatCompletionsLanguageModel
  {
    ChatCompletionsLanguageModel(name: "m", url: server.url, additionalHeaders: headers)
  }

  @Test func `a streamed conversation sends all that was said and counts tokens`() async throws {
    let server = try ScriptedServer { number, _ in
      ScriptedServer.stream(
        [ScriptedServer.text("Hel"), ScriptedServer.text("lo \(number)")] + ScriptedServer.end())
    }
    defer { server.stop() }
    let session = LanguageModelSession(
      model: model(server, headers: ["Authorization": "Bearer k"]), instructions: "Be kind")
    let first = try await session.respond(
      to: "Hi",
      options: GenerationOptions(
        samplingMode: .random(top: 3, seed: 5), temperature: 0.5, maximumResponseTokens: 7))
    #expect(first.content == "Hello 0")
    #expect(first.usage.input.totalTokenCount == 12 && first.usage.input.cachedTokenCount == 8)
    #expect(first.usage.output.totalTokenCount == 5)
    #expect(try await session.respond(to: "And?").content == "Hello 1")
    let requests = server.requests
    #expect(requests[0].head.hasPrefix("POST /v1/chat/completions "))
    #expect(requests[0].head.contains("Authorization: Bearer k"))
    let body = try GeneratedContent(json: requests[0].body)
    #expect(
      body.jsonString.hasPrefix(
        #"{"model":"m","messages":[{"role":"system","content":"Be kind"},{"role":"user","content":"Hi"}],"stream":true"#
      ))
    #expect(body.jsonString.contains(#""temperature":0.5,"max_tokens":7,"top_k":3,"seed":5"#))
    #expect(
      requests[1].body.contains(
        #"{"role":"assistant","content":"Hello 0"},{"role":"user","content":"And?"}"#))
  }

  @Test func `text arrives while the server is still speaking`() async throws {
    let gate = Gate()
    let server = try ScriptedServer { _, _ in
      [
        .text(ScriptedServer.streamHead), .text("data: \(ScriptedServer.text("early"))\n\n"),
        .gate(gate),
      ]
        + (["data: \(ScriptedServer.text(" late"))"] + ScriptedServer.end().map { "data: \($0)" })
        .map { .text($0 + "\r\n\r\n") }
    }
    defer { server.stop() }
    var texts: [String] = []
    for try await snapshot in LanguageModelSession(model: model(server)).streamResponse(to: "x") {
      texts.append(snapshot.content)
      gate.open()
    }
    #expect(texts.first == "early")
    #expect(texts.last == "early late")
  }

  @Test func `tools run between two requests, their arguments put together of pieces`() async throws
  {
    let server = try ScriptedServer { number, _ in
      if number > 0 {
        return ScriptedServer.stream([ScriptedServer.text("ok")] + ScriptedServer.end())
      }
      return ScriptedServer.stream(
        [
          #"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"City","arguments":""}}]}}]}"#,
          #"{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"name\":\"Ro"}},{"index":1,"id":"b","function":{"name":"City","arguments":"{\"name\":\"Bonn\"}"}}]}}]}"#,
          #"{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"me\"}"}}]}}]}"#,
        ] + ScriptedServer.end("tool_calls"))
    }
    defer { server.stop() }
    let session = LanguageModelSession(model: model(server), tools: [City()])
    let response = try await session.respond(to: "x")
    #expect(response.content == "ok")
    #expect(response.usage.input.totalTokenCount == 24)
    #expect(
      kinds(response.transcriptEntries) == [
        "prompt", "toolCalls", "toolOutput", "toolOutput", "response",
      ])
    let second = server.requests[1].body
    #expect(
      second.contains(
        #""tool_calls":[{"id":"a","type":"function","function":{"name":"City","arguments":"{\"name\":\"Rome\"}"}}"#
      ))
    #expect(second.contains(#"{"role":"tool","tool_call_id":"b","content":"Bonn is old"}"#))
    #expect(
      server.requests[0].body.contains(
        #""tools":[{"type":"function","function":{"name":"City","description":"Tells about a city","parameters":{"type":"object""#
      ))
  }

  @Test func `a schema is sent along and thoughts become entries`() async throws {
    let server = try ScriptedServer { _, _ in
      ScriptedServer.stream(
        [
          #"{"choices":[{"delta":{"reasoning_content":"hmm"}}]}"#,
          ScriptedServer.text(#"{\"years\":1,"#), ScriptedServer.text(#"\"months\":2}"#),
        ]
          + ScriptedServer.end())
    }
    defer { server.stop() }
    let session = LanguageModelSession(model: model(server))
    let age = try await session.respond(to: "x", generating: Age.self)
    #expect(age.content.months == 2)
    #expect(kinds(session.transcript) == ["prompt", "reasoning", "response"])
    let body = server.requests[0].body
    #expect(
      body.contains(
        #""response_format":{"type":"json_schema","json_schema":{"name":"Age","strict":true,"schema":{"type":"object""#
      ))
    #expect(body.contains("JSON Schema"))
    _ = try await session.respond(to: "x", generating: Age.self, includeSchemaInPrompt: false)
    #expect(
      !server.requests[1].body.contains("follows this JSON Schema:\\n{\\\"type\\\":\\\"object\\\"}")
    )
  }

  @Test func `a server that knows only the older form of schemas gets that`() async throws {
    let server = try ScriptedServer { number, _ in
      if number == 0 {
        return ScriptedServer.status(
          500, #"{"error":{"message":"body.response_format: 'text' or 'json_object' expected"}}"#)
      }
      return ScriptedServer.stream(
        [ScriptedServer.text(#"{\"years\":1,\"months\":2}"#)] + ScriptedServer.end())
    }
    defer { server.stop() }
    let session = LanguageModelSession(model: model(server))
    #expect(try await session.respond(to: "x", generating: Age.self).content.years == 1)
    #expect(
      server.requests[1].body.contains(
        #""response_format":{"type":"json_object","schema":{"type":"object""#))
  }

  @Test func `a busy server is asked again after as long as it says`() async throws {
    let server = try ScriptedServer { number, _ in
      if number == 0 { return ScriptedServer.status(429, "{}", headers: "Retry-After: 0\r\n") }
      if number == 1 { return ScriptedServer.status(503, "{}", headers: "Retry-After: 0\r\n") }
      return ScriptedServer.stream([ScriptedServer.text("ok")] + ScriptedServer.end())
    }
    defer { server.stop() }
    #expect(try await LanguageModelSession(model: model(server)).respond(to: "x").content == "ok")
    #expect(server.requests.count == 3)
  }

  @Test func `each status has its error`() async throws {
    let cases: [(Int, String, String, @Sendable (any Error) -> Bool)] = [
      (
        429, #"{"error":{"message":"slow"}}"#, "Retry-After: 99\r\n",
        { error in
          guard case LanguageModelError.rateLimited(let facts) = error else { return false }
          return facts.resetDate != nil && facts.debugDescription == "slow"
        }
      ),
      (
        400,
        #"{"error":{"message":"request (5000 tokens) exceeds the context size (4096 tokens)"}}"#,
        "",
        { error in
          guard case LanguageModelError.contextSizeExceeded(let facts) = error else { return false }
          return facts.contextSize == 4096 && facts.tokenCount == 5000
        }
      ),
      (
        401, #"{"error":{"message":"key"}}"#, "",
        { error in
          guard case ChatCompletionsError.status(401, let message, _) = error else { return false }
          return message == "key" && error.localizedDescription.contains("401")
        }
      ),
      (408, "{}", "", { if case LanguageModelError.timeout = $0 { true } else { false } }),
      (
        500, "oops", "",
        { if case ChatCompletionsError.status(500, "oops", _) = $0 { true } else { false } }
      ),
    ]
    for (status, body, headers, isRight) in cases {
      let server = try ScriptedServer { _, _ in
        ScriptedServer.status(status, body, headers: headers)
      }
      defer { server.stop() }
      let session = LanguageModelSession(model: model(server))
      await #expect { try await session.respond(to: "x") } throws: { error in isRight(error) }
      #expect(session.transcript.isEmpty)
    }
  }

  @Test func `what is no chat completion is a typed error`() async throws {
    let bodies: [[ScriptedServer.Piece]] = [
      ScriptedServer.stream(["not json"]), ScriptedServer.stream(["[1]"]),
      ScriptedServer.stream([#"{"error":{"message":"died"}}"#]),
      [.text(ScriptedServer.streamHead), .text("data: \(ScriptedServer.text("cut"))\n\n")],
      [
        .text(ScriptedServer.streamHead),
        .text("data: " + String(repeating: "x", count: 1_100_000)),
      ],
      ScriptedServer.status(200, "<html>"), [],
    ]
    for body in bodies {
      let server = try ScriptedServer { _, _ in body }
      defer { server.stop() }
      await #expect(throws: ChatCompletionsError.self) {
        try await LanguageModelSession(model: model(server)).respond(to: "x")
      }
    }
  }

  @Test func `an error says where and how an answer begins, without the key`() async throws {
    let page = "<html>\n<body>" + String(repeating: " long", count: 500)
    let cases: [(pieces: [ScriptedServer.Piece], begins: String, ends: String)] = [
      (
        ScriptedServer.status(404, "no\n\tsuch"),
        "The server at ADDRESS answered with status 404: no such", ""
      ),
      (
        ScriptedServer.status(401, "key s3cret-key is wrong"), "The server at ADDRESS answered",
        "key … is wrong"
      ),
      (ScriptedServer.status(500, page), "The server at ADDRESS answered", "long l…"),
      (
        ScriptedServer.status(403, ""),
        "The server at ADDRESS answered with status 403 and no text.", ""
      ),
      (
        ScriptedServer.status(200, ""),
        "The server's answer is no chat completion: ADDRESS sent nothing.", ""
      ),
      (
        ScriptedServer.status(200, #"{"choices": [{"mess"#),
        "The server's answer is no chat completion: ADDRESS sent '{", "which is no JSON object."
      ),
      (
        ScriptedServer.status(200, "{}"),
        "The connection to the server failed: ADDRESS ended its answer in the middle.", ""
      ),
    ]
    for (pieces, begins, ends) in cases {
      let server = try ScriptedServer { _, _ in pieces }
      defer { server.stop() }
      let session = LanguageModelSession(
        model: model(server, headers: ["Authorization": "Bearer s3cret-key"]))
      let error = await #expect(throws: ChatCompletionsError.self) {
        try await session.respond(to: "x")
      }
      let text = error?.errorDescription ?? ""
      let address = server.url.appending(path: "chat/completions").absoluteString
      #expect(text.hasPrefix(begins.replacing("ADDRESS", with: address)), "\(text)")
      #expect(text.hasSuffix(ends) && text.utf8.count < 500, "\(text)")
    }
  }

  @Test func `refusals and filters are the model's errors`() async throws {
    let refusing = try ScriptedServer { _, _ in
      ScriptedServer.stream(
        [#"{"choices":[{"delta":{"refusal":"I won't"}}]}"#] + ScriptedServer.end())
    }
    defer { refusing.stop() }
    do {
      _ = try await LanguageModelSession(model: model(refusing)).respond(to: "x")
      Issue.record("no error")
    } catch LanguageModelError.refusal(let refusal) {
      #expect(try await refusal.explanation.content == "I won't")
    }
    let filtering = try ScriptedServer { _, _ in
      ScriptedServer.stream(ScriptedServer.end("content_filter"))
    }
    defer { filtering.stop() }
    await #expect {
      try await LanguageModelSession(model: model(filtering)).respond(to: "x")
    } throws: {
      if case LanguageModelError.guardrailViolation = $0 { true } else { false }
    }
  }

  @Test func `an answer in one piece is read as well`() async throws {
    let server = try ScriptedServer { _, _ in
      ScriptedServer.status(
        200,
        #"{"choices":[{"message":{"role":"assistant","content":"whole"},"finish_reason":"stop"}]}"#)
    }
    defer { server.stop() }
    #expect(
      try await LanguageModelSession(model: model(server)).respond(to: "x").content == "whole")
  }

  @Test func `cancelling closes the connection and the session goes on`() async throws {
    let gate = Gate()
    let server = try ScriptedServer { number, _ in
      if number > 0 {
        return ScriptedServer.stream([ScriptedServer.text("next")] + ScriptedServer.end())
      }
      let many = (0..<200).map {
        ScriptedServer.Piece.text("data: \(ScriptedServer.text("\($0)"))\n\n")
      }
      return [
        .text(ScriptedServer.streamHead), .text("data: \(ScriptedServer.text("a"))\n\n"),
        .gate(gate),
      ] + many
    }
    defer { server.stop() }
    let session = LanguageModelSession(model: model(server))
    for try await _ in session.streamResponse(to: "x") { break }
    let answer = try await session.respond(to: "y")
    gate.open()
    #expect(answer.content == "next")
    #expect(kinds(session.transcript) == ["prompt", "response"])
  }

  @Test func `nobody at the address is a connection error`() async throws {
    let server = try ScriptedServer { _, _ in [] }
    let model = model(server)
    server.stop()
    let error = await #expect(throws: ChatCompletionsError.self) {
      try await LanguageModelSession(model: model).respond(to: "x")
    }
    #expect(error?.errorDescription?.contains(server.url.absoluteString) == true)
  }

  @Test func `private cloud compute is unavailable, or a server of one's own`() async throws {
    let apple = PrivateCloudComputeLanguageModel()
    #expect(apple.availability == .unavailable(.deviceNotEligible) && !apple.isAvailable)
    await #expect(throws: PrivateCloudComputeLanguageModel.Error.self) {
      try await LanguageModelSession(model: apple).respond(to: "x")
    }
    let server = try ScriptedServer { _, _ in
      ScriptedServer.stream([ScriptedServer.text("ok")] + ScriptedServer.end())
    }
    defer { server.stop() }
    let own = PrivateCloudComputeLanguageModel(standIn: model(server), contextSize: 32768)
    #expect(try await own.contextSize == 32768)
    #expect(try await LanguageModelSession(model: own).respond(to: "x").content == "ok")
  }
}

/// A conversation with a server that somebody else wrote.
@Suite(
  .serialized, .timeLimit(.minutes(10)), .enabled(if: RealServer.url != nil, "\(RealServer.reason)")
)
struct RealServerTests {
  @Test func `a streamed conversation goes on over turns and structured answers follow`()
    async throws
  {
    guard let url = RealServer.url else { return }
    let model = ChatCompletionsLanguageModel(name: "default", url: url)
    let session = LanguageModelSession(model: model, instructions: "Answer in one short sentence.")
    let options = GenerationOptions(samplingMode: .greedy, maximumResponseTokens: 40)
    var snapshots: [String] = []
    for try await snapshot in session.streamResponse(
      to: "What is the capital of France?", options: options)
    { snapshots.append(snapshot.content) }
    #expect(snapshots.count > 2)
    #expect(snapshots.last?.contains("Paris") == true)
    let second = try await session.respond(to: "And of Italy?", options: options)
    #expect(!second.content.isEmpty)
    #expect(
      kinds(session.transcript) == ["instructions", "prompt", "response", "prompt", "response"])
    for try await _ in session.streamResponse(to: "Tell me a long story.") { break }
    let age = try await session.respond(
      to: "How old is a puppy?", generating: Age.self,
      options: GenerationOptions(samplingMode: .greedy, maximumResponseTokens: 60))
    #expect(kinds(session.transcript).count == 7 && age.rawContent.isComplete)
  }
}

/// Where a real server is.
private enum RealServer {
  static let reason =
    "needs a server of chat completions: set FM_CHAT_COMPLETIONS_URL to its address"
  static let url = ProcessInfo.processInfo.environment["FM_CHAT_COMPLETIONS_URL"]
    .flatMap { URL(string: $0) }
}
