import FMBackend
import FMBench
import FMCommand
import FMRuntime

/// `fmbench run`: plays the suite on a model and records it.
enum RunCommand {
  static let command = Command(
    name: "run", summary: "Plays the agent suite on a model and records every request.",
    discussion: """
      Each finished request is one line on standard error, printed after it is on disk;
      the table, or the JSON, goes to standard output. Ctrl-C ends the run in order: what
      was measured is kept and shown, and the exit code is 130.
      Several devices are played in turn (A B, B A, ...) and then compared, as `fmbench
      compare` does; software GPUs by themselves and without a verdict. On one only
      device-slice is played, unless scenarios are named. `all` is the CPU and every GPU; a
      software GPU only where there is no other.
      """,
    options: [
      ModelArguments.model(default: RunArguments.defaultModel),
      StoreOptions.option,
      .value(
        "device", "A,B", repeats: true, completion: Completion(["cpu", "vulkan", "all"]),
        help: "Where it runs: cpu (the default), vulkan, vulkan:0, all; a run for each."),
    ] + EndpointArguments.options + RunArguments.loading + RunArguments.playing
      + StyleArguments.options + [
        .flag("json", help: "Prints JSON instead of the table.")
      ],
    examples: [
      "fmbench run --quick", "fmbench run --quick --device all",
      "fmbench run --model gemma-3-270m-Q4_K_M --scenario one-tool,planner-handoff --trials 10",
      "fmbench run --threads 2 --state cold --json > run.json",
      "fmbench run --until-stable --trials 40 --scenario one-tool",
      "fmbench run --start process --scenario one-tool --state cold",
      "fmbench run --level session --masks on --scenario schema-ladder",
      "fmbench run --endpoint http://127.0.0.1:8080/v1 --scenario one-tool --trials 10",
    ]
  ) { try await run($0) }

  private static func run(_ arguments: Arguments) async throws -> ExitCode {
    let options = try RunArguments.runOptions(arguments)
    let style = try StyleArguments.style(arguments)
    let suite = try SuiteOptions.load(arguments)
    _ = try suite.scenarios(named: options.scenarios)
    // Before the model: a database that cannot be written should not cost a load.
    let store = try BenchStore(writing: StoreOptions.path(arguments))
    let arms = try await loadArms(arguments, style)
    // From here on Ctrl-C ends the run in order; a load it simply ends.
    let interruption = Interruption()
    let interrupts = Interrupts(interruption)
    let turns = BenchDevices.turns(of: arms)
    var reports: [RunReport] = []
    var code = ExitCode.success
    for turn in turns where !interruption.isRequested {
      let (played, ended) = try await play(
        suite, on: turn, arguments, options, store, interruption)
      if !arguments.flag("json") {
        try show(played, of: store, followed: arms.count > 1)
      }
      reports += played
      if ended != .success { code = ended }
    }
    withExtendedLifetime(interrupts) {}
    if arguments.flag("json") { try ReportPrinter.print(json: reports) }
    return code
  }

  /// The server, or the model loaded on every device, before the first trial is played.
  private static func loadArms(_ arguments: Arguments, _ style: PlayStyle) async throws
    -> [BenchArm]
  {
    if let address = arguments.string("endpoint") {
      try EndpointArguments.requireAlone(arguments)
      return [try await EndpointArguments.arm(address, style, arguments)]
    }
    try EndpointArguments.requireNone(arguments)
    let devices = try devices(arguments)
    var arms: [BenchArm] = []
    for device in devices.selectors {
      let loadOptions = try RunArguments.loadOptions(arguments, device: device, style: style)
      do {
        let model = try Runtime.load(
          arguments.string("model") ?? RunArguments.defaultModel, options: loadOptions)
        arms.append(try RunArguments.arm(model, loadOptions, style, arguments))
      } catch {
        // Of devices nobody named, one that does not work must not hide what the others measure.
        guard devices.areImplied, device != devices.selectors.first else { throw error }
        Terminal.warn("no rows of \(device): \(error)")
      }
    }
    return arms
  }

  /// Plays the suite on arms in turn and gives what was stored.
  private static func play(
    _ suite: Suite, on arms: [BenchArm], _ arguments: Arguments, _ options: RunOptions,
    _ store: BenchStore, _ interruption: Interruption
  ) async throws -> ([RunReport], ExitCode) {
    let runner = BenchRunner(store: store, arms: arms, suite: suite, options: options)
    var progress = RunProgress(showsRequests: !arguments.flag("quiet"))
    Terminal.note("on " + arms.map(\.subject.device.label).joined(separator: ", in turn with "))
    let result = try await runner.runAll(interruption: interruption) { progress.observe($0) }
    progress.finish()
    let reports = try result.runs.map { try store.report(run: $0) }
    let codes = reports.map { exitCode(result.status, $0) }
    return (reports, codes.first { $0 != .success } ?? .success)
  }

  /// Prints the tables of runs that were played in turn, and what their comparison says.
  private static func show(
    _ reports: [RunReport], of store: BenchStore, followed: Bool
  ) throws {
    for report in reports {
      try ReportPrinter.print(report, json: false)
      if followed { Terminal.print("\n") }
    }
    guard let first = reports.first else { return }
    for second in reports.dropFirst() {
      let comparison = RunComparison(
        axis: .device,
        first: (first.deviceSelector ?? "A", try store.measuredCells(runs: [first.run])),
        second: (second.deviceSelector ?? "B", try store.measuredCells(runs: [second.run])))
      try ComparisonPrinter.print(comparison, asJSON: false)
      Terminal.print("\n")
    }
  }

  /// The selectors to run on, in order; `all` is what there is, implied and not named.
  private static func devices(
    _ arguments: Arguments
  ) throws -> (selectors: [String], areImplied: Bool) {
    let named = try StoreOptions.list("device", arguments)
    guard named.contains("all") else { return (named.isEmpty ? ["cpu"] : named, false) }
    guard named.count == 1 else {
      throw UsageError.conflict("'--device all' stands for every device")
    }
    let devices = Devices.all()
    if let note = BenchDevices.note(on: devices) { Terminal.note(note) }
    return (BenchDevices.all(of: devices).map(\.selector), true)
  }

  private static func exitCode(_ status: RunStatus, _ report: RunReport) -> ExitCode {
    switch status {
    case .interrupted: return .interrupted
    case .failed, .running: return .failure
    case .finished:
      // A run without a valid trial measured nothing.
      return report.cells.contains { $0.validTrials > 0 } ? .success : .failure
    }
  }
}
