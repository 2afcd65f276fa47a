import FMCore
import Foundation
import Glibc

/// What it costs to store a request with the stamps of its tokens: measured, not promised.
package struct RecordingCost: Sendable, Hashable {
  /// Tokens of each request.
  package var tokens: Int
  /// Requests that were stored.
  package var requests: Int
  /// The median wall time of storing one, the wait for the disk included.
  package var microsecondsPerRequest: Double
  /// The tenth percentile of it: what it takes while no other program has the processor or the disk.
  package var quickMicrosecondsPerRequest: Double
  /// The mean processor time of storing one.
  package var processorMicrosecondsPerRequest: Double
  /// Growth of the database a request, indexes included.
  package var bytesPerRequest: Int

  /// The median wall time of a request over its tokens.
  package var microsecondsPerToken: Double { microsecondsPerRequest / Double(tokens) }

  /// Stores made-up requests in a database of their own in `folder`, which is removed.
  ///
  /// A request is a row, its token stamps and one commit that waits for the disk, as in a run.
  /// - Throws: ``StoreError`` when the folder cannot be written.
  package static func measure(
    requests: Int = 200, tokens: Int = 60, folder: String
  ) throws(StoreError) -> RecordingCost {
    precondition(requests > 0 && tokens > 0)
    let path = "\(folder)/fmbench-cost-\(getpid())-\(UUID().uuidString).sqlite"
    defer { for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) } }
    let store = try BenchStore(writing: path)
    let session = try begin(store)
    let size = try bytes(store)
    let processor = processorSeconds()
    var microseconds: [Double] = []
    for number in 0..<requests {
      let row = request(number, tokens: tokens)
      let start = MonotonicInstant.now
      _ = try store.addRequest(row, session: session)
      microseconds.append(MonotonicInstant.now.seconds(since: start) * 1e6)
    }
    return RecordingCost(
      tokens: tokens, requests: requests,
      microsecondsPerRequest: Statistics.median(microseconds) ?? 0,
      quickMicrosecondsPerRequest: microseconds.sorted()[requests / 10],
      processorMicrosecondsPerRequest: (processorSeconds() - processor) * 1e6 / Double(requests),
      bytesPerRequest: (try bytes(store) - size) / requests)
  }

  private static func begin(_ store: BenchStore) throws(StoreError) -> Int {
    let model = ModelRow(sha256: "", name: "")
    let row = RunRow(
      uuid: "", build: .current(), label: nil, arguments: [], seed: 0, gapScale: 0, suite: "",
      suiteSHA: "", profile: "S", modelSHA: model.sha256, context: 0, loadNanoseconds: nil,
      loadMemoryBytes: nil)
    let run = try store.beginRun(row, model: model, environment: HostEnvironment())
    let cell = try store.addCell(
      CellRow(
        scenario: "", variant: "", state: .cold, scenarioSHA: nil, device: "cpu", deviceName: "",
        deviceKind: "cpu", threads: nil, maximumRows: nil, kvType: nil, masks: "off",
        parameters: "{}", plannedTrials: 1), run: run)
    let trial = try store.beginTrial(
      cell: cell, repetition: 0, orderIndex: 0, isWarmUp: false, started: .now, loadAverage: nil)
    return try store.addSession(trial: trial, number: 0, name: "", prefixTokens: 0)
  }

  /// An answer at ten milliseconds a token, as long as a small model on a processor takes.
  private static func request(_ number: Int, tokens: Int) -> RequestRow {
    let start = MonotonicInstant.now
    let stamps = (1...tokens).map {
      MonotonicInstant(nanoseconds: start.nanoseconds + UInt64($0 * 10_000_123))
    }
    return RequestRow(
      number: number, role: .measured, turn: 0, step: number, outputKind: "text",
      scheduled: start, submitted: start, prefillStart: start, firstToken: stamps.first,
      lastToken: stamps.last, completed: stamps.last ?? start, promptTokens: 1000,
      cachedTokens: 900, outputTokens: tokens, expectedPrompt: 1000, expectedOutput: tokens,
      idealCached: 900, missReason: "none", finish: "length", samplingNanoseconds: 1000,
      tokenStamps: stamps)
  }

  private static func bytes(_ store: BenchStore) throws(StoreError) -> Int {
    let pages = try store.database.rows("PRAGMA page_count").first?.int(0) ?? 0
    return pages * (try store.database.rows("PRAGMA page_size").first?.int(0) ?? 0)
  }

  /// Processor time of this thread: other programs' work does not count.
  private static func processorSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }
}
