import FMTestSupport
import Foundation
import FoundationModels
import Testing

/// What a session on the default model computes, and how long its first token takes.
///
/// Documentation/PERFORMANCE.md has the figures that the test of times prints.
@Suite(
  .serialized, .timeLimit(.minutes(10)),
  .enabled(if: Fixtures.smolLM2 != nil, "needs SmolLM2: run `fm pull`"))
struct SystemModelCostTests {
  private let model = SystemLanguageModel.default

  @Test func `twenty-four turns on SmolLM2 compute only what each one adds`() async throws {
    let session = LanguageModelSession(instructions: "Answer in one short sentence.")
    let options = GenerationOptions(samplingMode: .greedy, maximumResponseTokens: 24)
    var held = 0
    var computed: [Int] = []
    var added: [Int] = []
    for turn in 0..<24 {
      let usage = try await session.respond(
        to: "This is question \(turn): what do you like about number \(turn)?", options: options
      ).usage
      computed.append(usage.input.totalTokenCount - usage.input.cachedTokenCount)
      added.append(usage.input.totalTokenCount - held)
      held = usage.input.totalTokenCount + usage.output.totalTokenCount
    }
    print("24 turns: \(added) tokens added, \(computed) computed, \(held) held at the end")
    // Another session may have left the first turn's beginning behind; the last token of an answer is
    // drawn and never read until the next turn.
    #expect(computed[0] <= added[0])
    for turn in 1..<24 { #expect(computed[turn] <= added[turn] + 1, "turn \(turn)") }
  }

  @Test func `a prewarmed session's first token comes about as soon as an empty session's`()
    async throws
  {
    var cold: [Duration] = []
    var prewarmed: [Duration] = []
    var empty: [Duration] = []
    // The first round loads the model and is not counted.
    for (round, place) in ["Rome", "Oslo", "Cairo", "Lima", "Paris", "Delhi"].enumerated() {
      let question = question(place)
      let times = (
        empty: try await firstToken(LanguageModelSession(), question),
        cold: try await firstToken(session("cold", place), question),
        prewarmed: try await prewarmedFirstToken(session("warm", place), question)
      )
      guard round > 0 else { continue }
      empty.append(times.empty)
      cold.append(times.cold)
      prewarmed.append(times.prewarmed)
    }
    let text = try await tokens(instructions("cold", "Rome"))
    let bare = try await model.tokenCount(for: "")
    let asked = try await model.tokenCount(for: question("Rome")) - bare
    let share = median(prewarmed) / median(cold)
    print(
      "first token after \(text) tokens of instructions and \(asked) of a question, medians of \(cold.count): cold "
        + "\(median(cold)), prewarmed \(median(prewarmed)), without instructions \(median(empty)); "
        + "prewarmed is \(share) of cold")
    #expect((1450...1550).contains(text))
    // The aims are 20 ms above and 6 % of cold. Other tests share the processors, so only what a
    // missing prewarming would break is asserted.
    #expect(share < 0.6)
  }

  // MARK: Sessions and times

  /// About 1,500 tokens that no other round begins with.
  private func instructions(_ kind: String, _ place: String) -> String {
    let sentence = "Answer in one short sentence and mention only what was asked for. "
    return "\(place), \(kind). " + String(repeating: sentence, count: 114)
  }

  private func question(_ place: String) -> String {
    "\(place) is the town; what should I see there if I have one day?"
  }

  private func tokens(_ instructions: String) async throws -> Int {
    try await model.tokenCount(for: Instructions(instructions))
  }

  private func session(_ kind: String, _ place: String) -> LanguageModelSession {
    LanguageModelSession(instructions: instructions(kind, place))
  }

  /// The time from the request to the first text.
  private func firstToken(_ session: LanguageModelSession, _ question: String) async throws
    -> Duration
  {
    let options = GenerationOptions(samplingMode: .greedy, maximumResponseTokens: 2)
    let start = ContinuousClock.now
    for try await _ in session.streamResponse(to: question, options: options) {
      return start.duration(to: .now)
    }
    return start.duration(to: .now)
  }

  /// The same after a prewarm has ended.
  private func prewarmedFirstToken(_ session: LanguageModelSession, _ question: String)
    async throws -> Duration
  {
    session.prewarm()
    // Nothing says when a prewarm ends; a session of the same instructions answers when they are computed.
    _ = try await firstToken(LanguageModelSession(transcript: session.transcript), "x")
    return try await firstToken(session, question)
  }

  private func median(_ durations: [Duration]) -> Duration {
    durations.sorted()[durations.count / 2]
  }
}
