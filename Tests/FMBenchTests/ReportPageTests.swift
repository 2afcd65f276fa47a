import FMBench
import FMCore
import Foundation
import Testing

@Suite struct ReportPageTests {
  private func html(_ store: BenchStore, runs: [Int]? = nil) throws -> String {
    String(decoding: ReportPage(try store.benchReport(runs: runs)).html(), as: UTF8.self)
  }

  private func store(_ folder: TemporaryFolder) throws -> BenchStore {
    try BenchStore(writing: folder.path("r.sqlite"))
  }

  @Test func `a page is well formed, and asks for nothing beside itself`() throws {
    let folder = try TemporaryFolder()
    let store = try store(folder)
    try ReportFixture.run(store, 1, trials: 5)
    try ReportFixture.run(
      store, 2, trials: 5, cell: StoreFixture.cell(on: StoreFixture.software))
    let page = MarkupChecker(try html(store))
    #expect(page.problems.isEmpty)
    #expect(page.brokenAnchors.isEmpty)
    #expect(page.fetches.isEmpty)
    #expect(page.text.contains("software GPU"))
    #expect(page.elements.contains("svg"))
    // A drawing without words is nothing to those who do not see it.
    let drawings = page.attributes.count { $0.element == "svg" && $0.name == "role" }
    #expect(page.elements.count { $0 == "title" } > drawings)
  }

  @Test func `names from the database cannot become markup`() throws {
    for name in ReportFixture.hostile {
      let folder = try TemporaryFolder()
      let store = try store(folder)
      var model = StoreFixture.model
      (model.name, model.quantization) = (name, name)
      var run = StoreFixture.run()
      (run.label, run.arguments, run.suite) = (name, [name, name], name)
      (run.build.version, run.build.commit) = (name, name)
      var machine = HostEnvironment(cpuFlags: [name])
      (machine.cpu, machine.kernel, machine.gpu, machine.driver) = (name, name, name, name)
      let id = try store.beginRun(run, model: model, environment: machine)
      var cell = StoreFixture.cell(scenario: name)
      (cell.variant, cell.device, cell.deviceName, cell.kvType) = (name, name, name, name)
      let row = try store.addCell(cell, run: id)
      try ReportFixture.trial(
        store, cell: row, number: 0, tool: name, session: name, missReason: name)
      try ReportFixture.trial(store, cell: row, number: 1, invalid: name)
      try store.endRun(id, status: .failed, error: name)
      let plain = try plainElements()
      let page = MarkupChecker(try html(store))
      #expect(page.problems.isEmpty, "\(name)")
      #expect(page.brokenAnchors.isEmpty, "\(name)")
      #expect(page.fetches.isEmpty, "\(name)")
      // The elements are those of the same database with a harmless name: none came in, none went.
      #expect(page.elements == plain, "\(name)")
      #expect(!page.attributes.contains { $0.name.hasPrefix("on") }, "\(name)")
      #expect(!page.text.unicodeScalars.contains("\u{202E}"))
      let numbers = try #require(page.raw.dropFirst().first)
      #expect(!numbers.contains("<") && !numbers.contains("\u{2028}"))
      #expect(throws: Never.self) {
        try JSONSerialization.jsonObject(with: Data(numbers.utf8))
      }
    }
  }

  /// What the page of the test above is made of when every name is harmless.
  private func plainElements() throws -> [String] {
    let folder = try TemporaryFolder()
    let store = try store(folder)
    let name = "plain"
    var model = StoreFixture.model
    (model.name, model.quantization) = (name, name)
    var run = StoreFixture.run()
    (run.label, run.arguments, run.suite) = (name, [name, name], name)
    let id = try store.beginRun(
      run, model: model, environment: HostEnvironment(cpuFlags: [name]))
    var cell = StoreFixture.cell(scenario: name)
    (cell.variant, cell.device, cell.deviceName, cell.kvType) = (name, name, name, name)
    let row = try store.addCell(cell, run: id)
    try ReportFixture.trial(
      store, cell: row, number: 0, tool: name, session: name, missReason: name)
    try ReportFixture.trial(store, cell: row, number: 1, invalid: name)
    try store.endRun(id, status: .failed, error: name)
    return MarkupChecker(try html(store)).elements
  }

  @Test func `the same database gives the same bytes`() throws {
    let folder = try TemporaryFolder()
    let store = try store(folder)
    try ReportFixture.run(store, 1, trials: 6)
    let first = try html(store)
    let again = try BenchStore(reading: folder.path("r.sqlite"))
    #expect(try html(again) == first)
    #expect(
      ReportMarkdown(try again.benchReport()).text == ReportMarkdown(try store.benchReport()).text)
  }

  @Test func `a page says when no trial is valid`() throws {
    let folder = try TemporaryFolder()
    let store = try store(folder)
    let (run, cell, _, _) = try StoreFixture.begin(store)
    try ReportFixture.trial(store, cell: cell, number: 1, invalid: "a token count misses")
    try store.endRun(run, status: .finished)
    let page = MarkupChecker(try html(store))
    #expect(page.problems.isEmpty)
    #expect(page.brokenAnchors.isEmpty)
    #expect(page.text.contains("No trial is valid"))
    #expect(page.text.contains("a token count misses"))
    #expect(page.text.contains("began and did not end"))
    #expect(!page.text.contains("nan") && !page.text.contains("inf "))
  }

  @Test func `one trial gives medians without intervals`() throws {
    let folder = try TemporaryFolder()
    let store = try store(folder)
    try ReportFixture.run(store, 1, trials: 1)
    let report = try store.benchReport()
    #expect(report.cells[0].metrics[.ttft]?.low == nil)
    let page = MarkupChecker(try html(store))
    #expect(page.problems.isEmpty)
    #expect(page.text.contains("n = 1"))
    #expect(!page.attributes.contains { $0.name == "class" && $0.value == "interval" })
    #expect(page.attributes.contains { $0.name == "class" && $0.value == "median" })
  }

  @Test func `a run without cells has a page`() throws {
    let folder = try TemporaryFolder()
    let store = try store(folder)
    _ = try store.beginRun(
      StoreFixture.run(), model: StoreFixture.model, environment: HostEnvironment())
    let page = MarkupChecker(try html(store))
    #expect(page.problems.isEmpty)
    #expect(page.brokenAnchors.isEmpty)
    #expect(page.text.contains("did not end"))
  }

  @Test func `an empty database is an error, and so is a run that is not there`() throws {
    let folder = try TemporaryFolder()
    let store = try store(folder)
    #expect(throws: StoreError.noSuchRun("latest")) { try store.benchReport() }
    #expect(throws: StoreError.noSuchRun("7")) { try store.benchReport(runs: [7]) }
  }

  @Test func `metrics that are missing leave a dash`() throws {
    let folder = try TemporaryFolder()
    let store = try store(folder)
    let (run, _, trial, session) = try StoreFixture.begin(store)
    var request = StoreFixture.request(output: 1)
    (request.prefillStart, request.firstToken, request.lastToken) = (nil, nil, nil)
    (request.idealCached, request.missReason, request.tokenStamps) = (nil, nil, [])
    _ = try store.addRequest(request, session: session)
    try store.endTrial(
      trial, ended: StoreFixture.instant(900), invalidReason: nil,
      sample: ResourceSample(at: StoreFixture.instant(900)))
    let report = try store.benchReport(runs: [run])
    #expect(report.cells[0].metrics[.ttft] == nil)
    #expect(report.cells[0].metrics[.taskWall] != nil)
    let page = MarkupChecker(try html(store))
    #expect(page.problems.isEmpty)
    #expect(page.text.contains("Whole task"))
    #expect(!page.text.contains("Time to first token by depth"))
  }

  @Test func `numbers beyond all sense do not trap`() throws {
    let folder = try TemporaryFolder()
    let store = try store(folder)
    try ReportFixture.run(store, 1, trials: 3)
    let most = Int.max
    for sql in [
      "UPDATE request SET completed_ns = \(most), submitted_ns = -\(most) WHERE id = 1",
      "UPDATE request SET first_token_ns = 0, last_token_ns = \(most) WHERE id = 2",
      "UPDATE request SET n_output = \(most) / 4, n_prompt = \(most) / 4 WHERE id = 3",
      "UPDATE cell SET trials_planned = -\(most), threads = \(most)",
      "UPDATE run SET context = -\(most), gap_scale = 1e308, load_ns = \(most)",
      "UPDATE environment SET memory_bytes = \(most), load_1m = 1e300",
      "UPDATE tool_call SET started_ns = \(most), ended_ns = -\(most), out_tokens = \(most)",
    ] { try store.database.execute(sql) }
    let page = MarkupChecker(try html(store))
    #expect(page.problems.isEmpty)
  }
}
