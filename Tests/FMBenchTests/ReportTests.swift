import FMBench
import FMCore
import Foundation
import Testing

@Suite struct ReportTests {
  /// A run of two trials of one cell, each two requests with a tool call between.
  private func store(_ folder: TemporaryFolder) throws -> (BenchStore, Int) {
    let store = try BenchStore(writing: folder.path("r.sqlite"))
    let run = try store.beginRun(
      StoreFixture.run(), model: StoreFixture.model, environment: HostEnvironment())
    let cell = try store.addCell(StoreFixture.cell(), run: run)
    for trial in 0..<2 {
      let start = Double(trial) * 10_000
      let id = try store.beginTrial(
        cell: cell, repetition: trial, orderIndex: trial, isWarmUp: false,
        started: StoreFixture.instant(start), loadAverage: nil)
      let session = try store.addSession(
        trial: id, number: 0, name: "assistant", prefixTokens: 200)
      let first = try store.addRequest(
        StoreFixture.request(number: 0, start: start), session: session)
      _ = try store.addToolCall(
        ToolCallRow(
          number: 0, name: "t", argumentsHash: nil, started: StoreFixture.instant(start + 150),
          ended: StoreFixture.instant(start + 170 + Double(trial)), injectedMilliseconds: 20,
          outputTokens: 60),
        request: first)
      _ = try store.addRequest(
        StoreFixture.request(
          number: 1, start: start + 200 + Double(trial), prompt: 300, cached: 240, output: 11),
        session: session)
      try store.endTrial(
        id, ended: StoreFixture.instant(start + 500), invalidReason: nil,
        sample: ResourceSample(at: StoreFixture.instant(start + 500)))
    }
    try store.endRun(run, status: .finished)
    return (store, run)
  }

  @Test func `prints one row a cell with the median and its interval`() throws {
    let folder = try TemporaryFolder()
    let (store, run) = try store(folder)
    let table = ReportTable(try store.report(run: run))
    #expect(
      table.headings == [
        "scenario", "state", "n", "ttft ms", "ttft_next ms", "tpot ms", "prefill_tps",
        "decode_tps", "hit %", "task_wall s",
      ])
    #expect(
      table.rows == [
        [
          "one-tool", "cold", "2", "100.0 [100.0 100.0]", "100.0 [100.0 100.0]",
          "10.00 [10.00 10.00]", "2020", "100.0", "52", "0.40 [0.40 0.41]",
        ]
      ])
  }

  @Test func `reduces a trial to its metrics`() throws {
    let folder = try TemporaryFolder()
    let (store, run) = try store(folder)
    let metrics = try store.report(run: run).cells[0].metrics
    #expect(metrics[.toolTime]?.median == 20.5)
    #expect(metrics[.toolTime]?.n == 2)
    #expect(metrics[.hit]?.median == 280.0 / 540)
    #expect(metrics[.idealHit]?.median == 120.0 / 540)
    // Gaps of all requests of a trial, the waits for first tokens left out.
    #expect(abs((metrics[.gapMedian]?.median ?? 0) - (metrics[.tpot]?.median ?? 1)) < 1e-6)
    #expect(metrics[.gapMost]?.n == 2)
    #expect(metrics[.taskWall]?.minimum == 404)
    #expect(metrics[.handoffGap] == nil)
    #expect(metrics[.ttftSlope] == nil)
    #expect(metrics[.ttft]?.p95 == nil)
  }

  @Test func `writes the same report as JSON`() throws {
    let folder = try TemporaryFolder()
    let (store, run) = try store(folder)
    let report = try store.report(run: run)
    let json = try report.json()
    #expect(json == (try store.report(run: run).json()))
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
    let cells = try #require(object["cells"] as? [[String: Any]])
    let metrics = try #require(cells[0]["metrics"] as? [String: [String: Any]])
    #expect(metrics["ttft"]?["median"] as? Double == 100)
    #expect(object["seed"] as? UInt64 == .max)
  }

  @Test func `turns and sessions are good when every request of theirs keeps the limits`() {
    func request(
      _ session: Int, _ turn: Int?, wait: Double = 100, pace: Double = 10, output: Int = 11
    ) -> TrialMetrics.Request {
      var request = TrialMetrics.Request(
        session: session, scheduled: 0, submitted: 0, prefillStart: 0, firstToken: wait * 1e6,
        lastToken: (wait + pace * Double(output - 1)) * 1e6, completed: 4e9, promptTokens: 500,
        cachedTokens: 100, idealCached: 400, outputTokens: output, toolNanoseconds: 0)
      request.turn = turn
      return request
    }
    func good(_ requests: [TrialMetrics.Request]) -> [Double?] {
      let values = TrialMetrics(requests).values
      return [values[.goodTurns], values[.goodSessions]]
    }
    #expect(good([request(0, 0), request(0, 0, wait: 2000, pace: 100)]) == [1, 1])
    #expect(good([request(0, 0), request(0, 0, wait: 2001), request(0, 1)]) == [0.5, 0])
    #expect(good([request(0, 0), request(0, 1, pace: 101), request(1, 0)]) == [2.0 / 3, 0.5])
    // One token has no pace, and requests without turns are turns of their own.
    #expect(
      good([request(0, nil, pace: 500, output: 1), request(0, nil, wait: 9000)]) == [0.5, 0])
    var lost = request(0, 0)
    lost.firstToken = nil
    #expect(good([lost]) == [0, 0])
    let values = TrialMetrics([request(0, 0), request(1, 0)]).values
    #expect(values[.outputTPS] == 5.5)
    #expect(values[.effectivePromptTPS] == 5000)
    #expect(values[.reuseEfficiency] == 0.25)
  }

  @Test func `measures growth with depth and the hand-off`() {
    var requests = (0..<10).map { index in
      let start = Double(index) * 1e9
      return TrialMetrics.Request(
        session: index < 9 ? 0 : 1, scheduled: start, submitted: start, prefillStart: start,
        firstToken: start + 1e6 * (10 + Double(index)),
        lastToken: start + 1e6 * (110 + Double(index)),
        completed: start + 120e6, promptTokens: 1000 * (index + 1), cachedTokens: 1000 * index,
        idealCached: nil, outputTokens: 11, toolNanoseconds: 0)
    }
    let metrics = TrialMetrics(requests).values
    #expect(metrics[.ttft] == 10)
    #expect(metrics[.ttftSlope].map { abs($0 - 1) < 1e-9 } == true)
    #expect(metrics[.tpot] == 10)
    #expect(metrics[.handoffGap] == 882)
    #expect(metrics[.idealHit] == nil)
    #expect(TrialMetrics([]).values.isEmpty)
    // What waits longer because it computes more says nothing of depth.
    for index in 0..<4 {
      requests[index].cachedTokens = 0
      requests[index].firstToken = requests[index].submitted + 500e6
    }
    #expect(TrialMetrics(requests).values[.ttftSlope].map { abs($0 - 1) < 1e-9 } == true)
    for index in 7..<10 { requests[index].cachedTokens = 0 }
    #expect(TrialMetrics(requests).values[.ttftSlope] == nil)
    for index in requests.indices { requests[index].cachedTokens = nil }
    #expect(TrialMetrics(requests).values[.ttftSlope] != nil)
  }
}
