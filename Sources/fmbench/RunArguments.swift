import FMBackend
import FMBench
import FMCommand
import FMRuntime
import Foundation

/// The options of commands that play trials, and what they make of them.
enum RunArguments {
  static var defaultModel: String { ModelCatalog.defaultModel.name }
  /// Positions of a session's sequence where nobody says.
  private static let sessionContext = 5120

  /// What a shell offers for a device; a number behind `vulkan:` is for the user to know.
  static let devices = Completion(["cpu", "vulkan"])

  /// How the model runs.
  static let loading: [Option] = [
    ModelArguments.gpuLayers,
    ModelArguments.threads,
    ModelArguments.context,
    .value(
      "cache-windows", "N", help: "Full contexts the KV cache has room for, 1 to 64 (default 2)."),
    .value(
      "kv", "TYPE", completion: Completion(LoadOptions.kvNames),
      help: "How keys and values are stored: f16 (the default), or q8_0 in half the memory."),
  ]

  /// What is played, and how often.
  static let playing: [Option] = [
    .flag("quick", help: "9 trials of every cell: minutes with a small model on two cores."),
    .value("trials", "N", help: "So many trials of every cell; the default is 10."),
    .flag(
      "until-stable",
      help: "Trials until intervals are as narrow as the noise floor; at most 30, or --trials."),
    .value(
      "scenario", "A,B", letter: "s", repeats: true, completion: SuiteOptions.scenarios,
      help: "Only these scenarios."),
    .value(
      "state", "A,B", repeats: true, completion: Completion(CacheState.allCases.map(\.rawValue)),
      help: "Only these states: cold, prewarmed, warm."),
    .value("gap-scale", "X", help: "Factor on injected tool and think times (default 0.1)."),
    .value("delay", "S", help: "Seconds of rest before every trial, for the machine to cool down."),
    .value("seed", "N", help: "Of the texts (default 1)."),
    .value(
      "transcript", "FILE",
      help: "Plays a stored transcript again instead of scenarios, through sessions."),
    .value("label", "TEXT", help: "A name for the run in lists."),
    SuiteOptions.option,
    .flag("quiet", letter: "q", help: "No line for each request."),
  ]

  /// What to play.
  static func runOptions(_ arguments: Arguments) throws -> RunOptions {
    var options = RunOptions()
    options.scenarios = try StoreOptions.list("scenario", arguments)
    for name in try StoreOptions.list("state", arguments) {
      guard let state = CacheState(rawValue: name) else {
        throw UsageError.invalidValue(
          option: "--state", found: name,
          expected: "one of " + CacheState.allCases.map(\.rawValue).joined(separator: ", "))
      }
      options.states.append(state)
    }
    options.effort = try effort(arguments)
    options.gapScale = try arguments.double("gap-scale", in: 0...100) ?? options.gapScale
    options.delay = try arguments.double("delay", in: 0...3600) ?? options.delay
    options.seed = try arguments.unsigned("seed") ?? options.seed
    options.label = arguments.string("label")
    if let file = arguments.string("transcript") {
      guard options.scenarios.isEmpty, !arguments.flag("live") else {
        throw UsageError.conflict(
          "'--transcript' is played instead of scenarios, and its answers are forced: no '--live'")
      }
      _ = try StyleArguments.style(arguments)
      options.transcript = try ReplayedTranscript(file: file)
    }
    options.arguments = ServerAddress.shown(in: CommandLine.arguments)
    return options
  }

  private static func effort(_ arguments: Arguments) throws -> RunOptions.Effort {
    let trials = try arguments.integer("trials", in: 1...10_000)
    if trials != nil, arguments.flag("quick") {
      throw UsageError.conflict("'--quick' and '--trials' both say how many trials")
    }
    if arguments.flag("until-stable") {
      if arguments.flag("quick") {
        throw UsageError.conflict("'--quick' and '--until-stable' both say how many trials")
      }
      return .untilStable(least: min(9, trials ?? 9), most: trials ?? 30)
    }
    return trials.map { .trials($0) } ?? (arguments.flag("quick") ? .quick : .standard)
  }

  /// How to load the model for a device.
  ///
  /// Sessions get a longer window, since their scenarios fill it before the template's tokens come.
  static func loadOptions(
    _ arguments: Arguments, device: String, style: PlayStyle = PlayStyle()
  ) throws -> LoadOptions {
    var options = LoadOptions(device: device)
    options.gpuLayers = try arguments.gpuLayers()
    options.threads = try arguments.threads()
    options.contextLength =
      try arguments.contextLength() ?? (style.level == .session ? sessionContext : nil)
    if let windows = try arguments.integer("cache-windows", in: 1...64) {
      options.cachedContexts = windows
    }
    if let kv = try arguments.choice("kv", of: LoadOptions.kvNames) { options.storeKV(as: kv) }
    return options
  }

  /// A loaded model as what trials are played against, or as what is loaded or started for each of them.
  static func arm(
    _ model: LoadedModel, _ options: LoadOptions, _ style: PlayStyle, _ arguments: Arguments
  ) throws -> BenchArm {
    for warning in model.warnings { Terminal.warn(warning) }
    let path = model.description.path
    let target = target(model, style)
    let source: TargetSource =
      switch style.start {
      case .running: .running(target)
      case .model: .loaded { Self.target(try Runtime.load(path, options: options), style) }
      case .process: .process(try PlayTrialCommand.process(model, options, arguments))
      }
    var arm = BenchArm(
      source: source, form: target.form, subject: RunSubject(model, options: options),
      encoding: ModelTextEncoding(model.tokenizer), style: style)
    // It would keep the first engine in memory beside every other.
    if style.start == .running { arm.deviceMemory = model.deviceMemory }
    return arm
  }

  /// A loaded model as requests reach it in some style.
  static func target(_ model: LoadedModel, _ style: PlayStyle) -> BenchTarget {
    switch style.level {
    case .engine: .requests(EngineTarget(engine: model.engine))
    case .session: .conversations(ConversationTarget(model))
    }
  }
}
