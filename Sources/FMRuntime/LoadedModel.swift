package import FMBackend
package import FMEngine
package import FMText

/// A model that answers: its engine, tokenizer and template, and what it is and runs on.
package struct LoadedModel: Sendable {
  package let engine: Engine
  package let tokenizer: Tokenizer
  package let template: ChatTemplate
  /// What the template is rendered with: the model's special tokens, and no date.
  package let templateOptions: ChatTemplateOptions
  /// How the template is given tools.
  package let tools: ToolConvention
  /// Grammars of answers, for the model's vocabulary.
  package let grammars: GrammarCache
  package let description: ModelDescription
  package let device: DeviceDescription
  /// The device's name, for people.
  package var deviceName: String { device.name }
  /// What the user should know: a missing template, an unknown pre-tokenizer, extra tensors.
  package let warnings: [String]
  /// From opening the file to being ready.
  package let loadSeconds: Double
  /// What the executor holds beyond the mapped file: packed weights, KV cache, scratch.
  package let memoryBytes: Int
  /// Reads how much memory the device holds for this process now; nil where the driver does not tell.
  package let deviceMemory: @Sendable () -> Int?

  package init(
    engine: Engine, tokenizer: Tokenizer, template: ChatTemplate,
    templateOptions: ChatTemplateOptions, description: ModelDescription, device: DeviceDescription,
    warnings: [String] = [], loadSeconds: Double = 0, memoryBytes: Int = 0,
    deviceMemory: @escaping @Sendable () -> Int? = { nil }
  ) {
    self.engine = engine
    self.tokenizer = tokenizer
    self.template = template
    self.templateOptions = templateOptions
    tools = ToolConvention(of: template, options: templateOptions, tokenizer: tokenizer)
    grammars = GrammarCache(tokenizer: tokenizer)
    self.description = description
    self.device = device
    self.warnings = warnings
    self.loadSeconds = loadSeconds
    self.memoryBytes = memoryBytes
    self.deviceMemory = deviceMemory
  }
}

/// What a model file says of itself; recorded with every run.
package struct ModelDescription: Sendable, Hashable {
  package var name: String
  package var path: String
  package var architecture: String
  /// The element type that holds most of the parameters.
  package var quantization: String
  package var parameters: Int
  package var fileBytes: Int
  /// Positions a sequence can have as loaded.
  package var contextLength: Int
  package var vocabularySize: Int

  package init(
    name: String, path: String, architecture: String, quantization: String, parameters: Int,
    fileBytes: Int, contextLength: Int, vocabularySize: Int
  ) {
    self.name = name
    self.path = path
    self.architecture = architecture
    self.quantization = quantization
    self.parameters = parameters
    self.fileBytes = fileBytes
    self.contextLength = contextLength
    self.vocabularySize = vocabularySize
  }
}
