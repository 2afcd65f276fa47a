import FMBackend
import FMBench
import FMCommand

/// `fmbench runs`: every stored run.
enum RunsCommand {
  static let command = Command(
    name: "runs", summary: "Lists the stored runs, newest first.",
    discussion: """
      A run that was killed is `stopped`, and what it announced is kept. One of another machine
      says `running` even then, since its process can't be looked for.
      """,
    options: [StoreOptions.option, .flag("json", help: "Prints JSON.")],
    examples: ["fmbench runs", "fmbench runs --json"]
  ) { try run($0) }

  private static func run(_ arguments: Arguments) throws -> ExitCode {
    let store = try BenchStore(reading: StoreOptions.path(arguments))
    let runs = try store.runs()
    if arguments.flag("json") {
      Terminal.print(JSONValue.array(runs.map(json)).prettyText)
      return .success
    }
    var table = Table([
      Table.Column("run", .right), Table.Column("started"), Table.Column("status"),
      Table.Column("model"), Table.Column("device"), Table.Column("valid", .right),
      Table.Column("invalid", .right),
      Table.Column("build"), Table.Column("commit"), Table.Column("label"),
    ])
    for run in runs {
      table.add([
        "\(run.id)", run.started, run.status, run.model, device(run), "\(run.validTrials)",
        "\(run.invalidTrials)", run.build,
        (run.commit.map { String($0.prefix(10)) } ?? "") + (run.isDirty == true ? "+" : ""),
        run.label ?? "",
      ])
    }
    Terminal.print(table.text)
    return .success
  }

  /// `vulkan:0 (software GPU)`.
  private static func device(_ run: RunListing) -> String {
    let kind = DeviceDescription.Kind.label(stored: run.deviceKind)
    return (run.device ?? "") + (kind.map { " (\($0))" } ?? "")
  }

  private static func json(_ run: RunListing) -> JSONValue {
    .object([
      ("run", .integer(run.id)), ("uuid", .string(run.uuid)), ("started", .string(run.started)),
      ("ended", .optional(run.ended) { .string($0) }), ("status", .string(run.status)),
      ("model", .string(run.model)), ("device", .optional(run.device) { .string($0) }),
      ("device_name", .optional(run.deviceName) { .string($0) }),
      ("device_kind", .optional(run.deviceKind) { .string($0) }),
      ("valid_trials", .integer(run.validTrials)),
      ("invalid_trials", .integer(run.invalidTrials)), ("build", .string(run.build)),
      ("commit", .optional(run.commit) { .string($0) }),
      ("dirty", .optional(run.isDirty) { .bool($0) }),
      ("label", .optional(run.label) { .string($0) }),
    ])
  }
}
