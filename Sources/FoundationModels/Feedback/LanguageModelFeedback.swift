/// What a person thinks of an answer.
public struct LanguageModelFeedback: Sendable {
  /// Whether the answer was good.
  public enum Sentiment: String, Sendable, Hashable, CaseIterable {
    /// It was.
    case positive
    /// It was not.
    case negative
    /// Neither.
    case neutral
  }

  /// One thing that is wrong with an answer.
  public struct Issue: Sendable {
    /// The kinds of things that can be wrong.
    public enum Category: String, Sendable, Hashable, CaseIterable {
      /// It does not help.
      case unhelpful
      /// It is too long.
      case tooVerbose
      /// It is not what the instructions ask for.
      case didNotFollowInstructions
      /// It is wrong.
      case incorrect
      /// It is biased.
      case stereotypeOrBias
      /// It is suggestive.
      case suggestiveOrSexual
      /// It offends.
      case vulgarOrOffensive
      /// A safety filter had no reason to stop it.
      case triggeredGuardrailUnexpectedly
    }

    let category: Category
    let explanation: String?

    /// A thing that is wrong, with an explanation where there is one.
    public init(category: Category, explanation: String? = nil) {
      self.category = category
      self.explanation = explanation
    }
  }

  /// The document that a feedback is saved as.
  static func attachment(
    transcript: Transcript, sentiment: Sentiment?, issues: [Issue],
    desiredOutput: Transcript.Entry?
  ) throws -> GeneratedContent {
    var members = ContentProperties()
    members["sentiment"] = sentiment?.rawValue.generatedContent
    members["issues"] =
      issues.map { issue in
        var members = ContentProperties()
        members["category"] = issue.category.rawValue.generatedContent
        members["explanation"] = issue.explanation?.generatedContent
        return GeneratedContent(value: .structure(members))
      }.generatedContent
    members["transcript"] = try TranscriptWriter.document(transcript)
    members["desiredOutput"] = try desiredOutput.map(TranscriptWriter.entry)
    return GeneratedContent(value: .structure(members))
  }
}
