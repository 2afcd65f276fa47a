import FMBench
import FMCommand

/// `fmbench list`: the scenarios of the suite.
enum ListCommand {
  static let command = Command(
    name: "list", summary: "Lists the scenarios and what each isolates.",
    options: [SuiteOptions.option, .flag("json", help: "Prints JSON.")],
    examples: ["fmbench list", "fmbench list --json"]
  ) { try run($0) }

  private static func run(_ arguments: Arguments) throws -> ExitCode {
    let suite = try SuiteOptions.load(arguments)
    let plans = try suite.scenarios.map { ($0, try ScenarioPlan.all(of: $0)) }
    if arguments.flag("json") {
      Terminal.print(
        JSONValue.object([
          ("suite", .string(suite.name)), ("sha", .string(suite.sha)),
          ("profile", .string(suite.profile)),
          ("scenarios", .array(plans.map { json($0.0, $0.1) })),
        ]).prettyText)
      return .success
    }
    var table = Table([
      Table.Column("scenario"), Table.Column("isolates"), Table.Column("prefix", .right),
      Table.Column("requests", .right), Table.Column("output", .right),
      Table.Column("window", .right), Table.Column("forms", .right), Table.Column("states"),
      Table.Column("trials", .right),
    ])
    for (scenario, forms) in plans {
      guard let form = forms.first else { continue }
      table.add([
        scenario.name, scenario.isolates,
        form.sessions.map { "\($0.prefixTokens)" }.joined(separator: "+"),
        "\(form.measuredRequests)", "\(form.measuredOutputTokens)", "\(form.windowTokens)",
        "\(forms.count)", scenario.states.map(\.rawValue).joined(separator: " "),
        "\(scenario.trials.quick)/\(scenario.trials.standard)/\(scenario.trials.release)",
      ])
    }
    Terminal.print(
      "\(suite.name), profile \(suite.profile), \(suite.sha.prefix(12)). Tokens by the model's own "
        + "tokenizer; a prefix a session; trials quick/standard/release.\n\n" + table.text)
    return .success
  }

  private static func json(_ scenario: Scenario, _ forms: [ScenarioPlan]) -> JSONValue {
    .object([
      ("name", .string(scenario.name)), ("title", .string(scenario.title)),
      ("isolates", .string(scenario.isolates)),
      ("context_tokens", .integer(scenario.contextTokens)),
      ("states", .array(scenario.states.map { .string($0.rawValue) })),
      (
        "trials",
        .object([
          ("quick", .integer(scenario.trials.quick)),
          ("standard", .integer(scenario.trials.standard)),
          ("release", .integer(scenario.trials.release)),
        ])
      ),
      (
        "forms",
        .array(
          forms.map { form in
            .object([
              ("variant", .string(form.variant)),
              ("prefix_tokens", .array(form.sessions.map { .integer($0.prefixTokens) })),
              ("requests", .integer(form.measuredRequests)),
              ("output_tokens", .integer(form.measuredOutputTokens)),
              ("window_tokens", .integer(form.windowTokens)),
            ])
          })
      ),
    ])
  }
}
