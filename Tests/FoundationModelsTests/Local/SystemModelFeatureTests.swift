import FMTestSupport
import Foundation
import FoundationModels
import Testing

extension SessionPropertyValues {
  @SessionPropertyEntry fileprivate var hasLooked: Bool = false
}

/// Tells where a boat is.
private struct FindBoat: Tool {
  @SessionProperty(\.hasLooked) var hasLooked
  let name = "findBoat"
  let description = "Finds out where a boat is."
  @Generable struct Arguments {
    @Guide(description: "Which boat", .anyOf(["Gull", "Heron"])) var boat: String
  }
  func call(arguments: Arguments) async throws -> String {
    hasLooked = true
    return "The \(arguments.boat) is in Oslo."
  }
}

/// A session that looks once before it answers.
private struct Harbour: LanguageModelSession.DynamicProfile {
  @SessionProperty(\.hasLooked) var hasLooked
  var body: some DynamicProfile {
    Profile {
      Instructions("Use the findBoat tool to find a boat, then answer in one short sentence.")
      FindBoat()
    }
    .toolCallingMode(hasLooked ? .disallowed : .required)
  }
}

@Generable
private struct Town {
  @Guide(description: "The town's name", .pattern(/[A-Z][a-z]{2,8}/)) var name: String
  @Guide(description: "What kind it is", .anyOf(["port", "capital"])) var kind: String
  @Guide(description: "How many rivers it has", .range(0...3)) var rivers: Int
}

/// The structured and tool-calling parts of published code for Apple's framework, on the model that `fm pull` gets.
///
/// `SystemModelListingsTests` has the parts of free text.
@Suite(
  .serialized, .timeLimit(.minutes(10)),
  .enabled(if: Fixtures.smolLM2 != nil, "needs SmolLM2: run `fm pull`"))
struct SystemModelFeatureTests {
  private typealias Old = LanguageModelSession.GenerationError

  private let brief = GenerationOptions(samplingMode: .greedy, maximumResponseTokens: 12)
  private let whole = GenerationOptions(samplingMode: .greedy, maximumResponseTokens: 80)

  // MARK: An integration playbook

  @Test func `a streamed value fills in its fields in the order they were declared`() async throws {
    let session = LanguageModelSession(instructions: "Describe towns.")
    let stream = session.streamResponse(to: "Describe Oslo.", generating: Town.self, options: whole)
    var filled: [Int] = []
    for try await snapshot in stream {
      let town = snapshot.content
      filled.append([town.name != nil, town.kind != nil, town.rivers != nil].count { $0 })
      if town.rivers != nil { #expect(town.kind != nil && town.name != nil) }
    }
    #expect(filled == filled.sorted() && Set(filled).count > 1)
    let town = try await stream.collect().content
    #expect(["port", "capital"].contains(town.kind) && (0...3).contains(town.rivers))
    #expect(town.name.first?.isUppercase == true)
  }

  @Test func `a tool that instructions name is called, and every kind of entry can be told apart`()
    async throws
  {
    let session = LanguageModelSession(profile: Harbour())
    let answer = try await session.respond(to: "Where is the Gull?", options: whole)
    #expect(!answer.content.isEmpty && session.properties.hasLooked)
    var seen: [String] = []
    for entry in session.transcript {
      switch entry {
      case .instructions(let instructions):
        seen.append("instructions for \(instructions.toolDefinitions.map(\.name))")
      case .prompt(let prompt): seen.append("prompt \(prompt.segments.map(\.description))")
      case .toolCalls(let calls): seen += calls.map { "call of \($0.toolName)" }
      case .toolOutput(let output): seen.append("output of \(output.toolName)")
      case .response(let response): seen.append("response of \(response.segments.count)")
      case .reasoning: seen.append("reasoning")
      @unknown default: seen.append("unknown")
      }
    }
    #expect(
      seen == [
        #"instructions for ["findBoat"]"#, #"prompt ["Where is the Gull?"]"#, "call of findBoat",
        "output of findBoat", "response of 1",
      ])
    #expect(session.transcript.history.count == 4)
  }

  // MARK: A chapter on sessions

  @Test func `examples in instructions are read and change the answer`() async throws {
    let instructions = Instructions(
      """
      Answer like these examples.
      Question: Who keeps the bridge? Answer: Marta keeps the bridge.
      Question: Who keeps the gate? Answer: Bruno keeps the gate.
      """)
    let question = "Who keeps the lighthouse?"
    let answer = try await LanguageModelSession(instructions: instructions)
      .respond(to: question, options: brief)
    let free = try await LanguageModelSession().respond(to: question, options: brief)
    #expect(answer.content != free.content)
    let model = SystemLanguageModel.default
    let read = try await model.tokenCount(for: instructions)
    #expect(answer.usage.input.totalTokenCount > read)
  }

  @Test func `each error that a model on this machine has is caught by its older name`()
    async throws
  {
    func older(
      _ session: LanguageModelSession = LanguageModelSession(),
      _ request: (LanguageModelSession) async throws -> Void
    ) async -> String {
      session.errorGeneration = .generationError
      do {
        try await request(session)
        return "none"
      } catch let error as Old {
        return switch error {
        case .exceededContextWindowSize: "exceededContextWindowSize"
        case .assetsUnavailable: "assetsUnavailable"
        case .guardrailViolation: "guardrailViolation"
        case .unsupportedGuide: "unsupportedGuide"
        case .unsupportedLanguageOrLocale: "unsupportedLanguageOrLocale"
        case .decodingFailure: "decodingFailure"
        case .rateLimited: "rateLimited"
        case .concurrentRequests: "concurrentRequests"
        case .refusal: "refusal"
        }
      } catch {
        return "\(error)"
      }
    }
    let overlong = String(repeating: "The river is long. ", count: 2000)
    #expect(
      await older { _ = try await $0.respond(to: overlong) } == "exceededContextWindowSize")
    let gone = LocalLanguageModel(path: "no-such-model.gguf")
    #expect(
      await older(LanguageModelSession(model: gone)) { _ = try await $0.respond(to: "x") }
        == "assetsUnavailable")
    let cut = GenerationOptions(samplingMode: .greedy, maximumResponseTokens: 3)
    #expect(
      await older { _ = try await $0.respond(to: "x", generating: Town.self, options: cut) }
        == "decodingFailure")
    let schema = GenerationSchema(
      type: Town.self,
      properties: [.init(name: "a", type: String.self, guides: [.pattern(/(a|b)\1/)])])
    #expect(
      await older { _ = try await $0.respond(to: "x", schema: schema) } == "unsupportedGuide")
    let busy = LanguageModelSession()
    let stream = busy.streamResponse(to: "Name three rivers.", options: brief)
    #expect(await older(busy) { _ = try await $0.respond(to: "x") } == "concurrentRequests")
    _ = try await stream.collect()
  }

  // MARK: Transcripts and feedback

  @Test func `a stored transcript with its notes is read back, and its prompts play again alike`()
    async throws
  {
    struct Record: Codable {
      var app: String
      var model: String
      var transcript: Transcript
    }
    let variant = SystemLanguageModel.default.variant.displayName
    let session = LanguageModelSession(instructions: "Answer in one short sentence.")
    _ = try await session.respond(
      to: "What is the capital of Italy?", options: brief, metadata: ["screen": "map"])
    _ = try await session.respond(to: "Describe it.", generating: Town.self, options: whole)
    let data = try JSONEncoder().encode(
      Record(app: "notes", model: variant, transcript: session.transcript))
    let record = try JSONDecoder().decode(Record.self, from: data)
    #expect(record.transcript == session.transcript && record.model == variant)
    let again = LanguageModelSession(transcript: Transcript(entries: record.transcript.prefix(1)))
    for case .prompt(let prompt) in record.transcript {
      let text = prompt.segments.map(\.description).joined()
      if case .schema(let schema)? = prompt.responseFormat?.kind {
        _ = try await again.respond(to: text, schema: schema, options: prompt.options)
      } else {
        #expect(prompt.metadata["screen"] == GeneratedContent("map"))
        _ = try await again.respond(to: text, options: prompt.options)
      }
    }
    func answers(_ transcript: Transcript) -> [String] {
      transcript.compactMap { entry in
        guard case .response(let response) = entry else { return nil }
        return response.segments.map(\.description).joined()
      }
    }
    #expect(answers(again.transcript) == answers(record.transcript))
    #expect(answers(again.transcript).count == 2)
  }
}
