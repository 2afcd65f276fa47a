package import FMCore

/// A model whose calls somebody directs and times: what sessions of a benchmark ask.
///
/// It passes every call on to another model. What that model may say, and what the session hears of it, is up
/// to the director.
package struct ScriptedLanguageModel: LanguageModel {
  let base: any LanguageModel
  let director: any ModelCallDirector

  /// Directs calls of `base`.
  package init(_ base: any LanguageModel, director: any ModelCallDirector) {
    self.base = base
    self.director = director
  }

  /// The base's, and tools and schemas, which a script can stand in for.
  package var capabilities: LanguageModelCapabilities {
    LanguageModelCapabilities(
      [.toolCalling, .guidedGeneration]
        + [.reasoning, .vision].filter { base.capabilities.contains($0) })
  }

  /// The director: another one gets other executors.
  package var executorConfiguration: Executor.Configuration {
    Executor.Configuration(director: ObjectIdentifier(director))
  }

  /// Passes calls on.
  package struct Executor: LanguageModelExecutor {
    /// Whose calls they are.
    package struct Configuration: Hashable, Sendable {
      var director: ObjectIdentifier
    }

    private let executors = ExecutorStore()

    /// An executor of its own for every session.
    package init(configuration: Configuration) throws {}

    /// Passes the call on as the director plans it.
    package func respond(
      to request: LanguageModelExecutorGenerationRequest, model: ScriptedLanguageModel,
      streamingInto channel: LanguageModelExecutorGenerationChannel
    ) async throws {
      let plan = try model.director.plan(request)
      let executor = try executors.executor(for: model.base)
      var call = DirectedCall(plan: plan, outer: channel)
      do {
        try await call.run(executor)
      } catch {
        call.observed.error = error
        model.director.ended(call.observed)
        throw error
      }
      model.director.ended(call.observed)
    }
  }
}

/// Decides what the model calls of a session are, one after the other.
package protocol ModelCallDirector: AnyObject, Sendable {
  /// What the next call asks of the model.
  ///
  /// - Throws: whatever is to fail the session's request.
  func plan(_ request: LanguageModelExecutorGenerationRequest) throws -> ModelCallPlan
  /// Hears how a call went; called before the session does anything with it.
  func ended(_ call: ObservedCall)
}

/// One directed call.
package struct ModelCallPlan: Sendable {
  /// What the model is asked.
  package var request: LanguageModelExecutorGenerationRequest
  package var output: AnswerScript.Output
  package var isMasked: Bool
  /// Calls the session hears of instead of the answer's text; empty: it hears the answer.
  package var calls: [Transcript.ToolCall]

  package init(
    request: LanguageModelExecutorGenerationRequest, output: AnswerScript.Output,
    isMasked: Bool = false, calls: [Transcript.ToolCall] = []
  ) {
    self.request = request
    self.output = output
    self.isMasked = isMasked
    self.calls = calls
  }
}

/// How a call went.
package struct ObservedCall: Sendable {
  /// When each piece of the answer came.
  package var pieces: [MonotonicInstant] = []
  /// When the answer was whole.
  package var ended: MonotonicInstant?
  /// The answer's text, calls left out.
  package var text = ""
  /// Its calls of tools, as the model made them.
  package var callCount = 0
  /// What the executor said of it; nil for executors of others.
  package var outcome: AnswerScript.Outcome?
  /// Tokens by the events of executors of others.
  package var usage: LanguageModelExecutorGenerationChannel.Usage?
  package var error: (any Error)?
}
