import FMTestSupport
import FMText
import Foundation
import Testing

/// Conversations, dates and the plain form.
@Suite struct TemplateMessageTests {
  private func template(_ name: String) throws -> ChatTemplate {
    try ChatTemplate(
      source: String(contentsOf: Fixtures.url("templates/\(name)"), encoding: .utf8))
  }

  @Test func `tool calls, results and reasoning reach the template`() throws {
    let call = ChatMessage.ToolCall(
      id: "c1", name: "get", arguments: ["z": 1, "a": [1.0, nil], "é": "<&>"])
    let messages = [
      ChatMessage(.user, "Q"),
      ChatMessage(role: .assistant, content: .none, reasoning: "why", toolCalls: [call]),
      ChatMessage(role: .tool, content: .text("R"), name: "get", toolCallID: "c1"),
    ]
    let prompt = try template("thinking_like.jinja").render(messages)
    let expected =
      "<|im_start|>user\nQ<|im_end|>\n<|im_start|>assistant\n<think>\nwhy\n</think>\n\n"
      + "\n<tool_call>\n{\"name\": \"get\", \"arguments\": {\"z\": 1, \"a\": [1.0, null], "
      + "\"é\": \"<&>\"}}\n</tool_call><|im_end|>\n<|im_start|>user\n<tool_response>\nR\n"
      + "</tool_response><|im_end|>\n<|im_start|>assistant\n"
    #expect(prompt.text == expected)
  }

  @Test func `without a date templates print their own, with one it is the given day`() throws {
    let template = try template("llama_like.jinja")
    #expect(!template.needsDate)
    let messages = [ChatMessage(.user, "Hi")]
    #expect(try template.render(messages).text.contains("Today Date: 26 Jul 2024"))
    // One second apart, around midnight.
    let before = ChatTemplateOptions(date: TemplateDate(unixSeconds: 1_767_225_599))
    let after = ChatTemplateOptions(date: TemplateDate(unixSeconds: 1_767_225_600))
    #expect(try template.render(messages, options: before).text.contains(": 31 Dec 2025\n"))
    #expect(try template.render(messages, options: after).text.contains(": 01 Jan 2026\n"))
    #expect(try ChatTemplate(source: "{{ strftime_now('%Y') }}").needsDate)
  }

  @Test(arguments: [
    (0, "1970-01-01 00:00:00 Thu 001"), (951_782_400, "2000-02-29 00:00:00 Tue 060"),
    (1_709_164_799, "2024-02-28 23:59:59 Wed 059"), (-1, "1969-12-31 23:59:59 Wed 365"),
    (4_107_542_400, "2100-03-01 00:00:00 Mon 060"),
  ])
  func `dates follow the calendar`(seconds: Int64, expected: String) throws {
    let template = try ChatTemplate(source: "{{ strftime_now('%Y-%m-%d %H:%M:%S %a %j') }}")
    let options = ChatTemplateOptions(date: TemplateDate(unixSeconds: seconds))
    #expect(try template.render([], options: options).text == expected)
  }

  @Test func `a second system message that a template refuses is named by its index`() throws {
    let template = try ChatTemplate(
      source: "{% for m in messages %}{% if m.role == 'system' and not loop.first %}"
        + "{{ raise_exception('System message must be at the beginning.') }}{% endif %}{% endfor %}"
    )
    let messages = [
      ChatMessage(.system, "a"), ChatMessage(.user, "b"), ChatMessage(.system, "c"),
    ]
    #expect(
      throws: TemplateError.refusedSystemMessage(
        index: 2, reason: "System message must be at the beginning.")
    ) { try template.render(messages) }
  }

  @Test func `content in parts is given as parts`() throws {
    let message = ChatMessage(
      role: .user, content: .parts([["type": "text", "text": " a "], ["type": "image"]]))
    let prompt = try template("gemma_like.jinja").render([message])
    #expect(
      prompt.text == "<start_of_turn>user\na<start_of_image><end_of_turn>\n<start_of_turn>model\n")
  }

  @Test func `the plain form is what its documentation says`() throws {
    let plain = ChatTemplate.plain
    let messages = [
      ChatMessage(.system, "Be brief."), ChatMessage(.user, "Hi"),
      ChatMessage(.assistant, "Ho"), ChatMessage(.user, "<|x|>"),
    ]
    let prompt = try plain.render(messages)
    #expect(
      prompt.text
        == "System: Be brief.\n\nUser: Hi\n\nAssistant: Ho\n\nUser: <|x|>\n\nAssistant:")
    #expect(prompt.spans.filter { !$0.isTemplate }.count == 4)
    #expect(plain.stopStrings == ["\nUser:"])
    #expect(plain.warning?.contains("no chat template") == true)
    #expect(throws: TemplateError.unsupportedByPlainForm("tools")) {
      try plain.render(messages, options: ChatTemplateOptions(tools: [["type": "function"]]))
    }
  }

  @Test func `objects keep their order and keys of other bytes apart`() {
    var object: TemplateObject = ["b": 1, "a": 2, "b": 3]
    #expect(object.members.map(\.key) == ["b", "a"])
    #expect(object["b"] == 3)
    // Canonically equivalent, but not the same bytes.
    object["\u{E9}"] = 4
    object["e\u{301}"] = 5
    #expect(object.members.count == 4)
    object["b"] = nil
    #expect(object.members.first?.key == "a")
    #expect(object["e\u{301}"] == 5)
  }
}
