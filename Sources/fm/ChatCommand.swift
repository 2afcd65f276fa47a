import FMCommand
import FMCore
import FMEngine
import FMRuntime
import FMText

/// `fm chat`: talk to a model.
enum ChatCommand {
  static let command = Command(
    name: "chat", summary: "Talks to a model.",
    discussion: """
      Without --prompt it reads one message a line: from a terminal with a prompt, from
      a pipe or file without. Ctrl-C stops the answer; Ctrl-D or /exit leaves.
      /new starts over.
      """,
    options: ModelOptions.options + [
      .value("prompt", "TEXT", letter: "p", help: "Asks once, prints the answer and ends."),
      .value(
        "system", "TEXT",
        help: "The system message (default: \(Conversation.defaultSystem)); \"\" leaves it out."),
      .value("max-tokens", "N", letter: "n", help: "The most tokens of an answer."),
      .flag("stats", help: "Prints time to first token and rates after each answer."),
    ] + SamplingArguments.options,
    examples: [
      "fm chat",
      "fm chat --prompt \"What is the capital of France?\" --greedy --stats",
      "fm chat --model gemma-3-270m-Q4_K_M --threads 2 --temperature 0.2",
    ]
  ) { try await run($0) }

  private static func run(_ arguments: Arguments) async throws -> ExitCode {
    let sampling = try SamplingArguments.sampling(arguments)
    let limit = try arguments.integer("max-tokens", in: 1...16_777_216)
    let model = try ModelOptions.load(arguments)
    var chat = ChatSession(
      model: model, system: arguments.string("system"), sampling: sampling, maximumTokens: limit,
      showsStatistics: arguments.flag("stats"))
    if let prompt = arguments.string("prompt") {
      let summary = try await chat.ask(prompt)
      return summary.finishReason == .cancelled ? .interrupted : .success
    }
    try await chat.loop()
    return .success
  }
}

/// One conversation on a terminal or a pipe.
private struct ChatSession {
  private let model: LoadedModel
  private let system: String?
  private let sampling: SamplingOptions
  private let maximumTokens: Int?
  private let showsStatistics: Bool
  private let running: RunningAnswer
  private let interrupts: Interrupts
  private var conversation: Conversation
  private var trace: ChatTrace?

  init(
    model: LoadedModel, system: String?, sampling: SamplingOptions, maximumTokens: Int?,
    showsStatistics: Bool
  ) {
    self.model = model
    let system = Conversation.system(given: system, model: model)
    self.system = system
    self.sampling = sampling
    self.maximumTokens = maximumTokens
    self.showsStatistics = showsStatistics
    conversation = Conversation(model: model, system: system)
    trace = ChatTrace(model: model)
    let running = RunningAnswer()
    self.running = running
    interrupts = Interrupts {
      if !running.cancel() { Terminal.note("\n(Ctrl-D or /exit leaves)") }
    }
  }

  /// Answers one line after another until the input ends.
  mutating func loop() async throws {
    let isTerminal = Terminal.inputIsTerminal
    var lines = InputLines()
    if isTerminal {
      Terminal.note(
        "\(model.description.name) on \(model.deviceName). /exit leaves, /new starts over.")
    }
    while true {
      if isTerminal { Terminal.printToError("> ") }
      guard let line = try lines.next() else { break }
      switch line.trimmingSpaces {
      case "": continue
      case "/exit": return
      case "/new":
        conversation = Conversation(model: model, system: system)
        trace = ChatTrace(model: model)
        continue
      default: break
      }
      do {
        _ = try await ask(line)
      } catch let error where error is EngineError || error is TemplateError {
        // The session goes on: the message that was refused is taken back.
        conversation.withdraw()
        Terminal.printError(error)
      }
    }
    if isTerminal { Terminal.note("") }
  }

  /// Streams one answer to standard output.
  mutating func ask(_ text: String) async throws -> GenerationSummary {
    guard let trace else { return try await answer(text) }
    return try await trace.request(text) { try await answer(text) }
  }

  private mutating func answer(_ text: String) async throws -> GenerationSummary {
    let cancellation = GenerationCancellation()
    running.watch(cancellation)
    defer { running.watch(nil) }
    let request = GenerationRequest(
      prompt: try conversation.prompt(adding: text), sampling: sampling,
      maximumTokens: maximumTokens, stopStrings: model.template.stopStrings,
      cancellation: cancellation)
    for try await event in model.engine.generate(request) {
      switch event {
      case .prefilled: break
      case .token(let token): Terminal.print(token.text)
      case .finished(let summary):
        Terminal.print(summary.trailingText + "\n")
        conversation.answer(summary)
        report(summary)
        return summary
      }
    }
    throw EngineError.cancelled
  }

  private func report(_ summary: GenerationSummary) {
    switch summary.finishReason {
    case .cancelled: Terminal.note("(stopped)")
    case .contextFull: Terminal.warn("the context is full; /new starts over")
    case .endOfTurn, .length, .stopString: break
    }
    if showsStatistics { Terminal.note(AnswerStatistics(summary).text) }
  }
}

extension String {
  fileprivate var trimmingSpaces: Substring {
    let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0 == "\r" }
    var rest = Substring(self).drop(while: isSpace)
    while let last = rest.last, isSpace(last) { rest.removeLast() }
    return rest
  }
}
