/// The options that commands which load a model share, in both programs.
package enum ModelArguments {
  /// `--model`: a file, or a name in the store.
  package static func model(default name: String) -> Option {
    .value(
      "model", "MODEL", letter: "m",
      help: "A name in the store or a .gguf file; the default is \(name).")
  }

  /// `--gpu-layers`, read by ``Arguments/gpuLayers()``.
  package static let gpuLayers = Option.value(
    "gpu-layers", "N", help: "Layers a GPU runs, the rest being left to the CPU.")

  /// `--threads`, read by ``Arguments/threads()``.
  package static let threads = Option.value(
    "threads", "N", letter: "t", help: "CPU threads; the default is all it may use.")

  /// `--context`, read by ``Arguments/contextLength()``.
  package static let context = Option.value(
    "context", "N", letter: "c", help: "Positions a sequence can have (default 4096).")
}

extension Arguments {
  /// The number of `--threads`; nil when it was not given.
  package func threads() throws(UsageError) -> Int? { try integer("threads", in: 1...1_000_000) }

  /// The number of `--gpu-layers`; nil when it was not given.
  package func gpuLayers() throws(UsageError) -> Int? {
    try integer("gpu-layers", in: 0...1_000_000)
  }

  /// The number of `--context`, at least 2; nil when it was not given.
  package func contextLength() throws(UsageError) -> Int? {
    try integer("context", in: 2...16_777_216)
  }
}
