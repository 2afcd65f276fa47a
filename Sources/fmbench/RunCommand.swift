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
      ModelArguments.model(default: defaultModel),
      StoreOptions.option,
      .value(
        "device", "A,B", repeats: true,
        help: "Where it runs: cpu (the default), vulkan, vulkan:0, all; a run for each."),
      ModelArguments.gpuLayers,
      ModelArguments.threads,
      ModelArguments.context,
      .value(
        "kv", "TYPE",
        help: "How keys and values are stored: f16 (the default), or q8_0 in half the memory."),
      .flag("quick", help: "Few trials: minutes with a small model on two cores."),
      .value("trials", "N", help: "So many trials of every cell."),
      .value("scenario", "A,B", letter: "s", repeats: true, help: "Only these scenarios."),
      .value("state", "A,B", repeats: true, help: "Only these states: cold, prewarmed, warm."),
      .value("gap-scale", "X", help: "Factor on injected tool and think times (default 0.1)."),
      .value("seed", "N", help: "Of the texts (default 1)."),
      .value("label", "TEXT", help: "A name for the run in lists."),
      SuiteOptions.option,
      .flag("quiet", letter: "q", help: "No line for each request."),
      .flag("json", help: "Prints JSON instead of the table."),
    ],
    examples: [
      "fmbench run --quick", "fmbench run --quick --device all",
      "fmbench run --model gemma-3-270m-Q4_K_M --scenario one-tool,planner-handoff --trials 10",
      "fmbench run --threads 2 --state cold --json > run.json",
    ]
  ) { try await run($0) }

  private static var defaultModel: String { ModelCatalog.defaultModel.name }

  private static func run(_ arguments: Arguments) async throws -> ExitCode {
    let options = try runOptions(arguments)
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
      let loadOptions = try loadOptions(arguments, device: device)
      let model: LoadedModel
      do {
        model = try Runtime.load(
          arguments.string("model") ?? defaultModel, options: loadOptions)
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
    for warning in model.warnings { Terminal.warn(warning) }
    let runner = BenchRunner(
      store: store, target: EngineTarget(engine: model.engine),
      subject: RunSubject(model, options: loadOptions), suite: suite,
      encoding: ModelTextEncoding(model.tokenizer), options: options)
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

  private static func runOptions(_ arguments: Arguments) throws -> RunOptions {
    var options = RunOptions()
    options.scenarios = StoreOptions.list("scenario", arguments)
    for name in StoreOptions.list("state", arguments) {
      guard let state = CacheState(rawValue: name) else {
        throw UsageError.invalidValue(
          option: "--state", found: name,
          expected: "one of " + CacheState.allCases.map(\.rawValue).joined(separator: ", "))
      }
      options.states.append(state)
    }
    let trials = try arguments.integer("trials", in: 1...10_000)
    if trials != nil, arguments.flag("quick") {
      throw UsageError.conflict("'--quick' and '--trials' both say how many trials")
    }
    options.effort = trials.map { .trials($0) } ?? (arguments.flag("quick") ? .quick : .standard)
    options.gapScale = try arguments.double("gap-scale", in: 0...100) ?? options.gapScale
    options.seed = try arguments.unsigned("seed") ?? options.seed
    options.label = arguments.string("label")
    options.arguments = CommandLine.arguments
    return options
  }

  private static func loadOptions(
    _ arguments: Arguments, device: String
  ) throws -> LoadOptions {
    var options = LoadOptions(device: device)
    options.gpuLayers = try arguments.gpuLayers()
    options.threads = try arguments.threads()
    options.contextLength = try arguments.contextLength()
    if let kv = try arguments.choice("kv", of: LoadOptions.kvNames) { options.storeKV(as: kv) }
    return options
  }
}
