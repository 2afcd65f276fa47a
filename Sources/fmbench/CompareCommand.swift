import FMBench
import FMCommand
import FMRuntime

/// `fmbench compare`: the same scenarios on different devices, side by side.
enum CompareCommand {
  static let command = Command(
    name: "compare", summary: "Puts the stored runs of different devices side by side.",
    discussion: """
      Of every device the newest run counts. Only the same scenario, state and model are
      compared, by their hashes; what is left out is said with what differs. There is no
      verdict: medians with their spread, and the ratio.
      """,
    options: [
      .value("by", "AXIS", help: "What is compared: device."),
      .value("scenario", "A,B", letter: "s", repeats: true, help: "Only these scenarios."),
      .value("model", "MODEL", letter: "m", help: "Only this model, by name or hash."),
      .value("run", "A,B", repeats: true, help: "Only these runs: numbers, or latest."),
      StoreOptions.option,
      .flag("json", help: "Prints JSON."),
    ],
    examples: [
      "fmbench compare --by device", "fmbench compare --by device --scenario device-slice --json",
    ]
  ) { try run($0) }

  private static func run(_ arguments: Arguments) throws -> ExitCode {
    if let axis = arguments.string("by"), axis != "device" {
      throw UsageError.invalidValue(option: "--by", found: axis, expected: "device")
    }
    let store = try BenchStore(reading: StoreOptions.path(arguments))
    let scenarios = StoreOptions.list("scenario", arguments)
    let model = arguments.string("model")
    let named = StoreOptions.list("run", arguments)
    let runs = try named.isEmpty ? nil : named.map { try store.runID($0) }
    var comparison = DeviceComparison(
      try store.comparedCells(runs: runs, scenarios: scenarios, model: model))
    comparison.suggestNext(available: Devices.all(), scenarios: scenarios, model: model)
    // Devices that could have been compared and were not are a failure; a lone one is none.
    let code: ExitCode =
      comparison.pairs.isEmpty && !comparison.refusals.isEmpty ? .failure : .success
    if arguments.flag("json") {
      Terminal.print(try comparison.json())
      return code
    }
    let text = ComparisonText(comparison)
    for block in text.blocks {
      Terminal.print(block.header.map { $0 + "\n" }.joined() + "\n")
      var table = Table(
        ComparisonText.headings.enumerated().map { index, heading in
          Table.Column(heading, index < ComparisonText.wordColumns ? .left : .right)
        })
      for row in block.rows { table.add(row) }
      Terminal.print(table.text + "\n")
    }
    for note in text.notes { Terminal.print(note + "\n") }
    return code
  }
}
