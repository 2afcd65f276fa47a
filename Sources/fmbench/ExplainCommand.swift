import FMBench
import FMCommand

/// `fmbench explain`: what a number is and how it is taken.
enum ExplainCommand {
  static let command = Command(
    name: "explain", summary: "Says how a number is taken and what others call it.",
    positionals: [
      Positional(
        "METRIC", .optional, completion: Completion(MetricDefinition.all.map(\.name)),
        help: "A name; without one, the list of all.")
    ],
    options: [.flag("json", help: "Prints JSON.")],
    examples: ["fmbench explain", "fmbench explain ttft", "fmbench explain --json"]
  ) { try run($0) }

  private static func run(_ arguments: Arguments) throws -> ExitCode {
    let isJSON = arguments.flag("json")
    guard let name = arguments.positional(0) else {
      if isJSON {
        Terminal.print(JSONValue.array(MetricDefinition.all.map(json)).prettyText)
        return .success
      }
      var table = Table([Table.Column("metric"), Table.Column("unit"), Table.Column("what it is")])
      for metric in MetricDefinition.all { table.add([metric.name, metric.unit, metric.summary]) }
      Terminal.print(table.text)
      return .success
    }
    guard let metric = MetricDefinition.named(name) else {
      throw UsageError.invalidValue(
        option: "METRIC", found: name,
        expected: "one of " + MetricDefinition.all.map(\.name).joined(separator: ", "))
    }
    if isJSON {
      Terminal.print(json(metric).prettyText)
      return .success
    }
    var text = "\(metric.name) (\(metric.unit))\n  \(metric.summary)\n  = \(metric.formula)\n"
    for note in metric.notes { text += "  \(note)\n" }
    if !metric.elsewhere.isEmpty {
      text += "elsewhere\n"
      for line in metric.elsewhere { text += "  \(line)\n" }
    }
    Terminal.print(text)
    return .success
  }

  private static func json(_ metric: MetricDefinition) -> JSONValue {
    .object([
      ("name", .string(metric.name)), ("unit", .string(metric.unit)),
      ("summary", .string(metric.summary)), ("formula", .string(metric.formula)),
      ("notes", .array(metric.notes.map { .string($0) })),
      ("elsewhere", .array(metric.elsewhere.map { .string($0) })),
    ])
  }
}
