import FMTestSupport
import FMText
import Foundation
import Testing

/// Compares renderings with those of PyPI jinja2 set up as Hugging Face does
/// (Benchmarks/oracle/template_goldens.py).
@Suite struct TemplateGoldenTests {
  @Test func `committed templates render as Hugging Face does`() throws {
    let folder = Fixtures.url("templates")
    let report = try TemplateGoldens(folder: folder).compare()
    #expect(report.differences == [])
    #expect(report.equalTexts >= 15)
  }

  @Test(.enabled(if: TemplateGoldens.cache != nil, "run Benchmarks/oracle/fetch_templates.sh"))
  func `every fetched template renders as Hugging Face does`() throws {
    let folder = try #require(TemplateGoldens.cache)
    let report = try TemplateGoldens(folder: folder).compare()
    #expect(report.differences == [])
    #expect(report.equalTexts >= 900)
  }

  @Test func `renders a conversation given as messages`() throws {
    let source = try String(
      contentsOf: Fixtures.url("templates/smollm2.jinja"), encoding: .utf8)
    let template = try ChatTemplate(source: source)
    let prompt = try template.render([ChatMessage(.user, "Hi"), ChatMessage(.assistant, "Ho")])
    let expected =
      "<|im_start|>system\nYou are a helpful AI assistant named SmolLM, trained by Hugging Face"
      + "<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\nHo<|im_end|>\n"
      + "<|im_start|>assistant\n"
    #expect(prompt.text == expected)
    #expect(template.warning == nil)
  }
}
