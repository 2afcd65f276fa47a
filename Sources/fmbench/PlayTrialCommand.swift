import FMBackend
import FMBench
import FMCommand
import FMCore
import FMRuntime
import Foundation
import Glibc

/// `fmbench play-trial`: what a run with `--start process` starts for every trial; in no list.
enum PlayTrialCommand {
  static let command = Command(
    name: "play-trial", summary: "Loads a model, plays one trial that another process began, ends.",
    discussion: """
      `fmbench run --start process` calls this. How the trial is played is in the database; each
      request is a line on standard output after it is on disk. It stops in order when standard
      input closes.
      """,
    options: [
      .value("trial", "N", help: "The trial's row."),
      .value("since", "NS", help: "When this process was started, by the monotonic clock."),
      .value("model", "FILE", help: "The model's file."),
      .value("device", "DEVICE", help: "Where it runs."),
      .value("transcript", "FILE", help: "The transcript that is played again."),
      StoreOptions.option, SuiteOptions.option,
    ] + RunArguments.loading,
    examples: ["fmbench play-trial --trial 17 --model model.gguf < /dev/tty"]
  ) { try await run($0) }

  /// The process that plays the trials of a model as it was loaded here.
  ///
  /// What the options leave to this machine and the model is said, so that the process finds the same.
  static func process(
    _ model: LoadedModel, _ options: LoadOptions, _ arguments: Arguments
  ) throws -> TrialProcess {
    var words = [
      "play-trial", "--model=\(model.description.path)", "--device=\(options.device)",
      "--context=\(model.description.contextLength)",
      "--cache-windows=\(options.cachedContexts)", "--kv=\(options.kvElement.rawValue)",
      "--db=\(try StoreOptions.path(arguments))",
      "--suite=\(try SuiteOptions.folder(arguments).path)",
    ]
    if let threads = options.threads { words.append("--threads=\(threads)") }
    if let layers = options.gpuLayers { words.append("--gpu-layers=\(layers)") }
    if let file = arguments.string("transcript") { words.append("--transcript=\(file)") }
    // The very program that runs, even when another was put in its place meanwhile.
    return TrialProcess(executable: "/proc/self/exe", arguments: words)
  }

  private static func run(_ arguments: Arguments) async throws -> ExitCode {
    let interruption = Interruption()
    stopWithInput(interruption)
    guard let trial = try arguments.integer("trial"), let model = arguments.string("model") else {
      throw UsageError.conflict("play-trial takes '--trial' and '--model'")
    }
    let device = arguments.string("device") ?? "cpu"
    let options = try RunArguments.loadOptions(arguments, device: device)
    // First of all, as an application would.
    let loaded = Result { try Runtime.load(model, options: options) }
    let ready = MonotonicInstant.now
    let start = try arguments.unsigned("since").map { min($0, ready.nanoseconds) }
    let path = try StoreOptions.path(arguments)
    // The trial's row is in it, so it is there.
    guard FileManager.default.fileExists(atPath: path) else { throw StoreError.noFile(path: path) }
    let store = try BenchStore(writing: path)
    let transcript = try arguments.string("transcript").map { try ReplayedTranscript(file: $0) }
    let order = try OrderedTrial(trial, store: store, transcript: transcript)
    do {
      let loaded = try loaded.get()
      var arm = BenchArm(
        target: RunArguments.target(loaded, order.style),
        subject: RunSubject(loaded, options: options),
        encoding: ModelTextEncoding(loaded.tokenizer), style: order.style)
      arm.deviceMemory = loaded.deviceMemory
      _ = try await order.play(
        try SuiteOptions.load(arguments), on: arm,
        loadNanoseconds: ready.nanoseconds - (start ?? ready.nanoseconds), store: store,
        interruption: interruption
      ) { event in
        if case .request(let report) = event { Terminal.print(RunProgress.line(report) + "\n") }
      }
    } catch let error as StoreError {
      throw error
    } catch {
      try order.fail(error, store: store)
    }
    return .success
  }

  /// Ends the trial when the process that began it closes this one's input, or is gone.
  private static func stopWithInput(_ interruption: Interruption) {
    // Ctrl-C reaches both; the other one's end of the run is this one's, too.
    signal(SIGINT, SIG_IGN)
    Thread.detachNewThread {
      while FileHandle.standardInput.availableData.count > 0 {}
      interruption.request()
      // A device that does not answer must not keep this process for ever.
      alarm(10)
    }
  }
}
