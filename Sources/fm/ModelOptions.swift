import FMCommand
import FMRuntime

/// The options of every command that loads a model.
enum ModelOptions {
  static let options: [Option] = [
    .value(
      "model", "MODEL", letter: "m",
      help: "A name in the store or a .gguf file; the default is \(ModelCatalog.defaultModel.name)."
    ),
    .value(
      "device", "DEVICE",
      help: "Where it runs: cpu (the default), vulkan, vulkan:N or reference."),
    .value("gpu-layers", "N", help: "Layers a GPU runs, the rest being left to the CPU."),
    .value("threads", "N", letter: "t", help: "CPU threads; the default is all it may use."),
    .value("context", "N", letter: "c", help: "Positions a sequence can have (default 4096)."),
  ]

  /// Loads the model that the options name, and passes its warnings on.
  static func load(_ arguments: Arguments) throws -> LoadedModel {
    var options = LoadOptions()
    if let device = arguments.string("device") { options.device = device }
    options.gpuLayers = try arguments.integer("gpu-layers", in: 0...1_000_000)
    options.threads = try arguments.integer("threads", in: 1...1_000_000)
    options.contextLength = try arguments.integer("context", in: 2...16_777_216)
    let reference = arguments.string("model") ?? ModelCatalog.defaultModel.name
    let model = try Runtime.load(reference, options: options)
    for warning in model.warnings { Terminal.warn(warning) }
    return model
  }
}
