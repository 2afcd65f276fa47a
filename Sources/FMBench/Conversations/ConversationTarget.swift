package import FMCore
import FMEngine
package import FMRuntime
package import FMText
package import FoundationModels

/// A model that sessions are played on, with what only its kind can do.
package struct ConversationTarget: Sendable {
  /// The model that answers.
  package var model: any LanguageModel
  /// Tokens of the longest sequence; nil where nobody tells.
  package var contextLength: Int?
  /// How the model spells calls of tools.
  package var toolForm: ToolCallForm
  /// Tokens of a request that sends this transcript, by this process's own count.
  package var count: @Sendable (Transcript) async throws -> Int
  /// Engines of this process; nil for servers.
  package var engine: Local?

  /// What an engine of this process can do beside answering.
  package struct Local: Sendable {
    /// Forgets every cached prefix.
    package var clearCache: @Sendable () async -> Void
    /// Computes the beginning of a conversation, and gives its ids beside what that took.
    package var prefill:
      @Sendable (Transcript) async throws -> (outcome: RequestOutcome, prompt: [TokenID])

    package init(
      clearCache: @escaping @Sendable () async -> Void,
      prefill:
        @escaping @Sendable (Transcript) async throws -> (
          outcome: RequestOutcome, prompt: [TokenID]
        )
    ) {
      self.clearCache = clearCache
      self.prefill = prefill
    }
  }

  package init(
    model: any LanguageModel, contextLength: Int?, toolForm: ToolCallForm,
    count: @escaping @Sendable (Transcript) async throws -> Int, engine: Local? = nil
  ) {
    self.count = count
    self.model = model
    self.contextLength = contextLength
    self.toolForm = toolForm
    self.engine = engine
  }
}

extension ConversationTarget {
  /// A loaded model of this process.
  package init(_ loaded: LoadedModel) {
    let model = LocalLanguageModel(loaded)
    self.init(
      model: model, contextLength: loaded.engine.contextLength, toolForm: loaded.tools.call,
      count: { try await model.tokenCount(for: $0) },
      engine: Local(
        clearCache: { await loaded.engine.clearPrefixCache() },
        prefill: { transcript in
          let (summary, prompt) = try await model.prefill(transcript)
          let outcome = RequestOutcome(
            submitted: summary.submitted, prefillStart: summary.prefillStart,
            completed: summary.completed, promptTokens: summary.tokens,
            cachedTokens: summary.cachedTokens, missReason: summary.cacheMissReason.name)
          return (outcome, prompt)
        }))
  }
}
