import Foundation
import FoundationModels
import Observation

/// A day as the planner writes it down.
@Generable struct DayPlan {
  @Guide(description: "Plan title")
  var title: String
  @Guide(description: "Meetings and tasks from the notes", .count(3))
  var actions: [String]
  @Guide(description: "What may go wrong")
  var risk: String
}

extension SessionPropertyValues {
  @SessionPropertyEntry var hasSearched: Bool = false
}

/// The session that gathers: its first answer is a call of the tool, the next one is not.
///
/// A small model may not see by itself that it needs the tool.
private struct Gathering: LanguageModelSession.DynamicProfile {
  @SessionProperty(\.hasSearched) var hasSearched
  let model: any LanguageModel
  let tool: SearchNotes

  var body: some DynamicProfile {
    Profile {
      Instructions("Find the notes that a day plan needs. Search once, then stop.")
      tool
    }
    .model(model)
    .toolCallingMode(hasSearched ? .disallowed : .required)
    .onToolOutput { hasSearched = true }
  }
}

/// Plans a day in two sessions: one gathers notes with a tool, one writes the plan.
@MainActor @Observable final class Planner {
  private(set) var isPlanning = false
  private(set) var plan: DayPlan?
  private(set) var message = ""

  private let model: any LanguageModel
  private let isBrief: Bool

  init(model: any LanguageModel, isBrief: Bool) {
    self.model = model
    self.isBrief = isBrief
  }

  func makePlan(for goal: String) async {
    isPlanning = true
    defer { isPlanning = false }
    do {
      // One action in a recording, with the calls of tools that it should have.
      let search = ExpectedToolCall("searchNotes", times: 1...2)
      try await withTraceInterval("plan day", expecting: [search]) {
        let context = try await gather(goal)
        plan = try await write(goal, context: context)
      }
    } catch LanguageModelError.contextSizeExceeded(let facts) {
      message = "Too much at once: \(facts.tokenCount) tokens. Ask for less."
    } catch let error as LanguageModelSession.ToolCallError {
      message = "\(error.tool.name) failed: \(error.underlyingError)"
    } catch {
      message = error.localizedDescription
    }
  }

  /// What the notes say: the tool's outputs, which the model asked for.
  private func gather(_ goal: String) async throws -> String {
    let tool = SearchNotes(index: NoteIndex(), budget: SearchBudget(calls: 2))
    let session = LanguageModelSession(profile: Gathering(model: model, tool: tool))
    let options = GenerationOptions(
      samplingMode: .random(top: 20, seed: 7), temperature: 0.1,
      maximumResponseTokens: isBrief ? 64 : 160)
    _ = try await session.respond(to: goal, options: options)
    var notes = ""
    for case .toolOutput(let output) in session.transcript {
      for case .text(let text) in output.segments where !notes.contains(text.content) {
        notes += text.content + "\n"
      }
    }
    return notes
  }

  private func write(_ goal: String, context: String) async throws -> DayPlan {
    let session = LanguageModelSession(
      model: model, instructions: "You are a helpful assistant who turns notes into a day plan.")
    let prompt = "\(goal) These are my notes:\n\(context)"
    var options = GenerationOptions(
      samplingMode: .greedy, maximumResponseTokens: isBrief ? 80 : 240)
    options.finishesWithinLimit = true
    return try await session.respond(
      to: prompt, generating: DayPlan.self, includeSchemaInPrompt: false, options: options
    ).content
  }
}
