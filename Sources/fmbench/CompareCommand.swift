import FMBench
import FMCommand
import FMRuntime

/// `fmbench compare`: two sides, their difference, and whether it is one.
enum CompareCommand {
  static let command = Command(
    name: "compare", summary: "Says of two sides whether one is faster, with the odds.",
    discussion: """
      Devices, models, thread counts and cache types are compared by playing trials in
      turn (A B, B A, ...), so that a drift of the machine falls on both. Runs and
      commits are compared as they were stored, and judged only when they were made under
      equal conditions; what differs is listed. With neither A nor B the newest runs of
      all devices are put side by side without a verdict.

      A call (improved, regressed) takes three things: the 95 % bootstrap interval of
      B/A excludes 1, the rank test's p is below 0.05 after Holm over the primary
      family, and the change reaches the noise floor. The family is ttft, tpot and
      task_wall of each scenario's first form in its first state; everything else is
      reported without a verdict.

      Exit codes: 0 nothing regressed; 1 something did, or an error; 2 inconclusive or
      not comparable; 64 usage; 130 interrupted.
      """,
    positionals: [
      Positional(
        "A B", .any,
        help: "The sides: cpu vulkan:0, 3 latest, 3,5 4,6 (pooled), or names along --by.")
    ],
    options: [
      .value(
        "by", "AXIS", completion: Completion(ComparisonAxis.allCases.map(\.rawValue)),
        help: "What A and B name, one of "
          + ComparisonAxis.allCases.map(\.rawValue).joined(separator: ", ") + "; guessed if clear."),
      .flag(
        "stored",
        help:
          "Takes the stored runs that are alike most, else the newest, instead of playing trials."),
      .value("with", "PATH", help: "The database that B is in."),
      .flag("across-environments", help: "Judges although conditions differ."),
      .value("run", "A,B", repeats: true, help: "Side by side: only these runs."),
      .value("model", "MODEL", letter: "m", help: "What is played; side by side: only this model."),
      .value(
        "device", "DEVICE", completion: RunArguments.devices,
        help: "Where models, threads or caches are compared: cpu."),
      StoreOptions.option,
    ] + EndpointArguments.naming + RunArguments.loading + RunArguments.playing
      + StyleArguments.options + [
        .flag("json", help: "Prints JSON.")
      ],
    examples: [
      "fmbench compare cpu vulkan:0 --scenario one-tool",
      "fmbench compare --by model SmolLM2-135M-Instruct-Q4_1 gemma-3-270m-Q4_K_M --trials 12",
      "fmbench compare --by threads 1 2 --until-stable",
      "fmbench compare cpu http://127.0.0.1:8080/v1 --scenario one-tool",
      "fmbench compare --by prefix-edit none timestamp --scenario support-desk",
      "fmbench compare 3 latest && echo no regression",
      "fmbench compare --by commit 1a2b3c4 5d6e7f8",
      "fmbench compare latest latest --db before.sqlite --with after.sqlite",
      "fmbench compare --by device --scenario device-slice --json",
    ]
  ) { try await run($0) }

  private static func run(_ arguments: Arguments) async throws -> ExitCode {
    let named = try arguments.string("by").map { text in
      guard let axis = ComparisonAxis(rawValue: text) else {
        throw UsageError.invalidValue(
          option: "--by", found: text,
          expected: "one of " + ComparisonAxis.allCases.map(\.rawValue).joined(separator: ", "))
      }
      return axis
    }
    let sides = arguments.positionals
    if sides.isEmpty, arguments.string("with") == nil {
      guard named == nil || named == .device else {
        throw UsageError.conflict("'--by \(arguments.string("by") ?? "")' takes two sides, A and B")
      }
      return try DeviceListing.print(arguments)
    }
    guard sides.count == 2 || sides.isEmpty else {
      throw UsageError.conflict("a comparison has two sides, A and B")
    }
    let pair = sides.isEmpty ? ("latest", "latest") : (sides[0], sides[1])
    let axis = try named ?? guess(pair)
    let isStored =
      axis == .run || axis == .commit || arguments.flag("stored")
      || arguments.string("with") != nil
    return try await isStored
      ? stored(pair, axis, arguments) : InterleavedPlay(arguments).compare(pair, axis)
  }

  /// Devices and runs are told apart by how they look.
  private static func guess(_ pair: (String, String)) throws -> ComparisonAxis {
    func isDevice(_ text: String) -> Bool {
      text == "cpu" || text == "reference" || text == "vulkan" || text.hasPrefix("vulkan:")
    }
    let isServer = (ServerAddress.isOne(pair.0), ServerAddress.isOne(pair.1))
    if isServer.0 || isServer.1, isServer.0 || isDevice(pair.0), isServer.1 || isDevice(pair.1) {
      return .endpoint
    }
    if isDevice(pair.0), isDevice(pair.1) { return .device }
    func isRun(_ text: String) -> Bool {
      text.split(separator: ",").allSatisfy { word in
        word == "latest" || word.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
      }
    }
    if isRun(pair.0), isRun(pair.1) { return .run }
    throw UsageError.conflict("'\(pair.0)' and '\(pair.1)': say with '--by' what they name")
  }

  private static func stored(
    _ pair: (String, String), _ axis: ComparisonAxis, _ arguments: Arguments
  ) throws -> ExitCode {
    let scenarios = try StoreOptions.list("scenario", arguments)
    let left = try BenchStore(reading: StoreOptions.path(arguments))
    let right = try arguments.string("with").map { try BenchStore(reading: $0) } ?? left
    let (first, second) = try RunSelector.pair(
      (ServerAddress.named(pair.0), left), (ServerAddress.named(pair.1), right), by: axis,
      scenarios: scenarios)
    var comparison = RunComparison(
      axis: axis,
      first: (first.name, try left.measuredCells(runs: first.runs, scenarios: scenarios)),
      second: (second.name, try right.measuredCells(runs: second.runs, scenarios: scenarios)),
      acrossEnvironments: arguments.flag("across-environments"))
    if left === right, first.runs == second.runs {
      comparison.notes.append("A and B are the same run.")
    }
    try ComparisonPrinter.print(comparison, asJSON: arguments.flag("json"))
    return ComparisonPrinter.exitCode(comparison.outcome)
  }
}

/// Prints a comparison.
enum ComparisonPrinter {
  /// Writes the tables, or the JSON, to standard output.
  static func print(_ comparison: RunComparison, asJSON: Bool) throws {
    if asJSON {
      Terminal.print(try comparison.json())
      return
    }
    let text = RunComparisonText(comparison)
    Terminal.print(text.header.map { $0 + "\n" }.joined() + "\n")
    if !text.rows.isEmpty { table(RunComparisonText.headings, text.rows) }
    if !text.secondaryRows.isEmpty {
      Terminal.print("beside the family, without a verdict:\n")
      table(RunComparisonText.secondaryHeadings, text.secondaryRows)
    }
    for note in text.notes { Terminal.print(note + "\n") }
  }

  private static func table(_ headings: [String], _ rows: [[String]]) {
    var table = Table(
      headings.enumerated().map { index, heading in
        let isText = index < RunComparisonText.wordColumns || heading == "verdict"
        return Table.Column(heading, isText ? .left : .right)
      })
    for row in rows { table.add(row) }
    Terminal.print(table.text + "\n")
  }

  /// What a script learns.
  static func exitCode(_ outcome: RunComparison.Outcome) -> ExitCode {
    switch outcome {
    case .noRegression: .success
    case .regression: .failure
    case .inconclusive, .notJudged: ExitCode(2)
    }
  }
}
