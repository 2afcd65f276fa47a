import FMBench
import FMCore
import FMTrace
import Foundation
import Testing

@Suite struct LargeReportTests {
  /// `scripts/check-report` opens the page in a browser; it names where to leave it.
  @Test func `a page of ten thousand requests stays small`() throws {
    let folder = try TemporaryFolder()
    let store = try BenchStore(writing: folder.path("r.sqlite"))
    let runs = try ReportFixture.large(store)
    let report = try store.benchReport(runs: runs)
    #expect(report.cells.reduce(0) { $0 + $1.points.count } == 10_000)
    let bytes = ReportPage(report).html()
    let page = MarkupChecker(String(decoding: bytes, as: UTF8.self))
    #expect(page.problems.isEmpty)
    #expect(page.brokenAnchors.isEmpty)
    #expect(bytes.count < 3_000_000)
    // A dot an element would be ten thousand elements for each of three plots.
    #expect(page.elements.count < 30_000)
    if let folder = ProcessInfo.processInfo.environment["FMBENCH_KEEP_PAGES"] {
      try Data(bytes).write(to: URL(filePath: folder).appending(path: "report.html"))
    }
  }

  @Test func `a page of the trace of five thousand requests stays small`() throws {
    let folder = try TemporaryFolder()
    let store = try BenchStore(writing: folder.path("r.sqlite"))
    let runs = try ReportFixture.large(store)
    let tree = TraceTree(try store.trace(run: runs[0]))
    #expect(tree.trace.spans.count { $0.kind == .request } == 5000)
    let html = HTMLTrace(tree, review: TraceReview(tree)).text
    #expect(html.utf8.count < 20_000_000)
    // Two hundred sessions follow each other in one lane.
    let isOneLane = html.contains(">200 sessions<")
    #expect(isOneLane)
    if let folder = ProcessInfo.processInfo.environment["FMBENCH_KEEP_PAGES"] {
      try Data(html.utf8).write(to: URL(filePath: folder).appending(path: "trace.html"))
    }
  }
}
