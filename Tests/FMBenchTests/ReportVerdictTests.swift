import FMBackend
import FMBench
import Foundation
import Testing

/// What a report says of runs that were played in turn, and of runs that were not.
@Suite struct ReportVerdictTests {
  private typealias Made = RunComparisonTests.Made

  private static let gpu = DeviceDescription(
    selector: "vulkan:0", name: "a graphics card", kind: .discreteGPU, details: ["a driver"])

  private func arm(_ name: String, _ made: Made) -> Made {
    var made = made
    (made.interleaving, made.arm, made.seed) = ("x", name, name == "A" ? 1 : 2)
    return made
  }

  private func report(_ made: Made...) throws -> (report: BenchReport, page: MarkupChecker) {
    let folder = try TemporaryFolder()
    let store = try BenchStore(writing: folder.path("r.sqlite"))
    for made in made { _ = try RunComparisonTests.add(made, to: store) }
    let report = try store.benchReport()
    let page = MarkupChecker(String(decoding: ReportPage(report).html(), as: UTF8.self))
    #expect(page.problems.isEmpty && page.brokenAnchors.isEmpty)
    return (report, page)
  }

  /// Pairs of a slowdown of the GPU, as noise, and what is to be said of its three metrics.
  @Test(arguments: [
    (1.2, "regressed", "not in it"), (0.8, "improved", "not in it"),
    (1.0, "within noise", "regressed ("),
  ])
  func `runs played in turn are judged`(slowdown: Double, verdict: String, other: String) throws {
    let (report, page) = try report(
      arm("A", Made()), arm("B", Made(device: Self.gpu, slowdown: slowdown)))
    #expect(report.reasonForNoVerdict == nil)
    #expect(report.verdicts.count == 1)
    #expect(
      report.verdicts[0].rows.filter(\.isPrimary).map(\.verdict) == [verdict, verdict, verdict])
    #expect(page.text.contains("played in turn (ABBA)"))
    #expect(page.text.contains("\(verdict) (p "))
    #expect(!page.text.contains(other))
    // The sides have the devices' names, and the ratio's row says the verdict to a screen reader.
    #expect(page.text.contains("B  vulkan:0: tiny on vulkan:0: a graphics card"))
    #expect(page.text.contains("task_wall, ratio "))
    let lines = ReportMarkdown(report).text.split(separator: "\n")
    #expect(
      lines.count { $0.hasSuffix("| \(verdict) (p <0.001) |") || $0.contains("| \(verdict) (p ") }
        == 3)
  }

  @Test func `too few trials are inconclusive, and the page says how many are needed`() throws {
    let (report, page) = try report(
      arm("A", Made(trials: 5)), arm("B", Made(device: Self.gpu, slowdown: 1.2, trials: 5)))
    #expect(report.verdicts[0].outcome == .inconclusive)
    #expect(page.text.contains("inconclusive: about 2 more"))
    #expect(ReportMarkdown(report).text.contains("inconclusive: about 2 more"))
  }

  @Test func `runs played one after the other have no verdict, and the page says why`() throws {
    let (report, page) = try report(Made(), Made(device: Self.gpu, slowdown: 1.2))
    #expect(report.verdicts.isEmpty)
    #expect(report.comparison.pairs.count == 1)
    for text in [page.text, ReportMarkdown(report).text] {
      #expect(text.contains("No verdict. These runs were played one after the other"))
      #expect(text.contains("fmbench compare cpu vulkan:0"))
      #expect(!text.contains("regressed"))
    }
  }

  @Test func `a software device and a device alone have no verdict either`() throws {
    let software = try report(Made(), Made(device: StoreFixture.software))
    #expect(software.page.text.contains("No verdict. The only other device is a software GPU"))
    let alone = try report(Made())
    #expect(alone.page.text.contains("No verdict. Only cpu was measured"))
    #expect(alone.page.attributes.contains { $0.name == "href" && $0.value == "#verdicts" })
    let invalid = try report(Made(trials: 2, invalid: [0, 1]))
    #expect(invalid.report.reasonForNoVerdict == nil)
    #expect(!invalid.page.text.contains("No verdict"))
  }

  @Test func `sides that share no scenario are not judged, and the page says so`() throws {
    let (report, page) = try report(
      arm("A", Made()), arm("B", Made(device: Self.gpu, scenarios: ["device-slice"])))
    #expect(report.verdicts[0].outcome == .notJudged)
    #expect(page.text.contains("A and B have no scenario and state in common."))
  }
}
