import FMBench
import FMCommand

/// `fmbench history`: the medians of the stored runs, and whether the newest is out of line.
enum HistoryCommand {
  static let command = Command(
    name: "history", summary: "Says whether the newest runs are out of line with those before.",
    discussion: """
      A history is the runs of one and the same cell: the same scenario by its hash, form,
      state, model, device, machine, build configuration and options; commits differ.
      Without options those of ttft, tpot and task_wall of the primary cells are shown.

      The newest run's median is out of line when it is over 3.5 robust deviations (of
      logarithms, at least the noise floor's) from the median of all runs before it that
      are looked at, with 8 or more of them. Nothing moves by itself: --last N limits what
      is looked at. A step is where the level changed once and stayed.

      Exit codes: 0 nothing is out of line and worse; 1 something is, or an error; 2 too few
      runs for every history; 64 usage.
      """,
    options: [
      .value(
        "scenario", "A,B", letter: "s", repeats: true, completion: SuiteOptions.scenarios,
        help: "Only these scenarios, in all forms and states."),
      .value(
        "state", "A,B", repeats: true, completion: Completion(CacheState.allCases.map(\.rawValue)),
        help: "Only these states: cold, prewarmed, warm; not only primary cells."),
      .value(
        "metric", "A,B", repeats: true, completion: Completion(Metric.allCases.map(\.rawValue)),
        help: "These numbers: ttft, tpot and task_wall are the default."),
      .value(
        "device", "A,B", repeats: true, completion: RunArguments.devices,
        help: "Only these devices, or addresses of servers."),
      .value(
        "model", "A,B", letter: "m", repeats: true,
        help: "Only models whose name or hash begins so."),
      .value(
        "level", "A,B", repeats: true,
        completion: Completion(PlayStyle.Level.allCases.map(\.rawValue)),
        help: "Only runs at these levels: engine, session."),
      .value(
        "last", "N",
        help: "The newest N runs of each history; the default is \(HistoryQuery.mostRuns)."),
      StoreOptions.option, .flag("json", help: "Prints JSON."),
    ],
    examples: [
      "fmbench history", "fmbench history --scenario one-tool --state cold",
      "fmbench history --metric decode_tps,peak_memory --device cpu --last 30",
      "fmbench history --json || echo out of line, or too few runs",
    ]
  ) { try run($0) }

  private static func run(_ arguments: Arguments) throws -> ExitCode {
    let query = try query(arguments)
    let named = try names("metric", arguments, of: Metric.allCases)
    let metrics = named.isEmpty ? PrimaryFamily.metrics : named
    let store = try BenchStore(reading: StoreOptions.path(arguments))
    let report = HistoryReport(
      try store.histories(query, metrics: metrics), metrics: metrics)
    if arguments.flag("json") {
      Terminal.print(try report.json())
    } else {
      print(HistoryText(report))
    }
    return switch report.outcome {
    case .noAlarm: .success
    case .alarm: .failure
    case .tooFew: ExitCode(2)
    }
  }

  private static func query(_ arguments: Arguments) throws(UsageError) -> HistoryQuery {
    var query = HistoryQuery()
    query.scenarios = try StoreOptions.list("scenario", arguments)
    query.states = try names("state", arguments, of: CacheState.allCases)
    query.devices = try StoreOptions.list("device", arguments).map { ServerAddress.named($0) }
    query.models = try StoreOptions.list("model", arguments)
    query.levels = try names("level", arguments, of: PlayStyle.Level.allCases)
    query.last = try arguments.integer("last", in: 1...HistoryQuery.mostRuns) ?? query.last
    return query
  }

  /// The choices an option names, each once; dashes and underscores are alike.
  private static func names<Choice: RawRepresentable & Equatable>(
    _ option: String, _ arguments: Arguments, of choices: [Choice]
  ) throws(UsageError) -> [Choice] where Choice.RawValue == String {
    var found: [Choice] = []
    for word in try StoreOptions.list(option, arguments) {
      let wanted = word.replacing("-", with: "_")
      guard let choice = choices.first(where: { $0.rawValue == wanted }) else {
        let all = choices.map(\.rawValue)
        throw .unknownName(
          option: "--\(option)", found: word, suggestion: Spelling.nearest(wanted, in: all),
          all: all)
      }
      if !found.contains(choice) { found.append(choice) }
    }
    return found
  }

  private static func print(_ text: HistoryText) {
    for block in text.blocks {
      var table = Table(
        block.headings.enumerated().map { index, heading in
          Table.Column(heading, index < block.wordColumns ? .left : .right)
        })
      for row in block.rows { table.add(row) }
      Terminal.print(Printable.text(block.header, limit: 2000) + "\n\n" + table.text + "\n")
      for line in block.findings { Terminal.print(Printable.text(line, limit: 2000) + "\n") }
      if !block.findings.isEmpty { Terminal.print("\n") }
    }
    for note in text.notes { Terminal.print(note + "\n") }
  }
}
