import FMCommand
import FMFormats

/// `fm inspect`: what is in a model file.
enum InspectCommand {
  static let command = Command(
    name: "inspect", summary: "Describes a model file.",
    positionals: [Positional("FILE", help: "A .gguf file.")],
    options: [],
    examples: ["fm inspect SmolLM2-135M-Instruct-Q4_1.gguf"]
  ) { try await run($0) }

  private static func run(_ arguments: Arguments) async throws -> ExitCode {
    let file = try GGUFFile(path: arguments.positional(0) ?? "")
    Terminal.print("\(file.string("general.architecture") ?? "unknown")\n")
    return .success
  }
}
