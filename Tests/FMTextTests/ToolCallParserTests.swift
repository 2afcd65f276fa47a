import FMText
import Testing

/// One form of calls and how the tests write a call in it.
private struct NamedForm: Sendable, CustomTestStringConvertible {
  var testDescription: String
  var form: ToolCallForm

  static let all = [
    NamedForm(testDescription: "Hermes", form: .hermes),
    NamedForm(testDescription: "Llama 3", form: .llama),
    NamedForm(
      testDescription: "other tags",
      form: ToolCallForm(
        opener: "«call» ", closer: " «/call»", separator: " ", nameKey: "function",
        argumentsKey: "input")),
  ]

  func call(_ name: String, _ arguments: String) -> String {
    String(decoding: form.opener + form.head(name: name), as: UTF8.self) + arguments + "}"
      + String(decoding: form.closer, as: UTF8.self)
  }
}

@Suite struct ToolCallParserTests {
  private typealias Event = ToolCallParser.Event
  private let names = ["weather", "look up"]

  /// What a parser finds in pieces, with neighbouring texts and arguments joined.
  private func events(
    _ pieces: [String], form: ToolCallForm, isCut: Bool = false
  ) -> [Event] {
    var parser = ToolCallParser(form: form, toolNames: names)
    var found: [Event] = []
    for event in pieces.flatMap({ parser.append($0) }) + parser.finish(isCut: isCut) {
      switch (found.last, event) {
      case (.text(let old)?, .text(let new)): found[found.count - 1] = .text(old + new)
      case (.arguments(let old)?, .arguments(let new)):
        found[found.count - 1] = .arguments(old + new)
      default: found.append(event)
      }
    }
    return found
  }

  /// Expects the same of a text whole, cut in two at every place, and scalar by scalar.
  private func expect(
    _ text: String, _ form: ToolCallForm, _ expected: [Event], isCut: Bool = false
  ) {
    let scalars = text.unicodeScalars.map { String($0) }
    #expect(events([text], form: form, isCut: isCut) == expected, "\(text)")
    #expect(events(scalars, form: form, isCut: isCut) == expected, "\(text), scalar by scalar")
    for place in scalars.indices {
      let pieces = [scalars[..<place].joined(), scalars[place...].joined()]
      #expect(events(pieces, form: form, isCut: isCut) == expected, "\(pieces)")
    }
  }

  private func found(_ name: String, _ arguments: String) -> [Event] {
    [.callBegan(name: name), .arguments(arguments), .callEnded]
  }

  @Test(arguments: NamedForm.all)
  fileprivate func `a call is found wherever the answer is cut`(_ form: NamedForm) {
    for arguments in [
      "{}", #"{"city": "Rome"}"#, #"{"n": 123, "m": -0.5e3, "b": true, "l": [1, {"a": null}]}"#,
      #"{"quote": "\"}</tool_call>{", "é": "日本\u00e9"}"#,
    ] {
      expect(form.call("weather", arguments), form.form, found("weather", arguments))
      expect(
        "\n " + form.call("look up", arguments) + "\n", form.form, found("look up", arguments))
    }
  }

  @Test func `several calls of one answer are found in order`() {
    for form in [NamedForm.all[0], NamedForm.all[2]] {
      for between in ["", "\n", " \n\n"] {
        expect(
          form.call("weather", #"{"a": 1}"#) + between + form.call("look up", "{}"), form.form,
          found("weather", #"{"a": 1}"#) + found("look up", "{}"))
      }
    }
  }

  @Test func `text around calls comes out without the white space beside them`() {
    let form = NamedForm.all[0]
    expect(
      "Let me see. \n\n" + form.call("weather", "{}") + "\n\nSo < 5.\n", form.form,
      [.text("Let me see.")] + found("weather", "{}") + [.text("\n\nSo < 5.\n")])
  }

  @Test(arguments: [
    "", "<", "a < 5 and b > 5", "<tool", "<tool_call", "<tool_cal l>", "<<tool_call", "x\n\n",
    "<tool_call> is the tag", "<tool_call>\n\n[1]", "<tool_call>{\"a\": 1}", "<tool_call>",
    "<tool_call>\n{]", "<tool_call>{\"name\": 5}", "<tool_call>{\"name\": \"x\" ]", "</tool_call>",
    "  leading and trailing  ", "é<tool_日本", String(repeating: " \n", count: 200) + "x",
  ])
  func `text that only looks like a call comes out whole and once`(_ text: String) {
    let isNamed = text.hasSuffix("]") && text.contains("\"x\"")
    if isNamed { return expect(text, .hermes, [.callBegan(name: "x"), .malformed(text)]) }
    expect(text, .hermes, text.isEmpty ? [] : [.text(text)])
  }

  @Test(arguments: [
    #"{"city": "Rome"}"#, #"{"name": "Bob", "age": 3}"#, #"{"name": "weather"#, "{", "{}", "[1]",
    #"{"parameters": {}, "name": "weather"}"#, #"Call {"name": "weather", "parameters": {}}"#,
  ])
  func `JSON that calls no tool is an answer where calls have no opener`(_ text: String) {
    expect(text, .llama, [.text(text)])
  }

  @Test func `an opener that turns out to be none can be followed by one`() {
    let call = NamedForm.all[0].call("weather", "{}")
    expect("<tool_call>" + call, .hermes, [.text("<tool_call>")] + found("weather", "{}"))
    expect("<tool_<tool_call" + call, .hermes, [.text("<tool_<tool_call")] + found("weather", "{}"))
  }

  @Test func `a call may have its members in any order and spelling`() {
    expect(
      #"<tool_call>{ "arguments" :{"a":[1]} , "id":"7", "name":"we\u0061ther" }</tool_call>"#,
      .hermes, found("weather", #"{"a":[1]}"#))
    expect(
      #"<tool_call>{"name": "weather", "arguments": "{\"a\": 1}"}</tool_call>"#, .hermes,
      found("weather", #"{"a": 1}"#))
    for text in [#"{"name": "weather"}"#, #"{"name": "weather", "arguments": null}"#] {
      expect("<tool_call>\(text)</tool_call>", .hermes, [.callBegan(name: "weather"), .callEnded])
    }
  }

  @Test(arguments: NamedForm.all)
  fileprivate func `a call that is cut is malformed from its name on, and text is never lost`(
    _ form: NamedForm
  ) {
    let call = form.call("weather", #"{"city": "Rome"}"#)
    let bytes = Array(call.utf8)
    let named = (form.form.opener + form.form.head(name: "weather")).count
    let whole = bytes.count - form.form.closer.count
    for end in 1..<bytes.count {
      guard let text = String(validating: bytes[..<end], as: UTF8.self) else { continue }
      let found = events([text], form: form.form, isCut: true)
      if end >= whole {
        #expect(found.last == .callEnded)
      } else if end >= named {
        #expect(found.last == .malformed(text) && found.first == .callBegan(name: "weather"))
      } else if case .text(let out)? = found.first, found.count == 1 {
        #expect(out == text)
      } else {
        #expect(found.last == .malformed(text))
      }
    }
  }

  @Test func `arguments come out piece by piece as they are read`() {
    var parser = ToolCallParser(form: .hermes, toolNames: names)
    _ = parser.append(#"<tool_call>{"name": "weather", "arguments": "#)
    var pieces: [String] = []
    for piece in ["{\"n\"", ": 12", "3", ", \"s\": \"a", "b\"}"] {
      for case .arguments(let text) in parser.append(piece) { pieces.append(text) }
    }
    #expect(pieces == ["{\"n\"", ": 12", "3", ", \"s\": \"a", "b\"}"])
    #expect(parser.append("}") == [])
    #expect(parser.append("</tool_call>") == [.callEnded])
    #expect(parser.hasCalls)
  }

  @Test func `hostile answers end in text or an error and hold little`() {
    let deep = #"<tool_call>{"name": "weather", "arguments": "# + String(repeating: "[", count: 65)
    #expect(events([deep], form: .hermes).last == .malformed(deep))
    let long = #"<tool_call>{"name": ""# + String(repeating: "a", count: 100_000)
    #expect(events([long], form: .hermes) == [.text(long)])
    let early = #"<tool_call>{"arguments": ""# + String(repeating: "a", count: 2 << 20)
    #expect(events([early], form: .hermes) == [.text(early)])
    let twice = #"<tool_call>{"name": "weather", "arguments": {}, "arguments": {}}"#
    #expect(
      events([twice], form: .hermes).last.map { if case .malformed = $0 { true } else { false } }
        == true)
    let openers = String(repeating: "<tool_call>", count: 10_000)
    #expect(events([openers], form: .hermes) == [.text(openers)])
  }

  @Test func `random pieces of calls and text give the same however they are cut`() {
    var random = SystemRandomNumberGenerator()
    let parts = [
      "<tool_call>", "\n", "{", "}", "\"name\"", ": ", "\"weather\"", ", ", "\"arguments\"", "{}",
      "</tool_call>", "a", "<", "é", "\\", "\"", "[", NamedForm.all[0].call("weather", "{}"),
    ]
    for _ in 0..<2000 {
      let text = (0..<12).compactMap { _ in parts.randomElement(using: &random) }.joined()
      let scalars = text.unicodeScalars.map { String($0) }
      for form in [ToolCallForm.hermes, .llama] {
        let whole = events([text], form: form)
        #expect(events(scalars, form: form) == whole, "\(text)")
        let hasCall = whole.contains { if case .text = $0 { false } else { true } }
        if !hasCall { #expect(whole == (text.isEmpty ? [] : [.text(text)]), "\(text)") }
      }
    }
  }
}
