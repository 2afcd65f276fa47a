import FMBench
import FMCommand
import FMEngine
import FMGrammar
import FMRuntime
import FMText
import Foundation

/// `fmbench grammar`: what guided generation costs, and answers to check it with.
enum GrammarCommand {
  static let command = Command(
    name: "grammar", summary: "Times token masks, or makes answers that only a grammar shapes.",
    discussion: """
      masks   walks the documents of the folder under their schemas' grammars and times
              the mask before each token; grammars are compiled for each document anew.
      speed   answers the schemas of the group 'ladder' with a model, in turn with free text
              of the same length, and compares tokens a second.
      random  answers each schema with tokens drawn at random from what is allowed; for
              Benchmarks/oracle/validate_guided.py. No model runs, only its vocabulary.
      """,
    positionals: [
      Positional("ACTION", completion: Completion(actions), help: "masks, speed or random.")
    ],
    options: [
      ModelArguments.model(default: ModelCatalog.defaultModel.name),
      .value("folder", "DIR", help: "Where schemas.jsonl and documents.jsonl are."),
      .value("schema", "NAME", repeats: true, help: "Only this schema of the folder."),
      .value(
        "device", "DEVICE", completion: RunArguments.devices,
        help: "speed: cpu (the default), vulkan, vulkan:0."),
      .value("threads", "N", letter: "t", help: "speed: CPU threads."),
      .value("rounds", "N", help: "speed: A B B A blocks for each schema; the default is 3."),
      .value("count", "N", help: "random: answers to each schema; the default is 50."),
      .value(
        "budget", "N", help: "The most tokens of an answer: random 300, speed 900 unless given."),
      .flag("cut", help: "random: cuts answers at the budget instead of ending them in time."),
      .value("seed", "N", help: "random: another seed gives other answers."),
      .value("output", "FILE", letter: "o", help: "random: where the answers go; else stdout."),
      .flag("json", help: "masks, speed: prints JSON."),
    ],
    examples: [
      "fmbench grammar masks", "fmbench grammar speed --rounds 5",
      "fmbench grammar random --count 50 --output answers.jsonl",
    ]
  ) { try await run($0) }

  private static let actions = ["masks", "speed", "random"]

  /// What each option but those of all actions is for: only speed runs a model.
  private static let purposes: [(option: String, actions: [String])] = [
    ("device", ["speed"]), ("threads", ["speed"]), ("rounds", ["speed"]),
    ("budget", ["random", "speed"]), ("count", ["random"]), ("seed", ["random"]),
    ("output", ["random"]), ("cut", ["random"]), ("json", ["masks", "speed"]),
  ]

  private static func run(_ arguments: Arguments) async throws -> ExitCode {
    let action = arguments.positional(0) ?? ""
    guard actions.contains(action) else {
      throw UsageError.invalidValue(
        option: "ACTION", found: action, expected: "masks, speed or random")
    }
    for (option, uses) in purposes where !uses.contains(action) {
      guard arguments.string(option) == nil, !arguments.flag(option) else {
        throw UsageError.conflict(
          "'--\(option)' is for '\(uses.joined(separator: "' and '"))', not for '\(action)'")
      }
    }
    let reference = arguments.string("model") ?? ModelCatalog.defaultModel.name
    let folder = arguments.string("folder").map { URL(filePath: $0) }
    var cases = try GuidedCases(
      folder: folder ?? Suite.folder(of: "guided", holding: GuidedCases.fileName))
    let names = try StoreOptions.list("schema", arguments)
    if let unknown = names.first(where: { cases.schema($0) == nil }) {
      throw UsageError.invalidValue(
        option: "--schema", found: unknown, expected: "a name in \(GuidedCases.fileName)")
    }
    if !names.isEmpty { cases.keep(names) }
    if action == "speed" { return try await speed(cases, model: reference, arguments) }
    let tokenizer = try Runtime.tokenizer(of: reference)
    if action == "masks" {
      return try masks(cases, tokenizer, model: reference, json: arguments.flag("json"))
    }
    return try await random(cases, tokenizer, arguments)
  }

  // MARK: Masks

  private static func masks(
    _ cases: GuidedCases, _ tokenizer: Tokenizer, model: String, json: Bool
  ) throws -> ExitCode {
    let report = try MaskReport(model: model, cases: cases, tokenizer: tokenizer)
    if json { Terminal.print(try report.json()) } else { print(report) }
    return .success
  }

  private static func print(_ report: MaskReport) {
    Terminal.print(
      "\(report.vocabularySize) tokens; index \(Format.bytes(report.indexBytes)), built in "
        + "\(Format.duration(seconds: report.indexSeconds))\n")
    var table = Table([
      .init("schema", .left), .init("masks", .right), .init("median us", .right),
      .init("p99 us", .right), .init("max us", .right), .init("compile ms", .right),
    ])
    var names: [String] = []
    for document in report.documents where !names.contains(document.name) {
      names.append(document.name)
    }
    for name in names { table.add(row(name, of: report, [name])) }
    table.add(row("all", of: report, nil))
    Terminal.print(table.text + "\n")
  }

  private static func row(
    _ label: String, of report: MaskReport, _ names: Set<String>?
  ) -> [String] {
    let times = report.times(of: names)
    let compiles = report.documents.filter { names?.contains($0.name) ?? true }
      .map { Double($0.compileNanoseconds) / 1e6 }
    func time(_ share: Double) -> String {
      Statistics.percentile(share, ofSorted: times).map { Format.fixed($0 / 1000, digits: 2) }
        ?? "-"
    }
    return [
      label, "\(times.count)", time(0.5), time(0.99), time(1),
      Statistics.median(compiles).map { Format.fixed($0, digits: 2) } ?? "-",
    ]
  }

  // MARK: Speed

  private static func speed(
    _ cases: GuidedCases, model reference: String, _ arguments: Arguments
  ) async throws -> ExitCode {
    var options = LoadOptions(device: arguments.string("device") ?? "cpu")
    options.threads = try arguments.threads()
    let model = try Runtime.load(reference, options: options)
    let isAll = try StoreOptions.list("schema", arguments).isEmpty
    var results: [GuidedSpeed] = []
    var table = Table([
      .init("schema", .left), .init("tokens", .right), .init("forced", .right),
      .init("guided t/s", .right), .init("free t/s", .right), .init("ratio", .right),
      .init("grammar", .right),
    ])
    let budget = try arguments.integer("budget", in: 1...100_000) ?? 900
    let rounds = try arguments.integer("rounds", in: 1...1000) ?? 3
    for schema in cases.schemas where !isAll || schema.group == "ladder" {
      do {
        let result = try await GuidedSpeed(schema, on: model, budget: budget, rounds: rounds)
        results.append(result)
        table.add(row(result))
      } catch let error as EngineError {
        Terminal.warn("\(schema.name): \(error)")
      } catch let error as GrammarError {
        Terminal.warn("\(schema.name): \(error)")
      }
    }
    guard !results.isEmpty else { return .failure }
    if arguments.flag("json") {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
      Terminal.print(bytes: try encoder.encode(results))
      Terminal.print("\n")
    } else {
      Terminal.print(table.text + "\n")
      let ratios = results.compactMap(\.ratio)
      let mean = exp(ratios.reduce(0) { $0 + log($1) } / Double(max(1, ratios.count)))
      Terminal.print("geometric mean of the ratios: \(Format.fixed(mean, digits: 2))\n")
    }
    return .success
  }

  private static func row(_ result: GuidedSpeed) -> [String] {
    func median(_ values: [Double]) -> String {
      Statistics.median(values).map { Format.fixed($0, digits: 1) } ?? "-"
    }
    return [
      result.name, "\(result.tokens)", "\(result.forcedTokens)", median(result.guided),
      median(result.free), result.ratio.map { Format.fixed($0, digits: 2) } ?? "-",
      Format.fixed(result.grammarShare * 100, digits: 1) + " %",
    ]
  }

  // MARK: Random answers

  private static func random(
    _ cases: GuidedCases, _ tokenizer: Tokenizer, _ arguments: Arguments
  ) async throws -> ExitCode {
    let count = try arguments.integer("count", in: 1...1_000_000) ?? 50
    let noise = GuidedNoise(
      tokenizer: tokenizer, budget: try arguments.integer("budget", in: 1...100_000) ?? 300,
      ending: arguments.flag("cut") ? .cut : .withinBudget,
      seed: try arguments.unsigned("seed") ?? 1)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    if let path = arguments.string("output") { try Terminal.redirectOutput(to: path) }
    var (answers, refused) = (0, 0)
    for schema in cases.schemas {
      do {
        try await noise.answers(to: schema, count: count) { answer in
          Terminal.print(bytes: try encoder.encode(answer) + [UInt8(ascii: "\n")])
          if let failure = Terminal.outputError { throw failure }
          answers += 1
        }
      } catch let error as GrammarError {
        refused += 1
        Terminal.warn("\(schema.name): \(error)")
      } catch let error as EngineError {
        refused += 1
        Terminal.warn("\(schema.name): \(error)")
      }
    }
    Terminal.note("\(answers) answers to \(cases.schemas.count - refused) schemas")
    return refused == 0 ? .success : .failure
  }
}
