import FMCommand
import FMFormats
import FMRuntime

/// `fm inspect`: what is in a model file.
enum InspectCommand {
  static let command = Command(
    name: "inspect", summary: "Describes a model file.",
    discussion: """
      Reads the file's metadata and checks every size it declares; the weights are not read.
      Any architecture can be described, also one that can't be run.
      """,
    positionals: [Positional("MODEL", help: "A .gguf file, or a name that `fm models` lists.")],
    options: [
      .flag("json", help: "Print JSON."),
      .flag("tensors", help: "List every tensor too."),
      .value(
        "context", "N", letter: "c", help: "Plan memory for N positions, not the trained length."),
    ],
    examples: [
      "fm inspect SmolLM2-135M-Instruct-Q4_1", "fm inspect model.gguf --context 4096 --json",
    ]
  ) { try await run($0) }

  private static func run(_ arguments: Arguments) async throws -> ExitCode {
    let context = try arguments.integer("context", in: 1...1 << 30)
    let model = try ModelStore().find(arguments.positional(0) ?? "")
    let inspection = ModelInspection(try GGUFFile(path: model.path), context: context)
    let listsTensors = arguments.flag("tensors")
    if arguments.flag("json") {
      Terminal.print(inspection.json(listsTensors: listsTensors).prettyText)
    } else {
      Terminal.print(inspection.text(listsTensors: listsTensors))
    }
    return .success
  }
}
