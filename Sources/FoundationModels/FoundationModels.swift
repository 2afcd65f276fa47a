/// Sessions with language models: Apple's FoundationModels interface on Linux.
///
/// A ``LanguageModelSession`` keeps a ``Transcript`` and asks a ``LanguageModel`` for answers: text, values
/// of ``Generable`` types, or calls of a ``Tool``. ``SystemLanguageModel`` is the default model of the
/// model store on the engine of this package; ``LocalLanguageModel`` is any other model file,
/// ``ChatCompletionsLanguageModel`` a model behind an HTTP server.
///
/// Names, labels and behaviour are those of Apple's framework, so that source compiles on both. What this
/// implementation adds is in files whose first line says "Extension:".
