import Foundation
import FoundationModels
import Observation
import Testing

/// Mentions the types, labels and defaults of Apple's interface that `SurfaceTests` does not.
@Suite struct SurfaceTypesTests {
  @Test func `prompts and instructions are built of every form`() {
    let age: Age? = Age(years: 1, months: 2)
    let many = [1, 2]
    let flag = many.count == 2
    let prompt = Prompt {
      "a"
      Prompt("b")
      age
      many
      ["c", "d"]
      if flag { "e" } else { 1.5 }
      if flag { "f" }
      if #available(macOS 99, *) { "g" }
      for number in many { "\(number)" }
    }
    let instructions = Instructions {
      "a"
      Instructions("b")
      age
      many
      ["c", "d"]
      if flag { "e" } else { 1.5 }
      if flag { "f" }
      if #available(macOS 99, *) { "g" }
      for number in many { "\(number)" }
    }
    let parts: [any PromptRepresentable] = [prompt, "x", true, GeneratedContent(1)]
    let others: [any InstructionsRepresentable] = [instructions, "x", true, GeneratedContent(1)]
    #expect(parts.count == others.count)
    let text = "\(Transcript.Entry.instructions(LanguageModelSession { instructions }.firstEntry))"
    #expect(
      text.hasSuffix("a\nb\n{\"years\":1,\"months\":2}\n1\n2\nc\nd\ne\nf\ng\n1\n2"), "\(text)")
  }

  @Test func `content has every initializer and every way to be read`() throws {
    let id = GenerationID()
    let pairs: [(String, any ConvertibleToGeneratedContent)] = [("a", 1)]
    let all = [
      GeneratedContent(properties: ["a": 1], id: id), GeneratedContent(properties: ["a": 1]),
      GeneratedContent(properties: pairs, id: id, uniquingKeysWith: { first, _ in first }),
      GeneratedContent(properties: pairs, uniquingKeysWith: { first, _ in first }),
      GeneratedContent(elements: [1, 2], id: id), GeneratedContent(elements: [1, 2]),
      GeneratedContent("x"), GeneratedContent("x", id: id), try GeneratedContent(json: "null"),
      GeneratedContent(kind: .bool(true), id: id), GeneratedContent(kind: .null),
    ]
    #expect(all.count { $0.id == id } == 5 && all.allSatisfy(\.isComplete))
    let kinds = all.map { content in
      switch content.kind {
      case .null: 0
      case .bool: 1
      case .number: 2
      case .string: 3
      case .array: 4
      case .structure(properties: _, orderedKeys: let keys): 5 + keys.count
      }
    }
    #expect(kinds == [6, 6, 6, 6, 4, 4, 3, 3, 0, 1, 0])
    #expect(try all[0].value(Int.self, forProperty: "a") == 1)
    #expect(try all[0].value(Int?.self, forProperty: "b") == nil)
    let number: Int = try all[0].value(forProperty: "a")
    let text: String = try all[6].value()
    #expect(number == 1 && text == "x" && all[8].debugDescription == all[8].jsonString)
    let error = GeneratedContent.ParsingError(
      rawContent: "{", underlyingError: nil, debugDescription: "d")
    #expect(
      error.rawContent == "{" && error.underlyingError == nil && error.debugDescription == "d")
  }

  @Test func `the types that Apple's framework generates are generable here`() throws {
    func partial<T: Generable>(_ type: T.Type) -> Any.Type { T.PartiallyGenerated.self }
    func same(_ one: Any.Type, _ other: Any.Type) -> Bool { one == other }
    let plain: [any Generable.Type] = [
      Bool.self, String.self, Int.self, Float.self, Double.self, Decimal.self,
      GeneratedContent.self, ImageReference.self, Never.self, [Int].self,
    ]
    #expect(plain.allSatisfy { !$0.generationSchema.debugDescription.isEmpty })
    #expect(same(partial(String.self), String.self))
    #expect(same(partial([Int].self), [Int].self))
    #expect(same(partial([Age].self), [Age.PartiallyGenerated].self))
    #expect(same(Optional<Age>.PartiallyGenerated.self, Age.PartiallyGenerated.self))
    let some: any ConvertibleToGeneratedContent = Int?.some(3)
    #expect(some.generatedContent.jsonString == "3" && 3.asPartiallyGenerated() == 3)
    let read: any ConvertibleFromGeneratedContent.Type = Age.self
    #expect(throws: (any Error).self) { _ = try read.init(GeneratedContent(1)) }
  }

  @Test func `schemas have every initializer, and properties of every kind`() throws {
    let schemas = [
      GenerationSchema(type: Age.self, properties: []),
      GenerationSchema(
        type: Age.self, description: "d",
        properties: [
          .init(name: "a", type: Int.self), .init(name: "b", description: "d", type: Int?.self),
          .init(name: "c", description: "d", type: Int.self, guides: [.minimum(1)]),
          .init(name: "d", type: String.self, guides: [/a/]),
          .init(name: "e", description: "d", type: String?.self, guides: [/a/]),
        ]),
      GenerationSchema(
        type: Age.self, description: "d", representNilExplicitlyInGeneratedContent: true,
        properties: []),
      GenerationSchema(type: Age.self, anyOf: ["a"]),
      GenerationSchema(type: Age.self, description: "d", anyOf: ["a"]),
      GenerationSchema(type: Age.self, anyOf: [Int.self, String.self] as [any Generable.Type]),
      try GenerationSchema(
        root: DynamicGenerationSchema(
          name: "R", description: "d", representNilExplicitlyInGeneratedContent: true,
          properties: [
            .init(
              name: "a", description: "d", schema: DynamicGenerationSchema(referenceTo: "S"),
              isOptional: true),
            .init(
              name: "b",
              schema: DynamicGenerationSchema(
                arrayOf: .null, minimumElements: 1, maximumElements: 2)),
            .init(
              name: "c", schema: DynamicGenerationSchema(type: Int.self, guides: [.minimum(1)])),
            .init(name: "d", schema: DynamicGenerationSchema(name: "U", anyOf: [.null])),
          ]),
        dependencies: [DynamicGenerationSchema(name: "S", description: "d", anyOf: ["a"])]),
    ]
    #expect(schemas.allSatisfy { $0.name == "Age" || $0.name == "R" })
    let context = GenerationSchema.SchemaError.Context(debugDescription: "d")
    let errors: [GenerationSchema.SchemaError] = [
      .duplicateType(schema: nil, type: "t", context: context),
      .duplicateProperty(schema: "s", property: "p", context: context),
      .emptyTypeChoices(schema: "s", context: context),
      .undefinedReferences(schema: nil, references: ["r"], context: context),
    ]
    #expect(
      errors.allSatisfy { !$0.localizedDescription.isEmpty } && context.debugDescription == "d")
  }

  @Test func `transcripts have every entry, segment and field`() {
    let text = Transcript.Segment.text(.init(content: "t"))
    let structure = Transcript.Segment.structure(
      .init(schemaName: "S", content: GeneratedContent(1)))
    let link = URL(fileURLWithPath: "/a.png")
    let image = Transcript.Segment.attachment(
      .init(content: .image(.init(imageURL: link)), label: "l"))
    let definition = Transcript.ToolDefinition(
      name: "n", description: "d", parameters: Age.generationSchema)
    var prompt = Transcript.Prompt(segments: [text, image])
    prompt.responseFormat = .init(type: Age.self)
    if case .schema(let schema)? = prompt.responseFormat?.kind { #expect(schema.name == "Age") }
    let call = Transcript.ToolCall(id: "c", toolName: "n", arguments: GeneratedContent(1))
    let entries: [Transcript.Entry] = [
      .instructions(.init(segments: [text], toolDefinitions: [definition])), .prompt(prompt),
      .reasoning(.init(segments: [text], signature: nil)), .toolCalls(.init([call])),
      .toolOutput(.init(id: "c", toolName: "n", segments: [structure])),
      .response(.init(assetIDs: ["a"], segments: [text])),
      .response(.init(metadata: ["assetIDs": ["a"]], segments: [])),
    ]
    var transcript = Transcript(entries: entries)
    #expect(
      Set(transcript.map(\.id)).count == 7 && Set([text.id, structure.id, image.id]).count == 3)
    for case .response(let response) in entries {
      #expect(response.metadata["assetIDs"]?.jsonString == #"["a"]"# && response.assetIDs == ["a"])
    }
    let view: Transcript.HistoryView = transcript.history
    let index: Transcript.HistoryView.Index = view.startIndex
    #expect(view[index] == entries[1] && view.count == 6)
    transcript[0] = .prompt(prompt)
    transcript.replaceSubrange(1..., with: [entries[3]])
    if case .toolCalls(let calls) = transcript[1] { #expect(calls.map(\.toolName) == ["n"]) }
    let attached: Prompt = Attachment(imageURL: link).label("l").promptRepresentation
    let shown: Instructions = Attachment(imageURL: link).instructionsRepresentation
    #expect("\(attached)".contains("a.png") && "\(shown)".contains("a.png"))
  }

  @Test func `models tell of themselves by every name`() async throws {
    let models = [
      SystemLanguageModel(), SystemLanguageModel(useCase: .general),
      SystemLanguageModel(guardrails: .default), SystemLanguageModel.default,
    ]
    for model in models {
      #expect(model.isAvailable == (model.availability == .available) && model.contextSize > 0)
      #expect(
        !model.supportedLanguages.isEmpty && model.supportsLocale(Locale(identifier: "en_US")))
      #expect(!model.variant.displayName.isEmpty && !model.capabilities.contains(.vision))
    }
    let counts = [
      { try await models[0].tokenCount(for: "a") },
      { try await models[0].tokenCount(for: Instructions("a")) },
      { try await models[0].tokenCount(for: [any Tool]()) },
      { try await models[0].tokenCount(for: Age.generationSchema) },
      { try await models[0].tokenCount(for: Transcript()) },
    ]
    #expect(counts.count == 5)
    let cloud = PrivateCloudComputeLanguageModel()
    switch cloud.availability {
    case .available: Issue.record("available")
    case .unavailable(.systemNotReady): Issue.record("not ready")
    case .unavailable(let reason): #expect(reason == .deviceNotEligible)
    }
    #expect(!cloud.isAvailable && !cloud.quotaUsage.isLimitReached)
    #expect(cloud.quotaUsage.limitIncreaseSuggestion == nil && cloud.quotaUsage.resetDate == nil)
    if case .belowLimit(let limit) = cloud.quotaUsage.status { #expect(!limit.isApproachingLimit) }
    _ = try? await (cloud.contextSize, cloud.supportedLanguages, cloud.supportsLocale())
  }

  @Test func `usage, options and feedback have their fields and defaults`() {
    let usage = LanguageModelSession.Usage(
      input: .init(totalTokenCount: 4, cachedTokenCount: 1),
      output: .init(totalTokenCount: 2, reasoningTokenCount: 1), metadata: ["k": 1])
    #expect(usage.totalTokenCount == 6 && usage.metadata["k"] == GeneratedContent(1))
    #expect(GenerationOptions() == GenerationOptions(samplingMode: nil, temperature: nil))
    #expect(GenerationOptions(maximumResponseTokens: 3).toolCallingMode == nil)
    #expect(ContextOptions().includeSchemaInPrompt == nil && ContextOptions().reasoningLevel == nil)
    let levels: [ContextOptions.ReasoningLevel] = [.light, .moderate, .deep, .custom("x")]
    #expect(Set(levels.map { "\($0)" }).count == 4)
    let categories: Set<LanguageModelFeedback.Issue.Category> = [
      .unhelpful, .tooVerbose, .didNotFollowInstructions, .incorrect, .stereotypeOrBias,
      .suggestiveOrSexual, .vulgarOrOffensive, .triggeredGuardrailUnexpectedly,
    ]
    #expect(categories == Set(LanguageModelFeedback.Issue.Category.allCases))
    let sentiments: [LanguageModelFeedback.Sentiment] = [.positive, .negative, .neutral]
    #expect(sentiments.count == 3)
  }

  @Test func `dynamic instructions are built of every form`() async throws {
    struct Everything: DynamicInstructions {
      let flag: Bool
      var body: some DynamicInstructions {
        "a"
        EmptyDynamicInstructions()
        AnyDynamicInstructions(Instructions("b"))
        if flag { Instructions("c") } else { "d" }
        if flag { "e" }
        DynamicInstructionsForEach([1, 2], id: \.self) { Instructions("\($0)") }
        ForEach([Transcript.TextSegment(id: "i", content: "f")]) { Instructions($0.content) }
        [any Tool]()
      }
    }
    let model = ScriptedModel(texts: ["x"])
    let session = LanguageModelSession(model: model, dynamicInstructions: Everything(flag: true))
    _ = try await session.respond(to: "p")
    #expect(session.transcript[0].description == "Instructions: a\nb\nc\ne\n1\n2\nf")
  }

  @Test func `the types that builders and modifiers make have their names`() {
    struct Same: LanguageModelSession.DynamicProfileModifier {
      func body(content: Content) -> some LanguageModelSession.DynamicProfile { content }
    }
    typealias Session = LanguageModelSession
    let types: [Any.Type] = [
      TupleDynamicInstructions<Instructions, Instructions>.self,
      ConditionalDynamicInstructions<Instructions, Instructions>.self,
      ConditionalDynamicInstructions<Instructions, Instructions>.Branch.self,
      DynamicInstructionsForEach<[Int], Int, Instructions>.self, DynamicInstructionsBuilder.self,
      PromptBuilder.self, InstructionsBuilder.self, Session.DynamicProfileBuilder.self,
      Session.ConditionalDynamicProfile<Session.Profile, Session.Profile>.self,
      Session.ModifiedDynamicProfile<Session.Profile, Same>.self,
      Session.DynamicProfileModifierContent<Same>.self, SessionPropertyValues.self,
      SessionProperty<Int>.self, Attachment<ImageAttachmentContent>.self,
      SystemLanguageModel.Executor.self, SystemLanguageModel.Executor.Configuration.self,
      SystemLanguageModel.UseCase.self, SystemLanguageModel.Guardrails.self,
      PrivateCloudComputeLanguageModel.Error.self, PrivateCloudComputeLanguageModel.QuotaUsage.self,
      LanguageModelFeedback.self, LanguageModelFeedback.Issue.self, GenerationID.self,
    ]
    #expect(Set(types.map { ObjectIdentifier($0) }).count == 23)
    func keys<Key: SessionPropertyKey>(_ key: Key.Type) -> Key.Value { Key.defaultValue }
    struct Depth: SessionPropertyKey { static let defaultValue = 3 }
    let session = LanguageModelSession(model: ScriptedModel(texts: ["x"]))
    #expect(session.properties[Depth.self] == keys(Depth.self))
    session.properties[Depth.self] = 4
    #expect(session.properties[Depth.self] == 4)
  }

  @Test func `types conform to what code relies on`() {
    func error<T: Error & LocalizedError>(_ type: T.Type) -> Any.Type { type }
    func sendable<T: Sendable>(_ type: T.Type) -> Any.Type { type }
    func coded<T: Codable & Sendable>(_ type: T.Type) -> Any.Type { type }
    func equatable<T: Equatable & Sendable>(_ type: T.Type) -> Any.Type { type }
    func identified<T: Identifiable & Equatable & Sendable>(_ type: T.Type) -> Any.Type
    where T.ID == String { type }
    func list<T: RandomAccessCollection & MutableCollection & RangeReplaceableCollection>(
      _ type: T.Type
    ) -> Any.Type where T.Element == Transcript.Entry { type }
    func observed<T: Observable & AnyObject & Sendable>(_ type: T.Type) -> Any.Type { type }
    func described<T: CustomStringConvertible>(_ type: T.Type) -> Any.Type { type }
    func debugged<T: CustomDebugStringConvertible>(_ type: T.Type) -> Any.Type { type }
    let types: [Any.Type] = [
      error(LanguageModelError.self), error(LanguageModelSession.Error.self),
      error(LanguageModelSession.GenerationError.self), error(GeneratedContent.ParsingError.self),
      error(LanguageModelSession.ToolCallError.self), error(GenerationSchema.SchemaError.self),
      error(SystemLanguageModel.Error.self), error(PrivateCloudComputeLanguageModel.Error.self),
      sendable(Prompt.self), sendable(Instructions.self), sendable(DynamicGenerationSchema.self),
      sendable(LanguageModelSession.Response<String>.self),
      sendable(LanguageModelSession.Usage.self), sendable(LanguageModelCapabilities.self),
      coded(Transcript.self), coded(GenerationSchema.self), equatable(Transcript.self),
      equatable(GenerationOptions.self), equatable(ContextOptions.self),
      equatable(GeneratedContent.self), equatable(GeneratedContent.Kind.self),
      identified(Transcript.Entry.self), identified(Transcript.Segment.self),
      identified(Transcript.Prompt.self), identified(Transcript.Response.self),
      identified(Transcript.Instructions.self), identified(Transcript.Reasoning.self),
      identified(Transcript.ToolCalls.self), identified(Transcript.ToolCall.self),
      identified(Transcript.ToolOutput.self), identified(Transcript.TextSegment.self),
      identified(Transcript.StructuredSegment.self), identified(Transcript.AttachmentSegment.self),
      list(Transcript.self), list(Transcript.HistoryView.self), described(Transcript.Entry.self),
      observed(LanguageModelSession.self), observed(SystemLanguageModel.self),
      observed(PrivateCloudComputeLanguageModel.self), observed(SessionPropertyValues.self),
      debugged(GeneratedContent.self), debugged(GenerationSchema.self),
      debugged(LanguageModelError.self),
    ]
    #expect(types.count == 43)
  }

  @Test func `executors see requests and events by every name`() {
    typealias Channel = LanguageModelExecutorGenerationChannel
    let readable: [Any.Type] = [
      Channel.Event.self, Channel.Metadata.self, Channel.Usage.self, Channel.Usage.Input.self,
      Channel.Usage.Output.self, Channel.TextFragment.self, Channel.TextSegmentReplacement.self,
      Channel.Response.self, Channel.Response.Action.self, Channel.Reasoning.self,
      Channel.Reasoning.Action.self, Channel.ReasoningSignature.self, Channel.ToolCalls.self,
      Channel.ToolCalls.Action.self, Channel.ToolCalls.ToolCall.self,
      Channel.ToolCalls.ToolCall.Action.self, Channel.ToolCalls.ToolCall.ArgumentsFragment.self,
    ]
    #expect(readable.count == 17)
    let request = LanguageModelExecutorGenerationRequest(
      id: UUID(), transcript: Transcript(), enabledTools: [],
      generationOptions: GenerationOptions(), contextOptions: ContextOptions(), metadata: ["k": 1])
    #expect(request.schema == nil && request.enabledToolDefinitions.isEmpty)
    #expect(request.metadata == ["k": GeneratedContent(1)] && request.transcript.isEmpty)
    let capabilities = LanguageModelCapabilities([
      .vision, .guidedGeneration, .reasoning, .toolCalling,
    ])
    #expect(capabilities.contains(.vision) && capabilities.contains(.reasoning))
  }
}

extension LanguageModelSession {
  /// The instructions the session began with.
  fileprivate var firstEntry: Transcript.Instructions {
    if case .instructions(let entry)? = transcript.first { return entry }
    return Transcript.Instructions(segments: [], toolDefinitions: [])
  }
}
