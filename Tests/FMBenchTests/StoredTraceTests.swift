import FMBench
import FMCore
import FMTrace
import Foundation
import Testing

@Suite struct StoredTraceTests {
  private static func store() throws -> (BenchStore, Int, TemporaryFolder) {
    let folder = try TemporaryFolder()
    let store = try BenchStore(writing: folder.path("r.sqlite"))
    let ids = try StoreFixture.begin(store)
    let first = try store.addRequest(StoreFixture.request(), session: ids.session)
    for number in 0..<2 {
      _ = try store.addToolCall(
        ToolCallRow(
          number: number, name: "search", argumentsHash: "same",
          started: StoreFixture.instant(150 + 20 * Double(number)),
          ended: StoreFixture.instant(165 + 20 * Double(number)), injectedMilliseconds: 15,
          outputTokens: 30), request: first)
    }
    _ = try store.addRequest(
      StoreFixture.request(number: 1, start: 200, prompt: 300, cached: 240), session: ids.session)
    try store.endRun(ids.run, status: .finished)
    return (store, ids.run, folder)
  }

  @Test func `a stored run becomes a trace of trials, sessions, turns and calls`() throws {
    let (store, run, _) = try Self.store()
    let trace = try store.trace(run: run)
    let tree = TraceTree(trace)
    #expect(tree.roots.map { tree[$0].title } == ["one-tool cold #0"])
    let session = try #require(tree.children[tree.roots[0]].first)
    #expect(tree[session].kind == .session && tree[session].count("context_size") == 4096)
    let turns = tree.children[session]
    #expect(turns.map { tree[$0].kind } == [.request])
    let inside = tree.children[turns[0]].map { tree[$0] }
    #expect(inside.map(\.kind) == [.generation, .toolCall, .toolCall, .generation])
    #expect(inside[0].begin == StoreFixture.instant(1))
    #expect(inside[0].count("prompt_tokens") == 240 && inside[0].count("cached_tokens") == 40)
    let phases = tree.children[tree.children[turns[0]][0]].map { tree[$0] }
    #expect(phases.map(\.kind) == [.queue, .prefill, .decode])
    #expect(phases[1].end == StoreFixture.instant(101))
    #expect(!trace.isCut && trace.droppedCount == 0)
    let repeats = TraceReview(tree).answer(to: .repeatedCalls)
    #expect(repeats?.findings.first?.numbers.first == TraceAttribute("repeats", .count(1)))
  }

  @Test func `a stored run has every form`() throws {
    let (store, run, _) = try Self.store()
    let trace = try store.trace(run: run)
    for format in TraceFormat.allCases { #expect(!format.bytes(of: trace).isEmpty) }
    #expect(try TraceReader.read(trace.lines, path: "x") == trace)
  }

  @Test func `a run that is not there is an error`() throws {
    let (store, _, _) = try Self.store()
    #expect(throws: StoreError.noSuchRun("99")) { try store.trace(run: 99) }
  }
}
