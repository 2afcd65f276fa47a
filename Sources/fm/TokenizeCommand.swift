import FMCommand
import FMFormats
import FMRuntime
import FMText

/// `fm tokenize`: the token ids of a text, or the text of token ids.
enum TokenizeCommand {
  static let command = Command(
    name: "tokenize", summary: "Prints the tokens of a text, or the text of tokens.",
    discussion: """
      Reads raw bytes: text that is not UTF-8 is encoded as it is and decodes to the same bytes.
      Adds no token, and takes <|...|> and the like for ordinary text unless --special is given.
      Prints one token a line, its id, a tab and its bytes as a quoted string in which bytes that \
      are not UTF-8 show as \\xNN; the number of tokens goes to standard error.
      """,
    positionals: [
      Positional("FILE", .optional, help: "The text; standard input without it, or for -.")
    ],
    options: [
      ModelArguments.model(default: ModelCatalog.defaultModel.name),
      .flag("json", help: "Print ids, bytes (hexadecimal) and text as JSON."),
      .flag("special", help: "Read control tokens in the text as those tokens."),
      .flag("decode", help: "Read token ids, apart by spaces or lines, and print their bytes."),
    ],
    examples: [
      "fm tokenize notes.txt", "echo 'Hello there' | fm tokenize --json",
      "fm tokenize --decode ids.txt",
    ]
  ) { try await run($0) }

  private static func run(_ arguments: Arguments) async throws -> ExitCode {
    let model = arguments.string("model") ?? ModelCatalog.defaultModel.name
    let file = try GGUFFile(path: ModelStore().find(model).path)
    let tokenizer = try Tokenizer(TokenizerDescription(gguf: file))
    for warning in tokenizer.warnings { Terminal.warn(warning) }
    let input = try InputFile.read(arguments.positional(0) ?? "-")
    if arguments.flag("decode") {
      let ids = try TokenListing.parse(input, vocabularySize: tokenizer.vocabularySize)
      Terminal.print(
        bytes: tokenizer.decode(ids, includingSpecial: arguments.flag("special")))
      return .success
    }
    let ids = tokenizer.encode(input, parsingSpecial: arguments.flag("special"))
    TokenListing(ids: ids, tokenizer: tokenizer).write(asJSON: arguments.flag("json")) {
      Terminal.print($0)
    }
    let lost = input.count - tokenizer.decode(ids, includingSpecial: true).count
    if lost > 0 {
      Terminal.warn("\(lost) bytes have no token in this vocabulary and were left out")
    }
    Terminal.note("\(ids.count) tokens for \(input.count) bytes")
    return .success
  }
}
