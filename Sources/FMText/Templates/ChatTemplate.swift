/// Turns a conversation into a prompt, by the model's own Jinja template or a plain form.
///
/// Templates are untrusted code: `TemplateLimits` bounds what they use, and they reach nothing but
/// the conversation. The set-up is Hugging Face's (`trim_blocks`, `lstrip_blocks`, `break` and
/// `continue`, `tojson` as `json.dumps(ensure_ascii=False)`, `{% generation %}` transparent).
package struct ChatTemplate: Sendable {
  private enum Form: Sendable {
    case jinja(JinjaProgram)
    case plain
  }

  private let form: Form

  /// Reads a template.
  ///
  /// - Throws: `syntax` for what is no Jinja; `unsupported` with every filter, test, tag or
  ///   function this interpreter lacks; `limitExceeded` for one too deep or too long.
  package init(
    source: String, limits: TemplateLimits = TemplateLimits()
  ) throws(TemplateError) {
    form = .jinja(try JinjaParser.parse(source, limits: limits))
  }

  private init(form: Form) { self.form = form }

  /// For models without a template: `System: …`, `User: …`, `Assistant: …`, a blank line between
  /// messages, and `Assistant:` at the end.
  package static let plain = ChatTemplate(form: .plain)

  /// What to tell the user about this template, or nil.
  package var warning: String? {
    switch form {
    case .jinja: nil
    case .plain:
      "this model has no chat template; using a plain form (\"User: …\", \"Assistant: …\"), "
        + "which a base model may not follow"
    }
  }

  /// Texts at which an answer ends, beside the model's end-of-turn tokens.
  package var stopStrings: [String] {
    switch form {
    case .jinja: []
    case .plain: ["\nUser:"]
    }
  }

  /// Whether the template calls `strftime_now` without asking first: then `date` must be given.
  package var needsDate: Bool {
    switch form {
    case .jinja(let program): program.needsDate
    case .plain: false
    }
  }

  /// Renders `messages`.
  ///
  /// - Throws: `raised` or `refusedSystemMessage` where the template refuses the conversation;
  ///   `limitExceeded`, `undefined` or `invalidOperation` where it fails.
  package func render(
    _ messages: [ChatMessage], options: ChatTemplateOptions = ChatTemplateOptions()
  ) throws(TemplateError) -> RenderedPrompt {
    switch form {
    case .plain: return try PlainForm.render(messages, options: options)
    case .jinja(let program):
      let interpreter = JinjaInterpreter(limits: options.limits, date: options.date)
      try interpreter.define(messages, options: options)
      do throws(TemplateError) {
        return RenderedPrompt(try interpreter.run(program))
      } catch .raised(let reason) {
        throw Self.refusal(of: messages, reason: reason)
      }
    }
  }

  /// Renders with variables of the caller's own; every string in them is content.
  ///
  /// - Throws: as `render(_:options:)`.
  package func render(
    variables: TemplateObject, date: TemplateDate? = nil, limits: TemplateLimits = TemplateLimits()
  ) throws(TemplateError) -> RenderedPrompt {
    guard case .jinja(let program) = form else { return RenderedPrompt(spans: []) }
    let interpreter = JinjaInterpreter(limits: limits, date: date)
    for member in variables.members {
      interpreter.scope.names[member.key] = try interpreter.value(member.value, isTemplate: false)
    }
    return RenderedPrompt(try interpreter.run(program))
  }

  /// Names the system message that is not the first one, where the reason speaks of it.
  private static func refusal(of messages: [ChatMessage], reason: String) -> TemplateError {
    let isAboutSystem = reason.lowercased().contains("system")
    guard isAboutSystem,
      let index = messages.indices.dropFirst().first(where: { messages[$0].role == .system })
    else { return .raised(reason) }
    return .refusedSystemMessage(index: index, reason: reason)
  }
}
