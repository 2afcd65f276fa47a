import FMBench
import FMCommand

/// `fmbench noise`: a device against itself.
enum NoiseCommand {
  static let command = Command(
    name: "noise", summary: "Measures the noise floor: a device compared with itself.",
    discussion: """
      Loads the model twice and plays both in turn, as a comparison would. How far the
      interval of the ratio reaches beyond 1 is the least change that counts in later
      comparisons of the same scenario, device, model and build on this machine, played at
      the same level and start; it is kept in the database. Floors below 1 % count as 1 %; where none was measured, 2 %.
      The exit code is 1 when the two equal sides differed by the comparison's own rule.
      """,
    options: [
      ModelArguments.model(default: RunArguments.defaultModel),
      .value(
        "device", "DEVICE", completion: RunArguments.devices,
        help: "Where it runs: cpu (the default), vulkan, vulkan:0."),
      StoreOptions.option,
    ] + RunArguments.loading + RunArguments.playing + StyleArguments.options
      + [.flag("json", help: "Prints JSON.")],
    examples: [
      "fmbench noise", "fmbench noise --device vulkan:0 --scenario device-slice --trials 20",
      "fmbench noise --level session --scenario one-tool",
    ]
  ) { try await run($0) }

  private static func run(_ arguments: Arguments) async throws -> ExitCode {
    let device = arguments.string("device") ?? "cpu"
    let result = try await InterleavedPlay(arguments).play((device, device), .device)
    switch result.status {
    case .interrupted: return .interrupted
    case .failed, .running: return .failure
    case .finished: break
    }
    let cells = (
      try result.store.measuredCells(runs: [result.runs.first]),
      try result.store.measuredCells(runs: [result.runs.second])
    )
    // Judged by the floor that was there before, or any difference would set its own excuse.
    let comparison = RunComparison(
      axis: .device, first: ("A", cells.0), second: ("B", cells.1))
    let floors = try result.store.setNoiseFloors(runs: result.runs)
    if arguments.flag("json") {
      Terminal.print(JSONValue.array(floors.map(json)).prettyText)
    } else {
      printTable(floors)
    }
    let calls = comparison.rows.filter {
      $0.verdict == Verdict.improved.name || $0.verdict == Verdict.regressed.name
    }
    for row in calls {
      Terminal.warn(
        "\(row.name) \(row.state) \(row.metric.rawValue): equal sides were told apart; the machine "
          + "is too busy to measure on, or drifts")
    }
    return calls.isEmpty ? .success : .failure
  }

  private static func printTable(_ floors: [NoiseFloor]) {
    var table = Table([
      .init("scenario"), .init("state"), .init("metric"), .init("pairs", .right),
      .init("B/A", .right), .init("variation %", .right), .init("floor %", .right),
    ])
    for floor in floors {
      table.add([
        floor.variant.isEmpty ? floor.scenario : "\(floor.scenario)/\(floor.variant)", floor.state,
        floor.metric.rawValue, "\(floor.pairs)", Format.fixed(floor.ratio, digits: 3),
        floor.variation.map { Format.fixed($0 * 100, digits: 1) } ?? "–",
        Format.fixed(floor.floor * 100, digits: 1),
      ])
    }
    Terminal.print(table.text + "\n")
    Terminal.print(
      "B/A: the median ratio of neighbouring trials of equal sides; floor: how far its 95 % "
        + "interval reaches from 1.\nKept: later comparisons here count no smaller change.\n"
    )
  }

  private static func json(_ floor: NoiseFloor) -> JSONValue {
    .object([
      ("scenario", .string(floor.scenario)), ("variant", .string(floor.variant)),
      ("state", .string(floor.state)), ("metric", .string(floor.metric.rawValue)),
      ("pairs", .integer(floor.pairs)), ("ratio", .number(floor.ratio)),
      ("variation", .optional(floor.variation) { .number($0) }),
      ("floor", .number(floor.floor)),
    ])
  }
}
