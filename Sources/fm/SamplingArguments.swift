import FMCommand
import FMEngine

/// The sampling options of `fm chat`.
enum SamplingArguments {
  static let options: [Option] = [
    .flag("greedy", help: "Always take the likeliest token."),
    .value("temperature", "X", help: "0 to 10 (default 0.7); 0 is greedy."),
    .value("top-k", "N", help: "Only the N likeliest tokens (default 40; 0 is off)."),
    .value("top-p", "X", help: "Only the likeliest tokens up to this mass (default 0.95)."),
    .value("min-p", "X", help: "Only tokens at least this likely against the best (default 0)."),
    .value("repetition-penalty", "X", help: "Above 1 makes tokens of the last 64 less likely."),
    .value("seed", "N", letter: "s", help: "The same seed gives the same answer (default 0)."),
  ]

  /// The options as the engine takes them.
  static func sampling(_ arguments: Arguments) throws -> SamplingOptions {
    var sampling = SamplingOptions(
      temperature: Float(try arguments.double("temperature", in: 0...10) ?? 0.7), topK: 40,
      topP: Float(try arguments.double("top-p", in: 0.000001...1) ?? 0.95),
      minP: try arguments.double("min-p", in: 0...1).map { Float($0) },
      repetitionPenalty: Float(try arguments.double("repetition-penalty", in: 0.01...100) ?? 1),
      seed: try arguments.unsigned("seed") ?? 0)
    if let count = try arguments.integer("top-k") { sampling.topK = count == 0 ? nil : count }
    if arguments.flag("greedy") { sampling.temperature = 0 }
    return sampling
  }
}
