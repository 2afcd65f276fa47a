/// How conversations with tools are written for a model.
///
/// Found by rendering small conversations through the model's template: a template that shows tools,
/// calls as JSON and outputs is used as it is. For any other there is a generic form, which puts the
/// definitions into the system message (``GenericToolForm``).
package struct ToolConvention: Sendable, Hashable {
  /// Whether the template itself takes tools, calls and outputs.
  package var isNative: Bool
  /// How calls are spelled.
  package var call: ToolCallForm

  package init(isNative: Bool, call: ToolCallForm) {
    self.isNative = isNative
    self.call = call
  }

  /// Definitions in the system message, Hermes' calls, outputs in the user's turns.
  package static let generic = ToolConvention(isNative: false, call: .hermes)

  /// Asks a template; `tokenizer` tells control tokens, which no text of an answer shows.
  package init(
    of template: ChatTemplate, options: ChatTemplateOptions = ChatTemplateOptions(),
    tokenizer: Tokenizer? = nil
  ) {
    let probe = ToolTemplateProbe(template: template, options: options)
    guard let form = probe.callForm, probe.showsOutputs,
      !Self.hasControl(form.opener + form.closer, tokenizer)
    else {
      self = .generic
      return
    }
    self.init(isNative: true, call: form)
  }

  private static func hasControl(_ bytes: [UInt8], _ tokenizer: Tokenizer?) -> Bool {
    guard let tokenizer else { return false }
    return bytes.withUnsafeBufferPointer { bytes in
      var offset = 0
      while let match = tokenizer.firstSpecial(in: bytes, from: offset, parsingSpecial: true) {
        if tokenizer.isControl(match.token) { return true }
        offset = match.end
      }
      return false
    }
  }

  /// A conversation and its tools as the template is to be given them.
  package func prepare(
    _ messages: [ChatMessage], tools: [TemplateValue]
  ) -> (messages: [ChatMessage], tools: [TemplateValue]) {
    if isNative { return (messages, tools) }
    return (GenericToolForm(call: call).messages(messages, tools: tools), [])
  }
}

/// Learns from a template how it writes tools.
private struct ToolTemplateProbe {
  private let template: ChatTemplate
  private let options: ChatTemplateOptions

  // Texts that no template has by chance, and that none would escape.
  private static let name = "fmprobetool"
  private static let secondName = "fmprobeother"
  private static let argument = "fmprobeargument"
  private static let value = "fmprobevalue"
  private static let content = "fmprobecontent"
  private static let output = "fmprobeoutput"

  init(template: ChatTemplate, options: ChatTemplateOptions) {
    self.template = template
    var options = options
    options.addGenerationPrompt = false
    options.tools = [Self.definition]
    // Far more than these few words need.
    options.limits.steps = min(options.limits.steps, 400_000)
    self.options = options
  }

  private static var definition: TemplateValue {
    [
      "type": "function",
      "function": [
        "name": .string(name), "description": "x",
        "parameters": [
          "type": "object", "properties": [argument: ["type": "string", "description": "x"]],
          "required": [.string(argument)],
        ],
      ],
    ]
  }

  private static func call(_ name: String) -> ChatMessage.ToolCall {
    ChatMessage.ToolCall(
      id: "fmprobe01", name: name, arguments: [argument: .string(value)])
  }

  private func render(_ messages: [ChatMessage]) -> [UInt8]? {
    (try? template.render([ChatMessage(.user, "x")] + messages, options: options))?.bytes
  }

  private static func position(of text: String, in bytes: [UInt8]) -> Int? {
    ByteSearch(Array(text.utf8)).first(in: bytes, from: 0)
  }

  /// Whether the template has a place for what tools answer.
  var showsOutputs: Bool {
    let call = ChatMessage(
      role: .assistant, content: .text(""), toolCalls: [Self.call(Self.name)])
    let output = ChatMessage(
      role: .tool, content: .text(Self.output), name: Self.name, toolCallID: "fmprobe01")
    guard let bytes = render([call, output]) else { return false }
    return Self.position(of: Self.output, in: bytes) != nil
  }

  /// How calls are spelled; nil where the template shows no definitions, no calls, or no JSON.
  var callForm: ToolCallForm? {
    guard let asked = render([]), Self.position(of: Self.name, in: asked) != nil,
      let (before, after) = frame, let answer = answer([Self.call(Self.name)], before, after),
      let found = Self.object(Self.name, in: answer, from: 0)
    else { return nil }
    var form = ToolCallForm(
      opener: Self.text(answer[..<found.range.lowerBound], trimsStart: true),
      closer: Self.text(answer[found.range.upperBound...], trimsStart: false),
      nameKey: found.nameKey, argumentsKey: found.argumentsKey, allowsSeveral: false)
    guard let two = self.answer([Self.call(Self.name), Self.call(Self.secondName)], before, after),
      let first = Self.object(Self.name, in: two, from: 0),
      let second = Self.object(Self.secondName, in: two, from: first.range.upperBound)
    else { return form }
    let between = two[first.range.upperBound..<second.range.lowerBound]
    let core = form.closer + form.opener
    // What is between two calls is a closer, white space and an opener.
    if between.starts(with: form.closer), between.reversed().starts(with: form.opener.reversed()),
      between.count >= core.count
    {
      let separator = between.dropFirst(form.closer.count).dropLast(form.opener.count)
      if separator.allSatisfy(JSONText.isSpace), !form.opener.isEmpty {
        form.separator = Array(separator)
        form.allowsSeveral = true
      }
    }
    return form
  }

  /// What stands before and after an answer of text.
  private var frame: (before: [UInt8], after: [UInt8])? {
    guard let bytes = render([ChatMessage(.assistant, Self.content)]),
      let start = Self.position(of: Self.content, in: bytes)
    else { return nil }
    return (
      Array(bytes[..<start]), Array(bytes[(start + Self.content.utf8.count)...])
    )
  }

  /// What stands where an answer's text would, for an answer of calls.
  private func answer(
    _ calls: [ChatMessage.ToolCall], _ before: [UInt8], _ after: [UInt8]
  ) -> [UInt8]? {
    let message = ChatMessage(role: .assistant, content: .text(""), toolCalls: calls)
    guard let bytes = render([message]), bytes.count >= before.count + after.count,
      bytes.starts(with: before), bytes.suffix(after.count).elementsEqual(after)
    else { return nil }
    return Array(bytes[before.count..<(bytes.count - after.count)])
  }

  private static func text(_ bytes: ArraySlice<UInt8>, trimsStart: Bool) -> String {
    let trimmed =
      trimsStart
      ? Array(bytes.drop(while: JSONText.isSpace))
      : Array(bytes.reversed().drop(while: JSONText.isSpace).reversed())
    return String(decoding: trimmed, as: UTF8.self)
  }

  private struct FoundObject {
    var range: Range<Int>
    var nameKey: String
    var argumentsKey: String
  }

  /// The object that calls a tool, with its keys.
  private static func object(
    _ name: String, in bytes: [UInt8], from start: Int
  ) -> FoundObject? {
    for open in bytes.indices.dropFirst(start) where bytes[open] == UInt8(ascii: "{") {
      var scan = JSONValueScan()
      guard let last = bytes[open...].firstIndex(where: { scan.read($0) != .inside }),
        case .object(let object)? = try? JSONReader.value(of: Array(bytes[open...last]))
      else { continue }
      let nameKey = object.members.first { $0.value == .string(name) }?.key
      let argumentsKey = object.members.first {
        $0.value == [argument: .string(value)]
      }?.key
      guard let nameKey, let argumentsKey else { continue }
      return FoundObject(range: open..<(last + 1), nameKey: nameKey, argumentsKey: argumentsKey)
    }
    return nil
  }
}
