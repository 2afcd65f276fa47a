import FMBackend
import FMBench
import FMCommand
import FMEngine
import FMRuntime

/// `fmbench speed`: raw prefill and decode rates, for comparison with other engines.
enum SpeedCommand {
  static let command = Command(
    name: "speed", summary: "Measures raw prefill and decode rates.",
    discussion: """
      Random token ids, no agent work: what other engines' own benches print. Decode
      rates include sampling. Each figure follows a warm-up of full length.
      """,
    options: [
      ModelArguments.model(default: ModelCatalog.defaultModel.name),
      .value(
        "device", "DEVICE", completion: RunArguments.devices,
        help: "Where it runs: cpu (the default), vulkan, vulkan:0."),
      ModelArguments.gpuLayers,
      ModelArguments.threads,
      .value("prefill", "N", repeats: true, help: "Measures a prompt of N tokens (default 512)."),
      .value("decode", "N", repeats: true, help: "Measures N generated tokens (default 128)."),
      .value("depth", "N", help: "Tokens in the context before decoding (default 0)."),
      .value("trials", "N", help: "Trials of each (default 5)."),
      .flag("json", help: "Prints JSON."),
    ],
    examples: ["fmbench speed --prefill 512 --decode 128 --depth 2048 --threads 2"]
  ) { try await run($0) }

  private static func run(_ arguments: Arguments) async throws -> ExitCode {
    var options = LoadOptions(device: arguments.string("device") ?? "cpu", cachedContexts: 1)
    options.gpuLayers = try arguments.gpuLayers()
    options.threads = try arguments.threads()
    // As large a step as peers use, so that one prompt is one pass over the weights.
    options.engine.prefillChunk = 512
    let depth = try arguments.integer("depth", in: 0...1_000_000) ?? 0
    let trials = try arguments.integer("trials", in: 1...1000) ?? 5
    var prefills = try counts("prefill", arguments)
    var decodes = try counts("decode", arguments)
    if prefills.isEmpty && decodes.isEmpty { (prefills, decodes) = ([512], [128]) }
    let reach = max(prefills.max() ?? 0, (decodes.max() ?? 0) + depth) + 2
    options.contextLength = max(reach, 512)
    let name = arguments.string("model") ?? ModelCatalog.defaultModel.name
    let model = try Runtime.load(name, options: options)
    var rows: [Speed] = []
    var bar = ProgressBar(
      "figures", total: prefills.count + decodes.count, amountText: { "\($0)" })
    defer { bar.finish() }
    for count in prefills {
      bar.update(rows.count)
      rows.append(try await Speed.prefill(model, count: count, trials: trials))
    }
    for count in decodes {
      bar.update(rows.count)
      rows.append(try await Speed.decode(model, count: count, depth: depth, trials: trials))
    }
    bar.finish()
    report(rows, model: model, asJSON: arguments.flag("json"))
    return .success
  }

  private static func counts(_ name: String, _ arguments: Arguments) throws -> [Int] {
    try arguments.strings(name).map { text in
      guard let count = Int(text), (1...1_000_000).contains(count) else {
        throw UsageError.invalidValue(
          option: "--\(name)", found: text, expected: "a whole number from 1 to 1000000")
      }
      return count
    }
  }

  private static func report(_ rows: [Speed], model: LoadedModel, asJSON: Bool) {
    if asJSON {
      let json = JSONValue.object([
        ("model", .string(model.description.name)), ("device", .string(model.deviceName)),
        ("selector", .string(model.device.selector)),
        ("kind", .string(model.device.kind.rawValue)),
        ("details", .array(model.device.details.map { .string($0) })),
        ("rows", .array(rows.map { value(of: $0) })),
      ])
      return Terminal.print(json.prettyText)
    }
    Terminal.print("\(model.description.name) on \(model.device.label)\n\n")
    var table = Table([
      .init("kind"), .init("tokens", .right), .init("depth", .right), .init("n", .right),
      .init("tokens/s", .right), .init("least", .right), .init("most", .right),
    ])
    for row in rows {
      let sorted = row.tokensPerSecond.sorted()
      table.add([
        row.kind, "\(row.tokens)", "\(row.depth)", "\(sorted.count)",
        Format.fixed(Statistics.median(sorted) ?? .nan, digits: 1),
        Format.fixed(sorted.first ?? .nan, digits: 1),
        Format.fixed(sorted.last ?? .nan, digits: 1),
      ])
    }
    Terminal.print(table.text)
  }

  private static func value(of row: Speed) -> JSONValue {
    .object([
      ("kind", .string(row.kind)), ("tokens", .integer(row.tokens)),
      ("depth", .integer(row.depth)),
      ("tokens_per_second", .array(row.tokensPerSecond.map { .number($0) })),
    ])
  }
}
