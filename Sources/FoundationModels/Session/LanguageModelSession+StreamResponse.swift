extension LanguageModelSession {
  /// Streams the answer to a prompt as text.
  public func streamResponse(
    to prompt: Prompt,
    options: GenerationOptions = GenerationOptions()
  ) -> sending ResponseStream<String> {
    stream(
      RequestPrompt(prompt, options: options, context: ContextOptions(), metadata: [:]),
      form: OutputForm(type: String.self))
  }

  /// Streams the answer to a prompt as text, with context options and notes.
  public func streamResponse(
    to prompt: Prompt,
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(),
    metadata: [String: any ConvertibleToGeneratedContent] = [:]
  ) -> sending ResponseStream<String> {
    stream(
      RequestPrompt(prompt, options: options, context: contextOptions, metadata: metadata),
      form: OutputForm(type: String.self))
  }

  /// Streams the answer to a prompt in the form of a schema.
  public func streamResponse(
    to prompt: Prompt,
    schema: GenerationSchema,
    includeSchemaInPrompt: Bool = true,
    options: GenerationOptions = GenerationOptions()
  ) -> sending ResponseStream<GeneratedContent> {
    stream(
      RequestPrompt(
        prompt, options: options,
        context: ContextOptions(includeSchemaInPrompt: includeSchemaInPrompt), metadata: [:]),
      form: OutputForm(schema: schema))
  }

  /// Streams the answer to a prompt in the form of a schema, with context options and notes.
  @_disfavoredOverload
  public func streamResponse(
    to prompt: Prompt,
    schema: GenerationSchema,
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(includeSchemaInPrompt: true),
    metadata: [String: any ConvertibleToGeneratedContent] = [:]
  ) -> sending ResponseStream<GeneratedContent> {
    stream(
      RequestPrompt(prompt, options: options, context: contextOptions, metadata: metadata),
      form: OutputForm(schema: schema))
  }

  /// Streams the answer to a prompt as a value of a type.
  public func streamResponse<Content: Generable>(
    to prompt: Prompt,
    generating type: Content.Type = Content.self,
    includeSchemaInPrompt: Bool = true,
    options: GenerationOptions = GenerationOptions()
  ) -> sending ResponseStream<Content> {
    stream(
      RequestPrompt(
        prompt, options: options,
        context: ContextOptions(includeSchemaInPrompt: includeSchemaInPrompt), metadata: [:]),
      form: OutputForm(type: type))
  }

  /// Streams the answer to a prompt as a value of a type, with context options and notes.
  public func streamResponse<Content: Generable>(
    to prompt: Prompt,
    generating type: Content.Type = Content.self,
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(includeSchemaInPrompt: true),
    metadata: [String: any ConvertibleToGeneratedContent] = [:]
  ) -> sending ResponseStream<Content> {
    stream(
      RequestPrompt(prompt, options: options, context: contextOptions, metadata: metadata),
      form: OutputForm(type: type))
  }

  /// Streams the answer to a text as text.
  @_disfavoredOverload
  public func streamResponse(
    to prompt: String,
    options: GenerationOptions = GenerationOptions()
  ) -> sending ResponseStream<String> {
    stream(
      RequestPrompt(Prompt(prompt), options: options, context: ContextOptions(), metadata: [:]),
      form: OutputForm(type: String.self))
  }

  /// Streams the answer to a text as text, with context options and notes.
  @_disfavoredOverload
  public func streamResponse(
    to prompt: String,
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(),
    metadata: [String: any ConvertibleToGeneratedContent] = [:]
  ) -> sending ResponseStream<String> {
    stream(
      RequestPrompt(Prompt(prompt), options: options, context: contextOptions, metadata: metadata),
      form: OutputForm(type: String.self))
  }

  /// Streams the answer to a text in the form of a schema.
  @_disfavoredOverload
  public func streamResponse(
    to prompt: String,
    schema: GenerationSchema,
    includeSchemaInPrompt: Bool = true,
    options: GenerationOptions = GenerationOptions()
  ) -> sending ResponseStream<GeneratedContent> {
    stream(
      RequestPrompt(
        Prompt(prompt), options: options,
        context: ContextOptions(includeSchemaInPrompt: includeSchemaInPrompt), metadata: [:]),
      form: OutputForm(schema: schema))
  }

  /// Streams the answer to a text in the form of a schema, with context options and notes.
  @_disfavoredOverload
  public func streamResponse(
    to prompt: String,
    schema: GenerationSchema,
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(includeSchemaInPrompt: true),
    metadata: [String: any ConvertibleToGeneratedContent] = [:]
  ) -> sending ResponseStream<GeneratedContent> {
    stream(
      RequestPrompt(Prompt(prompt), options: options, context: contextOptions, metadata: metadata),
      form: OutputForm(schema: schema))
  }

  /// Streams the answer to a text as a value of a type.
  @_disfavoredOverload
  public func streamResponse<Content: Generable>(
    to prompt: String,
    generating type: Content.Type = Content.self,
    includeSchemaInPrompt: Bool = true,
    options: GenerationOptions = GenerationOptions()
  ) -> sending ResponseStream<Content> {
    stream(
      RequestPrompt(
        Prompt(prompt), options: options,
        context: ContextOptions(includeSchemaInPrompt: includeSchemaInPrompt), metadata: [:]),
      form: OutputForm(type: type))
  }

  /// Streams the answer to a text as a value of a type, with context options and notes.
  @_disfavoredOverload
  public func streamResponse<Content: Generable>(
    to prompt: String,
    generating type: Content.Type = Content.self,
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(includeSchemaInPrompt: true),
    metadata: [String: any ConvertibleToGeneratedContent] = [:]
  ) -> sending ResponseStream<Content> {
    stream(
      RequestPrompt(Prompt(prompt), options: options, context: contextOptions, metadata: metadata),
      form: OutputForm(type: type))
  }

  /// Streams the answer to a prompt built of several pieces as text.
  public func streamResponse(
    options: GenerationOptions = GenerationOptions(),
    @PromptBuilder prompt: () throws -> Prompt
  ) rethrows -> sending ResponseStream<String> {
    stream(
      RequestPrompt(try prompt(), options: options, context: ContextOptions(), metadata: [:]),
      form: OutputForm(type: String.self))
  }

  /// Streams the answer to a prompt built of several pieces as text, with context options and notes.
  public func streamResponse(
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(),
    metadata: [String: any ConvertibleToGeneratedContent] = [:],
    @PromptBuilder prompt: () throws -> Prompt
  ) rethrows -> sending ResponseStream<String> {
    stream(
      RequestPrompt(try prompt(), options: options, context: contextOptions, metadata: metadata),
      form: OutputForm(type: String.self))
  }

  /// Streams the answer to a prompt built of several pieces in the form of a schema.
  public func streamResponse(
    schema: GenerationSchema,
    includeSchemaInPrompt: Bool = true,
    options: GenerationOptions = GenerationOptions(),
    @PromptBuilder prompt: () throws -> Prompt
  ) rethrows -> sending ResponseStream<GeneratedContent> {
    stream(
      RequestPrompt(
        try prompt(), options: options,
        context: ContextOptions(includeSchemaInPrompt: includeSchemaInPrompt), metadata: [:]),
      form: OutputForm(schema: schema))
  }

  /// Streams the answer to a prompt built of several pieces in the form of a schema, with context options and notes.
  @_disfavoredOverload
  public func streamResponse(
    schema: GenerationSchema,
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(includeSchemaInPrompt: true),
    metadata: [String: any ConvertibleToGeneratedContent] = [:],
    @PromptBuilder prompt: () throws -> Prompt
  ) rethrows -> sending ResponseStream<GeneratedContent> {
    stream(
      RequestPrompt(try prompt(), options: options, context: contextOptions, metadata: metadata),
      form: OutputForm(schema: schema))
  }

  /// Streams the answer to a prompt built of several pieces as a value of a type.
  public func streamResponse<Content: Generable>(
    generating type: Content.Type = Content.self,
    includeSchemaInPrompt: Bool = true,
    options: GenerationOptions = GenerationOptions(),
    @PromptBuilder prompt: () throws -> Prompt
  ) rethrows -> sending ResponseStream<Content> {
    stream(
      RequestPrompt(
        try prompt(), options: options,
        context: ContextOptions(includeSchemaInPrompt: includeSchemaInPrompt), metadata: [:]),
      form: OutputForm(type: type))
  }

  /// Streams the answer to a prompt built of several pieces as a value of a type, with context options and notes.
  public func streamResponse<Content: Generable>(
    generating type: Content.Type = Content.self,
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(includeSchemaInPrompt: true),
    metadata: [String: any ConvertibleToGeneratedContent] = [:],
    @PromptBuilder prompt: () throws -> Prompt
  ) rethrows -> sending ResponseStream<Content> {
    stream(
      RequestPrompt(try prompt(), options: options, context: contextOptions, metadata: metadata),
      form: OutputForm(type: type))
  }
}
