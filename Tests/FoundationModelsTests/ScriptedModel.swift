import Foundation
import FoundationModels
import Synchronization

/// A model for tests that says what its script says, and remembers what it was asked.
struct ScriptedModel: LanguageModel {
  typealias Request = LanguageModelExecutorGenerationRequest
  typealias Channel = LanguageModelExecutorGenerationChannel

  /// What was asked, and the answers still to be given.
  final class Log: Sendable {
    private let state = Mutex<(requests: [Request], cancelled: Int, prewarmed: [Transcript])>(
      ([], 0, []))

    var requests: [Request] { state.withLock { $0.requests } }
    var cancelled: Int { state.withLock { $0.cancelled } }
    var prewarmed: [Transcript] { state.withLock { $0.prewarmed } }

    func add(_ request: Request) -> Int {
      state.withLock {
        $0.requests.append(request)
        return $0.requests.count - 1
      }
    }
    func noteCancelled() { state.withLock { $0.cancelled += 1 } }
    func prewarm(_ transcript: Transcript) { state.withLock { $0.prewarmed.append(transcript) } }
  }

  let id = UUID()
  let log = Log()
  let capabilities: LanguageModelCapabilities
  let script: @Sendable (_ call: Int, _ request: Request, _ channel: Channel) async throws -> Void

  init(
    capabilities: [LanguageModelCapabilities.Capability] = [.toolCalling, .guidedGeneration],
    script: @escaping @Sendable (Int, Request, Channel) async throws -> Void
  ) {
    self.capabilities = LanguageModelCapabilities(capabilities)
    self.script = script
  }

  /// Says one text after another, a few characters at a time.
  init(
    texts: [String],
    capabilities: [LanguageModelCapabilities.Capability] = [.toolCalling, .guidedGeneration]
  ) {
    self.init(capabilities: capabilities) { call, _, channel in
      await channel.say(texts[min(call, texts.count - 1)])
    }
  }

  var executorConfiguration: Executor.Configuration { Executor.Configuration(id: id, log: log) }

  struct Executor: LanguageModelExecutor {
    struct Configuration: Hashable, Sendable {
      let id: UUID
      let log: Log

      static func == (left: Configuration, right: Configuration) -> Bool { left.id == right.id }
      func hash(into hasher: inout Hasher) { hasher.combine(id) }
    }

    let configuration: Configuration

    init(configuration: Configuration) throws { self.configuration = configuration }

    func prewarm(model: ScriptedModel, transcript: Transcript) {
      configuration.log.prewarm(transcript)
    }

    func respond(
      to request: Request, model: ScriptedModel, streamingInto channel: Channel
    ) async throws {
      let call = configuration.log.add(request)
      do {
        try await model.script(call, request, channel)
      } catch is CancellationError {
        configuration.log.noteCancelled()
        throw CancellationError()
      }
    }
  }
}

extension LanguageModelExecutorGenerationChannel {
  /// Sends a text in pieces of three characters, and the usage of one token a piece.
  func say(_ text: String, entryID: String = UUID().uuidString) async {
    var rest = Substring(text)
    var count = 0
    while !rest.isEmpty {
      let piece = String(rest.prefix(3))
      rest = rest.dropFirst(3)
      count += 1
      await send(.response(entryID: entryID, action: .appendText(piece, tokenCount: 1)))
    }
    await send(
      .response(
        entryID: entryID,
        action: .updateUsage(
          input: .init(totalTokenCount: 10, cachedTokenCount: 4),
          output: .init(totalTokenCount: count, reasoningTokenCount: 0))))
  }

  /// Calls tools, the arguments in two pieces each, interleaved.
  func call(_ calls: [(id: String, name: String, arguments: String)]) async {
    let entry = UUID().uuidString
    for half in 0..<2 {
      for call in calls {
        let middle = call.arguments.utf8.count / 2
        let bytes = Array(call.arguments.utf8)
        let piece = half == 0 ? bytes[..<middle] : bytes[middle...]
        await send(
          .toolCalls(
            entryID: entry,
            action: .toolCall(
              id: call.id, name: call.name,
              action: .appendArguments(String(decoding: piece, as: UTF8.self), tokenCount: 1))))
      }
    }
  }
}

/// A gate that scripts wait at until a test opens it.
final class Gate: Sendable {
  private let state = Mutex<(isOpen: Bool, waiters: [CheckedContinuation<Void, Never>])>(
    (false, []))

  func open() {
    let waiters = state.withLock { state in
      state.isOpen = true
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }

  func wait() async {
    await withCheckedContinuation { continuation in
      let isOpen = state.withLock { state in
        if !state.isOpen { state.waiters.append(continuation) }
        return state.isOpen
      }
      if isOpen { continuation.resume() }
    }
  }
}

/// Waits until the task is cancelled.
func untilCancelled() async throws {
  let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
  await withTaskCancellationHandler {
    for await _ in stream {}
  } onCancel: {
    continuation.finish()
  }
  try Task.checkCancellation()
}

/// What kinds of entries a transcript has, in order.
func kinds(_ entries: some Sequence<Transcript.Entry>) -> [String] {
  entries.map { entry in
    switch entry {
    case .instructions: "instructions"
    case .prompt: "prompt"
    case .toolCalls: "toolCalls"
    case .toolOutput: "toolOutput"
    case .response: "response"
    case .reasoning: "reasoning"
    @unknown default: "unknown"
    }
  }
}
