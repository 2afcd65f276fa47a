import FMBench
import FMCommand

/// `fmbench import`: results of llama-bench as runs.
enum ImportCommand {
  static let command = Command(
    name: "import", summary: "Stores results of llama.cpp's llama-bench as runs.",
    discussion: """
      Reads the output of `llama-bench -o sql`, `-o json` or `-o jsonl`, or a database that
      was fed from the SQL. JSON has every repetition; SQL has averages alone, which
      are one trial and too few for a verdict.
      """,
    positionals: [Positional("FILE", .any, help: "Files to read.")],
    options: [StoreOptions.option, .flag("json", help: "Prints JSON.")],
    examples: [
      "llama-bench -m model.gguf -r 10 -o jsonl > a.jsonl", "fmbench import a.jsonl b.jsonl",
      "fmbench compare latest 7",
    ]
  ) { try run($0) }

  private static func run(_ arguments: Arguments) throws -> ExitCode {
    guard !arguments.positionals.isEmpty else {
      throw UsageError.conflict("importing takes at least one file")
    }
    let files = try arguments.positionals.map { ($0, try LlamaBenchRow.read($0)) }
    let store = try BenchStore(writing: StoreOptions.path(arguments))
    var results: [JSONValue] = []
    for (path, rows) in files {
      let result = try store.importLlamaBench(rows)
      if arguments.flag("json") {
        results.append(
          .object([
            ("file", .string(path)), ("tests", .integer(result.tests)),
            ("runs", .array(result.runs.map { .integer($0) })),
            ("present", .integer(result.present)),
          ]))
        continue
      }
      let runs = result.runs.map(String.init).joined(separator: ", ")
      Terminal.print(
        "\(path): \(result.tests) tests as "
          + (result.runs.isEmpty ? "no new run" : "run \(runs)")
          + (result.present > 0 ? ", \(result.present) runs were there" : "") + "\n")
    }
    if arguments.flag("json") { Terminal.print(JSONValue.array(results).prettyText) }
    return .success
  }
}
