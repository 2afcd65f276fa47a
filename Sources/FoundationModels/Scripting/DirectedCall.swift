import FMCore
import Synchronization

/// One call on its way through: stamps what comes, and passes on what the session is to hear.
struct DirectedCall {
  private typealias Channel = LanguageModelExecutorGenerationChannel

  let plan: ModelCallPlan
  let outer: LanguageModelExecutorGenerationChannel
  var observed = ObservedCall()

  init(plan: ModelCallPlan, outer: LanguageModelExecutorGenerationChannel) {
    self.plan = plan
    self.outer = outer
  }

  mutating func run(_ executor: any AnyExecutor) async throws {
    let told = ToldOutcome()
    let script = AnswerScript(output: plan.output, isMasked: plan.isMasked) { told.set($0) }
    let inner = Channel()
    let request = plan.request
    async let work: Void = Self.drive(executor, request, inner, script)
    for await event in inner {
      note(event)
      if plan.calls.isEmpty { await outer.send(event) }
    }
    try await work
    observed.ended = .now
    observed.outcome = told.outcome
    if !plan.calls.isEmpty { await sendCalls() }
  }

  private static func drive(
    _ executor: any AnyExecutor, _ request: LanguageModelExecutorGenerationRequest,
    _ channel: LanguageModelExecutorGenerationChannel, _ script: AnswerScript
  ) async throws {
    defer { channel.finish() }
    try await AnswerScript.$current.withValue(script) {
      try await executor.respond(to: request, streamingInto: channel)
    }
  }

  /// Takes down what an event says.
  private mutating func note(_ event: Channel.Event) {
    switch event.change {
    case .response(let action):
      switch action.change {
      case .append(let fragment):
        observed.text += fragment.content
        observed.pieces.append(.now)
      case .replace(let replacement):
        observed.text = replacement.content
        observed.pieces.append(.now)
      case .usage(let usage): observed.usage = usage
      case .addAttachment, .removeAttachment, .metadata: break
      }
    case .reasoning(let action):
      switch action.change {
      case .append, .replace: observed.pieces.append(.now)
      case .usage(let usage): observed.usage = usage
      case .signature, .metadata: break
      }
    case .toolCalls(let action):
      switch action.change {
      case .call:
        observed.callCount += 1
        observed.pieces.append(.now)
      case .usage(let usage): observed.usage = usage
      case .remove, .metadata: break
      }
    }
  }

  /// Tells the session of the planned calls.
  private func sendCalls() async {
    for call in plan.calls {
      await outer.send(
        .toolCalls(
          action: .toolCall(
            id: call.id, name: call.toolName,
            action: .appendArguments(call.arguments.jsonString, tokenCount: 0))))
    }
    guard let usage = observed.usage else { return }
    await outer.send(
      .toolCalls(action: .updateUsage(input: usage.input, output: usage.output)))
  }
}

/// Takes an outcome out of a closure.
private final class ToldOutcome: Sendable {
  private let value = Mutex<AnswerScript.Outcome?>(nil)

  var outcome: AnswerScript.Outcome? { value.withLock { $0 } }

  func set(_ outcome: AnswerScript.Outcome) { value.withLock { $0 = outcome } }
}
