package import FMCore
package import FMEngine
import FMRuntime
import FMText

/// How one answer of a benchmark is pinned, and who hears what it took.
///
/// In force for the model calls of a task; executors of this package look it up, others know nothing of it.
package struct AnswerScript: Sendable {
  /// What the model is made to say.
  package enum Output: Sendable, Hashable {
    /// Its own likeliest tokens, exactly so many: ends of an answer are banned, and no form is kept to.
    case natural(Int)
    /// This text, its tokens computed as sampled ones are.
    case forced(String)
    /// Calls of tools in the model's own spelling, which may have special tokens.
    case calls(String)
    /// What it wants to.
    case free
  }

  /// What became of an answer.
  package enum Outcome: Sendable {
    /// An engine of this process answered a prompt of these ids.
    case engine(GenerationSummary, prompt: [TokenID])
    /// A server answered and counted so many tokens; nil for what it does not count.
    case server(promptTokens: Int?, cachedTokens: Int?, outputTokens: Int?)
  }

  package var output: Output
  /// Whether a forced answer is also held to the request's grammar, token by token.
  package var isMasked: Bool
  /// Called once, when the answer is whole.
  package var observe: @Sendable (Outcome) -> Void

  package init(
    output: Output, isMasked: Bool, observe: @escaping @Sendable (Outcome) -> Void
  ) {
    self.output = output
    self.isMasked = isMasked
    self.observe = observe
  }

  /// The script of this task's model calls; nil for every application.
  @TaskLocal package static var current: AnswerScript?

  /// Whether calls of tools are looked for in the answer.
  var readsCalls: Bool {
    if case .natural = output { false } else { true }
  }

  /// Pins a request to an engine.
  func apply(to request: inout GenerationRequest, model: LoadedModel) {
    switch output {
    case .free: return
    case .natural(let count):
      request.maximumTokens = count
      request.ignoresEndOfGeneration = true
      request.stopStrings = []
      request.constraint = nil
    case .forced(let text), .calls(let text):
      var isSpelling = false
      if case .calls = output { isSpelling = true }
      request.forcedTokens = model.tokenizer.encode(text, parsingSpecial: isSpelling)
      request.maximumTokens = nil
      request.stopStrings = []
      if !isMasked { request.constraint = nil }
    }
  }

  /// How many tokens a server is told to give; nil where that is its own affair.
  ///
  /// A forced text is no number of tokens, and servers have no way to force one.
  var serverTokens: Int? {
    if case .natural(let count) = output { count } else { nil }
  }
}
