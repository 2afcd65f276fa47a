/// Makes the variables a chat template starts with.
extension JinjaInterpreter {
  func define(
    _ messages: [ChatMessage], options: ChatTemplateOptions
  ) throws(TemplateError) {
    var values: [JinjaValue] = []
    for message in messages { values.append(try value(of: message)) }
    scope.names["messages"] = try list(values)
    var tools: [JinjaValue] = []
    for tool in options.tools { tools.append(try value(tool, isTemplate: false)) }
    // Hugging Face passes these two as none when they are not given.
    scope.names["tools"] = options.tools.isEmpty ? JinjaValue.none : try list(tools)
    scope.names["documents"] = JinjaValue.none
    scope.names["add_generation_prompt"] = .bool(options.addGenerationPrompt)
    if let token = options.bosToken { scope.names["bos_token"] = .text(token) }
    if let token = options.eosToken { scope.names["eos_token"] = .text(token) }
    for member in options.extra.members {
      scope.names[member.key] = try value(member.value, isTemplate: false)
    }
  }

  /// The value a template sees for JSON given by a caller or read from a string.
  func value(_ json: TemplateValue, isTemplate: Bool) throws(TemplateError) -> JinjaValue {
    try enter()
    let result: JinjaValue
    switch json {
    case .null: result = .none
    case .bool(let flag): result = .bool(flag)
    case .integer(let number): result = .integer(number)
    case .number(let number): result = .float(number)
    case .string(let text):
      result = .string(ProvenanceText(Array(text.utf8), isTemplate: isTemplate))
    case .array(let items):
      var values: [JinjaValue] = []
      for item in items { values.append(try value(item, isTemplate: isTemplate)) }
      result = try list(values)
    case .object(let object):
      var members: [JinjaDict.Member] = []
      for member in object.members {
        members.append(
          JinjaDict.Member(
            key: .string(ProvenanceText(Array(member.key.utf8), isTemplate: isTemplate)),
            value: try value(member.value, isTemplate: isTemplate)))
      }
      result = try dict(members)
    }
    leave()
    return result
  }

  private func value(of message: ChatMessage) throws(TemplateError) -> JinjaValue {
    var builder = JinjaDictBuilder()
    func content(_ text: String) -> JinjaValue {
      .string(ProvenanceText(Array(text.utf8), isTemplate: false))
    }
    // The role is one of a few fixed names, so it may be part of a control token.
    _ = builder.set(.text("role"), to: .text(message.role.rawValue))
    switch message.content {
    case .none: break
    case .text(let text): _ = builder.set(.text("content"), to: content(text))
    case .parts(let parts):
      _ = builder.set(.text("content"), to: try value(.array(parts), isTemplate: false))
    }
    if let reasoning = message.reasoning {
      // Older templates read the second name, as in Hugging Face's rendering.
      _ = builder.set(.text("reasoning_content"), to: content(reasoning))
      _ = builder.set(.text("thinking"), to: content(reasoning))
    }
    if !message.toolCalls.isEmpty {
      var calls: [JinjaValue] = []
      for call in message.toolCalls { calls.append(try value(of: call)) }
      _ = builder.set(.text("tool_calls"), to: try list(calls))
    }
    if let id = message.toolCallID { _ = builder.set(.text("tool_call_id"), to: content(id)) }
    if let name = message.name { _ = builder.set(.text("name"), to: content(name)) }
    for member in message.extra.members where member.key != "role" {
      _ = builder.set(.text(member.key), to: try value(member.value, isTemplate: false))
    }
    return try dict(builder)
  }

  private func value(of call: ChatMessage.ToolCall) throws(TemplateError) -> JinjaValue {
    var function = TemplateObject()
    function["name"] = .string(call.name)
    function["arguments"] = call.arguments
    var object = TemplateObject()
    if let id = call.id { object["id"] = .string(id) }
    object["type"] = "function"
    object["function"] = .object(function)
    return try value(.object(object), isTemplate: false)
  }
}
