/// One message of a conversation, as chat templates see it.
package struct ChatMessage: Sendable, Hashable {
  /// Who speaks.
  ///
  /// These names are the only ones, so that no caller can forge a turn's header.
  package enum Role: String, Sendable, Hashable, CaseIterable {
    case system, user, assistant, tool, developer
  }

  /// What is said: a text, or parts such as `{"type": "text", "text": "…"}`.
  package enum Content: Sendable, Hashable {
    case none
    case text(String)
    case parts([TemplateValue])
  }

  /// A call of a tool that the assistant made.
  package struct ToolCall: Sendable, Hashable {
    package var id: String?
    package var name: String
    /// A JSON object, with members in the order the model gave them.
    package var arguments: TemplateValue

    package init(id: String? = nil, name: String, arguments: TemplateValue) {
      self.id = id
      self.name = name
      self.arguments = arguments
    }
  }

  package var role: Role
  package var content: Content
  /// What the assistant thought before it answered.
  package var reasoning: String?
  package var toolCalls: [ToolCall]
  /// The tool's name, in a tool's message.
  package var name: String?
  /// The call a tool's message answers.
  package var toolCallID: String?
  /// Members a template may want beside these.
  package var extra: TemplateObject

  package init(
    role: Role, content: Content, reasoning: String? = nil, toolCalls: [ToolCall] = [],
    name: String? = nil, toolCallID: String? = nil, extra: TemplateObject = TemplateObject()
  ) {
    self.role = role
    self.content = content
    self.reasoning = reasoning
    self.toolCalls = toolCalls
    self.name = name
    self.toolCallID = toolCallID
    self.extra = extra
  }

  /// A message of plain text.
  package init(_ role: Role, _ text: String) { self.init(role: role, content: .text(text)) }
}

/// What a template is given beside the messages.
package struct ChatTemplateOptions: Sendable {
  /// Whether the prompt ends with the header of the assistant's turn.
  package var addGenerationPrompt: Bool
  /// Tool definitions, usually `{"type": "function", "function": {…}}`; empty means none.
  package var tools: [TemplateValue]
  /// What `bos_token` prints; template text, since it comes from the model file.
  package var bosToken: String?
  package var eosToken: String?
  /// What `strftime_now` reads; nil leaves the function undefined.
  package var date: TemplateDate?
  /// More variables, such as `enable_thinking`; strings in them are content.
  package var extra: TemplateObject
  package var limits: TemplateLimits

  package init(
    addGenerationPrompt: Bool = true, tools: [TemplateValue] = [], bosToken: String? = nil,
    eosToken: String? = nil, date: TemplateDate? = nil, extra: TemplateObject = TemplateObject(),
    limits: TemplateLimits = TemplateLimits()
  ) {
    self.addGenerationPrompt = addGenerationPrompt
    self.tools = tools
    self.bosToken = bosToken
    self.eosToken = eosToken
    self.date = date
    self.extra = extra
    self.limits = limits
  }
}
