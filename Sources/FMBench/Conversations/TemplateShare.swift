import FoundationModels

/// Counts what of prompts the chat template and the descriptions of tools make; each text is counted once.
struct TemplateShare {
  private let encoding: any TextEncoding
  private var known: [String: Int] = [:]

  init(encoding: any TextEncoding) { self.encoding = encoding }

  /// Tokens of a prompt beyond those of its texts: of instructions, prompts, answers, calls and their outputs.
  ///
  /// Where a text meets the template tokens may join, so it is right within a token a message; never below 0.
  mutating func tokens(of transcript: Transcript, prompt: Int) -> Int {
    var texts = 0
    for entry in transcript {
      switch entry {
      case .instructions(let entry): texts += count(entry.segments.text)
      case .prompt(let entry): texts += count(entry.segments.text)
      case .response(let entry): texts += count(entry.segments.text)
      case .toolOutput(let entry): texts += count(entry.segments.text)
      case .toolCalls(let calls):
        for call in calls { texts += count(call.toolName) + count(call.arguments.jsonString) }
      // Thoughts are not shown to a model again.
      case .reasoning: break
      }
    }
    return max(0, prompt - texts)
  }

  private mutating func count(_ text: String) -> Int {
    if let tokens = known[text] { return tokens }
    let tokens = encoding.tokens(of: text).count
    known[text] = tokens
    return tokens
  }
}
