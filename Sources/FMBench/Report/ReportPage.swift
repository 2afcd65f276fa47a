/// A report as one HTML page that needs nothing else: no network, no scripts to be read.
package struct ReportPage {
  let report: BenchReport
  let names: CellNames
  let summary: ReportSummary
  /// The cells that are drawn.
  let cells: [ReportedCell]

  /// Most cells drawn; a page of more is too long to read.
  package static let mostCells = 160
  /// Most cells with timelines.
  static let mostTimelines = 60
  /// Most runs in the table of machines.
  static let mostRuns = 24

  package init(_ report: BenchReport) {
    self.report = report
    names = CellNames(report)
    summary = ReportSummary(report)
    cells = Array(report.cells.prefix(Self.mostCells))
  }

  /// The page, UTF-8: the same bytes for the same report.
  package func html() -> [UInt8] {
    var page = MarkupWriter()
    page.literal("<!DOCTYPE html>\n")
    page.element("html", ["lang": "en"]) { page in
      page.element("head") { writeHead(to: &$0) }
      page.line()
      page.element("body") { page in
        page.element("a", ["class": "skip", "href": "#main"], text: "To the numbers")
        writeHeader(to: &page)
        page.element("main", ["id": "main"]) { writeMain(to: &$0) }
        writeFooter(to: &page)
        page.element("script", ["type": "application/json", "id": "numbers"]) { page in
          page.json(ReportNumbers(report).boundedJSON())
        }
        page.element("script") { $0.literal(ReportPage.script) }
      }
    }
    page.line()
    return page.bytes
  }

  private func writeHead(to page: inout MarkupWriter) {
    page.empty("meta", ["charset": "utf-8"])
    page.empty("meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"])
    page.empty("meta", ["name": "color-scheme", "content": "light dark"])
    page.empty("meta", ["name": "referrer", "content": "no-referrer"])
    // The page asks for nothing; should a browser be made to, it refuses.
    page.empty(
      "meta",
      [
        "http-equiv": "Content-Security-Policy",
        "content": "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
          + "img-src data:",
      ])
    page.empty("link", ["rel": "icon", "href": "data:,"])
    page.element("title", text: "fmbench: \(summary.title)")
    page.element("style") { $0.literal(ReportPage.style) }
  }

  private func writeHeader(to page: inout MarkupWriter) {
    page.element("header") { page in
      page.element("p", ["class": "kicker"], text: "fmbench report")
      page.element("h1") { $0.element("bdi", text: summary.title) }
      page.element("ul", ["class": "runs"]) { page in
        for run in summary.runs { page.element("li", text: run) }
      }
      page.element("p", ["class": "lead"], text: summary.findings.joined(separator: " "))
      if !summary.figures.isEmpty {
        page.element("dl", ["class": "figures"]) { page in
          for figure in summary.figures {
            page.element("div") { page in
              page.element("dt", text: figure.label)
              page.element("dd") { page in
                page.element("b", text: figure.value)
                page.text(" ")
                page.element("span", text: figure.unit)
                page.element("small", text: figure.detail)
                page.element("small", text: figure.spread)
              }
            }
          }
        }
      }
      writeWarnings(to: &page)
    }
    page.line()
    page.element("nav", ["aria-label": "Sections"]) { page in
      for (place, title) in sections {
        page.element("a", ["href": "#" + place], text: title)
      }
    }
    page.line()
  }

  private func writeWarnings(to page: inout MarkupWriter) {
    guard !summary.warnings.isEmpty else { return }
    page.element("details", ["class": "warnings", "open": "open"]) { page in
      page.element("summary", text: "Before you trust these numbers")
      page.element("ul") { page in
        for warning in summary.warnings.prefix(40) { page.element("li", text: warning) }
      }
    }
  }

  /// The parts of the page by their anchors.
  private var sections: [(String, String)] {
    var sections: [(String, String)] = []
    if hasVerdicts { sections.append(("verdicts", "Verdicts")) }
    if hasComparison { sections.append(("devices", "Devices")) }
    for (index, scenario) in shownScenarios.enumerated() {
      sections.append(("scenario-\(index)", scenario))
    }
    if hasDepth { sections.append(("context", "Cost of context")) }
    if hasCache { sections.append(("cache", "Prefix cache")) }
    return sections + [
      ("validity", "Validity"), ("all", "All numbers"), ("machines", "Machines and commands"),
      ("definitions", "Definitions"),
    ]
  }

  var shownScenarios: [String] { ReportSummary.unique(cells.map(\.scenario)) }

  private func writeMain(to page: inout MarkupWriter) {
    writeVerdicts(to: &page)
    writeComparison(to: &page)
    var timelines = Self.mostTimelines
    for (index, scenario) in shownScenarios.enumerated() {
      writeScenario(scenario, index, timelines: &timelines, to: &page)
    }
    if report.cells.count > cells.count {
      page.element(
        "p", ["class": "note"],
        text: "\(Quantity.counted(report.cells.count - cells.count, "more cell")) "
          + "are not drawn: name fewer runs.")
    }
    writeContext(to: &page)
    writeCache(to: &page)
    writeValidity(to: &page)
    writeAllNumbers(to: &page)
    writeMachines(to: &page)
    writeDefinitions(to: &page)
  }

  private func writeFooter(to page: inout MarkupWriter) {
    let versions = ReportSummary.unique(report.runs.map(\.toolVersion)).joined(separator: ", ")
    page.element("footer") { page in
      page.element(
        "p",
        text: "Recorded by fmbench \(versions). Intervals: percentile bootstrap of the median, "
          + "10,000 resamples, 95 %, seed \(RunReport.bootstrapSeed). The numbers of this page are "
          + "in it as JSON, in the script element “numbers”.")
    }
    page.line()
  }

  /// A section with its heading.
  func section(
    _ place: String, _ title: String, to page: inout MarkupWriter,
    _ content: (inout MarkupWriter) -> Void
  ) {
    page.element("section", ["id": place]) { page in
      page.element("h2") { $0.element("bdi", text: title) }
      content(&page)
    }
    page.line()
  }
}
