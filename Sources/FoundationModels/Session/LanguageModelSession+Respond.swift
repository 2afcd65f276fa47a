extension LanguageModelSession {
  /// Gives the answer to a prompt as text.
  @discardableResult
  public func respond(
    to prompt: Prompt,
    options: GenerationOptions = GenerationOptions()
  ) async throws -> sending Response<String> {
    try await respond(
      RequestPrompt(prompt, options: options, context: ContextOptions(), metadata: [:]),
      form: OutputForm(type: String.self))
  }

  /// Gives the answer to a prompt as text, with context options and notes.
  @discardableResult
  public func respond(
    to prompt: Prompt,
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(),
    metadata: [String: any ConvertibleToGeneratedContent] = [:]
  ) async throws -> sending Response<String> {
    try await respond(
      RequestPrompt(prompt, options: options, context: contextOptions, metadata: metadata),
      form: OutputForm(type: String.self))
  }

  /// Gives the answer to a prompt in the form of a schema.
  @discardableResult
  public func respond(
    to prompt: Prompt,
    schema: GenerationSchema,
    includeSchemaInPrompt: Bool = true,
    options: GenerationOptions = GenerationOptions()
  ) async throws -> sending Response<GeneratedContent> {
    try await respond(
      RequestPrompt(
        prompt, options: options,
        context: ContextOptions(includeSchemaInPrompt: includeSchemaInPrompt), metadata: [:]),
      form: OutputForm(schema: schema))
  }

  /// Gives the answer to a prompt in the form of a schema, with context options and notes.
  @_disfavoredOverload
  @discardableResult
  public func respond(
    to prompt: Prompt,
    schema: GenerationSchema,
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(includeSchemaInPrompt: true),
    metadata: [String: any ConvertibleToGeneratedContent] = [:]
  ) async throws -> sending Response<GeneratedContent> {
    try await respond(
      RequestPrompt(prompt, options: options, context: contextOptions, metadata: metadata),
      form: OutputForm(schema: schema))
  }

  /// Gives the answer to a prompt as a value of a type.
  @discardableResult
  public func respond<Content: Generable>(
    to prompt: Prompt,
    generating type: Content.Type = Content.self,
    includeSchemaInPrompt: Bool = true,
    options: GenerationOptions = GenerationOptions()
  ) async throws -> sending Response<Content> {
    try await respond(
      RequestPrompt(
        prompt, options: options,
        context: ContextOptions(includeSchemaInPrompt: includeSchemaInPrompt), metadata: [:]),
      form: OutputForm(type: type))
  }

  /// Gives the answer to a prompt as a value of a type, with context options and notes.
  @discardableResult
  public func respond<Content: Generable>(
    to prompt: Prompt,
    generating type: Content.Type = Content.self,
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(includeSchemaInPrompt: true),
    metadata: [String: any ConvertibleToGeneratedContent] = [:]
  ) async throws -> sending Response<Content> {
    try await respond(
      RequestPrompt(prompt, options: options, context: contextOptions, metadata: metadata),
      form: OutputForm(type: type))
  }

  /// Gives the answer to a text as text.
  @_disfavoredOverload
  @discardableResult
  public func respond(
    to prompt: String,
    options: GenerationOptions = GenerationOptions()
  ) async throws -> sending Response<String> {
    try await respond(
      RequestPrompt(Prompt(prompt), options: options, context: ContextOptions(), metadata: [:]),
      form: OutputForm(type: String.self))
  }

  /// Gives the answer to a text as text, with context options and notes.
  @_disfavoredOverload
  @discardableResult
  public func respond(
    to prompt: String,
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(),
    metadata: [String: any ConvertibleToGeneratedContent] = [:]
  ) async throws -> sending Response<String> {
    try await respond(
      RequestPrompt(Prompt(prompt), options: options, context: contextOptions, metadata: metadata),
      form: OutputForm(type: String.self))
  }

  /// Gives the answer to a text in the form of a schema.
  @_disfavoredOverload
  @discardableResult
  public func respond(
    to prompt: String,
    schema: GenerationSchema,
    includeSchemaInPrompt: Bool = true,
    options: GenerationOptions = GenerationOptions()
  ) async throws -> sending Response<GeneratedContent> {
    try await respond(
      RequestPrompt(
        Prompt(prompt), options: options,
        context: ContextOptions(includeSchemaInPrompt: includeSchemaInPrompt), metadata: [:]),
      form: OutputForm(schema: schema))
  }

  /// Gives the answer to a text in the form of a schema, with context options and notes.
  @_disfavoredOverload
  @discardableResult
  public func respond(
    to prompt: String,
    schema: GenerationSchema,
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(includeSchemaInPrompt: true),
    metadata: [String: any ConvertibleToGeneratedContent] = [:]
  ) async throws -> sending Response<GeneratedContent> {
    try await respond(
      RequestPrompt(Prompt(prompt), options: options, context: contextOptions, metadata: metadata),
      form: OutputForm(schema: schema))
  }

  /// Gives the answer to a text as a value of a type.
  @_disfavoredOverload
  @discardableResult
  public func respond<Content: Generable>(
    to prompt: String,
    generating type: Content.Type = Content.self,
    includeSchemaInPrompt: Bool = true,
    options: GenerationOptions = GenerationOptions()
  ) async throws -> sending Response<Content> {
    try await respond(
      RequestPrompt(
        Prompt(prompt), options: options,
        context: ContextOptions(includeSchemaInPrompt: includeSchemaInPrompt), metadata: [:]),
      form: OutputForm(type: type))
  }

  /// Gives the answer to a text as a value of a type, with context options and notes.
  @_disfavoredOverload
  @discardableResult
  public func respond<Content: Generable>(
    to prompt: String,
    generating type: Content.Type = Content.self,
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(includeSchemaInPrompt: true),
    metadata: [String: any ConvertibleToGeneratedContent] = [:]
  ) async throws -> sending Response<Content> {
    try await respond(
      RequestPrompt(Prompt(prompt), options: options, context: contextOptions, metadata: metadata),
      form: OutputForm(type: type))
  }

  /// Gives the answer to a prompt built of several pieces as text.
  @discardableResult
  public func respond(
    options: GenerationOptions = GenerationOptions(),
    @PromptBuilder prompt: () throws -> Prompt
  ) async throws -> sending Response<String> {
    try await respond(
      RequestPrompt(try prompt(), options: options, context: ContextOptions(), metadata: [:]),
      form: OutputForm(type: String.self))
  }

  /// Gives the answer to a prompt built of several pieces as text, with context options and notes.
  @discardableResult
  public func respond(
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(),
    metadata: [String: any ConvertibleToGeneratedContent] = [:],
    @PromptBuilder prompt: () throws -> Prompt
  ) async throws -> sending Response<String> {
    try await respond(
      RequestPrompt(try prompt(), options: options, context: contextOptions, metadata: metadata),
      form: OutputForm(type: String.self))
  }

  /// Gives the answer to a prompt built of several pieces in the form of a schema.
  @discardableResult
  public func respond(
    schema: GenerationSchema,
    includeSchemaInPrompt: Bool = true,
    options: GenerationOptions = GenerationOptions(),
    @PromptBuilder prompt: () throws -> Prompt
  ) async throws -> sending Response<GeneratedContent> {
    try await respond(
      RequestPrompt(
        try prompt(), options: options,
        context: ContextOptions(includeSchemaInPrompt: includeSchemaInPrompt), metadata: [:]),
      form: OutputForm(schema: schema))
  }

  /// Gives the answer to a prompt built of several pieces in the form of a schema, with context options and notes.
  @_disfavoredOverload
  @discardableResult
  public func respond(
    schema: GenerationSchema,
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(includeSchemaInPrompt: true),
    metadata: [String: any ConvertibleToGeneratedContent] = [:],
    @PromptBuilder prompt: () throws -> Prompt
  ) async throws -> sending Response<GeneratedContent> {
    try await respond(
      RequestPrompt(try prompt(), options: options, context: contextOptions, metadata: metadata),
      form: OutputForm(schema: schema))
  }

  /// Gives the answer to a prompt built of several pieces as a value of a type.
  @discardableResult
  public func respond<Content: Generable>(
    generating type: Content.Type = Content.self,
    includeSchemaInPrompt: Bool = true,
    options: GenerationOptions = GenerationOptions(),
    @PromptBuilder prompt: () throws -> Prompt
  ) async throws -> sending Response<Content> {
    try await respond(
      RequestPrompt(
        try prompt(), options: options,
        context: ContextOptions(includeSchemaInPrompt: includeSchemaInPrompt), metadata: [:]),
      form: OutputForm(type: type))
  }

  /// Gives the answer to a prompt built of several pieces as a value of a type, with context options and notes.
  @discardableResult
  public func respond<Content: Generable>(
    generating type: Content.Type = Content.self,
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(includeSchemaInPrompt: true),
    metadata: [String: any ConvertibleToGeneratedContent] = [:],
    @PromptBuilder prompt: () throws -> Prompt
  ) async throws -> sending Response<Content> {
    try await respond(
      RequestPrompt(try prompt(), options: options, context: contextOptions, metadata: metadata),
      form: OutputForm(type: type))
  }
}
