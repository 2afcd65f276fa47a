import FMCommand
import FMRuntime

/// `fm perplexity`: how well a model predicts a text.
enum PerplexityCommand {
  static let command = Command(
    name: "perplexity", summary: "Measures how well a model predicts a text.",
    discussion: """
      The text is encoded once, without special tokens, and cut into windows that do not
      overlap. Every token of a window but its first is scored; where the model adds a
      beginning-of-sequence token, each window starts with one.
      """,
    options: [
      .value("file", "FILE", letter: "f", help: "The text; - is standard input."),
      ModelArguments.model(default: ModelCatalog.defaultModel.name),
      ModelOptions.device,
      ModelArguments.gpuLayers,
      ModelArguments.threads,
      .value("context", "N", letter: "c", help: "Tokens of a window (default 512)."),
      .flag("json", help: "Prints JSON."),
    ],
    examples: ["fm perplexity --file book.txt --context 512"]
  ) { try await run($0) }

  private static func run(_ arguments: Arguments) async throws -> ExitCode {
    guard let path = arguments.string("file") else { throw UsageError.missingArgument("--file") }
    let window = try arguments.contextLength() ?? 512
    let text = try InputFile.read(path)
    let model = try ModelOptions.load(arguments)
    var bar: ProgressBar?
    defer { bar?.finish() }
    let result = try await Perplexity.measure(text, model: model, window: window) { done, total in
      if bar == nil { bar = ProgressBar("windows", total: total, amountText: { "\($0)" }) }
      bar?.update(done)
    }
    bar?.finish()
    if arguments.flag("json") {
      let json = JSONValue.object([
        ("model", .string(model.description.name)), ("window", .integer(window)),
        ("windows", .integer(result.windows)), ("scored_tokens", .integer(result.scoredTokens)),
        ("mean_nll", .number(result.meanNegativeLogLikelihood)),
        ("perplexity", .number(result.value)),
      ])
      Terminal.print(json.prettyText)
    } else {
      Terminal.print(
        """
        tokens scored  \(result.scoredTokens)
        mean NLL       \(Format.fixed(result.meanNegativeLogLikelihood, digits: 5))
        perplexity     \(Format.fixed(result.value, digits: 4))

        """)
    }
    return .success
  }
}
