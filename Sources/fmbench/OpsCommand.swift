import FMBackend
import FMBench
import FMCommand
import FMCore
import FMRuntime

/// `fmbench ops`: times single ops on a device.
enum OpsCommand {
  static let command = Command(
    name: "ops", summary: "Times single ops on a device, against what the device reaches.",
    discussion: """
      First the device's limits: a copy larger than caches, and multiply-adds in registers.
      Then op cases: in the shapes of models (smaller ones on software devices) and from the
      table that the back ends are tested with. `fm devices --self-test` checks the results.
      """,
    options: [
      .value(
        "device", "DEVICE", completion: RunArguments.devices,
        help: "Where it runs: cpu (the default), vulkan, vulkan:0."),
      .value("threads", "N", letter: "t", help: "CPU threads; the default is all it may use."),
      .value(
        "op", "NAME", completion: Completion(OpSelection.opNames()),
        help: "Only this op, such as matmul or attention."),
      .value(
        "type", "TYPE", completion: Completion(ElementType.allCases.map(\.rawValue)),
        help: "Only ops with weights of this type, such as Q4_0."),
      .flag("quick", help: "Shapes of models alone, with three types."),
      .flag("all", help: "The whole table of cases: long on a software device."),
      .flag("json", help: "Prints JSON."),
    ],
    examples: [
      "fmbench ops --quick", "fmbench ops --device vulkan:0 --op matmul --type Q4_0 --json",
    ]
  ) { try run($0) }

  private static func run(_ arguments: Arguments) throws -> ExitCode {
    let selection = try selection(arguments)
    let backend = try Devices.backend(
      arguments.string("device") ?? "cpu",
      threads: try arguments.integer("threads", in: 1...1_000_000))
    let cases = selection.cases(for: backend.device.kind)
    guard !cases.isEmpty else {
      throw UsageError.conflict("no case has the op of '--op' and the type of '--type'")
    }
    let peaks = try (backend as? any PeakMeasuring)?.measuredPeaks()
    let timer = OpTimer(backend: backend, peaks: peaks, isQuick: arguments.flag("quick"))
    var bar = ProgressBar("ops", total: cases.count, amountText: { "\($0)" })
    let timings = timer.time(cases) { index, _ in bar.update(index) }
    bar.finish()
    let report = OpReport(device: backend.device, peaks: peaks, timings: timings)
    try print(report, json: arguments.flag("json"))
    return report.rows.isEmpty ? .failure : .success
  }

  private static func selection(_ arguments: Arguments) throws -> OpSelection {
    if arguments.flag("quick"), arguments.flag("all") {
      throw UsageError.conflict("'--quick' and '--all' both say how many cases")
    }
    var selection = OpSelection(
      extent: arguments.flag("quick") ? .quick : arguments.flag("all") ? .all : .standard)
    if let name = arguments.string("op") {
      let known = OpSelection.opNames()
      guard known.contains(name) else {
        throw UsageError.invalidValue(
          option: "--op", found: name, expected: "one of " + known.joined(separator: ", "))
      }
      selection.op = name
    }
    if let name = arguments.string("type") {
      guard
        let type = ElementType.allCases.first(where: {
          $0.rawValue.lowercased() == name.lowercased()
        })
      else {
        throw UsageError.invalidValue(
          option: "--type", found: name,
          expected: "one of " + ElementType.allCases.map(\.rawValue).joined(separator: ", "))
      }
      selection.type = type
    }
    return selection
  }

  private static func print(_ report: OpReport, json: Bool) throws {
    if json { return Terminal.print(try report.json()) }
    Terminal.print(report.header.map { $0 + "\n" }.joined() + "\n")
    var table = Table(
      OpReport.headings.enumerated().map { index, heading in
        Table.Column(heading, index == 0 ? .left : .right)
      })
    for row in report.rows { table.add(row) }
    Terminal.print(table.text + "\n")
    for note in report.notes { Terminal.print(note + "\n") }
  }
}
