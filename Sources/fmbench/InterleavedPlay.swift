import FMBackend
import FMBench
import FMCommand
import FMRuntime
import Foundation

/// Two sides played in turn, for `compare` and `noise`.
struct InterleavedPlay {
  let arguments: Arguments

  init(_ arguments: Arguments) { self.arguments = arguments }

  /// What was played: the store, both runs and how they ended.
  struct Result {
    var store: BenchStore
    var runs: (first: Int, second: Int)
    var status: RunStatus
  }

  /// Plays A and B and prints the comparison.
  func compare(_ pair: (String, String), _ axis: ComparisonAxis) async throws -> ExitCode {
    let result = try await play(pair, axis)
    let comparison = RunComparison(
      axis: axis,
      first: (
        ServerAddress.named(pair.0), try result.store.measuredCells(runs: [result.runs.first])
      ),
      second: (
        ServerAddress.named(pair.1), try result.store.measuredCells(runs: [result.runs.second])
      ),
      acrossEnvironments: arguments.flag("across-environments"))
    try ComparisonPrinter.print(comparison, asJSON: arguments.flag("json"))
    switch result.status {
    case .interrupted: return .interrupted
    case .failed, .running: return .failure
    case .finished: return ComparisonPrinter.exitCode(comparison.outcome)
    }
  }

  /// Loads both sides and plays their trials in turn.
  func play(_ pair: (String, String), _ axis: ComparisonAxis) async throws -> Result {
    let options = try RunArguments.runOptions(arguments)
    let suite = try SuiteOptions.load(arguments)
    _ = try suite.scenarios(named: options.scenarios)
    let sides = [try side(pair.0, axis), try side(pair.1, axis)]
    if sides.allSatisfy({ $0.options != nil }) { try EndpointArguments.requireNone(arguments) }
    // Before the models: a database that cannot be written should not cost a load.
    let store = try BenchStore(writing: StoreOptions.path(arguments))
    var arms: [BenchArm] = []
    for side in sides { arms.append(try await arm(side)) }
    if let factor = try Self.injectedFactor() {
      guard case .running(.requests(let target)) = arms[1].source else {
        throw UsageError.conflict(
          "\(Self.slowdownVariable) takes '--level engine' and '--start running'")
      }
      arms[1].source = .running(.requests(SlowedTarget(target, factor: factor)))
      arms[1].injected = "requests take \(factor) times as long"
      Terminal.warn("B is slowed down on purpose: \(Self.slowdownVariable) is set")
    }
    let interruption = Interruption()
    let interrupts = Interrupts(interruption)
    var progress = RunProgress(showsRequests: !arguments.flag("quiet"))
    let runner = BenchRunner(store: store, arms: arms, suite: suite, options: options)
    let ended = try await runner.runAll(interruption: interruption) { progress.observe($0) }
    progress.finish()
    withExtendedLifetime(interrupts) {}
    return Result(store: store, runs: (ended.runs[0], ended.runs[1]), status: ended.status)
  }

  /// A model and how it is loaded.
  private struct Side {
    var name: String
    var model: String
    /// Nil for a server.
    var options: LoadOptions?
    var style: PlayStyle
  }

  private func side(_ name: String, _ axis: ComparisonAxis) throws -> Side {
    var model = arguments.string("model") ?? RunArguments.defaultModel
    var device = arguments.string("device") ?? "cpu"
    if axis == .model { model = name }
    if axis == .device { device = name }
    let style = try style(name, axis)
    if axis == .endpoint {
      let isServer = ServerAddress.isOne(name)
      // The server's model is --model's file, and so is this side's.
      if isServer { return Side(name: name, model: model, options: nil, style: style) }
      device = name
    }
    var options = try RunArguments.loadOptions(arguments, device: device, style: style)
    if axis == .threads {
      guard let threads = Int(name), (1...1_000_000).contains(threads) else {
        throw UsageError.conflict("'\(name)' is no number of threads")
      }
      options.threads = threads
    }
    if axis == .kv {
      guard LoadOptions.kvNames.contains(name) else {
        throw UsageError.conflict(
          "'\(name)' is no cache type: \(LoadOptions.kvNames.joined(separator: ", "))")
      }
      options.storeKV(as: name)
    }
    return Side(name: name, model: model, options: options, style: style)
  }

  /// How a side is played: as the options say, but for what it is named after.
  private func style(_ name: String, _ axis: ComparisonAxis) throws -> PlayStyle {
    var style = try StyleArguments.style(arguments)
    switch axis {
    case .run, .device, .commit, .model, .threads, .kv: return style
    case .endpoint:
      guard style.start == .running else {
        throw UsageError.conflict("'--start' is for engines here, and a server is running")
      }
      return EndpointArguments.plain(style)
    case .level:
      let level: PlayStyle.Level = try StyleArguments.value(name, by: axis)
      // At engine level none of a session's options means anything.
      if level == .engine {
        var plain = PlayStyle()
        plain.start = style.start
        return plain
      }
    case .start:
      style.start = try StyleArguments.value(name, by: axis)
      return style
    case .policy: style.policy = try StyleArguments.value(name, by: axis)
    case .prefixEdit: style.prefixEdit = try StyleArguments.value(name, by: axis)
    case .stream:
      style.isStreaming = try StyleArguments.value(name, by: axis) as Switch == .on
    case .masks: style.hasMasks = try StyleArguments.value(name, by: axis) as Switch == .on
    }
    guard axis == .level || arguments.string("level") != PlayStyle.Level.engine.rawValue else {
      throw UsageError.conflict("'--by \(axis.rawValue)' takes '--level session'")
    }
    style.level = .session
    style.promptForm = .native
    return style
  }

  private enum Switch: String, CaseIterable { case on, off }

  private func arm(_ side: Side) async throws -> BenchArm {
    guard let options = side.options else {
      let arm = try await EndpointArguments.arm(side.name, side.style, arguments)
      Terminal.note(arm.subject.device.label)
      return arm
    }
    let loaded = try Runtime.load(side.model, options: options)
    Terminal.note("\(side.name): \(loaded.description.name) on \(loaded.device.label)")
    return try RunArguments.arm(loaded, options, side.style, arguments)
  }

  /// Names a factor by which B is slowed down: for checking that verdicts find it.
  private static let slowdownVariable = "FMBENCH_TEST_SLOWDOWN"

  private static func injectedFactor() throws -> Double? {
    guard let text = ProcessInfo.processInfo.environment[slowdownVariable], !text.isEmpty else {
      return nil
    }
    guard let factor = Double(text), (1...100).contains(factor) else {
      throw UsageError.invalidValue(
        option: slowdownVariable, found: text, expected: "a factor from 1 to 100")
    }
    return factor
  }
}
