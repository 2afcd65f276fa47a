import FMBench
import FMCommand
import FMRuntime
import FMTrace
import Foundation

/// `fmbench pathology`: plays habits that cost users time or privacy, and checks that a review finds them.
enum PathologyCommand {
  static let command = Command(
    name: "pathology",
    summary: "Plays bad habits and their remedies, and checks that reviews tell them apart.",
    discussion: """
      Each pair is the same work in two forms, before and after: everything in the prompt or
      a bounded tool, a new session for every turn or one, whole questions as arguments or
      short phrases. Both are played through sessions with tools, on a model that follows a
      script, and traced; the review of the trace must find the habit, and nothing in the
      other form. No model file is needed, and nobody waits: times are leaps of the clock.

      With --model a model of this machine reads every prompt and is made to say what the
      script says, so that the figures are its own: tokens, what its cache held, seconds.
      """,
    options: [
      .value("pair", "NAME", repeats: true, help: "Only this pair; every one when none is named."),
      .value("model", "MODEL", letter: "m", help: "Plays on this model instead of a script."),
      .value(
        "device", "DEVICE", completion: RunArguments.devices,
        help: "With --model: cpu (the default), vulkan, vulkan:0."),
      .value("folder", "DIR", help: "Where \(PathologySet.fileName) is."),
      .flag("json", help: "Prints JSON."),
    ],
    examples: [
      "fmbench pathology", "fmbench pathology --pair endless-search --json",
      "fmbench pathology --pair prompt-bloat --model SmolLM2-135M-Instruct-Q4_1",
    ]
  ) { try await run($0) }

  private static func run(_ arguments: Arguments) async throws -> ExitCode {
    let folder = arguments.string("folder").map { URL(filePath: $0) }
    let set = try PathologySet(
      folder: folder
        ?? Suite.folder(of: "pathology", holding: PathologySet.fileName, environment: [:]))
    let options = LoadOptions(device: arguments.string("device") ?? "cpu")
    let model = try arguments.string("model").map { try Runtime.load($0, options: options) }
    let player = PathologyPlayer(set, on: model)
    var played: [PlayedPair] = []
    for pair in try set.pairs(named: StoreOptions.list("pair", arguments)) {
      played.append(try await player.play(pair))
    }
    let misses = played.count { !$0.isAsExpected }
    if arguments.flag("json") {
      Terminal.print(
        JSONValue.object([
          ("set", .string(set.name)), ("sha", .string(set.sha)), ("deviating", .integer(misses)),
          ("pairs", .array(played.map(json))),
        ]).prettyText)
    } else {
      let end =
        misses == 0
        ? "\(played.count) pairs: every habit was found, and nothing in the other forms"
          + (model == nil ? "" : " but how long the model took")
        : "\(misses) of \(played.count) pairs were not reviewed as expected"
      Terminal.print(
        played.map(text).joined(separator: "\n") + "\n\(end) (\(set.sha.prefix(12)))\n")
    }
    return misses == 0 ? .success : .failure
  }

  private static func text(_ played: PlayedPair) -> String {
    var lines = ["\(played.pair.name): \(played.pair.title)"]
    for (place, form) in [("before", played.before), ("after ", played.after)] {
      let findings = form.review.answers.flatMap(\.findings)
      lines += findings.map { "  \(place)  \($0.question.rawValue): \($0.message)" }
      if findings.isEmpty { lines.append("  \(place)  no finding") }
      lines += form.deviations.map {
        "  \(place)  NOT AS EXPECTED: \($0.question.rawValue) \($0.found) times instead of \($0.expected)"
      }
    }
    let figures = zip(played.before.figures, played.after.figures).compactMap { before, after in
      let (old, new) = (number(before), number(after))
      return old == new
        ? nil
        : "\(before.name) \(old) → \(new)" + (before.unit.isEmpty ? "" : " \(before.unit)")
    }
    lines.append("  figures \(figures.joined(separator: ", "))")
    return lines.map { Printable.text($0, limit: 2000) + "\n" }.joined()
  }

  /// Seconds with one digit: the rest of them is how fast this machine is.
  private static func number(_ figure: TraceFigure) -> String {
    figure.unit == "s"
      ? Format.fixed(figure.value, digits: 1) : Format.fixed(figure.value, digits: 0)
  }

  private static func json(_ played: PlayedPair) -> JSONValue {
    .object([
      ("name", .string(played.pair.name)), ("title", .string(played.pair.title)),
      ("as_expected", .bool(played.isAsExpected)), ("before", json(played.before)),
      ("after", json(played.after)),
    ])
  }

  private static func json(_ form: PlayedForm) -> JSONValue {
    .object([
      (
        "findings",
        .array(
          form.review.answers.flatMap { answer in
            answer.findings.map { finding in
              JSONValue.object([
                ("question", .string(answer.question.rawValue)),
                ("message", .string(finding.message)),
              ])
            }
          })
      ),
      (
        "deviations",
        .array(
          form.deviations.map {
            .object([
              ("question", .string($0.question.rawValue)), ("expected", .integer($0.expected)),
              ("found", .integer($0.found)),
            ])
          })
      ),
      (
        "figures",
        .array(
          form.figures.map {
            .object([
              ("name", .string($0.name)), ("unit", .string($0.unit)), ("value", .number($0.value)),
            ])
          })
      ),
    ])
  }
}
