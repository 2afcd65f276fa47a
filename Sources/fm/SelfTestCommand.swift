import FMCommand
import FMRuntime
import Foundation

/// `fm devices --self-test`: the table of op cases on devices, against the reference.
enum SelfTestCommand {
  /// Tests the devices one after another; fails when one gives a wrong result.
  static func run(_ selectors: [String], json: Bool) throws -> ExitCode {
    if selectors.isEmpty {
      Terminal.note(
        "no GPU to test; `--device vulkan:0` tests a software device, `--device cpu` the processor")
      return .success
    }
    var reports: [(selector: String, report: DeviceSelfTest.Report)] = []
    for selector in selectors { reports.append((selector, try report(selector))) }
    if json {
      Terminal.print(JSONValue.array(reports.map { member($0.selector, $0.report) }).prettyText)
    } else {
      for item in reports { print(item.selector, item.report) }
    }
    return reports.allSatisfy { $0.report.failures.isEmpty } ? .success : .failure
  }

  private static func report(_ selector: String) throws -> DeviceSelfTest.Report {
    let test = DeviceSelfTest.whole
    let backend = try Devices.backend(selector, threads: nil)
    let total = test.caseCount
    var bar = ProgressBar("cases on \(selector)", total: total, amountText: { "\($0)" })
    let report = test.run(on: backend) { done in bar.update(done) }
    bar.finish()
    return report
  }

  private static func print(_ selector: String, _ report: DeviceSelfTest.Report) {
    var table = Table([
      .init("op"), .init("cases", .right), .init("refused", .right), .init("failed", .right),
      .init("greatest error", .right),
    ])
    for family in report.families {
      table.add([
        family.name, "\(family.ran)", "\(family.refused)", "\(family.failed)",
        String(format: "%.1e", family.worst),
      ])
    }
    Terminal.print("\(selector)\n" + table.text)
    for failure in report.failures.prefix(20) { Terminal.note(Printable.text(failure)) }
    if report.failures.count > 20 { Terminal.note("and \(report.failures.count - 20) more") }
  }

  private static func member(_ selector: String, _ report: DeviceSelfTest.Report) -> JSONValue {
    .object([
      ("device", .string(selector)),
      (
        "ops",
        .array(
          report.families.map { family in
            .object([
              ("op", .string(family.name)), ("cases", .integer(family.ran)),
              ("refused", .integer(family.refused)), ("failed", .integer(family.failed)),
              ("greatest_error", .number(family.worst)),
            ])
          })
      ),
      ("failures", .array(report.failures.map(JSONValue.string))),
    ])
  }
}
