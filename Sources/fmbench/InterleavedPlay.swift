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
      first: (pair.0, try result.store.measuredCells(runs: [result.runs.first])),
      second: (pair.1, try result.store.measuredCells(runs: [result.runs.second])),
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
    // Before the models: a database that cannot be written should not cost a load.
    let store = try BenchStore(writing: StoreOptions.path(arguments))
    var arms = try sides.map(Self.load)
    if let factor = try Self.injectedFactor() {
      arms[1].target = SlowedTarget(arms[1].target, factor: factor)
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
    var options: LoadOptions
  }

  private func side(_ name: String, _ axis: ComparisonAxis) throws -> Side {
    var model = arguments.string("model") ?? RunArguments.defaultModel
    var device = arguments.string("device") ?? "cpu"
    if axis == .model { model = name }
    if axis == .device { device = name }
    var options = try RunArguments.loadOptions(arguments, device: device)
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
    return Side(name: name, model: model, options: options)
  }

  private static func load(_ side: Side) throws -> BenchArm {
    let loaded = try Runtime.load(side.model, options: side.options)
    Terminal.note("\(side.name): \(loaded.description.name) on \(loaded.device.label)")
    return RunArguments.arm(loaded, side.options)
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
