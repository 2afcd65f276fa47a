import FMBench
import FMRuntime
import Foundation
import FoundationModels
import Testing

private struct Lamp: Tool {
  let name = "lamp"
  let description = "Is on or off"
  @Generable struct Arguments { var isOn: Bool }
  func call(arguments: Arguments) async throws -> String { "\(arguments.isOn)" }
}

/// Errors in words.
@Suite struct ErrorSentenceTests {
  @Test func `an error says what it has for people, with a hint`() {
    let refused = ChatCompletionsError.status(401, message: "no", endpoint: "http://h/v1")
    #expect(
      ErrorSentence(refused).description
        == "The server at http://h/v1 answered with status 401: no\n"
        + "hint: check the key that the server is sent")
    #expect(
      ErrorSentence(refused, hint: "do").description
        == "The server at http://h/v1 answered with status 401: no\nhint: do")
    let silent = ChatCompletionsError.status(302, message: "", endpoint: "http://h/v1")
    #expect(
      ErrorSentence(silent).description
        == "The server at http://h/v1 answered with status 302 and no text.")
    let large = LanguageModelError.contextSizeExceeded(
      LanguageModelError.ContextSizeExceeded(
        contextSize: 10, tokenCount: 20, debugDescription: "details"))
    #expect(
      ErrorSentence(large).description.hasPrefix(
        "The session has 20 tokens, more than fit into the model's context of 10.\nhint: shorten"))
    // An error of ours has its hint in its text.
    let ours = StoreError.noSuchRun("7")
    #expect(ErrorSentence(ours).description == ours.description)
    #expect(ErrorSentence(CancellationError()).description == "it was cancelled")
    let failed = LanguageModelSession.ToolCallError(tool: Lamp(), underlyingError: ours)
    #expect(ErrorSentence(failed).description == "the tool 'lamp' failed: \(ours)")
  }

  @Test(arguments: [
    ("{}", "it has no 'words'"), (#"{"words": 1}"#, "'words' is of another kind"),
    (#"{"words": null}"#, "'words' is null"), (#"{"words": ["a", 2]}"#, "is of another kind"),
    ("words", "it is no JSON"),
  ])
  func `what is wrong with JSON is said without names of types`(json: String, said: String) {
    struct Text: Decodable { var words: [String] }
    let error = #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(Text.self, from: Data(json.utf8))
    }
    let text = error.map { ErrorSentence($0).description } ?? ""
    #expect(text.hasSuffix(said), "\(text)")
    #expect(!text.contains("String") && !text.contains("Array"), "\(text)")
  }
}
