import FMCore
import FMEngine
import FMGrammar
import FMRuntime
import FMText
import Foundation
import Synchronization

/// Answers requests with a model on this machine.
///
/// Keeps the ids its answers were generated as: the next prompt holds them again, so that nothing of the
/// earlier turns is computed twice.
final class EngineExecutor: Sendable, CancellableExecutor {
  private let handle: EngineHandle
  private let answers = Mutex(KeptAnswers())
  /// What is prefilled in the background.
  private let prewarming = Mutex<Task<Void, Never>?>(nil)

  /// What every model on this machine can do.
  static var capabilities: LanguageModelCapabilities {
    LanguageModelCapabilities([.toolCalling, .guidedGeneration])
  }

  init(handle: EngineHandle) { self.handle = handle }

  /// What the engine is to obey while it answers; nil where any text will do.
  ///
  /// What runs out of tokens is cut, but for structured answers that are to end in time: a call made
  /// short would do something else.
  private func constraint(
    _ request: LanguageModelExecutorGenerationRequest, model: LoadedModel
  ) throws -> GenerationConstraint? {
    let endsInTime = request.generationOptions.finishesWithinLimit
    guard let rules = AnswerRules(request, convention: model.tools) else { return nil }
    do {
      return try handle.grammars.grammar(of: rules, for: model).constraint(
        ending: endsInTime && !rules.hasTools ? .withinBudget : .cut, tokenizer: model.tokenizer)
    } catch let error as GrammarError {
      throw LanguageModelError.unsupportedGenerationGuide(
        LanguageModelError.UnsupportedGenerationGuide(
          schemaName: request.schema?.name, debugDescription: error.description))
    }
  }

  func respond(
    to request: LanguageModelExecutorGenerationRequest,
    streamingInto channel: LanguageModelExecutorGenerationChannel
  ) async throws {
    let model = try await loadedModel()
    await finishPrewarming()
    try Task.checkCancellation()
    let prompt = try PromptRenderer(model: model, answers: answers.withLock { $0 }).prompt(
      request.transcript, tools: request.enabledToolDefinitions)
    let script = AnswerScript.current
    var generation = GenerationRequest(
      prompt: prompt, sampling: Self.sampling(request.generationOptions),
      maximumTokens: request.generationOptions.maximumResponseTokens.map { max(1, $0) },
      stopStrings: model.template.stopStrings,
      constraint: try constraint(request, model: model))
    script?.apply(to: &generation, model: model)
    let names = script?.readsCalls == false ? [] : request.enabledToolDefinitions.map(\.name)
    let parser = names.isEmpty ? nil : ToolCallParser(form: model.tools.call, toolNames: names)
    do {
      try await generate(
        generation, with: model, into: AnswerSender(channel: channel, parser: parser),
        isStructured: request.schema != nil)
    } catch let error as EngineError {
      throw Self.translated(error)
    }
  }

  private func generate(
    _ request: GenerationRequest, with model: LoadedModel, into sender: AnswerSender,
    isStructured: Bool
  ) async throws {
    var sender = sender
    for try await event in model.engine.generate(request) {
      switch event {
      case .prefilled: break
      case .token(let token): try await sender.append(token.text, tokenCount: 1)
      case .finished(let summary):
        if !summary.trailingText.isEmpty {
          try await sender.append(summary.trailingText, tokenCount: 0)
        }
        AnswerScript.current?.observe(.engine(summary, prompt: request.prompt))
        try await finish(summary, of: &sender, with: model, isStructured: isStructured)
      }
    }
    try Task.checkCancellation()
  }

  private func finish(
    _ summary: GenerationSummary, of sender: inout AnswerSender, with model: LoadedModel,
    isStructured: Bool
  ) async throws {
    if summary.finishReason == .contextFull {
      keep(summary, isStructured: isStructured)
      throw LanguageModelError.contextSizeExceeded(
        LanguageModelError.ContextSizeExceeded(
          contextSize: model.description.contextLength,
          tokenCount: summary.promptTokens + summary.tokens.count + 1,
          debugDescription: "the answer did not end before the context was full"))
    }
    try await sender.finish(isCut: summary.finishReason == .length)
    let calls = sender.transcriptCalls
    keep(summary, isStructured: isStructured && calls.isEmpty)
    if !calls.isEmpty, !sender.hasDroppedCall {
      answers.withLock { $0.keep(spelling: summary.text, text: sender.text, calls: calls) }
    }
    await sender.sendUsage(of: summary)
  }

  /// Remembers the ids of an answer; of a structured one also under its text as transcripts have it.
  private func keep(_ summary: GenerationSummary, isStructured: Bool) {
    let content = isStructured ? try? GeneratedContent(json: summary.text).jsonString : nil
    answers.withLock { $0.keep(summary, as: content) }
  }

  // MARK: Prewarming

  /// Loads the model and computes the transcript in the background; a later call replaces the earlier one.
  func prewarm(transcript: Transcript) {
    let task = Task { [self] in
      guard let model = try? await loadedModel(), !Task.isCancelled,
        let prompt = try? PromptRenderer(model: model, answers: answers.withLock { $0 }).prefix(
          transcript), !prompt.isEmpty
      else { return }
      _ = try? await model.engine.prefill(prompt)
    }
    let old = prewarming.withLock { current in
      defer { current = task }
      return current
    }
    old?.cancel()
  }

  /// Computes the beginning of a conversation, and returns its ids when that is done.
  func prefill(
    _ transcript: Transcript
  ) async throws -> (summary: PrefillSummary, prompt: [TokenID]) {
    let model = try await loadedModel()
    let prompt = try PromptRenderer(model: model, answers: answers.withLock { $0 }).prefix(
      transcript)
    return (try await model.engine.prefill(prompt), prompt)
  }

  func cancelPrewarming() {
    let task = prewarming.withLock { current in
      defer { current = nil }
      return current
    }
    task?.cancel()
  }

  /// Waits for what is being computed ahead: the request would compute the same again.
  private func finishPrewarming() async {
    let task = prewarming.withLock { $0 }
    guard let task else { return }
    await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      task.cancel()
    }
    prewarming.withLock { if $0 == task { $0 = nil } }
  }

  // MARK: Translation

  private func loadedModel() async throws -> LoadedModel {
    do {
      return try await handle.load()
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      throw SystemLanguageModel.Error.assetsUnavailable(
        SystemLanguageModel.Error.AssetsUnavailable(debugDescription: "\(error)"))
    }
  }

  static func sampling(_ options: GenerationOptions) -> SamplingOptions {
    var result = SamplingOptions(temperature: 0.7, topK: 40, topP: 0.95)
    var seed: UInt64?
    switch options.samplingMode?.kind {
    case nil: break
    case .greedy: return .greedy
    case .randomTopK(let k, let given):
      result = SamplingOptions(temperature: 1, topK: max(1, k))
      seed = given
    case .randomProbabilityThreshold(let threshold, let given):
      let clamped = threshold > 0 ? min(threshold, 1) : Double(Float.leastNormalMagnitude)
      result = SamplingOptions(temperature: 1, topP: Float(clamped))
      seed = given
    }
    if let temperature = options.temperature, temperature.isFinite {
      result.temperature = Float(min(max(0, temperature), 100))
    }
    result.seed = seed ?? UInt64.random(in: 0 ... .max)
    return result
  }

  static func translated(_ error: EngineError) -> any Error {
    switch error {
    case .contextExceeded(let promptTokens, let contextLength):
      return LanguageModelError.contextSizeExceeded(
        LanguageModelError.ContextSizeExceeded(
          contextSize: contextLength, tokenCount: promptTokens,
          debugDescription: error.description))
    case .budgetTooSmall:
      return GeneratedContent.ParsingError(
        rawContent: "", underlyingError: nil, debugDescription: error.description)
    case .queueFull:
      return LanguageModelError.rateLimited(
        LanguageModelError.RateLimited(resetDate: nil, debugDescription: error.description))
    case .cancelled: return CancellationError()
    case .noValidToken, .invalidRequest, .constraintViolated, .outOfBlocks,
      .windowGone, .unknownSequence, .backend:
      return LocalModelFailure(reason: error.description)
    }
  }
}
