package import FoundationModels

/// A plan made into texts for one model: what `LanguageModelSession`s are asked, and what is answered.
package struct ConversationScript: Sendable {
  package var isConcurrent: Bool
  package var sessions: [Session]
  /// The longest prompt with its answer by the plan, in tokens.
  package var windowTokens: Int

  /// One conversation.
  package struct Session: Sendable {
    package var name: String
    package var instructions: String
    /// Tokens of ``instructions`` alone.
    package var instructionTokens: Int
    package var tools: [SessionMaterial.Tool]
    /// The exchange that makes a session warm.
    package var leadIn: Ask?
    package var asks: [Ask]
  }

  /// One request of the application: a prompt, the calls on the way, the answer.
  package struct Ask: Sendable {
    /// User turn from 0.
    package var turn: Int
    package var prompt: [Piece]
    /// Whether the conversation begins again before it, with the instructions alone.
    package var restarts: Bool
    package var thinkMilliseconds: Double
    /// The form of the answer; nil for text.
    package var structure: GenerationSchema?
    package var steps: [Step]
  }

  /// Part of a prompt.
  package enum Piece: Sendable {
    /// A text of so many tokens.
    case text(String, tokens: Int)
    /// The last answer of the session of that number.
    case quote(session: Int, tokens: Int)

    var tokens: Int {
      switch self {
      case .text(_, let tokens), .quote(_, let tokens): tokens
      }
    }
  }

  /// One call of the model.
  package struct Step: Sendable {
    package var kind: OutputKind
    package var output: AnswerScript.Output
    /// Tokens the answer has; nil where the model decides.
    package var outputTokens: Int?
    package var calls: [Call]
  }

  /// One call of a tool, with what the tool answers.
  package struct Call: Sendable {
    package var tool: String
    package var arguments: GeneratedContent
    package var milliseconds: Double
    package var result: String
    package var resultTokens: Int
  }

  /// The script with another first line in every session's instructions, so that no cache knows it.
  ///
  /// The line has as many digits whatever the number is.
  package func salted(_ number: UInt64) -> ConversationScript {
    let digits = String(number % 1_000_000_000)
    let line =
      "Case \(String(repeating: "0", count: 9 - digits.utf8.count))\(digits).\n"
    var copy = self
    for index in copy.sessions.indices {
      copy.sessions[index].instructions = line + copy.sessions[index].instructions
    }
    return copy
  }
}
