import FMBench
import FMCore
import Foundation
import Testing

@Suite struct StoreTests {
  @Test func `gives back what was recorded with its derived numbers`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a/b/results.sqlite")
    do {
      let store = try BenchStore(writing: path)
      let ids = try StoreFixture.begin(store)
      let request = try store.addRequest(StoreFixture.request(), session: ids.session)
      _ = try store.addToolCall(
        ToolCallRow(
          number: 0, name: "search_notes", argumentsHash: "cafe",
          started: StoreFixture.instant(150), ended: StoreFixture.instant(152.5),
          injectedMilliseconds: 2, outputTokens: 60),
        request: request)
      try store.endTrial(
        ids.trial, ended: StoreFixture.instant(160), invalidReason: nil,
        sample: ResourceSample(at: StoreFixture.instant(160), residentBytes: 4096))
      try store.endRun(ids.run, status: .finished)
    }
    let store = try BenchStore(reading: path)
    #expect(
      try store.lines(
        """
        SELECT scenario, state, ttft_ms, queue_ms, lateness_ms, tpot_ms, decode_tps, tail_ms, hit
          FROM v_request
        """)
        == ["one-tool|cold|100.0|1.0|1.0|10.0|100.0|3.0|0.166666666666667"]
        .map { $0.replacingOccurrences(of: "0.166666666666667", with: "\(40.0 / 240)") })
    #expect(
      try store.lines("SELECT task_wall_ms, model_time_ms, tool_time_ms, requests FROM v_trial")
        == ["144.0|143.0|2.5|1"])
    #expect(
      try store.lines("SELECT steps, tool_calls, tokens_recomputed FROM v_session") == ["1|1|20"])
    #expect(try store.lines("SELECT status, valid_trials, model FROM v_run") == ["finished|1|tiny"])
    #expect(try store.lines("SELECT seed, argv, dirty FROM run").first?.hasPrefix("-1|[") == true)
    #expect(try store.lines("SELECT cpu_flags, cpu, gpu FROM environment") == ["avx2 fma||"])
    let gaps = try #require(
      try store.database.rows("SELECT count, gaps FROM token_gap").first)
    let stamps = TokenGaps.decode(
      gaps.bytes(1) ?? [], count: gaps.int(0) ?? -1, from: StoreFixture.instant(1))
    #expect(stamps == StoreFixture.request().tokenStamps)
  }

  @Test func `one token has a first token and no pace`() throws {
    let folder = try TemporaryFolder()
    let store = try BenchStore(writing: folder.path("r.sqlite"))
    let ids = try StoreFixture.begin(store)
    _ = try store.addRequest(StoreFixture.request(output: 1), session: ids.session)
    #expect(
      try store.lines("SELECT ttft_ms, tpot_ms, decode_tps FROM v_request") == ["100.0||"])
  }

  @Test func `refuses rows that contradict themselves`() throws {
    let folder = try TemporaryFolder()
    let store = try BenchStore(writing: folder.path("r.sqlite"))
    let ids = try StoreFixture.begin(store)
    #expect(throws: StoreError.self) {
      try store.addRequest(StoreFixture.request(prompt: 10, cached: 11), session: ids.session)
    }
    #expect(throws: StoreError.self) {
      try store.addRequest(StoreFixture.request(), session: ids.session + 1)
    }
    // The failed transactions left nothing behind.
    #expect(try store.lines("SELECT COUNT(*) FROM request") == ["0"])
    _ = try store.addRequest(StoreFixture.request(), session: ids.session)
    #expect(try store.lines("SELECT COUNT(*) FROM token_gap") == ["1"])
  }

  @Test func `two connections write to one database`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("r.sqlite")
    let first = try BenchStore(writing: path)
    let second = try BenchStore(writing: path)
    let one = try StoreFixture.begin(first, uuid: "1")
    let two = try StoreFixture.begin(second, uuid: "2")
    for number in 0..<20 {
      _ = try first.addRequest(StoreFixture.request(number: number), session: one.session)
      _ = try second.addRequest(StoreFixture.request(number: number), session: two.session)
    }
    #expect(try first.lines("SELECT COUNT(*) FROM request") == ["40"])
  }

  @Test func `a reader that holds a transaction does not stop a writer`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("r.sqlite")
    let writer = try BenchStore(writing: path, busyTimeoutSeconds: 0)
    let ids = try StoreFixture.begin(writer)
    let reader = try BenchStore(reading: path)
    try reader.database.execute("BEGIN")
    #expect(try reader.lines("SELECT COUNT(*) FROM request") == ["0"])
    for number in 0..<10 {
      _ = try writer.addRequest(StoreFixture.request(number: number), session: ids.session)
    }
    #expect(try reader.lines("SELECT COUNT(*) FROM request") == ["0"])
    try reader.database.execute("COMMIT")
    #expect(try reader.lines("SELECT COUNT(*) FROM request") == ["10"])
  }

  @Test func `a writer that stays locked out says so`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("r.sqlite")
    let first = try BenchStore(writing: path)
    let second = try BenchStore(writing: path, busyTimeoutSeconds: 0)
    try first.database.execute("BEGIN IMMEDIATE")
    #expect(throws: StoreError.locked(path: path, seconds: 0)) {
      try StoreFixture.begin(second)
    }
    try first.database.execute("ROLLBACK")
    try StoreFixture.begin(second)
  }

  @Test func `a full disk is named and keeps what was written`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("r.sqlite")
    let store = try BenchStore(writing: path)
    let ids = try StoreFixture.begin(store)
    let pages = try #require(try store.database.rows("PRAGMA page_count").first?.int(0))
    try store.database.execute("PRAGMA max_page_count = \(pages + 2)")
    var written = 0
    #expect(throws: StoreError.full(path: path)) {
      while written < 10_000 {
        _ = try store.addRequest(StoreFixture.request(number: written), session: ids.session)
        written += 1
      }
    }
    #expect(written > 0)
    #expect(try store.lines("SELECT COUNT(*) FROM request") == ["\(written)"])
    #expect(try store.lines("PRAGMA integrity_check") == ["ok"])
  }
}
