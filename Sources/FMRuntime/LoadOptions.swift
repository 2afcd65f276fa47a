package import FMBackend
package import FMEngine

/// How a model is loaded: on which device, with how large a context and how much memory for KV.
package struct LoadOptions: Sendable {
  /// The device's selector, `cpu` where nothing is said; see ``Devices``.
  package var device: String
  /// Layers that a GPU runs, the rest being left to the CPU; nil for all of them.
  package var gpuLayers: Int?
  /// Threads of a CPU device; nil takes what the process may use.
  package var threads: Int?
  /// Positions a sequence can have; nil takes the model's own limit, at most 4,096.
  package var contextLength: Int?
  /// How many full contexts the KV cache can hold, for running sequences and cached prefixes together.
  package var cachedContexts: Int
  /// How keys and values are stored.
  package var kvElement: ExecutorConfiguration.KVElement
  package var engine: EngineConfiguration

  package init(
    device: String = "cpu", gpuLayers: Int? = nil, threads: Int? = nil, contextLength: Int? = nil,
    cachedContexts: Int = 2, kvElement: ExecutorConfiguration.KVElement = .f16,
    engine: EngineConfiguration = EngineConfiguration()
  ) {
    self.device = device
    self.gpuLayers = gpuLayers
    self.threads = threads
    self.contextLength = contextLength
    self.cachedContexts = cachedContexts
    self.kvElement = kvElement
    self.engine = engine
  }

  /// The names of the ways to store keys and values, the default first.
  package static let kvNames = [
    ExecutorConfiguration.KVElement.f16.rawValue, ExecutorConfiguration.KVElement.q8_0.rawValue,
  ]

  /// Chooses how keys and values are stored by one of ``kvNames``; other names change nothing.
  package mutating func storeKV(as name: String) {
    kvElement = ExecutorConfiguration.KVElement(rawValue: name) ?? kvElement
  }

  /// The context when neither the user nor a smaller model says otherwise: what agents' sessions have.
  package static let defaultContextLength = 4096
}

/// What can be wrong with the options of a load.
package enum LoadError: Error, Equatable, Sendable {
  /// No such device.
  case unknownDevice(selector: String, available: [String])
  /// A number is out of its range.
  case invalidOption(name: String, value: Int, allowed: String)
  /// The device is there or named, and could not be opened.
  case deviceUnavailable(selector: String, reason: String)
  /// The device cannot run this model.
  case unsupportedModel(path: String, reason: String)
}

extension LoadError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .unknownDevice(let selector, let available):
      "there is no device '\(selector)'\nhint: available: \(available.joined(separator: ", "))"
    case .deviceUnavailable(let selector, let reason):
      "device '\(selector)' cannot be used: \(reason)"
    case .invalidOption(let name, let value, let allowed):
      "\(name) is \(value), allowed: \(allowed)"
    case .unsupportedModel(let path, let reason):
      "\(path) cannot run on this device: \(reason)"
    }
  }
}
