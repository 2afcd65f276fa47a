import FMCore
import FMEngine
import Foundation
import FoundationModels
import Synchronization

/// Directs one session's model calls by its script, and takes down what they and the tools took.
final class ConversationDirector: ModelCallDirector {
  /// A tool call under way or done.
  struct ToolCall: Sendable {
    /// Which model call made it, and which of that call's it is.
    var step: Int
    var number: Int
    var tool: String
    var argumentsHash: String
    var started: MonotonicInstant
    var ended: MonotonicInstant?
    var milliseconds: Double
    var result: String
    var resultTokens: Int
  }

  private struct State {
    /// Of the request under way.
    var steps: [ConversationScript.Step] = []
    var calls: [ObservedCall] = []
    var transcripts: [Transcript] = []
    var tools: [ToolCall] = []
    /// What stands in a plain conversation for an answer that called tools, by the first call's id.
    var spoken: [String: String] = [:]
    /// The first call that the session hears of when the model call under way ends.
    var announced: String?
  }

  private let state = Mutex(State())
  private let style: PlayStyle
  private let gapScale: Double
  private let interruption: Interruption

  init(style: PlayStyle, gapScale: Double, interruption: Interruption) {
    self.style = style
    self.gapScale = gapScale
    self.interruption = interruption
  }

  /// Begins a request of the application.
  func begin(_ steps: [ConversationScript.Step]) {
    state.withLock {
      $0.steps = steps
      $0.calls = []
      $0.transcripts = []
      $0.tools = []
    }
  }

  /// What happened since ``begin(_:)``: the model calls, what each was sent, and the tool calls.
  var record: (calls: [ObservedCall], transcripts: [Transcript], tools: [ToolCall]) {
    state.withLock { ($0.calls, $0.transcripts, $0.tools) }
  }

  // MARK: Model calls

  func plan(_ request: LanguageModelExecutorGenerationRequest) throws -> ModelCallPlan {
    guard !interruption.isRequested else { throw CancellationError() }
    return try state.withLock { state in
      let number = state.transcripts.count
      let step = number < state.steps.count ? state.steps[number] : nil
      guard step != nil || style.mode == .live else { throw UnscriptedCall(number: number) }
      var plan = ModelCallPlan(
        request: request, output: step?.output ?? .free, isMasked: style.hasMasks)
      if style.promptForm == .plain {
        plan.request = PlainConversation(spoken: state.spoken).request(request)
        plan.calls = (step?.calls ?? []).map {
          Transcript.ToolCall(
            id: UUID().uuidString, toolName: $0.tool, arguments: $0.arguments)
        }
      }
      state.transcripts.append(plan.request.transcript)
      state.announced = plan.calls.first?.id
      return plan
    }
  }

  func ended(_ call: ObservedCall) {
    state.withLock { state in
      state.calls.append(call)
      if let id = state.announced { state.spoken[id] = call.text }
      state.announced = nil
    }
  }

  // MARK: Tools

  /// Begins a call of a tool: the script's next one of that name, or in live mode any.
  func begin(tool: String, arguments: GeneratedContent) -> ToolCall {
    let text = arguments.jsonString
    let hash = SHA256.hexDigest(text.utf8)
    return state.withLock { state in
      let step = max(0, state.calls.count - 1)
      let taken = state.tools.filter { $0.step == step }.map(\.number)
      let scripted = step < state.steps.count ? state.steps[step].calls : []
      // Calls of one answer run at the same time, so that their order says nothing.
      let open = scripted.indices.filter { !taken.contains($0) && scripted[$0].tool == tool }
      let place = open.first { scripted[$0].arguments.jsonString == text } ?? open.first
      let planned = place.map { scripted[$0] } ?? scripted.first
      let call = ToolCall(
        step: step, number: place ?? max(scripted.count, (taken.max() ?? -1) + 1), tool: tool,
        argumentsHash: hash, started: .now,
        milliseconds: (planned?.milliseconds ?? 0) * gapScale,
        result: planned?.result ?? "Nothing was found.", resultTokens: planned?.resultTokens ?? 0)
      state.tools.append(call)
      return call
    }
  }

  func end(_ call: ToolCall) {
    state.withLock { state in
      let index = state.tools.firstIndex { $0.step == call.step && $0.number == call.number }
      if let index { state.tools[index].ended = .now }
    }
  }

  /// Sleeps until `instant`, in slices short enough for Ctrl-C to feel immediate.
  func wait(until instant: MonotonicInstant) async throws {
    while true {
      let left = instant.seconds(since: .now)
      guard left > 0 else { return }
      if interruption.isRequested { throw CancellationError() }
      try await Task.sleep(nanoseconds: UInt64(min(left, 0.05) * 1e9))
    }
  }
}

/// A model was called more often than the script says.
struct UnscriptedCall: Error, CustomStringConvertible {
  var number: Int
  var description: String {
    "the session called the model for a step \(number) that the script lacks"
  }
}
