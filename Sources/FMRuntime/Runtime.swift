package import FMBackend
import FMCore
import FMEngine
import FMFormats
import FMModels
import FMText
import FMTrace

/// Loads models: from a name in the store to an engine that answers.
package enum Runtime {
  /// Loads the model that `reference` names: a path, or a name in `store`.
  ///
  /// Takes the time to read and pack all weights; call it off the main actor in programs with a UI.
  /// - Throws: `ModelStoreError`, `GGUFError`, `ModelError`, `TokenizerError`, `TemplateError`,
  ///   `BackendError` or ``LoadError``, each with what is wrong and where.
  package static func load(
    _ reference: String, store: ModelStore = ModelStore(), options: LoadOptions = LoadOptions()
  ) throws -> LoadedModel {
    guard let tracer = options.engine.tracer ?? ProcessTracer.current else {
      return try open(reference, store: store, options: options)
    }
    var options = options
    options.engine.tracer = tracer
    let span = SpanID.next()
    tracer.begin(span, kind: .load, parent: SpanContext.current, at: .now, attributes: [])
    do {
      let model = try open(reference, store: store, options: options)
      tracer.end(
        span, at: .now,
        attributes: [
          TraceAttribute("model", .name(model.description.name)),
          TraceAttribute("device", .name(model.device.selector)),
          TraceAttribute("memory_bytes", .count(model.memoryBytes)),
          TraceAttribute("context_size", .count(model.description.contextLength)),
        ])
      return model
    } catch {
      tracer.end(span, at: .now, attributes: [TraceAttribute("failed", .count(1))])
      throw error
    }
  }

  private static func open(
    _ reference: String, store: ModelStore, options: LoadOptions
  ) throws -> LoadedModel {
    let start = MonotonicInstant.now
    try check(options)
    let path = try store.find(reference).path
    let file = try GGUFFile(path: path)
    let built = try ModelRegistry.build(
      source: file, contextLength: options.contextLength ?? LoadOptions.defaultContextLength)
    let program = built.program
    let tokenizer = try Tokenizer(TokenizerDescription(gguf: file))
    var warnings = built.warnings + tokenizer.warnings
    let template = try template(of: file)
    if let warning = template.warning { warnings.append(warning) }
    let weights = GGUFWeights(file)
    let types = program.weights.compactMap { file.tensor(named: $0.name)?.type }
    let backend = try backend(program, types: types, options: options, notes: &warnings)
    if let reason = backend.unsupported(program, elementTypes: types) {
      throw LoadError.unsupportedModel(path: path, reason: reason)
    }
    let configuration = executorConfiguration(for: program, options: options)
    let executor = try backend.makeExecutor(
      program: program, weights: weights, configuration: configuration)
    let memoryBytes = executor.memoryBytes
    let engine = Engine(
      executor: executor, vocabulary: tokenizer, configuration: options.engine)
    return LoadedModel(
      engine: engine, tokenizer: tokenizer, template: template,
      templateOptions: templateOptions(file, tokenizer: tokenizer),
      description: description(of: file, program: program, path: path), device: backend.device,
      warnings: warnings, loadSeconds: MonotonicInstant.now.seconds(since: start),
      memoryBytes: memoryBytes, deviceMemory: { backend.usedMemoryBytes })
  }

  /// The device's back end, with the CPU behind it for the layers a GPU is not to run.
  private static func backend(
    _ program: Program, types: [ElementType], options: LoadOptions, notes: inout [String]
  ) throws(LoadError) -> any Backend {
    let backend = try Devices.testedBackend(
      options.device, threads: options.threads, types: matrixTypes(program, types), notes: &notes)
    guard let layers = options.gpuLayers, backend.device.kind != .cpu,
      layers < program.stageBoundaries.count - 1
    else { return backend }
    let cpu = try Devices.backend("cpu", threads: options.threads)
    return layers == 0 ? cpu : StagedBackend(first: backend, layers: layers, then: cpu)
  }

  /// The types of the program's matrices, each once, in order of first use.
  private static func matrixTypes(_ program: Program, _ types: [ElementType]) -> [ElementType] {
    var found: [ElementType] = []
    for (spec, type) in zip(program.weights, types) where spec.rows > 1 && !found.contains(type) {
      found.append(type)
    }
    return found
  }

  private static func check(_ options: LoadOptions) throws(LoadError) {
    if let threads = options.threads, threads < 1 {
      throw .invalidOption(name: "threads", value: threads, allowed: "1 or more")
    }
    if let context = options.contextLength, context < 2 {
      throw .invalidOption(name: "context", value: context, allowed: "2 or more")
    }
    if let layers = options.gpuLayers, layers < 0 {
      throw .invalidOption(name: "gpu-layers", value: layers, allowed: "0 or more")
    }
    if options.cachedContexts < 1 {
      throw .invalidOption(
        name: "cached contexts", value: options.cachedContexts, allowed: "1 or more")
    }
  }

  /// Sizes the step and the KV cache.
  package static func executorConfiguration(
    for program: Program, options: LoadOptions
  ) -> ExecutorConfiguration {
    let engine = options.engine
    return ExecutorConfiguration(
      maximumRows: engine.stepRows ?? engine.prefillChunk + engine.maximumSequences,
      maximumOutputs: max(engine.maximumSequences, engine.scoreChunk),
      blockCounts: KVPlan.blockCounts(
        layout: program.kv, contextLength: program.contextLength,
        sequences: options.cachedContexts, configuration: engine),
      kvElement: options.kvElement)
  }

  /// The chat template of a file; turns without one where it has none.
  static func template(of file: GGUFFile) throws -> ChatTemplate {
    try file.string("tokenizer.chat_template").map { try ChatTemplate(source: $0) } ?? .plain
  }

  /// What the template prints as `bos_token` and `eos_token`, and the date it may ask for.
  static func templateOptions(
    _ file: GGUFFile, tokenizer: Tokenizer
  ) -> ChatTemplateOptions {
    func spelling(_ key: String) -> String? {
      file.integer(key).flatMap { TokenID(exactly: $0) }.map {
        String(decoding: tokenizer.bytes(of: $0), as: UTF8.self)
      }
    }
    return ChatTemplateOptions(
      bosToken: spelling("tokenizer.ggml.bos_token_id"),
      eosToken: spelling("tokenizer.ggml.eos_token_id"))
  }

  private static func description(
    of file: GGUFFile, program: Program, path: String
  ) -> ModelDescription {
    ModelDescription(
      name: file.string("general.name") ?? path.split(separator: "/").last.map(String.init) ?? path,
      path: path, architecture: file.string("general.architecture") ?? "unknown",
      quantization: ModelInspection(file).quantization ?? "unknown", parameters: file.elementCount,
      fileBytes: file.byteCount, contextLength: program.contextLength,
      vocabularySize: program.vocabularySize)
  }
}
