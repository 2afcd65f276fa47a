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
      On a software GPU only device-slice is played, unless scenarios are named. `all` is
      the CPU and every GPU; a software GPU only where there is no other.
      """,
    options: [
      ModelArguments.model(default: RunArguments.defaultModel),
      StoreOptions.option,
      .value(
        "device", "A,B", repeats: true,
        help: "Where it runs: cpu (the default), vulkan, vulkan:0, all; a run for each."),
    ] + RunArguments.loading + RunArguments.playing + [
      .flag("json", help: "Prints JSON instead of the table.")
    ],
    examples: [
      "fmbench run --quick", "fmbench run --quick --device all",
      "fmbench run --model gemma-3-270m-Q4_K_M --scenario one-tool,planner-handoff --trials 10",
      "fmbench run --threads 2 --state cold --json > run.json",
      "fmbench run --until-stable --trials 40 --scenario one-tool",
    ]
  ) { try await run($0) }

  private static func run(_ arguments: Arguments) async throws -> ExitCode {
    let options = try RunArguments.runOptions(arguments)
    let suite = try SuiteOptions.load(arguments)
    _ = try suite.scenarios(named: options.scenarios)
    // Before the model: a database that cannot be written should not cost a load.
    let store = try BenchStore(writing: StoreOptions.path(arguments))
    let devices = try devices(arguments)
    let interruption = Interruption()
    let interrupts = Interrupts(interruption)
    var reports: [RunReport] = []
    var code = ExitCode.success
    for device in devices.selectors where !interruption.isRequested {
      let loadOptions = try RunArguments.loadOptions(arguments, device: device)
      let model: LoadedModel
      do {
        model = try Runtime.load(
          arguments.string("model") ?? RunArguments.defaultModel, options: loadOptions)
      } catch {
        // Of devices nobody named, one that does not work must not hide what the others measured.
        guard devices.areImplied, device != devices.selectors.first else { throw error }
        Terminal.warn("no rows of \(device): \(error)")
        continue
      }
      let (report, ended) = try await play(
        suite, on: model, loadOptions, arguments, options, store, interruption)
      if !arguments.flag("json") { try ReportPrinter.print(report, json: false) }
      if devices.selectors.count > 1, !arguments.flag("json") { Terminal.print("\n") }
      reports.append(report)
      if ended != .success { code = ended }
    }
    withExtendedLifetime(interrupts) {}
    if arguments.flag("json") { try ReportPrinter.print(json: reports) }
    return code
  }

  /// Plays the suite on a loaded model and gives what was stored.
  private static func play(
    _ suite: Suite, on model: LoadedModel, _ loadOptions: LoadOptions, _ arguments: Arguments,
    _ options: RunOptions, _ store: BenchStore, _ interruption: Interruption
  ) async throws -> (RunReport, ExitCode) {
    let runner = BenchRunner(
      store: store, arms: [RunArguments.arm(model, loadOptions)], suite: suite, options: options)
    var progress = RunProgress(showsRequests: !arguments.flag("quiet"))
    Terminal.note("on " + model.device.label)
    let result = try await runner.run(interruption: interruption) { progress.observe($0) }
    progress.finish()
    let report = try store.report(run: result.run)
    return (report, exitCode(result.status, report))
  }

  /// The selectors to run on, in order; `all` is what there is, implied and not named.
  private static func devices(
    _ arguments: Arguments
  ) throws -> (selectors: [String], areImplied: Bool) {
    let named = StoreOptions.list("device", arguments)
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
