import FMBackend
import FMBench
import FMCore

/// Rows that are plausible and easy to check.
enum StoreFixture {
  static let model = ModelRow(
    sha256: String(repeating: "a", count: 64), name: "tiny", architecture: "llama",
    quantization: "Q4_1", parameters: 1000, bytes: 600, trainedContext: 2048)

  static func run(uuid: String = "11111111-2222-3333-4444-555555555555") -> RunRow {
    RunRow(
      uuid: uuid,
      build: BuildIdentity(
        version: "0.1.0", commit: "abc", isDirty: true, source: .git, configuration: "debug"),
      label: "it's a label", arguments: ["fmbench", "run", "--label", "it's"], seed: .max,
      gapScale: 0.1, suite: "agent-v1", suiteSHA: "feed", profile: "S", modelSHA: model.sha256,
      context: 4096, loadNanoseconds: 5_000_000, loadMemoryBytes: nil)
  }

  static let device = DeviceDescription(
    selector: "cpu", name: "a processor", kind: .cpu, details: ["AVX2", "2 threads"])
  static let software = DeviceDescription(
    selector: "vulkan:0", name: "llvmpipe", kind: .softwareGPU,
    details: ["llvmpipe", "Mesa 22.3.6", "Vulkan 1.3.230"])

  static func cell(
    scenario: String = "one-tool", state: CacheState = .cold, sha: String? = "beef",
    on device: DeviceDescription = StoreFixture.device
  ) -> CellRow {
    CellRow(
      scenario: scenario, variant: "", state: state, scenarioSHA: sha, device: device.selector,
      deviceName: device.name, deviceKind: device.kind.rawValue, threads: 2, maximumRows: 512,
      kvType: "f16", masks: "off", parameters: "{}", plannedTrials: 5)
  }

  static func instant(_ milliseconds: Double) -> MonotonicInstant {
    MonotonicInstant(nanoseconds: 1_000_000_000 + UInt64(milliseconds * 1e6))
  }

  /// Submitted at 1 ms after `start`, first token at 101, then one every 10 ms.
  static func request(
    number: Int = 0, start: Double = 0, prompt: Int = 240, cached: Int = 40, output: Int = 5
  ) -> RequestRow {
    let stamps = (0..<output).map { instant(start + 101 + 10 * Double($0)) }
    return RequestRow(
      number: number, role: .measured, turn: 0, step: number, outputKind: "text",
      scheduled: instant(start), submitted: instant(start + 1),
      prefillStart: instant(start + 2), firstToken: stamps.first, lastToken: stamps.last,
      completed: instant(start + 101 + 10 * Double(output - 1) + 3), promptTokens: prompt,
      cachedTokens: cached, outputTokens: output, expectedPrompt: prompt, expectedOutput: output,
      idealCached: 60, missReason: "evicted", finish: "length", samplingNanoseconds: 2_000_000,
      tokenStamps: stamps)
  }

  /// A run with one cell and one trial; gives the ids of the run, the cell and the session.
  @discardableResult
  static func begin(
    _ store: BenchStore, uuid: String = "11111111-2222-3333-4444-555555555555"
  ) throws -> (run: Int, cell: Int, trial: Int, session: Int) {
    let run = try store.beginRun(
      run(uuid: uuid), model: model, environment: HostEnvironment(cpuFlags: ["avx2", "fma"]))
    let cell = try store.addCell(cell(), run: run)
    let trial = try store.beginTrial(
      cell: cell, repetition: 0, orderIndex: 0, isWarmUp: false, started: instant(0),
      loadAverage: 0.5)
    let session = try store.addSession(
      trial: trial, number: 0, name: "assistant", prefixTokens: 200)
    return (run, cell, trial, session)
  }
}
