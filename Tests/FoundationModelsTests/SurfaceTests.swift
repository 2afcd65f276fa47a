import Foundation
import FoundationModels
import Testing

/// Mentions the public names, labels and types of Apple's interface, so that a missing one does not compile.
@Suite struct SurfaceTests {
  fileprivate struct Search: Tool {
    let name = "search"
    let description = "Searches"
    @Generable struct Arguments {
      @Guide(description: "What for") var query: String
      @Guide(description: "How many", .range(1...5)) var limit: Int
    }
    func call(arguments: Arguments) async throws -> String { arguments.query }
  }

  @Test func `sessions have all initializers`() throws {
    let model = SystemLanguageModel(
      useCase: .contentTagging, guardrails: .permissiveContentTransformations)
    let other = ScriptedModel(texts: ["x"])
    let instructions: Instructions? = Instructions("i")
    let text: String? = "i"
    let sessions = [
      LanguageModelSession(),
      LanguageModelSession(instructions: "i"),
      LanguageModelSession(instructions: text),
      LanguageModelSession(instructions: instructions),
      LanguageModelSession(model: model, tools: [Search()], instructions: "i"),
      LanguageModelSession { "i" },
      LanguageModelSession(tools: [Search()]) {
        "a"
        "b"
      },
      LanguageModelSession(model: model, tools: [], transcript: Transcript()),
      LanguageModelSession(transcript: Transcript(entries: [])),
      LanguageModelSession(model: other, instructions: "i"),
      LanguageModelSession(model: other, tools: [Search()], instructions: instructions),
      LanguageModelSession(model: other) { "i" },
      LanguageModelSession(model: other, transcript: Transcript()),
      LanguageModelSession(
        profile: LanguageModelSession.Profile { Instructions("i") }, history: []),
      LanguageModelSession(dynamicInstructions: Instructions("i")),
      LanguageModelSession(model: other, dynamicInstructions: Instructions("i"), history: []),
    ]
    #expect(sessions.allSatisfy { !$0.isResponding && $0.usage.totalTokenCount == 0 })
    #expect(sessions[6].transcript[0].description == "Instructions: a\nb")
  }

  @Test func `all request methods are there`() async throws {
    let model = ScriptedModel { _, request, channel in
      await channel.say(request.schema == nil ? "t" : #"{"years":1,"months":2}"#)
    }
    let session = LanguageModelSession(model: model)
    let prompt = Prompt("p")
    let options = GenerationOptions()
    let context = ContextOptions()
    let schema = Age.generationSchema
    let metadata: [String: any ConvertibleToGeneratedContent] = ["k": 1]
    try await session.respond(to: prompt)
    try await session.respond(to: "p", options: options)
    try await session.respond(options: options) { "p" }
    try await session.respond(
      to: prompt, schema: schema, includeSchemaInPrompt: false, options: options)
    try await session.respond(to: "p", schema: schema)
    try await session.respond(schema: schema, includeSchemaInPrompt: true) { "p" }
    try await session.respond(
      to: prompt, generating: Age.self, includeSchemaInPrompt: false, options: options)
    let age: LanguageModelSession.Response<Age> = try await session.respond(to: "p")
    #expect(age.content.years == 1)
    try await session.respond(generating: Age.self, includeSchemaInPrompt: true, options: options) {
      "p"
    }
    try await session.respond(
      to: prompt, options: options, contextOptions: context, metadata: metadata)
    try await session.respond(to: "p", contextOptions: context)
    try await session.respond(metadata: metadata) { "p" }
    try await session.respond(
      to: prompt, schema: schema, options: options, contextOptions: context, metadata: metadata)
    try await session.respond(to: "p", schema: schema, contextOptions: context)
    try await session.respond(schema: schema, metadata: metadata) { "p" }
    try await session.respond(to: prompt, generating: Age.self, contextOptions: context)
    try await session.respond(to: "p", generating: Age.self, metadata: metadata)
    try await session.respond(generating: Age.self, options: options, contextOptions: context) {
      "p"
    }
    _ = try await session.streamResponse(to: prompt).collect()
    _ = try await session.streamResponse(to: "p", options: options).collect()
    _ = try await session.streamResponse(options: options) { "p" }.collect()
    _ = try await session.streamResponse(to: prompt, schema: schema, includeSchemaInPrompt: false)
      .collect()
    _ = try await session.streamResponse(to: "p", schema: schema).collect()
    _ = try await session.streamResponse(schema: schema) { "p" }.collect()
    _ = try await session.streamResponse(
      to: prompt, generating: Age.self, includeSchemaInPrompt: false
    ).collect()
    _ = try await session.streamResponse(to: "p", generating: Age.self).collect()
    _ = try await session.streamResponse(generating: Age.self) { "p" }.collect()
    _ = try await session.streamResponse(to: prompt, contextOptions: context, metadata: metadata)
      .collect()
    _ = try await session.streamResponse(to: "p", contextOptions: context).collect()
    _ = try await session.streamResponse(metadata: metadata) { "p" }.collect()
    _ = try await session.streamResponse(to: prompt, schema: schema, contextOptions: context)
      .collect()
    _ = try await session.streamResponse(to: "p", schema: schema, metadata: metadata).collect()
    _ = try await session.streamResponse(schema: schema, contextOptions: context) { "p" }.collect()
    _ = try await session.streamResponse(to: prompt, generating: Age.self, contextOptions: context)
      .collect()
    _ = try await session.streamResponse(to: "p", generating: Age.self, metadata: metadata)
      .collect()
    let last = try await session.streamResponse(generating: Age.self, contextOptions: context) {
      "p"
    }.collect()
    #expect(last.content.months == 2)
    #expect(session.transcript.count == 72)
  }

  @Test func `availability is switched over with its three reasons`() {
    func words(_ availability: SystemLanguageModel.Availability) -> String {
      switch availability {
      case .available: return "available"
      case .unavailable(.deviceNotEligible): return "device"
      case .unavailable(.appleIntelligenceNotEnabled): return "off"
      case .unavailable(.modelNotReady): return "not ready"
      case .unavailable: return "other"
      }
    }
    #expect(words(.unavailable(.modelNotReady)) == "not ready")
    #expect(SystemLanguageModel.Variant.core3 != .coreAdvanced3)
  }

  @Test func `errors have all cases, caught by name and told in sentences`() async throws {
    typealias Old = LanguageModelSession.GenerationError
    let context = Old.Context(debugDescription: "d")
    let old: [Old] = [
      .exceededContextWindowSize(context), .assetsUnavailable(context),
      .guardrailViolation(context),
      .unsupportedGuide(context), .unsupportedLanguageOrLocale(context), .decodingFailure(context),
      .rateLimited(context), .concurrentRequests(context),
      .refusal(Old.Refusal(transcriptEntries: []), context),
    ]
    for error in old {
      #expect(
        error.localizedDescription.contains("d") && error.recoverySuggestion != nil
          && error.failureReason == "d")
    }
    let new: [LanguageModelError] = [
      .contextSizeExceeded(.init(contextSize: 1, tokenCount: 2, debugDescription: "d")),
      .rateLimited(.init(resetDate: Date(timeIntervalSince1970: 0), debugDescription: "d")),
      .guardrailViolation(.init(debugDescription: "d", metadata: ["k": 1])),
      .refusal(.init(explanation: "no", debugDescription: "d")),
      .unsupportedCapability(.init(capability: .vision, debugDescription: "d")),
      .unsupportedTranscriptContent(.init(unsupportedContent: [], debugDescription: "d")),
      .unsupportedGenerationGuide(.init(schemaName: "s", debugDescription: "d")),
      .unsupportedLanguageOrLocale(
        .init(languageCode: Locale.LanguageCode("de"), debugDescription: "d")),
      .timeout(.init(debugDescription: "d")),
    ]
    for error in new {
      #expect(error.debugDescription == "d" && error.localizedDescription.hasSuffix("."))
    }
    do {
      throw new[0]
    } catch LanguageModelError.contextSizeExceeded(let facts) {
      #expect(facts.tokenCount == 2 && facts.contextSize == 1)
    }
    if case .refusal(let refusal) = new[3] {
      #expect(try await refusal.explanation.content == "no")
      for try await snapshot in refusal.explanationStream { #expect(snapshot.content == "no") }
    }
    let failure = LanguageModelSession.ToolCallError(tool: Search(), underlyingError: new[8])
    #expect(failure.localizedDescription.contains("search"))
    let errors: Set<LanguageModelSession.Error> = [
      .concurrentRequests, .transcriptMutationWhileResponding,
    ]
    #expect(errors.count == 2)
  }

  @Test func `options have all fields`() {
    var options = GenerationOptions(
      samplingMode: .random(probabilityThreshold: 0.9, seed: 1), temperature: 0.1,
      maximumResponseTokens: 3, toolCallingMode: .required)
    #expect(options.samplingMode?.kind == .randomProbabilityThreshold(0.9, seed: 1))
    options.samplingMode = .random(top: 4)
    #expect(options.samplingMode?.kind == .randomTopK(4, seed: nil))
    #expect(GenerationOptions.SamplingMode.greedy.kind == .greedy)
    #expect(options.toolCallingMode?.kind == .required)
    let context = ContextOptions(includeSchemaInPrompt: true, reasoningLevel: .moderate)
    #expect(context.reasoningLevel == .moderate)
    let issues = LanguageModelFeedback.Issue.Category.allCases
    #expect(issues.count == 8 && LanguageModelFeedback.Sentiment.positive != .neutral)
  }

  @Test func `guides have all forms`() {
    let texts: [GenerationGuide<String>] = [.constant("a"), .anyOf(["a"]), .pattern(/a+/)]
    let numbers: [GenerationGuide<Int>] = [.minimum(1), .maximum(2), .range(1...2)]
    let lists: [GenerationGuide<[String]>] = [
      .minimumCount(1), .maximumCount(2), .count(3), .count(1...2), .element(.anyOf(["a"])),
    ]
    _ = [GenerationGuide<Double>.minimum(0.5), .maximum(1.5), .range(0.5...1)]
    _ = [GenerationGuide<Float>.minimum(0.5), .maximum(1.5), .range(0.5...1)]
    _ = [GenerationGuide<Decimal>.minimum(1), .maximum(2), .range(1...2)]
    #expect(texts.count + numbers.count + lists.count == 11)
  }

  @Test func `a profile can be made of every modifier`() {
    let profile = LanguageModelSession.Profile { Search() }
      .model(SystemLanguageModel.default).temperature(0.1).samplingMode(.greedy)
      .maximumResponseTokens(3).reasoningLevel(.light).toolCallingMode(.allowed)
      .historyTransform { $0 }.transcriptErrorHandlingPolicy(.revertTranscript)
      .onPrompt {}.onResponse {}.onReasoning {}.onToolCall {}.onToolOutput {}
      .onActivate {}.onDeactivate {}
    let session = LanguageModelSession(profile: LanguageModelSession.AnyDynamicProfile(profile))
    #expect(session.transcript.isEmpty)
  }

  @Test func `images are found by their label`() throws {
    let image = Transcript.ImageAttachment(data: Data([1]), mimeType: "image/png")
    let entry = Transcript.Entry.prompt(
      .init(segments: [.attachment(.init(content: .image(image), label: "cat"))]))
    let reference = try ImageReference(GeneratedContent(properties: ["attachmentLabel": "cat"]))
    #expect(reference.resolved(in: [entry]) == image)
    #expect(reference.resolved(in: Transcript()) == nil)
  }
}

/// The older spellings, which compile with warnings; nothing here is called.
@available(*, deprecated)
private func olderSpellings() {
  var options = GenerationOptions(sampling: .greedy, temperature: 0.1)
  options.sampling = .random(top: 3)
  let segment = Transcript.StructuredSegment(source: "S", content: GeneratedContent(1))
  _ = segment.source
}
