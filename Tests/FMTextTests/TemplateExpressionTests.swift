import FMTestSupport
import FMText
import Foundation
import Testing

/// Compares small templates and JSON texts with what Python gives
/// (Benchmarks/oracle/template_goldens.py).
@Suite struct TemplateExpressionTests {
  private func fixture(_ name: String) throws -> TemplateValue {
    let text = try String(contentsOf: Fixtures.url("templates/\(name)"), encoding: .utf8)
    return try TemplateValue(json: text)
  }

  @Test func `expressions and statements give what Jinja gives`() throws {
    guard case .object(let root) = try fixture("expressions.json"),
      case .object(let variables)? = root["variables"], case .array(let cases)? = root["cases"]
    else { throw CocoaError(.fileReadCorruptFile) }
    var differences: [String] = []
    var equal = 0
    for case .object(let item) in cases {
      guard case .string(let source)? = item["source"] else { continue }
      let rendering = Result { () throws(TemplateError) in
        try ChatTemplate(source: source).render(variables: variables, date: TemplateGoldens.date)
      }
      switch (item["text"], rendering) {
      case (.string(let expected)?, .success(let prompt)):
        if Array(expected.utf8) == prompt.bytes { equal += 1 } else { differences.append(source) }
      case (nil, .failure): break
      default: differences.append(source)
      }
    }
    #expect(differences == [])
    #expect(equal > 1400)
    #expect(cases.count > 2000)
  }

  @Test func `tojson is json dumps to the byte`() throws {
    guard case .array(let cases) = try fixture("json_dumps.json") else {
      throw CocoaError(.fileReadCorruptFile)
    }
    #expect(cases.count == 200)
    let forms = [
      "none": "{{ v | tojson }}", "two": "{{ v | tojson(indent=2) }}",
      "four": "{{ v | tojson(indent=4) }}",
      "ascii": "{{ v | tojson(ensure_ascii=true, sort_keys=true) }}",
    ]
    for (form, source) in forms.sorted(by: { $0.key < $1.key }) {
      let template = try ChatTemplate(source: source)
      for case .object(let item) in cases {
        guard let value = item["value"], case .string(let expected)? = item[form] else {
          Issue.record("a case lacks \(form)")
          continue
        }
        #expect(try template.render(variables: ["v": value]).bytes == Array(expected.utf8))
      }
    }
  }

  @Test(arguments: [
    ("{%- for m in [1,2,3][::-1] %}{{ m }}{{ loop.index0 }};{% endfor %}", "30;21;12;"),
    ("a\n   {% if true %}\nX\n   {% endif %}\nb", "a\nX\nb"),
    ("x{% generation %}y{% endgeneration %}z", "xyz"),
    (
      "{{ t | tojson }}", #"{"b": "é<&>", "a": [1, 2.0, true, null]}"#
    ),
    ("{{ ms|rejectattr('role','equalto','system')|list|length }}", "1"),
    ("{{ ms|selectattr('role','equalto','system')|map(attribute='content')|first }}", "x"),
    ("{{ ''.__class__ }}{{ ''.__class__ is defined }}", "False"),
  ])
  func `reported cases render as they should`(source: String, expected: String) throws {
    let variables: TemplateObject = [
      "t": ["b": "é<&>", "a": [1, 2.0, true, nil]],
      "ms": [["role": "system", "content": "x"], ["role": "user", "content": "y"]],
    ]
    #expect(try ChatTemplate(source: source).render(variables: variables).text == expected)
  }

  @Test func `reads JSON and refuses what is none`() throws {
    #expect(
      try TemplateValue(json: #" {"a": [1, -2.5e3, "\u00e9\ud83d\ude00\n"], "a": null} "#)
        == ["a": nil])
    for broken in [
      "", "{", "[1,]", "{\"a\" 1}", "01", "1.", "\"\u{1}\"", "nul", "[1] 2", "\"\\x\"", "+1",
      "99999999999999999999", String(repeating: "[", count: 100_000),
    ] {
      #expect(throws: TemplateError.self) { try TemplateValue(json: broken) }
    }
  }
}
