import FMBench
import FMCommand
import FMRuntime

/// The newest runs of all devices side by side, without a verdict.
enum DeviceListing {
  /// Prints it; the code is 2 when devices could have been compared and were not.
  static func print(_ arguments: Arguments) throws -> ExitCode {
    let store = try BenchStore(reading: StoreOptions.path(arguments))
    let scenarios = try StoreOptions.list("scenario", arguments)
    let model = arguments.string("model")
    let named = try StoreOptions.list("run", arguments)
    let runs = try named.isEmpty ? nil : named.map { try store.runID($0) }
    var comparison = DeviceComparison(
      try store.comparedCells(runs: runs, scenarios: scenarios, model: model))
    comparison.suggestNext(available: Devices.all(), scenarios: scenarios, model: model)
    // A lone device is no failure.
    let code =
      comparison.pairs.isEmpty && !comparison.refusals.isEmpty ? ExitCode(2) : .success
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
