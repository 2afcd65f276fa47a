import FMCommand
import FMRuntime

/// The options of every command that loads a model.
enum ModelOptions {
  /// `--device`.
  static let device = Option.value(
    "device", "DEVICE", completion: Completion(["cpu", "vulkan", "reference"]),
    help: "Where it runs: cpu (the default), vulkan, vulkan:N or reference.")

  static let options: [Option] = [
    ModelArguments.model(default: ModelCatalog.defaultModel.name),
    device,
    ModelArguments.gpuLayers,
    ModelArguments.threads,
    ModelArguments.context,
    .value(
      "kv", "TYPE", completion: Completion(LoadOptions.kvNames),
      help: "How keys and values are stored: f16 (the default), or q8_0 in half the memory."),
  ]

  /// Loads the model that the options name, and passes its warnings on.
  static func load(_ arguments: Arguments) throws -> LoadedModel {
    var options = LoadOptions()
    if let device = arguments.string("device") { options.device = device }
    options.gpuLayers = try arguments.gpuLayers()
    options.threads = try arguments.threads()
    options.contextLength = try arguments.contextLength()
    if let kv = try arguments.choice("kv", of: LoadOptions.kvNames) { options.storeKV(as: kv) }
    let reference = arguments.string("model") ?? ModelCatalog.defaultModel.name
    let model = try Runtime.load(reference, options: options)
    for warning in model.warnings { Terminal.warn(warning) }
    return model
  }
}
